/** Rigid poses [7] = (x, y, z, qw, qx, qy, qz) in flat arrays: composed, and mixed between two. Metres. */

import { clamp, normalize, times, turn } from "./quaternions";

/** out = a ∘ b; out may be a or b. */
export function compose(a: Float64Array, b: Float64Array, out: Float64Array): void {
  const [x, y, z] = a;
  turn(a, 3, b[0], b[1], b[2], out, 0);
  times(a, 3, b, 3, out, 3);
  out[0] += x;
  out[1] += y;
  out[2] += z;
}

export function identity(out: Float64Array): void {
  out.fill(0);
  out[3] = 1;
}

/** The pose of a row at a time: evenly from that at its start to that at its stop, two after each other in `poses`. */
export function mixPoses(
  poses: Float64Array,
  row: number,
  start: number,
  stop: number,
  time: number,
  out: Float64Array,
): void {
  const a = 14 * row;
  const b = a + 7;
  const u = clamp((time - start) / Math.max(stop - start, 1e-9), 0, 1);
  let dot = 0;
  for (let i = 3; i < 7; i++) dot += poses[a + i] * poses[b + i];
  for (let i = 0; i < 7; i++) {
    const last = i > 2 && dot < 0 ? -poses[b + i] : poses[b + i];
    out[i] = last === poses[a + i] ? last : (1 - u) * poses[a + i] + u * last;
  }
  normalize(out, 3);
}
