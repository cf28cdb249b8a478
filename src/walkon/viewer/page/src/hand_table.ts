/** Finger poses for the graphics card: place and rotation of every finger segment of a body's hands, in the wrist's frame, by
shape and by eighths of weight (hands.ts); the vertex shader mixes two of them (skinning.ts). Metres. */

import { fingerPoses, HAND_SHAPES, palmTurn, SEGMENTS } from "./hands";
import { Person, SIDES } from "./person_measures";
import { times, turn } from "./quaternions";
import type { Body } from "./take";

/** Weights for which poses are in the table, from 0 to 1. */
export const HAND_LEVELS = 9;

/** [2 hands × 6 shapes × 9 weights × 6 segments × 2 texels × 4]: the place, and the rotation (w, x, y, z). */
export function handTable(body: Body): Float32Array {
  const { stature: H } = new Person(body.skeleton);
  const table = new Float32Array(2 * HAND_SHAPES.length * HAND_LEVELS * SEGMENTS * 8);
  const places = new Float64Array(3 * SEGMENTS);
  const rotations = new Float64Array(4 * SEGMENTS);
  let at = 0;
  for (const side of SIDES) {
    const palm = palmTurn(body, side);
    HAND_SHAPES.forEach((_, shape) => {
      for (let level = 0; level < HAND_LEVELS; level++) {
        fingerPoses(shape, level / (HAND_LEVELS - 1), side, places, rotations);
        for (let k = 0; k < SEGMENTS; k++) {
          turn(palm, 0, H * places[3 * k], H * places[3 * k + 1], H * places[3 * k + 2], places, 3 * k);
          times(palm, 0, rotations, 4 * k, rotations, 4 * k);
          table.set(places.subarray(3 * k, 3 * k + 3), at);
          table.set(rotations.subarray(4 * k, 4 * k + 4), at + 4);
          at += 8;
        }
      }
    });
  }
  return table;
}
