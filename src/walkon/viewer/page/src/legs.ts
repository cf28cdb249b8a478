/** Legs: hip and knee solved so that the ankle comes to its goal (limb.ts), foot and toes turned.

The knee bends about its hinge, the clip's own axis. */

import { raiseHeel, shortenLeg } from "./heel_rise";
import { Limb, solveLimb } from "./limb";
import { backTimes, dot3, normalize, times, turn } from "./quaternions";
import type { Rig } from "./score";
import type { FootGoal } from "./stances";
import type { Workspace } from "./clip_reading";

const limb = new Limb();
const above = new Float64Array(4);
const here = new Float64Array(4);

/** Write local rotations of hip, knee, ankle and ball of one leg (0 left, 1 right) so that the foot does as it shall. */
export function solveLeg(rig: Rig, leg: number, foot: FootGoal, space: Workspace): void {
  const { legs, parents } = rig;
  const { positions, rotations, locals, hinges } = space;
  const hip = legs[4 * leg];
  const knee = legs[4 * leg + 1];
  const ankle = legs[4 * leg + 2];
  const ball = legs[4 * leg + 3];
  if (foot.held === 0) shortenLeg(hip, knee, ankle, foot, space);
  else if (foot.highest > 0) raiseHeel(hip, knee, ankle, foot, space);
  const k = 1 / Math.max(Math.sqrt(dot3(hinges, 3 * leg, hinges, 3 * leg)), 1e-9);
  turn(rotations, 4 * hip, k * hinges[3 * leg], k * hinges[3 * leg + 1], k * hinges[3 * leg + 2], limb.axis, 0);
  for (let i = 0; i < 3; i++) {
    limb.upper[i] = positions[3 * knee + i] - positions[3 * hip + i];
    limb.lower[i] = positions[3 * ankle + i] - positions[3 * knee + i];
    limb.aim[i] = foot.target[i] - positions[3 * hip + i];
  }
  solveLimb(limb);
  const { rootTurn: hipTurn, hingeTurn: kneeTurn } = limb;

  // Local rotations from the turns in the world; joints between hip, knee and ankle ride along.
  times(hipTurn, 0, rotations, 4 * hip, here, 0);
  backTimes(rotations, 4 * parents[hip], here, 0, locals, 4 * hip);
  times(kneeTurn, 0, rotations, 4 * knee, here, 0);
  backTimes(rotations, 4 * parents[knee], here, 0, locals, 4 * knee);
  times(hipTurn, 0, kneeTurn, 0, above, 0);
  times(above, 0, rotations, 4 * parents[ankle], above, 0);
  times(foot.turn, 0, rotations, 4 * ankle, here, 0);
  backTimes(above, 0, here, 0, locals, 4 * ankle);
  normalize(locals, 4 * ankle);
  times(foot.toes, 0, rotations, 4 * ball, here, 0);
  backTimes(rotations, 4 * parents[ball], here, 0, locals, 4 * ball);
}
