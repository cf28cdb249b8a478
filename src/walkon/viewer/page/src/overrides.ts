/** Overrides: dense tracks that replace some joints' local rotations for a while, fading in and out (step 4). */

import { clamp, ease, slerp } from "./quaternions";
import { unpackMixed } from "./rotations48";
import type { Score } from "./score";
import type { Take } from "./take";

const wanted = new Float64Array(4);

/** Mix the tracks of a character's limbs into local rotations [J × 4]. */
export function overrideLimbs(take: Take, score: Score, who: number, t: number, locals: Float64Array): void {
  const { overrides: rows, overridden, firstOverride } = score;
  const words = take.overrideFrames.rotation;
  for (let o = firstOverride[who]; o < firstOverride[who + 1]; o++) {
    if (t < rows.start[o] || t > rows.stop[o]) continue;
    let weight = 1;
    if (rows.fadeIn[o] > 0) weight = Math.min(weight, ease((t - rows.start[o]) / rows.fadeIn[o]));
    if (rows.fadeOut[o] > 0) weight = Math.min(weight, ease((rows.stop[o] - t) / rows.fadeOut[o]));
    const last = rows.frames[o] - 1;
    const x = clamp((t - rows.start[o]) * rows.rate[o], 0, last);
    const before = Math.floor(x);
    const after = Math.min(before + 1, last);
    const joints = overridden[o];
    const first = rows.first[o] + before * joints.length;
    const second = rows.first[o] + after * joints.length;
    for (let i = 0; i < joints.length; i++) {
      const at = 4 * joints[i];
      unpackMixed(words, first + i, second + i, x - before, wanted, 0);
      slerp(locals, at, wanted, 0, weight, locals, at);
    }
  }
}
