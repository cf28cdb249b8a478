/** Poses a rig from a pose frame: rotations follow the take's joints, hips are carried at the height of the rig's own legs,
and the legs are solved again for its own feet. World, metres, rotations (w, x, y, z); nothing is allocated per frame.

    hips:  over the take's, at the height  m + (z − m) q      m the floor under the feet, q the ratio of the legs' lengths
           and no higher than either leg reaches */

import type { PoseFrame } from "./pose_frame";
import { times, turn } from "./quaternions";
import type { RigFit } from "./rig_fit";
import { reachOf, RigFoot, solveRigLeg } from "./rig_legs";

/** Metres over which feet share the floor's height, and over which a leg that becomes straight holds the hips. */
const SHARED = 0.03;
const HOLD = 0.008;
/** Metres by which hips are lowered at most. */
const LOWEST = 0.3;

export class RigPoser {
  /** [J × 3] and [J × 4] world, of the last character that was posed. */
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
  readonly feet = [new RigFoot(), new RigFoot()] as const;
  private readonly moved = new Float64Array(3);
  private readonly taken = new Float64Array(4);

  constructor(joints: number) {
    this.positions = new Float64Array(3 * joints);
    this.rotations = new Float64Array(4 * joints);
  }

  /** Pose the rig as character `row` of a frame, whose size is `scale` times its body's. */
  pose(fit: RigFit, frame: PoseFrame, row: number, scale: number): void {
    const first = row * frame.size.joints;
    this.follow(fit, frame, first);
    this.place(fit, scale, 0, 0, 0);
    const { positions, feet } = this;
    let floor = 0;
    for (let k = 0; k < 2; k++) {
      feet[k].read(fit.legs[k], frame.positions, frame.rotations, first, scale);
      feet[k].aim(fit.legs[k], scale);
      floor += Math.exp(-feet[k].heel[2] / SHARED) + Math.exp(-feet[k].ball[2] / SHARED);
    }
    const ground = Number.isFinite(floor) && floor > 0 ? -SHARED * Math.log(floor / 4) : lowest(feet);
    const [left, right] = [3 * fit.legs[0].hip, 3 * fit.legs[1].hip];
    const middle = (i: number): number => 0.5 * (feet[0].hip[i] + feet[1].hip[i] - positions[left + i] - positions[right + i]);
    const dx = middle(0);
    const dy = middle(1);
    const high = 0.5 * (feet[0].hip[2] + feet[1].hip[2]);
    const wanted = middle(2) + (fit.legRatio - 1) * (high - ground);
    // No higher than the legs reach: a soft least of the three heights.
    let sum = 1;
    for (let k = 0; k < 2; k++) {
      const leg = fit.legs[k];
      const reach = reachOf(leg, positions);
      const x = feet[k].goal[0] - positions[3 * leg.hip] - dx;
      const y = feet[k].goal[1] - positions[3 * leg.hip + 1] - dy;
      const rise = Math.sqrt(Math.max(reach * reach - x * x - y * y, 0));
      const most = feet[k].goal[2] + rise - positions[3 * leg.hip + 2];
      sum += Math.exp(Math.min((wanted - most) / (HOLD * scale), 600));
    }
    const dz = wanted - Math.min(HOLD * scale * Math.log(sum), LOWEST * scale);
    this.place(fit, scale, dx, dy, dz);
    for (let k = 0; k < 2; k++) solveRigLeg(fit.legs[k], feet[k], positions, this.rotations);
    this.ride(fit);
    this.place(fit, scale, dx, dy, dz);
  }

  /** Turn every joint as its joint of the take does; those without one stay as they are on their parents. */
  private follow(fit: RigFit, frame: PoseFrame, first: number): void {
    const { rotations, taken } = this;
    for (let joint = 0; joint < fit.joints; joint++) {
      const drive = fit.drives[joint];
      if (drive < 0) {
        this.rest(fit, joint);
        continue;
      }
      for (let i = 0; i < 4; i++) taken[i] = frame.rotations[4 * (first + drive) + i];
      times(taken, 0, fit.turns, 4 * joint, rotations, 4 * joint);
    }
  }

  private ride(fit: RigFit): void {
    for (let joint = 0; joint < fit.joints; joint++) if (fit.drives[joint] < 0) this.rest(fit, joint);
  }

  private rest(fit: RigFit, joint: number): void {
    const parent = fit.parents[joint];
    if (parent < 0) for (let i = 0; i < 4; i++) this.rotations[4 * joint + i] = fit.rests[4 * joint + i];
    else times(this.rotations, 4 * parent, fit.rests, 4 * joint, this.rotations, 4 * joint);
  }

  /** Put joints where their parents hold them, the root at (x, y, z). */
  private place(fit: RigFit, scale: number, x: number, y: number, z: number): void {
    const { positions, rotations, moved } = this;
    positions[0] = x;
    positions[1] = y;
    positions[2] = z;
    for (let joint = 1; joint < fit.joints; joint++) {
      const parent = fit.parents[joint];
      const o = 3 * joint;
      turn(rotations, 4 * parent, fit.offsets[o], fit.offsets[o + 1], fit.offsets[o + 2], moved, 0);
      for (let i = 0; i < 3; i++) positions[o + i] = positions[3 * parent + i] + scale * moved[i];
    }
  }
}

function lowest(feet: readonly RigFoot[]): number {
  return feet.reduce((least, foot) => Math.min(least, foot.heel[2], foot.ball[2]), Infinity);
}
