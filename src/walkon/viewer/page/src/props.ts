/** Where props are: at rest on the stage, on a track, or held by a joint. The rule of walkon.take.posing.props.

At any moment a prop has one source of its pose; in the frame of what holds it, it goes evenly from one pose to another.
In a gap, and after the last attachment, a prop stays where it was left; before the first, it is where the first puts it.
World, metres. */

import { ABSENT, PLANAR, type PoseFrame } from "./pose_frame";
import { clamp, lastNotAfter, normalize, times, turn } from "./quaternions";
import { inOrder } from "./table_rows";
import { ATTACHMENTS, type Attachments } from "./tables";
import type { Take } from "./take";
import { readTrack } from "./tracks";

/** Puts the pose [7] of a character's joint at a time into `out`; false where the character is absent. */
export type JointAt = (who: number, joint: number, time: number, out: Float64Array) => boolean;

export class PropPoser {
  /** Sorted by prop and start; [P + 1] first row of each prop. */
  private readonly rows: Attachments;
  private readonly first: Int32Array;
  private readonly frame = new Float64Array(7);
  private readonly own = new Float64Array(7);
  private readonly world = new Float64Array(7);

  constructor(private readonly take: Take) {
    this.rows = inOrder(take.attachments, ATTACHMENTS, take.attachments.prop, take.attachments.start);
    this.first = new Int32Array(take.props.length + 1);
    for (let row = 0; row < this.rows.rows; row++) this.first[this.rows.prop[row] + 1]++;
    for (let prop = 0; prop < take.props.length; prop++) this.first[prop + 1] += this.first[prop];
  }

  /** Fill the props of a frame whose characters are posed at `time`. */
  pose(time: number, frame: PoseFrame, jointAt: JointAt): void {
    for (let prop = 0; prop < this.take.props.length; prop++) {
      const there = this.poseOne(prop, time, frame, jointAt);
      frame.propPresent[prop] = there ? 1 : 0;
      for (let i = 0; i < 3; i++) frame.propPositions[3 * prop + i] = there ? this.world[i] : 0;
      for (let i = 0; i < 4; i++) frame.propRotations[4 * prop + i] = there ? this.world[3 + i] : 0;
    }
  }

  /** Leave where a prop is in `world`; false where it is nowhere, or its holder is. */
  private poseOne(prop: number, time: number, frame: PoseFrame, jointAt: JointAt): boolean {
    const { rows, first, own, world } = this;
    if (first[prop] === first[prop + 1]) return false;
    const row = Math.max(lastNotAfter(rows.start, first[prop], first[prop + 1], time), first[prop]);
    const posed = clamp(time, rows.start[row], rows.stop[row]);
    this.ownPose(row, posed);
    if (!this.holder(row, posed, time, frame, jointAt)) return false;
    turn(this.frame, 3, own[0], own[1], own[2], world, 0);
    for (let i = 0; i < 3; i++) world[i] += this.frame[i];
    times(this.frame, 3, own, 3, world, 3);
    if (this.take.props[prop].keepLevel) {
      // Only the turn about the vertical is left.
      world[4] = world[5] = 0;
      if (world[3] === 0 && world[6] === 0) world[3] = 1;
      normalize(world, 3);
    }
    return true;
  }

  /** The attachment's own pose: evenly from that at its start to that at its stop. */
  private ownPose(row: number, posed: number): void {
    const { own } = this;
    const { pose, start, stop } = this.rows;
    const a = 14 * row;
    const b = a + 7;
    const u = clamp((posed - start[row]) / Math.max(stop[row] - start[row], 1e-9), 0, 1);
    let dot = 0;
    for (let i = 3; i < 7; i++) dot += pose[a + i] * pose[b + i];
    for (let i = 0; i < 7; i++) {
      const last = i > 2 && dot < 0 ? -pose[b + i] : pose[b + i];
      own[i] = last === pose[a + i] ? last : (1 - u) * pose[a + i] + u * last;
    }
    normalize(own, 3);
  }

  /** Leave the frame in which an attachment holds in `frame`; false where its holder is absent. */
  private holder(row: number, posed: number, time: number, frame: PoseFrame, jointAt: JointAt): boolean {
    const { rows, frame: out } = this;
    const who = rows.character[row];
    out.fill(0);
    out[3] = 1;
    if (rows.track[row] >= 0) {
      const clock = rows.trackStart[row] + posed - rows.start[row];
      readTrack(this.take, rows.track[row], clock, out.subarray(0, 3), out.subarray(3));
      return true;
    }
    if (who < 0) return true;
    if (posed !== time) return jointAt(who, rows.joint[row], posed, out);
    if (frame.present[who] === ABSENT) return false;
    const at = who * frame.size.joints + (frame.present[who] === PLANAR ? 0 : rows.joint[row]);
    for (let i = 0; i < 3; i++) out[i] = frame.positions[3 * at + i];
    for (let i = 0; i < 4; i++) out[3 + i] = frame.rotations[4 * at + i];
    return true;
  }
}
