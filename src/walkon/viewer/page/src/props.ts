/** Where props are: at rest on the stage, or held by joints of characters. The rule of walkon.take.posing.props.

While a joint with pose (p, R) holds a prop by the attachment pose (a, A), it is at (p + R a, R A); several holders are
averaged, and where it would rest does not count while somebody holds it. In a gap, and after the last attachment, a prop
stays where it was left; before the first, it is where the first puts it. World, metres. */

import { ABSENT, type PoseFrame } from "./pose_frame";
import { clamp, lastNotAfter, normalize, times, turn } from "./quaternions";
import type { Take } from "./take";

/** Puts the pose [7] of a character's joint at a time into `out`; false where the character is absent. */
export type JointAt = (who: number, joint: number, time: number, out: Float64Array) => boolean;

/** The time of one prop: within [edges[i], edges[i + 1]) the attachments rows[i] count, posed from i's own times. */
interface Schedule {
  readonly edges: Float64Array;
  readonly rows: readonly (readonly number[])[];
}

export class PropPoser {
  private readonly schedules: readonly (Schedule | null)[];
  private readonly joint = new Float64Array(7);
  private readonly sum = new Float64Array(7);
  private readonly held = new Float64Array(7);

  constructor(private readonly take: Take) {
    const mine: number[][] = take.props.map(() => []);
    for (let row = 0; row < take.attachments.rows; row++) mine[take.attachments.prop[row]].push(row);
    this.schedules = mine.map((rows) => schedule(take, rows));
  }

  /** Fill the props of a frame whose characters are posed at `time`. */
  pose(time: number, frame: PoseFrame, jointAt: JointAt): void {
    this.schedules.forEach((plan, prop) => {
      const there = plan !== null && this.average(plan, time, frame, jointAt);
      frame.propPresent[prop] = there ? 1 : 0;
      for (let i = 0; i < 3; i++) frame.propPositions[3 * prop + i] = there ? this.sum[i] : 0;
      for (let i = 0; i < 4; i++) frame.propRotations[4 * prop + i] = there ? this.sum[3 + i] : 0;
    });
  }

  /** Leave the mean pose of those who hold the prop in `sum`; false where none of them is there. */
  private average(plan: Schedule, time: number, frame: PoseFrame, jointAt: JointAt): boolean {
    const { edges, rows } = plan;
    let at = Math.max(lastNotAfter(edges, 0, edges.length, time), 0);
    while (at > 0 && rows[at].length === 0) at--;
    const posed = clamp(time, edges[at], edges[Math.min(at + 1, edges.length - 1)]);
    let count = 0;
    this.sum.fill(0);
    for (const row of rows[at]) {
      if (!this.attached(row, posed, time, frame, jointAt)) continue;
      const { sum, held } = this;
      const dot = sum[3] * held[3] + sum[4] * held[4] + sum[5] * held[5] + sum[6] * held[6];
      const sign = count > 0 && dot < 0 ? -1 : 1;
      for (let i = 0; i < 3; i++) sum[i] += held[i];
      for (let i = 3; i < 7; i++) sum[i] += sign * held[i];
      count++;
    }
    if (count === 0) return false;
    for (let i = 0; i < 3; i++) this.sum[i] /= count;
    normalize(this.sum, 3);
    return true;
  }

  /** Leave where one attachment puts the prop in `held`; false where its holder is absent. */
  private attached(row: number, posed: number, time: number, frame: PoseFrame, jointAt: JointAt): boolean {
    const { attachments } = this.take;
    const { joint, held } = this;
    const { pose } = attachments;
    const who = attachments.character[row];
    if (who < 0) {
      for (let i = 0; i < 7; i++) held[i] = pose[7 * row + i];
      return true;
    }
    if (posed === time) {
      if (frame.present[who] === ABSENT) return false;
      const at = who * frame.size.joints + attachments.joint[row];
      for (let i = 0; i < 3; i++) joint[i] = frame.positions[3 * at + i];
      for (let i = 0; i < 4; i++) joint[3 + i] = frame.rotations[4 * at + i];
    } else if (!jointAt(who, attachments.joint[row], posed, joint)) {
      return false;
    }
    turn(joint, 3, pose[7 * row], pose[7 * row + 1], pose[7 * row + 2], held, 0);
    for (let i = 0; i < 3; i++) held[i] += joint[i];
    times(joint, 3, pose, 7 * row + 3, held, 3);
    return true;
  }
}

/** Cut a prop's time at the starts and stops of its attachments; null where there are none. */
function schedule(take: Take, mine: readonly number[]): Schedule | null {
  const { start, stop, character } = take.attachments;
  if (mine.length === 0) return null;
  const edges = Float64Array.from(new Set(mine.flatMap((row) => [start[row], stop[row]]))).sort();
  const rows = Array.from(edges, (edge) => {
    const now = mine.filter((row) => start[row] <= edge && edge < stop[row]);
    const holding = now.filter((row) => character[row] >= 0);
    return holding.length > 0 ? holding : now;
  });
  return { edges, rows };
}
