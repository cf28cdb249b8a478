/** Which rows hold a hand at a time, and how much they count: grips and shapes of hands (walkon.take.posing.holding).

A row counts in full from its start to its stop; before and after it fades, at most over a share of the time to the next
row. */

import { ease, lastNotAfter } from "./quaternions";
import type { Grips, HandShapes } from "./tables";

/** What holds a hand: the row that holds or is let go, and the one that is reached for; −1 for none. */
export class Hold {
  readonly rows = new Int32Array(2);
  readonly weights = new Float64Array(2);
}

/** Fill what holds the hand whose rows are first to stop − 1. */
export function findHold(
  table: Grips | HandShapes,
  first: number,
  stop: number,
  share: number,
  t: number,
  hold: Hold,
): void {
  hold.rows.fill(-1);
  hold.weights.fill(0);
  if (first === stop) return;
  const row = lastNotAfter(table.start, first, stop, t);
  const next = row + 1;
  if (row >= first && t < table.stop[row]) {
    hold.rows[0] = row;
    hold.weights[0] = 1;
    return;
  }
  const gap = row >= first && next < stop ? share * (table.start[next] - table.stop[row]) : Number.POSITIVE_INFINITY;
  if (row >= first) {
    const fade = Math.min(table.fadeOut[row], gap);
    if (t < table.stop[row] + fade) {
      hold.rows[0] = row;
      hold.weights[0] = 1 - ease((t - table.stop[row]) / fade);
    }
  }
  if (next < stop) {
    const fade = Math.min(table.fadeIn[next], gap);
    if (t > table.start[next] - fade) {
      hold.rows[1] = next;
      hold.weights[1] = ease(1 - (table.start[next] - t) / fade);
    }
  }
}
