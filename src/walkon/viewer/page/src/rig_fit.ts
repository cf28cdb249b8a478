/** A rig fitted to one body, in flat arrays, as posing reads it: offsets in metres, rotations (w, x, y, z). */

import type { CharacterData, FitData, FootFit } from "./character_data";
import { backTimes, turn } from "./quaternions";
import type { Skeleton } from "./take";

/** One leg: joints of the rig and of the take, and both soles. */
export interface RigLeg {
  readonly hip: number;
  readonly knee: number;
  readonly ankle: number;
  readonly takeHip: number;
  readonly takeKnee: number;
  readonly takeAnkle: number;
  readonly takeBall: number;
  /** [3] heel of the take in its ankle's frame, ball in its ball joint's. */
  readonly takeHeelPoint: Float64Array;
  readonly takeBallPoint: Float64Array;
  readonly flat: Float64Array;
  readonly heel: Float64Array;
  readonly toes: Float64Array;
  readonly ball: Float64Array;
  readonly heelShift: readonly number[];
  readonly ballShift: readonly number[];
}

export interface RigFit {
  readonly joints: number;
  readonly parents: Int32Array;
  /** [J] joint of the take that is followed, −1 for none. */
  readonly drives: Int32Array;
  /** [J × 4] rotation when the take's joint is at rest. */
  readonly turns: Float64Array;
  /** [J × 4] rotation in the parent's frame at rest. */
  readonly rests: Float64Array;
  /** [J × 3] metres, in the parent's frame. */
  readonly offsets: Float64Array;
  readonly legRatio: number;
  readonly legs: readonly [RigLeg, RigLeg];
}

export function rigFit(data: CharacterData, fit: FitData, skeleton: Skeleton): RigFit {
  const joints = data.parents.length;
  const turns = flat(data.turns);
  const rests = new Float64Array(turns);
  const offsets = new Float64Array(3 * joints);
  const back = new Float64Array(4);
  for (let joint = 0; joint < joints; joint++) {
    const parent = data.parents[joint];
    if (parent < 0) continue;
    backTimes(turns, 4 * parent, turns, 4 * joint, rests, 4 * joint);
    const [a, b] = [data.places[joint], data.places[parent]];
    const [x, y, z] = [0, 1, 2].map((i) => fit.scale * (a[i] - b[i]));
    const [w, qx, qy, qz] = turns.subarray(4 * parent, 4 * parent + 4);
    back.set([w, -qx, -qy, -qz]);
    turn(back, 0, x, y, z, offsets, 3 * joint);
  }
  return {
    joints,
    parents: Int32Array.from(data.parents),
    drives: Int32Array.from(fit.drives),
    turns: flat(fit.turns),
    rests,
    offsets,
    legRatio: fit.leg_ratio,
    legs: [rigLeg("left", data, fit.feet[0], skeleton), rigLeg("right", data, fit.feet[1], skeleton)],
  };
}

function rigLeg(side: string, data: CharacterData, foot: FootFit, skeleton: Skeleton): RigLeg {
  const own = (part: string): number => data.roles[`${side}_${part}`];
  const take = (part: string): number => skeleton.roles[`${side}_${part}`];
  const contact = (part: string): Float64Array =>
    Float64Array.from(skeleton.contactOffsets[skeleton.contactNames.indexOf(`${side}_${part}`)]);
  return {
    hip: own("hip"),
    knee: own("knee"),
    ankle: own("ankle"),
    takeHip: take("hip"),
    takeKnee: take("knee"),
    takeAnkle: take("ankle"),
    takeBall: take("ball"),
    takeHeelPoint: contact("heel"),
    takeBallPoint: contact("ball"),
    flat: Float64Array.from(foot.flat),
    heel: Float64Array.from(foot.heel),
    toes: Float64Array.from(foot.toes),
    ball: Float64Array.from(foot.ball),
    heelShift: foot.heel_shift,
    ballShift: foot.ball_shift,
  };
}

function flat(rows: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(rows.flat());
}
