/** A two-bone limb with a hinge, solved by the law of cosines: the twin of walkon.motion.limbs.limb.solve_limb, for one limb.

The hinge turns the lower bone by the angle that gives the wanted distance; the root then makes the smallest rotation that
points the limb at its target, which keeps the plane of the bend where it was. World, metres. */

import { about, between, clamp, dot3, turn } from "./quaternions";

const across = new Float64Array(3);
const below = new Float64Array(3);
const bent = new Float64Array(3);

/** One limb: upper and lower bone, the hinge's unit axis, and the target, seen from the root; its turns come out. */
export class Limb {
  readonly upper = new Float64Array(3);
  readonly lower = new Float64Array(3);
  readonly axis = new Float64Array(3);
  readonly aim = new Float64Array(3);
  readonly rootTurn = new Float64Array(4);
  readonly hingeTurn = new Float64Array(4);
}

export function solveLimb(limb: Limb): void {
  const { upper, lower, axis, aim, rootTurn, hingeTurn } = limb;
  const along = dot3(upper, 0, axis, 0);
  const other = dot3(lower, 0, axis, 0);
  for (let i = 0; i < 3; i++) {
    across[i] = upper[i] - along * axis[i];
    below[i] = lower[i] - other * axis[i];
  }
  const first = Math.sqrt(dot3(across, 0, across, 0));
  const second = Math.sqrt(dot3(below, 0, below, 0));
  const straight = (along + other) * (along + other);
  const cosine = (dot3(aim, 0, aim, 0) - straight - first * first - second * second) / (2 * first * second);
  const wanted = Math.acos(clamp(cosine, -1, 1));
  const sine =
    axis[0] * (across[1] * below[2] - across[2] * below[1]) +
    axis[1] * (across[2] * below[0] - across[0] * below[2]) +
    axis[2] * (across[0] * below[1] - across[1] * below[0]);
  about(axis, 0, wanted - Math.atan2(sine, dot3(across, 0, below, 0)), hingeTurn, 0);
  turn(hingeTurn, 0, lower[0], lower[1], lower[2], bent, 0);
  for (let i = 0; i < 3; i++) bent[i] += upper[i];
  between(bent, 0, aim, 0, rootTurn, 0);
}
