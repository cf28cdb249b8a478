/** Where props are: at rest on the stage, on a track, or held by a joint. The rule of walkon.take.posing.holding.

At any moment a prop has one source of its pose; in the frame of what holds it, it goes evenly from one pose to another.
In a gap, and after the last attachment, a prop stays where it was left; before the first, it is where the first puts it.
World, metres. */

import { clamp, lastNotAfter, normalize } from "./quaternions";
import { compose, identity, mixPoses } from "./rigid_poses";
import { inOrder } from "./table_rows";
import { ATTACHMENTS, type Attachments } from "./tables";
import type { Take } from "./take";
import { readTrack } from "./tracks";

/** Puts the pose [7] of a character's joint at a time into `out`; false where the character is absent. */
export type JointAt = (who: number, joint: number, time: number, out: Float64Array) => boolean;

const own = new Float64Array(7);

export class PropPoser {
  /** Sorted by prop and start; [P + 1] first row of each prop. */
  private readonly rows: Attachments;
  private readonly first: Int32Array;

  constructor(private readonly take: Take) {
    this.rows = inOrder(take.attachments, ATTACHMENTS, take.attachments.prop, take.attachments.start);
    this.first = new Int32Array(take.props.length + 1);
    for (let row = 0; row < this.rows.rows; row++) this.first[this.rows.prop[row] + 1]++;
    for (let prop = 0; prop < take.props.length; prop++) this.first[prop + 1] += this.first[prop];
  }

  /** Put the pose [7] of a prop at a time into `out`; false where it is nowhere, or its holder is. */
  poseAt(prop: number, time: number, jointAt: JointAt, out: Float64Array): boolean {
    const { rows, first } = this;
    if (first[prop] === first[prop + 1]) return false;
    const row = Math.max(lastNotAfter(rows.start, first[prop], first[prop + 1], time), first[prop]);
    const posed = clamp(time, rows.start[row], rows.stop[row]);
    const who = rows.character[row];
    if (who >= 0) {
      if (!jointAt(who, rows.joint[row], posed, out)) return false;
    } else if (rows.track[row] >= 0) {
      const clock = rows.trackStart[row] + posed - rows.start[row];
      readTrack(this.take, rows.track[row], clock, out.subarray(0, 3), out.subarray(3));
    } else identity(out);
    mixPoses(rows.pose, row, rows.start[row], rows.stop[row], posed, own);
    compose(out, own, out);
    if (this.take.props[prop].keepLevel) {
      // Only the turn about the vertical is left.
      out[4] = out[5] = 0;
      if (out[3] === 0 && out[6] === 0) out[3] = 1;
      normalize(out, 3);
    }
    return true;
  }
}
