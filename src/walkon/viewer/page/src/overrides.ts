/** Overrides: dense tracks of some joints' local rotations and of root offsets, fading in and out (step 4). */

import { clamp, ease, slerp, times } from "./quaternions";
import { unpackMixed } from "./rotations48";
import type { Score } from "./score";
import type { Take } from "./take";

const wanted = new Float64Array(4);
const IDENTITY = Float64Array.of(1, 0, 0, 0);

/** Mix the tracks of a character's limbs into local rotations [J × 4], and add offsets to its root [3]. */
export function overrideLimbs(
  take: Take,
  score: Score,
  who: number,
  t: number,
  locals: Float64Array,
  root: Float64Array,
): void {
  const { overrides: rows, firstOverride } = score;
  const { overrideJoints, overrideFrames, overrideRoots } = take;
  for (let o = firstOverride[who]; o < firstOverride[who + 1]; o++) {
    if (t < rows.start[o] || t > rows.stop[o]) continue;
    let weight = 1;
    if (rows.fadeIn[o] > 0) weight = Math.min(weight, ease((t - rows.start[o]) / rows.fadeIn[o]));
    if (rows.fadeOut[o] > 0) weight = Math.min(weight, ease((rows.stop[o] - t) / rows.fadeOut[o]));
    const last = rows.frames[o] - 1;
    const x = clamp((t - rows.start[o]) * rows.rate[o], 0, last);
    const before = Math.floor(x);
    const after = Math.min(before + 1, last);
    const part = x - before;
    const joints = rows.joints[2 * o];
    const count = rows.joints[2 * o + 1] - joints;
    const first = rows.rotations[2 * o] + before * count;
    const second = rows.rotations[2 * o] + after * count;
    for (let i = 0; i < count; i++) {
      const at = 4 * overrideJoints.joint[joints + i];
      unpackMixed(overrideFrames.rotation, first + i, second + i, part, wanted, 0);
      if (rows.added[o] > 0) {
        slerp(IDENTITY, 0, wanted, 0, weight, wanted, 0);
        times(locals, at, wanted, 0, locals, at);
      } else {
        slerp(locals, at, wanted, 0, weight, locals, at);
      }
    }
    if (rows.roots[2 * o + 1] > rows.roots[2 * o]) {
      const a = 3 * (rows.roots[2 * o] + before);
      const b = 3 * (rows.roots[2 * o] + after);
      const { offset } = overrideRoots;
      for (let i = 0; i < 3; i++) root[i] += weight * ((1 - part) * offset[a + i] + part * offset[b + i]);
    }
  }
}
