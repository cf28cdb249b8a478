/** Where a planted foot goes (step 6 of the rule in walkon.take.posing.posing): the ankle's goal, how foot and toes turn.

With ankle a, heel h, ball b of the clip's own foot, and plants H, B:

    heel and ball down:   turn = smallest rotation of (b − h) onto (B − H),   a' = B − turn (b − a)
    only the ball:        turn from the stance,                               a' = B − turn (b − a)
    only the heel:        turn from the stance,                               a' = H − turn (h − a)
    swing:                turn eased, shift on a cubic between stances,       a' = a + shift

While flat the foot is rolled about B − H by the floor's slope across it; swings are lifted where they must clear it.
World, metres, seconds of the take's clock. The twin of walkon.take.posing.stepping_numpy. */

import { ABUTTING_WITHIN_S, MAX_TOE_BEND_RAD } from "./posing_rule";
import { about, between, clamp, dot3, ease, exp, lastNotAfter, times, turn } from "./quaternions";
import type { Stances } from "./tables";

/** What one foot does: the clip's own foot goes in, the goal comes out. */
export class FootGoal {
  readonly ankle = new Float64Array(3);
  readonly heel = new Float64Array(3);
  readonly joint = new Float64Array(3);
  readonly ball = new Float64Array(3);
  /** Where the ankle goes. */
  readonly target = new Float64Array(3);
  /** How the foot turns, and how the toes do before it. */
  readonly turn = new Float64Array(4);
  readonly toes = new Float64Array(4);
  /** 1 where the heel bears, plus 2 where the ball does. */
  held = 0;
  /** The axis across the clip's foot, about which toes bend. */
  readonly across = new Float64Array(3);
  /** Radians by which the heel may rise to spare the leg (heel_rise.ts). */
  highest = 0;
}

const sole = new Float64Array(3);
const toe = new Float64Array(3);
const axis = new Float64Array(3);
const lies = new Float64Array(3);
const reach = new Float64Array(3);
const bentBall = new Float64Array(3);
const roll = new Float64Array(4);

/** Fill the goal of the foot whose stances are rows first to stop − 1. */
export function findGoal(stances: Stances, first: number, stop: number, t: number, foot: FootGoal): void {
  const { heel, joint, ball } = foot;
  for (let i = 0; i < 3; i++) {
    sole[i] = joint[i] - heel[i];
    toe[i] = ball[i] - joint[i];
  }
  // Toes turn about the ball joint, across the foot, from its line on to the ball's.
  axis[0] = sole[1] * toe[2] - sole[2] * toe[1];
  axis[1] = sole[2] * toe[0] - sole[0] * toe[2];
  axis[2] = sole[0] * toe[1] - sole[1] * toe[0];
  const size = Math.sqrt(dot3(axis, 0, axis, 0));
  for (let i = 0; i < 3; i++) axis[i] /= Math.max(size, 1e-9);
  foot.across.set(axis);
  const k = lastNotAfter(stances.start, first, stop, t);
  if (k >= first && t <= stances.stop[k]) inStance(stances, k, first, stop, t, size, foot);
  else inSwing(stances, k, first, stop, t, size, foot);
}

function inStance(
  stances: Stances,
  k: number,
  first: number,
  stop: number,
  t: number,
  size: number,
  foot: FootGoal,
): void {
  const { heelPlace, ballPlace } = stances;
  const tau = t - stances.start[k];
  const slack = 1e-6 + 2e-7 * tau; // the ends are float32 seconds after a float64 start
  const onHeel = bears(stances.heel, k, tau, slack);
  const onBall = bears(stances.ball, k, tau, slack);
  let bend = stanceTurn(stances, k, first, stop, t, foot.turn);
  for (let i = 0; i < 3; i++) lies[i] = ballPlace[3 * k + i] - heelPlace[3 * k + i];
  if (onHeel && onBall) {
    const soles = dot3(sole, 0, sole, 0);
    const toes = dot3(toe, 0, toe, 0);
    const cosine = (0.5 * (dot3(lies, 0, lies, 0) - soles - toes)) / Math.sqrt(Math.max(soles * toes, 1e-18));
    bend = Math.acos(clamp(cosine, -1, 1)) - Math.atan2(size, dot3(sole, 0, toe, 0));
    bend = clamp(bend, -MAX_TOE_BEND_RAD, MAX_TOE_BEND_RAD);
  }
  about(axis, 0, size > 1e-9 ? bend : 0, foot.toes, 0);
  turn(foot.toes, 0, toe[0], toe[1], toe[2], bentBall, 0);
  for (let i = 0; i < 3; i++) bentBall[i] += foot.joint[i];
  if (onHeel && onBall) {
    for (let i = 0; i < 3; i++) reach[i] = bentBall[i] - foot.heel[i];
    between(reach, 0, lies, 0, foot.turn, 0);
    if (stances.roll[k] !== 0) {
      const long = Math.sqrt(Math.max(dot3(lies, 0, lies, 0), 1e-18));
      for (let i = 0; i < 3; i++) lies[i] /= long;
      about(lies, 0, stances.roll[k], roll, 0);
      times(roll, 0, foot.turn, 0, foot.turn, 0);
    }
  }
  const anchor = onBall ? bentBall : foot.heel;
  const place = onBall ? ballPlace : heelPlace;
  const { ankle, target } = foot;
  turn(foot.turn, 0, anchor[0] - ankle[0], anchor[1] - ankle[1], anchor[2] - ankle[2], reach, 0);
  for (let i = 0; i < 3; i++) target[i] = place[3 * k + i] - reach[i];
  foot.held = (onHeel ? 1 : 0) + (onBall ? 2 : 0);
  const follows = k + 1 < stop && stances.start[k + 1] - stances.stop[k] < ABUTTING_WITHIN_S;
  foot.highest = onBall && tau > stances.heel[2 * k + 1] + slack && !follows ? stances.rise[k] : 0;
}

function bears(spans: Float32Array, k: number, tau: number, slack: number): boolean {
  const begin = spans[2 * k];
  const end = spans[2 * k + 1];
  return end > begin && begin - slack <= tau && tau <= end + slack;
}

function inSwing(
  stances: Stances,
  k: number,
  first: number,
  stop: number,
  t: number,
  size: number,
  foot: FootGoal,
): void {
  const before = Math.max(k, first);
  const after = Math.min(k + 1, stop - 1);
  let w = k < first ? 1 : 0;
  let p = 0;
  let swing = 0;
  if (k >= first && k + 1 < stop) {
    swing = stances.start[k + 1] - stances.stop[k];
    p = (t - stances.stop[k]) / swing;
    w = ease(p);
  }
  // The slopes of a Hermite cubic: the ankle leaves and lands as fast as the stances on either side have it.
  const rise = swing * p * (1 - p) * (1 - p);
  const fall = -swing * p * p * (1 - p);
  for (let i = 0; i < 3; i++) {
    const a = 3 * before + i;
    const b = 3 * after + i;
    const shift = (1 - w) * stances.shiftOut[a] + w * stances.shiftIn[b];
    foot.target[i] = foot.ankle[i] + shift + rise * stances.rateOut[a] + fall * stances.rateIn[b];
  }
  const q = 4 * p * (1 - p);
  foot.target[2] += q * q * stances.lift[before];
  mixTurns(stances.turnOff, before, stances.turnIn, after, w, foot.turn);
  const bend = (1 - w) * stances.toeOff[before] + w * stances.toeIn[after];
  about(axis, 0, size > 1e-9 ? bend : 0, foot.toes, 0);
  foot.held = 0;
  foot.highest = 0;
}

function mixTurns(a: Float32Array, early: number, b: Float32Array, late: number, w: number, out: Float64Array): void {
  exp(
    (1 - w) * a[3 * early] + w * b[3 * late],
    (1 - w) * a[3 * early + 1] + w * b[3 * late + 1],
    (1 - w) * a[3 * early + 2] + w * b[3 * late + 2],
    out,
    0,
  );
}

/** When heel and ball of a stance are both down, seconds after its start; the end comes first where they never are. */
function flatFrom(stances: Stances, k: number): number {
  return Math.max(stances.heel[2 * k], stances.ball[2 * k]);
}

function flatUntil(stances: Stances, k: number): number {
  return Math.min(stances.heel[2 * k + 1], stances.ball[2 * k + 1]);
}

/** How a foot in stance k turns while it is not flat: even, or eased towards an abutting stance. Returns its toes' bend. */
function stanceTurn(stances: Stances, k: number, first: number, stop: number, t: number, out: Float64Array): number {
  const { start } = stances;
  const begin = flatFrom(stances, k);
  const end = flatUntil(stances, k);
  const tau = t - start[k];
  let early = k;
  let late = k;
  if (end > begin && tau > end && k + 1 < stop && start[k + 1] - stances.stop[k] < ABUTTING_WITHIN_S) late = k + 1;
  else if (end > begin && tau < begin && k > first && start[k] - stances.stop[k - 1] < ABUTTING_WITHIN_S) early = k - 1;
  let w = tau >= begin ? 0 : 1;
  if (early < late) {
    const since = start[early] + Math.max(flatFrom(stances, early), flatUntil(stances, early));
    const until = start[late] + flatFrom(stances, late);
    w = ease((t - since) / Math.max(until - since, 1e-9));
  }
  mixTurns(stances.turnOut, early, stances.turnIn, late, w, out);
  return (1 - w) * stances.toeOut[early] + w * stances.toeIn[late];
}
