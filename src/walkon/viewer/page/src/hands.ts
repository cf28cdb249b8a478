/** Hand shapes: finger poses of a palm, an index finger, the other three fingers as one, and a thumb. The rule of walkon.motion.limbs.hands.

The palm's frame has its origin at the wrist, x to the fingers, z out of the palm, y = z × x: the thumb is on the side of
+y of a left hand and of −y of a right one. Places are shares of the stature H, angles radians. */

import type { Side } from "./person_measures";
import { about, times, turn } from "./quaternions";
import type { Body } from "./take";
import { vec3, type Vec3 } from "./vectors";

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

/** The palm's axes x, y, z in the frame of the wrist joint: they come with the body. */
export function palmAxes(body: Body, side: Side): readonly [Vec3, Vec3, Vec3] {
  const rotation = palmTurn(body, side);
  const axes = new Float64Array(9);
  for (let i = 0; i < 3; i++) turn(rotation, 0, AXES[3 * i], AXES[3 * i + 1], AXES[3 * i + 2], axes, 3 * i);
  return [vec3([...axes.subarray(0, 3)]), vec3([...axes.subarray(3, 6)]), vec3([...axes.subarray(6, 9)])];
}

/** The rotation palm → wrist; none of a body without that arm. */
export function palmTurn(body: Body, side: Side): Float64Array {
  return Float64Array.from(body.palms[side === "left" ? 0 : 1]?.slice(3) ?? [1, 0, 0, 0]);
}
