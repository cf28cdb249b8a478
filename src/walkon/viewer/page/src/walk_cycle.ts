/** A procedural walk cycle: the pose of somebody who is only on a track, from the phase of a stride. The rule of walkon.motion.gait.walk_cycle.

Every part of the body is placed by a point (x, z) and a pitch about its left axis, in the root's frame: x forward, y
left, z up, the origin where the root is at rest. Metres, radians. */

import { restPlaces } from "./person_measures";
import { between, ease, ofAxes, times, turn } from "./quaternions";
import type { Body, Skeleton } from "./take";
import { add, cross, dot, length, sub, times as scaled, unit, vec3 } from "./vectors";

const SIDES = ["left", "right"] as const;
const LIMBS = ["hip", "knee", "ankle", "ball", "shoulder", "elbow"] as const;
/** Parts that move as one, by the joint that each hangs on. */
export const PARTS: readonly string[] = ["trunk", ...SIDES.flatMap((side) => LIMBS.map((limb) => `${side}_${limb}`))];

const STANCE = 0.6;
const LANDING = 0.24;
const LANDING_SPEED = 0.3;
const FULL_STRIDE = 0.75;
const MAX_STRETCH = 0.993;
const SOFT_STRETCH = 0.996;
const MID_STANCE_DROP = 0.01;
const LIFT = 0.024;
const LANDING_PITCH = -0.38;
const LEAVING_PITCH = 1.1;
const FLAT_FROM = 0.12;
const FLAT_UNTIL = 0.33;
const STEEPEST_AT = 0.64;
const LEVEL_TOES_FOR = 0.25;
const LOWEST_AT = 0.02;
const LEAN = 0.03;
const ARM_SWING = 0.34;
const ARM_BACK = 0.05;
const ELBOW_BEND = 0.16;
const ELBOW_SWING = 0.24;
const ASIDE: Readonly<Record<string, number>> = { hip: -0.045, knee: -0.045, shoulder: 0.13, elbow: 0.04 };
const BELOW: Readonly<Record<string, string>> = { hip: "knee", knee: "ankle", shoulder: "elbow", elbow: "wrist" };
const MIN_UPRIGHT = 0.7;

/** A body that stands upright with hanging arms, ready to walk. */
export interface WalkCycle {
  /** [J × 4] joint → root's frame, and [J × 3] places from the root, standing. */
  readonly rotations: Float64Array;
  readonly places: Float64Array;
  /** [J] part of each joint. */
  readonly parts: Int32Array;
  /** [13 × 2] (x, z) of the joints that parts turn about, standing. */
  readonly pivots: Float64Array;
  /** [2 × 2] thigh and shank of both legs, seen from the side. */
  readonly bones: Float64Array;
  /** [2 × 2] (x, z) from the ankle of what a flat foot rolls over: the heel's contact point and the ball's joint. */
  readonly heels: Float64Array;
  readonly balls: Float64Array;
  /** By which the root is higher standing than at rest. */
  readonly rise: number;
  readonly height: number;
}

export function makeWalkCycle(body: Body): WalkCycle {
  const { skeleton } = body;
  const { rotations, parts } = stand(skeleton);
  const J = skeleton.names.length;
  const places = new Float64Array(3 * J);
  const moved = new Float64Array(3);
  for (let j = 1; j < J; j++) {
    const above = skeleton.parents[j];
    const [x, y, z] = skeleton.offsets[j];
    turn(rotations, 4 * above, x, y, z, moved, 0);
    for (let i = 0; i < 3; i++) places[3 * j + i] = places[3 * above + i] + moved[i];
  }
  const sideOn = (joint: number): readonly [number, number] => [places[3 * joint], places[3 * joint + 2]];
  const pivots = new Float64Array(2 * PARTS.length);
  PARTS.forEach((part, k) => pivots.set(sideOn(skeleton.roles[part] ?? 0), 2 * k));
  const bones = new Float64Array(4);
  const heels = new Float64Array(4);
  const balls = new Float64Array(4);
  const rest = restPlaces(skeleton);
  let low = Infinity;
  let restLow = Infinity;
  SIDES.forEach((side, s) => {
    const [hip, knee, ankle, ball] = ["hip", "knee", "ankle", "ball"].map((part) => skeleton.roles[`${side}_${part}`]);
    const apart = (a: number, b: number): number =>
      Math.hypot(sideOn(b)[0] - sideOn(a)[0], sideOn(b)[1] - sideOn(a)[1]);
    bones.set([apart(hip, knee), apart(knee, ankle)], 2 * s);
    balls.set([sideOn(ball)[0] - sideOn(ankle)[0], sideOn(ball)[1] - sideOn(ankle)[1]], 2 * s);
    for (const point of ["heel", "ball"]) {
      const column = skeleton.contactNames.indexOf(`${side}_${point}`);
      const joint = skeleton.contactJoints[column];
      const [x, y, z] = skeleton.contactOffsets[column];
      turn(rotations, 4 * joint, x, y, z, moved, 0);
      const at = [places[3 * joint] + moved[0], places[3 * joint + 2] + moved[2]];
      if (point === "heel") heels.set([at[0] - sideOn(ankle)[0], at[1] - sideOn(ankle)[1]], 2 * s);
      low = Math.min(low, at[1]);
      restLow = Math.min(restLow, rest[joint][2] + z);
    }
  });
  return { rotations, places, parts, pivots, bones, heels, balls, rise: restLow - low, height: body.height };
}

/** Rotations [J × 4], joint → root's frame, of an upright body with hanging arms, and the parts [J]. */
function stand(skeleton: Skeleton): { rotations: Float64Array; parts: Int32Array } {
  const J = skeleton.names.length;
  const up = upright(skeleton);
  const rotations = new Float64Array(4 * J);
  const parts = new Int32Array(J);
  const number = new Map(PARTS.map((part, k) => [skeleton.roles[part] ?? -1, k] as const));
  skeleton.parents.forEach((above, joint) => {
    rotations.set(above < 0 ? up : rotations.subarray(4 * above, 4 * above + 4), 4 * joint);
    parts[joint] = above < 0 ? 0 : parts[above];
    const part = number.get(joint);
    if (part === undefined) return;
    parts[joint] = part;
    const [side, role] = PARTS[part].split("_");
    if (role === "ankle") times(level(skeleton, side, up), 0, up, 0, rotations, 4 * joint);
    else if (role !== "ball") hang(skeleton, joint, side, role, rotations);
  });
  return { rotations, parts };
}

/** The rotation that stands the trunk up; none where it stands at rest. */
function upright(skeleton: Skeleton): Float64Array {
  const rest = restPlaces(skeleton);
  const { roles } = skeleton;
  const left = unit(sub(rest[roles.left_hip], rest[roles.right_hip]));
  const spine = sub(rest[roles.head ?? roles.chest ?? 0], rest[0]);
  const high = sub(spine, scaled(left, dot(spine, left)));
  if (length(high) < 1e-6 || high[2] > MIN_UPRIGHT * length(high)) return Float64Array.of(1, 0, 0, 0);
  const up = unit(high);
  const tilt = new Float64Array(4);
  ofAxes([cross(left, up), left, up], tilt, 0);
  return tilt.map((part, i) => (i === 0 ? part : -part));
}

/** The rotation that lays a sole on the floor, its toes ahead. */
function level(skeleton: Skeleton, side: string, up: Float64Array): Float64Array {
  const rest = restPlaces(skeleton);
  const [heel, ball] = ["heel", "ball"].map((point) => {
    const column = skeleton.contactNames.indexOf(`${side}_${point}`);
    return add(rest[skeleton.contactJoints[column]], vec3(skeleton.contactOffsets[column]));
  });
  const [x, y, z] = sub(ball, heel);
  const made = new Float64Array(6);
  turn(up, 0, x, y, z, made, 0);
  const ahead = made[0] > 0.5 * Math.hypot(x, y, z);
  made.set(ahead ? [made[0], made[1], 0] : [1, 0, 0], 3);
  const rotation = new Float64Array(4);
  between(made, 0, made, 3, rotation, 0);
  return rotation;
}

/** Turn a limb's joint, which has its parent's rotation, so that its bone hangs. */
function hang(skeleton: Skeleton, joint: number, side: string, role: string, rotations: Float64Array): void {
  const below = skeleton.roles[`${side}_${BELOW[role]}`];
  if (below === undefined) return;
  const rest = restPlaces(skeleton);
  const [x, y, z] = sub(rest[below], rest[joint]);
  const ways = new Float64Array(6);
  turn(rotations, 4 * joint, x, y, z, ways, 0);
  ways.set([0, side === "left" ? ASIDE[role] : -ASIDE[role], -1], 3);
  const swing = new Float64Array(4);
  between(ways, 0, ways, 3, swing, 0);
  times(swing, 0, rotations, 4 * joint, rotations, 4 * joint);
}

const foot = { pitch: 0, toes: 0, x: 0, z: 0 };

/** Put where the parts turn [13 × 2], (x, z), and their pitch [13] at a phase (strides) into `places` and `pitch`; `stride`
is how long strides are, over the body's height, and 0 stands. */
export function walkParts(
  cycle: WalkCycle,
  phase: number,
  stride: number,
  places: Float64Array,
  pitch: Float64Array,
): void {
  const { pivots, bones } = cycle;
  const full = Math.min(stride / FULL_STRIDE, 1);
  pitch[0] = LEAN * full;
  places[0] = 0;
  places[1] = cycle.rise - dropOf(cycle, phase, stride, full);
  /** Place part `lower` where part `upper`, at the same joint or above, has it. */
  const carry = (lower: number, upper: number): void => {
    const c = Math.cos(pitch[upper]);
    const s = Math.sin(pitch[upper]);
    const x = pivots[2 * lower] - pivots[2 * upper];
    const z = pivots[2 * lower + 1] - pivots[2 * upper + 1];
    places[2 * lower] = places[2 * upper] + c * x + s * z;
    places[2 * lower + 1] = places[2 * upper + 1] + c * z - s * x;
  };
  for (let side = 0; side < 2; side++) {
    const [hip, knee, ankle, ball, shoulder, elbow] = [1, 2, 3, 4, 5, 6].map((k) => k + 6 * side);
    const own = phase + 0.5 * side - Math.floor(phase + 0.5 * side);
    const swing = -Math.cos(2 * Math.PI * own);
    carry(hip, 0);
    carry(shoulder, 0);
    pitch[shoulder] = ARM_BACK - ARM_SWING * full * swing;
    pitch[elbow] = pitch[shoulder] - (ELBOW_BEND + ELBOW_SWING * full * (0.5 + 0.5 * swing));
    carry(elbow, shoulder);
    stepOf(cycle, side, own, stride, full);
    const x = pivots[2 * ankle] + foot.x - places[2 * hip];
    const z = pivots[2 * ankle + 1] + cycle.rise + foot.z - places[2 * hip + 1];
    const [thigh, shank] = [bones[2 * side], bones[2 * side + 1]];
    const far = (thigh + shank) * soften(Math.hypot(x, z) / (thigh + shank));
    const ahead = Math.atan2(x, -z);
    pitch[hip] = -(ahead + Math.acos(cosine(thigh, shank, far)));
    pitch[knee] = -(ahead - Math.acos(cosine(shank, thigh, far)));
    pitch[ankle] = foot.pitch;
    pitch[ball] = foot.toes;
    carry(knee, hip);
    carry(ankle, knee);
    carry(ball, ankle);
  }
}

/** How far a leg is stretched that should be so far: it comes to straight gently, and never beyond. */
function soften(stretch: number): number {
  const room = 0.9999 - SOFT_STRETCH;
  return stretch < SOFT_STRETCH ? stretch : SOFT_STRETCH + room * (1 - Math.exp(-(stretch - SOFT_STRETCH) / room));
}

/** Of the angle between the first of two bones and the line from end to end, so far apart. */
function cosine(first: number, second: number, far: number): number {
  const value = (first * first + far * far - second * second) / (2 * first * far);
  return Math.min(Math.max(value, -1), 1);
}

/** Leave in `foot` the pitch of a foot and of its toes, and where the ankle is over where it stands. */
function stepOf(cycle: WalkCycle, side: number, phase: number, stride: number, full: number): void {
  const landing = LANDING_PITCH * full;
  const leaving = LEAVING_PITCH * full;
  const pitch =
    landing * (1 - ease(phase / FLAT_FROM)) +
    leaving * ease((phase - FLAT_UNTIL) / (STEEPEST_AT - FLAT_UNTIL)) +
    (landing - leaving) * ease((phase - STEEPEST_AT) / (1 - STEEPEST_AT));
  const u = Math.min(Math.max((phase - STANCE) / (1 - STANCE), 0), 1);
  const forth = STANCE * (ease(u) - 1) - (1 - STANCE) * u * (1 - u) * (1 - u - LANDING_SPEED * u);
  const under = pitch < 0 ? cycle.heels : cycle.balls;
  const [x, z] = [under[2 * side], under[2 * side + 1]];
  const c = Math.cos(pitch);
  const s = Math.sin(pitch);
  foot.pitch = pitch;
  foot.toes = Math.min(pitch, 0) + Math.max(pitch, 0) * ease((phase - STANCE) / LEVEL_TOES_FOR);
  foot.x = cycle.height * stride * (LANDING + (phase < STANCE ? -phase : forth)) + x - (c * x + s * z);
  foot.z = LIFT * cycle.height * full * 16 * u * u * (1 - u) * (1 - u) + z - (c * z - s * x);
}

/** By how much the hips come down: most at landings, by what the landing leg needs. */
function dropOf(cycle: WalkCycle, phase: number, stride: number, full: number): number {
  const { pivots, bones } = cycle;
  let need = 0;
  for (let side = 0; side < 2; side++) {
    stepOf(cycle, side, 0, stride, full);
    const [hip, ankle] = [2 * (1 + 6 * side), 2 * (3 + 6 * side)];
    const x = foot.x + pivots[ankle] - pivots[hip];
    const z = foot.z + pivots[ankle + 1] - pivots[hip + 1];
    const reach = (1 - full + full * MAX_STRETCH) * (bones[2 * side] + bones[2 * side + 1]);
    need = Math.max(need, -z - Math.sqrt(Math.max(reach * reach - x * x, 0)));
  }
  const least = MID_STANCE_DROP * 0.5 * (bones[0] + bones[1] + bones[2] + bones[3]) * full;
  return least + Math.max(need - least, 0) * (0.5 + 0.5 * Math.cos(4 * Math.PI * (phase - LOWEST_AT)));
}
