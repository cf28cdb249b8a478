/** Small vectors as tuples of numbers, for the code that shapes things once and need not be fast. */

export type Vec3 = readonly [number, number, number];

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** The sum of weighted vectors. */
export function mix(...parts: readonly (readonly [number, Vec3])[]): Vec3 {
  let sum: Vec3 = [0, 0, 0];
  for (const [weight, vector] of parts) sum = add(sum, times(vector, weight));
  return sum;
}

/** The direction of a vector; (0, 0, 0) for one without length. */
export function unit(a: Vec3): Vec3 {
  const size = length(a);
  return size > 1e-9 ? times(a, 1 / size) : [0, 0, 0];
}

/** The unit part of `v` at right angles to a unit `axis`; any such direction where there is none. */
export function across(v: Vec3, axis: Vec3): Vec3 {
  const part = sub(v, times(axis, dot(v, axis)));
  if (length(part) > 1e-6) return unit(part);
  const least = axis.map(Math.abs).reduce((best, value, i, all) => (value < all[best] ? i : best), 0);
  return unit(cross(axis, [least === 0 ? 1 : 0, least === 1 ? 1 : 0, least === 2 ? 1 : 0]));
}

export function vec3(values: readonly number[]): Vec3 {
  return [values[0], values[1], values[2]];
}

/** Linear interpolation in a table of increasing x: [x, y]. */
export function interpolate(x: number, table: readonly (readonly [number, number])[]): number {
  let i = 1;
  while (i < table.length - 1 && table[i][0] < x) i++;
  const [x0, y0] = table[i - 1];
  const [x1, y1] = table[i];
  const share = Math.min(Math.max((x - x0) / (x1 - x0), 0), 1);
  return y0 + share * (y1 - y0);
}
