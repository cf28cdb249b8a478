/** Heel rise: a foot on its ball turns about its ball joint, so that its leg need not stretch.

The twin of walkon.take.posing.heel_rise, which has the rule. World, metres, radians. */

import type { Workspace } from "./clip_reading";
import { MIN_KNEE_BEND_RAD } from "./posing_rule";
import { about, backTimes, clamp, dot3, times, turn } from "./quaternions";
import type { FootGoal } from "./stances";

const v = new Float64Array(3);
const w = new Float64Array(3);
const joint = new Float64Array(3);
const axis = new Float64Array(3);
const rise = new Float64Array(4);
const back = new Float64Array(4);

function apart(positions: Float64Array, a: number, b: number): number {
  return Math.hypot(
    positions[3 * a] - positions[3 * b],
    positions[3 * a + 1] - positions[3 * b + 1],
    positions[3 * a + 2] - positions[3 * b + 2],
  );
}

/** The length to which a leg (rows of its hip, knee and ankle) may stretch. */
function longestLeg(positions: Float64Array, hip: number, knee: number, ankle: number): number {
  const longest = apart(positions, hip, knee) + apart(positions, knee, ankle);
  return Math.max(Math.cos(0.5 * MIN_KNEE_BEND_RAD) * longest, apart(positions, hip, ankle));
}

/** Bring the ankle of a swinging foot so near to its hip that the leg need not stretch. */
export function shortenLeg(hip: number, knee: number, ankle: number, foot: FootGoal, space: Workspace): void {
  const { positions } = space;
  const { target } = foot;
  const length = Math.hypot(
    target[0] - positions[3 * hip],
    target[1] - positions[3 * hip + 1],
    target[2] - positions[3 * hip + 2],
  );
  const share = longestLeg(positions, hip, knee, ankle) / Math.max(length, 1e-9);
  if (share >= 1) return;
  for (let i = 0; i < 3; i++) target[i] = positions[3 * hip + i] + share * (target[i] - positions[3 * hip + i]);
}

/** Let the heel rise by up to foot.highest where the leg (rows of its hip, knee and ankle) would be too long. */
export function raiseHeel(hip: number, knee: number, ankle: number, foot: FootGoal, space: Workspace): void {
  const { positions } = space;
  const limit = longestLeg(positions, hip, knee, ankle);
  const { target, ankle: from, joint: to } = foot;
  turn(foot.turn, 0, to[0] - from[0], to[1] - from[1], to[2] - from[2], joint, 0);
  let leg = 0;
  for (let i = 0; i < 3; i++) {
    joint[i] += target[i];
    leg += (target[i] - positions[3 * hip + i]) ** 2;
    v[i] = target[i] - joint[i];
    w[i] = positions[3 * hip + i] - joint[i];
  }
  if (leg <= limit * limit) return;
  turn(foot.turn, 0, foot.across[0], foot.across[1], foot.across[2], axis, 0);
  const vAlong = dot3(axis, 0, v, 0);
  const wAlong = dot3(axis, 0, w, 0);
  const wanted = 0.5 * (dot3(v, 0, v, 0) + dot3(w, 0, w, 0) - limit * limit) - vAlong * wAlong;
  // Across the axis: its parts of v and w, their product and the angle from one to the other.
  const cosine = dot3(v, 0, w, 0) - vAlong * wAlong;
  const sine =
    axis[0] * (v[1] * w[2] - v[2] * w[1]) + axis[1] * (v[2] * w[0] - v[0] * w[2]) + axis[2] * (v[0] * w[1] - v[1] * w[0]);
  const sizes = Math.sqrt((dot3(v, 0, v, 0) - vAlong ** 2) * (dot3(w, 0, w, 0) - wAlong ** 2));
  const most = Math.atan2(sine, cosine);
  const angle = clamp(most - Math.acos(clamp(wanted / Math.max(sizes, 1e-18), -1, 1)), 0, foot.highest);
  about(axis, 0, angle, rise, 0);
  // Toes stay where they are: toes' = turn⁻¹ rise⁻¹ turn toes.
  times(foot.turn, 0, foot.toes, 0, back, 0);
  backTimes(rise, 0, back, 0, back, 0);
  backTimes(foot.turn, 0, back, 0, foot.toes, 0);
  times(rise, 0, foot.turn, 0, foot.turn, 0);
  turn(rise, 0, v[0], v[1], v[2], target, 0);
  for (let i = 0; i < 3; i++) target[i] += joint[i];
}
