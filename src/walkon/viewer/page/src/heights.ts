/** Height curves: how high the floor is under a character's clips, cubic Hermite between knots. Metres, seconds. */

import { clamp, lastNotAfter } from "./quaternions";
import type { Score } from "./score";

export function heightAt(score: Score, who: number, t: number): number {
  const { heights, firstHeight } = score;
  const first = firstHeight[who];
  const stop = firstHeight[who + 1];
  if (first === stop) return 0;
  const low = Math.max(lastNotAfter(heights.time, first, stop, t), first);
  const high = Math.min(low + 1, stop - 1);
  const h = heights.time[high] - heights.time[low];
  const u = h > 0 ? clamp((t - heights.time[low]) / h, 0, 1) : 0;
  const v = 1 - u;
  const ends = (1 + 2 * u) * v * v * heights.height[low] + u * u * (3 - 2 * u) * heights.height[high];
  return ends + h * u * v * (v * heights.slope[low] - u * heights.slope[high]);
}
