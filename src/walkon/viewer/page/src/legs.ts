/** Legs: hip and knee solved so that the ankle comes to its goal (law of cosines), foot and toes turned.

The knee bends about its hinge, the clip's own axis. The twin of walkon.motion.legs.solve_leg, for one leg. */

import { about, backTimes, between, clamp, dot3, normalize, times, turn } from "./quaternions";
import type { Rig } from "./score";
import type { FootGoal } from "./stances";
import type { Workspace } from "./clip_reading";

const axis = new Float64Array(3);
const thigh = new Float64Array(3);
const shin = new Float64Array(3);
const aim = new Float64Array(3);
const across = new Float64Array(3);
const below = new Float64Array(3);
const bent = new Float64Array(3);
const kneeTurn = new Float64Array(4);
const hipTurn = new Float64Array(4);
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
  const k = 1 / Math.max(Math.sqrt(dot3(hinges, 3 * leg, hinges, 3 * leg)), 1e-9);
  turn(rotations, 4 * hip, k * hinges[3 * leg], k * hinges[3 * leg + 1], k * hinges[3 * leg + 2], axis, 0);
  for (let i = 0; i < 3; i++) {
    thigh[i] = positions[3 * knee + i] - positions[3 * hip + i];
    shin[i] = positions[3 * ankle + i] - positions[3 * knee + i];
    aim[i] = foot.target[i] - positions[3 * hip + i];
  }
  const along = dot3(thigh, 0, axis, 0);
  const other = dot3(shin, 0, axis, 0);
  for (let i = 0; i < 3; i++) {
    across[i] = thigh[i] - along * axis[i];
    below[i] = shin[i] - other * axis[i];
  }
  const upper = Math.sqrt(dot3(across, 0, across, 0));
  const lower = Math.sqrt(dot3(below, 0, below, 0));
  const straight = (along + other) * (along + other);
  const cosine = (dot3(aim, 0, aim, 0) - straight - upper * upper - lower * lower) / (2 * upper * lower);
  const wanted = Math.acos(clamp(cosine, -1, 1));
  const sine =
    axis[0] * (across[1] * below[2] - across[2] * below[1]) +
    axis[1] * (across[2] * below[0] - across[0] * below[2]) +
    axis[2] * (across[0] * below[1] - across[1] * below[0]);
  about(axis, 0, wanted - Math.atan2(sine, dot3(across, 0, below, 0)), kneeTurn, 0);
  turn(kneeTurn, 0, shin[0], shin[1], shin[2], bent, 0);
  for (let i = 0; i < 3; i++) bent[i] += thigh[i];
  between(bent, 0, aim, 0, hipTurn, 0);

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
