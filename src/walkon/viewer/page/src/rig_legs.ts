/** The legs of a rig: where its ankles go so that its own soles stand where the take's do, and the two bones to there.

With ankle a, rotation R of the take's foot, its heel H and ball B, and the rig's heel h and ball b seen from its ankle:

    heel of the rig at H + Y δh,   ball at B + Y δb          Y the foot's heading, δ constant (character_feet.py)
    a' = H + Y δh − R h   where the toes are up,   a' = B + Y δb − R b   where the heel is,   mixed in between

Flat both say the same: the rig's ankle is over the take's. As H and B stand still while they are planted, so do the
rig's. World, metres. */

import { between, clamp, dot3, ease, times, turn, type Numbers } from "./quaternions";
import type { RigLeg } from "./rig_fit";

/** Metres of height between heel and ball over which the anchor goes from one to the other. */
const ROLL = 0.03;
/** How far the knee is held in front of a straight leg, as a share of the thigh. */
const POLE = 0.08;
/** Share of the whole length to which a leg is stretched. */
const STRAIGHT = 0.9995;

const back = new Float64Array(4);
const level = new Float64Array(4);
const side = new Float64Array(3);
const along = new Float64Array(3);
const shift = new Float64Array(3);
const toeShift = new Float64Array(3);
const nothing = new Float64Array(4);

/** What the take's foot does now, and where the rig's ankle goes. */
export class RigFoot {
  /** The take's: [3] each. */
  readonly hip = new Float64Array(3);
  readonly knee = new Float64Array(3);
  readonly ankle = new Float64Array(3);
  readonly heel = new Float64Array(3);
  readonly ball = new Float64Array(3);
  readonly hipTurn = new Float64Array(4);
  readonly footTurn = new Float64Array(4);
  readonly toeTurn = new Float64Array(4);
  /** Where the rig's ankle goes. */
  readonly goal = new Float64Array(3);

  /** Read the take's leg from posed joints that begin at joint `first`. */
  read(leg: RigLeg, positions: Float32Array, rotations: Float32Array, first: number, scale: number): void {
    for (let i = 0; i < 3; i++) {
      this.hip[i] = positions[3 * (first + leg.takeHip) + i];
      this.knee[i] = positions[3 * (first + leg.takeKnee) + i];
      this.ankle[i] = positions[3 * (first + leg.takeAnkle) + i];
    }
    for (let i = 0; i < 4; i++) {
      this.hipTurn[i] = rotations[4 * (first + leg.takeHip) + i];
      this.footTurn[i] = rotations[4 * (first + leg.takeAnkle) + i];
      this.toeTurn[i] = rotations[4 * (first + leg.takeBall) + i];
    }
    const [hx, hy, hz] = leg.takeHeelPoint;
    const [bx, by, bz] = leg.takeBallPoint;
    turn(this.footTurn, 0, scale * hx, scale * hy, scale * hz, shift, 0);
    turn(this.toeTurn, 0, scale * bx, scale * by, scale * bz, toeShift, 0);
    for (let i = 0; i < 3; i++) {
      this.heel[i] = this.ankle[i] + shift[i];
      this.ball[i] = positions[3 * (first + leg.takeBall) + i] + toeShift[i];
    }
  }

  /** Find where the rig's ankle goes. */
  aim(leg: RigLeg, scale: number): void {
    const { flat, heel, toes, ball } = leg;
    back[0] = flat[0];
    for (let i = 1; i < 4; i++) back[i] = -flat[i];
    times(this.footTurn, 0, back, 0, level, 0);
    // The heading by the line across the foot, which stays level while it rolls.
    turn(level, 0, 0, 1, 0, side, 0);
    let size = Math.hypot(side[0], side[1]);
    if (size < 0.1) {
      turn(level, 0, 1, 0, 0, along, 0);
      side[0] = -along[1];
      side[1] = along[0];
      size = Math.max(Math.hypot(side[0], side[1]), 1e-9);
    }
    const lx = side[0] / size;
    const ly = side[1] / size;
    turn(this.footTurn, 0, scale * heel[0], scale * heel[1], scale * heel[2], shift, 0);
    const [hf, hl] = leg.heelShift;
    const fromHeelX = this.heel[0] + scale * (hf * ly + hl * lx) - shift[0];
    const fromHeelY = this.heel[1] + scale * (-hf * lx + hl * ly) - shift[1];
    const fromHeelZ = this.heel[2] - shift[2];
    turn(this.footTurn, 0, scale * toes[0], scale * toes[1], scale * toes[2], shift, 0);
    turn(this.toeTurn, 0, scale * ball[0], scale * ball[1], scale * ball[2], toeShift, 0);
    const [bf, bl] = leg.ballShift;
    const w = ease(0.5 + (this.heel[2] - this.ball[2]) / (ROLL * scale));
    this.goal[0] = (1 - w) * fromHeelX + w * (this.ball[0] + scale * (bf * ly + bl * lx) - shift[0] - toeShift[0]);
    this.goal[1] = (1 - w) * fromHeelY + w * (this.ball[1] + scale * (-bf * lx + bl * ly) - shift[1] - toeShift[1]);
    this.goal[2] = (1 - w) * fromHeelZ + w * (this.ball[2] - shift[2] - toeShift[2]);
  }
}

const upper = new Float64Array(3);
const lower = new Float64Array(3);
const aim = new Float64Array(3);
const pole = new Float64Array(3);
const bone = new Float64Array(3);
const line = new Float64Array(3);

/** The longest way from hip to ankle of a rig that is posed. */
export function reachOf(leg: RigLeg, positions: Numbers): number {
  return STRAIGHT * (distance(positions, leg.hip, leg.knee) + distance(positions, leg.knee, leg.ankle));
}

/** Turn hip and knee (world rotations) so that the ankle comes to its goal; the knee goes where the take's knee does. */
export function solveRigLeg(leg: RigLeg, foot: RigFoot, positions: Numbers, rotations: Numbers): void {
  const { hip, knee, ankle } = leg;
  for (let i = 0; i < 3; i++) {
    upper[i] = positions[3 * knee + i] - positions[3 * hip + i];
    lower[i] = positions[3 * ankle + i] - positions[3 * knee + i];
    aim[i] = foot.goal[i] - positions[3 * hip + i];
    line[i] = foot.ankle[i] - foot.hip[i];
    pole[i] = foot.knee[i] - foot.hip[i];
  }
  const l1 = Math.sqrt(dot3(upper, 0, upper, 0));
  const l2 = Math.sqrt(dot3(lower, 0, lower, 0));
  const far = Math.max(Math.sqrt(dot3(aim, 0, aim, 0)), 1e-9);
  const size = clamp(far, Math.abs(l1 - l2) + 1e-4, STRAIGHT * (l1 + l2));
  // The take's knee off its own line from hip to ankle, and a little of the thigh's front, which decides when straight.
  const share = dot3(pole, 0, line, 0) / Math.max(dot3(line, 0, line, 0), 1e-9);
  turn(foot.hipTurn, 0, POLE * l1, 0, 0, bone, 0);
  for (let i = 0; i < 3; i++) pole[i] += bone[i] - share * line[i];
  const on = dot3(pole, 0, aim, 0) / (far * far);
  for (let i = 0; i < 3; i++) pole[i] -= on * aim[i];
  const out = Math.max(Math.sqrt(dot3(pole, 0, pole, 0)), 1e-9);
  const cosine = clamp((l1 * l1 + size * size - l2 * l2) / (2 * l1 * size), -1, 1);
  const sine = Math.sqrt(1 - cosine * cosine);
  for (let i = 0; i < 3; i++) bone[i] = l1 * ((cosine * aim[i]) / far + (sine * pole[i]) / out);
  between(upper, 0, bone, 0, nothing, 0);
  times(nothing, 0, rotations, 4 * hip, rotations, 4 * hip);
  for (let i = 0; i < 3; i++) bone[i] = (size * aim[i]) / far - bone[i];
  between(lower, 0, bone, 0, nothing, 0);
  times(nothing, 0, rotations, 4 * knee, rotations, 4 * knee);
}

function distance(positions: Numbers, a: number, b: number): number {
  return Math.hypot(
    positions[3 * a] - positions[3 * b],
    positions[3 * a + 1] - positions[3 * b + 1],
    positions[3 * a + 2] - positions[3 * b + 2],
  );
}
