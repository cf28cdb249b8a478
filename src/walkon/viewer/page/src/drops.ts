/** Drops: by how much a root comes down so that legs reach their plants (step 5): a cubic B-spline. Metres, seconds. */

import { DROP_STEP_S } from "./posing_rule";
import { lastNotAfter } from "./quaternions";
import type { Score } from "./score";
import type { Take } from "./take";

export function dropAt(take: Take, score: Score, who: number, t: number): number {
  const { drops, firstDrop } = score;
  const stop = firstDrop[who + 1];
  if (firstDrop[who] === stop) return 0;
  const x = (t - take.characters.dropStart[who]) / DROP_STEP_S;
  const i = Math.floor(x);
  let total = 0;
  for (let row = lastNotAfter(drops.step, firstDrop[who], stop, i - 2) + 1; row < stop; row++) {
    if (drops.step[row] > i + 2) break;
    // The weight of a control point at a distance of d steps, 0 from 2 on.
    const d = Math.abs(x - drops.step[row]);
    const far = Math.max(2 - d, 0);
    const w = d < 1 ? (3 * d - 6) * d * d + 4 : far * far * far;
    total += (w / 6) * drops.drop[row];
  }
  return total;
}
