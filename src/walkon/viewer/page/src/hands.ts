/** Hand shapes: finger poses of a palm, an index finger, the other three fingers as one, and a thumb. The rule of walkon.motion.hands.

The palm's frame has its origin at the wrist, x to the fingers, z out of the palm, y = z × x: the thumb is on the side of
+y of a left hand and of −y of a right one. Places are shares of the stature H, angles radians. */

import type { Side } from "./person_measures";
import { restPlaces } from "./person_measures";
import { about, times, turn } from "./quaternions";
import type { Skeleton } from "./take";
import { add, cross, dot, length, mix, sub, times as scaled, unit, vec3, type Vec3 } from "./vectors";

/** What a hand can be; in frames as the number. */
export const HAND_SHAPES = ["relaxed", "open", "flat", "hook", "cylinder", "pinch"] as const;
/** Index, fingers and thumb, two segments each. */
export const SEGMENTS = 6;

/** Bends of the segments, spread of the index, the thumb away from the palm's edge, and across. */
const ANGLES: readonly (readonly number[])[] = [
  [0.26, 0.4, 0.34, 0.52, 0.1, 0.3, 0.03, 0.58, 0.62],
  [-0.08, 0.02, -0.08, 0.02, -0.1, -0.05, 0.2, 1.0, 0.25],
  [0.0, 0.02, 0.0, 0.02, 0.0, 0.05, 0.0, 0.42, 0.2],
  [0.3, 1.75, 0.32, 1.8, 0.15, 0.35, 0.0, 0.5, 0.55],
  [0.85, 1.1, 0.95, 1.2, 0.25, 0.45, 0.0, 0.98, 1.35],
  [1.05, 1.2, 0.62, 0.85, 0.15, 0.1, 0.0, 1.0, 1.35],
];
const THUMB_TWIST = 0.75;
/** Where index, fingers and thumb begin. */
const BASES: readonly Vec3[] = [
  [0.0535, 0.015, 0.0],
  [0.0535, -0.0065, 0.0],
  [0.016, 0.0135, 0.0035],
];
/** Lengths of the segments. */
export const LENGTHS = [0.0255, 0.0245, 0.026, 0.0265, 0.0225, 0.0195] as const;
/** Cosine of the angle up to which a child of the wrist lies along the forearm. */
const MIN_STRAIGHT = 0.8;

const AXES = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
const part = new Float64Array(8);

/** Put places [6 × 3] and rotations [6 × 4] of the segments in the palm's frame into `places` and `rotations`. */
export function fingerPoses(
  shape: number,
  weight: number,
  side: Side,
  places: Float64Array,
  rotations: Float64Array,
): void {
  const angle = (k: number): number => (1 - weight) * ANGLES[0][k] + weight * ANGLES[shape][k];
  for (let finger = 0; finger < 3; finger++) {
    const one = 2 * finger;
    about(AXES, 6, finger === 0 ? angle(6) : finger === 2 ? angle(7) : 0, part, 0);
    if (finger === 2) {
      about(AXES, 0, angle(8), part, 4);
      times(part, 4, part, 0, part, 0);
      about(AXES, 0, THUMB_TWIST, part, 4);
      times(part, 0, part, 4, part, 0);
    }
    about(AXES, 3, -angle(one), part, 4);
    times(part, 0, part, 4, rotations, 4 * one);
    about(AXES, 3, -angle(one + 1), part, 4);
    times(rotations, 4 * one, part, 4, rotations, 4 * one + 4);
    turn(rotations, 4 * one, LENGTHS[one], 0, 0, places, 3 * one + 3);
    for (let i = 0; i < 3; i++) {
      places[3 * one + i] = BASES[finger][i];
      places[3 * one + 3 + i] += BASES[finger][i];
    }
  }
  if (side === "left") return;
  for (let segment = 0; segment < SEGMENTS; segment++) {
    places[3 * segment + 1] *= -1;
    rotations[4 * segment + 1] *= -1;
    rotations[4 * segment + 3] *= -1;
  }
}

/** The palm's axes x, y, z in the frame of the wrist joint. */
export function palmAxes(skeleton: Skeleton, side: Side): readonly [Vec3, Vec3, Vec3] {
  const rest = restPlaces(skeleton);
  const place = (role: string): Vec3 => rest[skeleton.roles[role]];
  const across = unit(sub(place("left_shoulder"), place("right_shoulder")));
  const out = scaled(across, side === "left" ? 1 : -1);
  const forearm = sub(place(`${side}_wrist`), place(`${side}_elbow`));
  // The hand's end is the child that goes on along the forearm; a thumb, or nothing, does not.
  const wrist = skeleton.roles[`${side}_wrist`];
  const ends = skeleton.parents.flatMap((parent, child) => (parent === wrist ? [vec3(skeleton.offsets[child])] : []));
  const end = ends.reduce((best, other) => (dot(other, forearm) > dot(best, forearm) ? other : best), ends[0] ?? [0, 0, 0]);
  const limit = MIN_STRAIGHT * length(end) * length(forearm);
  const x = unit(dot(end, forearm) > limit && limit > 0 ? end : forearm);
  const hanging = Math.abs(x[2]);
  const palm = mix([-(1 - hanging), [0, 0, 1]], [-hanging, out]);
  const z = unit(add(palm, scaled(x, -dot(palm, x))));
  return [x, cross(z, x), z];
}
