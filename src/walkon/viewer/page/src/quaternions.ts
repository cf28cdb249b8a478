/** Vectors and rotations (w, x, y, z) in flat arrays of float64, the twin of walkon.transforms.quaternions for posing.

Every function writes its answer at an offset of `out`, which may be one of the arguments, and makes nothing new: a frame
of ten thousand bodies leaves nothing to collect. */

export type Numbers = Float64Array;

export function put(out: Numbers, o: number, w: number, x: number, y: number, z: number): void {
  out[o] = w;
  out[o + 1] = x;
  out[o + 2] = y;
  out[o + 3] = z;
}

export function copy4(a: Numbers, i: number, out: Numbers, o: number): void {
  out[o] = a[i];
  out[o + 1] = a[i + 1];
  out[o + 2] = a[i + 2];
  out[o + 3] = a[i + 3];
}

/** out = a b */
export function times(a: Numbers, i: number, b: Numbers, j: number, out: Numbers, o: number): void {
  const aw = a[i];
  const ax = a[i + 1];
  const ay = a[i + 2];
  const az = a[i + 3];
  const bw = b[j];
  const bx = b[j + 1];
  const by = b[j + 2];
  const bz = b[j + 3];
  out[o] = aw * bw - ax * bx - ay * by - az * bz;
  out[o + 1] = aw * bx + ax * bw + ay * bz - az * by;
  out[o + 2] = aw * by - ax * bz + ay * bw + az * bx;
  out[o + 3] = aw * bz + ax * by - ay * bx + az * bw;
}

/** out = a⁻¹ b */
export function backTimes(a: Numbers, i: number, b: Numbers, j: number, out: Numbers, o: number): void {
  const aw = a[i];
  const ax = -a[i + 1];
  const ay = -a[i + 2];
  const az = -a[i + 3];
  const bw = b[j];
  const bx = b[j + 1];
  const by = b[j + 2];
  const bz = b[j + 3];
  out[o] = aw * bw - ax * bx - ay * by - az * bz;
  out[o + 1] = aw * bx + ax * bw + ay * bz - az * by;
  out[o + 2] = aw * by - ax * bz + ay * bw + az * bx;
  out[o + 3] = aw * bz + ax * by - ay * bx + az * bw;
}

/** out = the vector (x, y, z), turned by q */
export function turn(q: Numbers, i: number, x: number, y: number, z: number, out: Numbers, o: number): void {
  const w = q[i];
  const a = q[i + 1];
  const b = q[i + 2];
  const c = q[i + 3];
  const tx = 2 * (b * z - c * y);
  const ty = 2 * (c * x - a * z);
  const tz = 2 * (a * y - b * x);
  out[o] = x + w * tx + (b * tz - c * ty);
  out[o + 1] = y + w * ty + (c * tx - a * tz);
  out[o + 2] = z + w * tz + (a * ty - b * tx);
}

export function normalize(q: Numbers, o: number): void {
  const k = 1 / Math.sqrt(q[o] * q[o] + q[o + 1] * q[o + 1] + q[o + 2] * q[o + 2] + q[o + 3] * q[o + 3]);
  q[o] *= k;
  q[o + 1] *= k;
  q[o + 2] *= k;
  q[o + 3] *= k;
}

/** out = the rotation about a unit axis */
export function about(axis: Numbers, i: number, angle: number, out: Numbers, o: number): void {
  const k = Math.sin(0.5 * angle);
  put(out, o, Math.cos(0.5 * angle), k * axis[i], k * axis[i + 1], k * axis[i + 2]);
}

/** out = the rotation that takes x, y and z to these axes */
export function ofAxes([x, y, z]: readonly (readonly number[])[], out: Numbers, o: number): void {
  // Each row is four times the quaternion times one of its parts; the largest is taken.
  const rows = [
    [1 + x[0] + y[1] + z[2], y[2] - z[1], z[0] - x[2], x[1] - y[0]],
    [y[2] - z[1], 1 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2]],
    [z[0] - x[2], x[1] + y[0], 1 - x[0] + y[1] - z[2], y[2] + z[1]],
    [x[1] - y[0], z[0] + x[2], y[2] + z[1], 1 - x[0] - y[1] + z[2]],
  ];
  out.set(rows.reduce((best, row, k) => (row[k] > Math.max(...best) ? row : best), rows[0]), o);
  normalize(out, o);
}

/** out = the rotation of a rotation vector */
export function exp(x: number, y: number, z: number, out: Numbers, o: number): void {
  const angle = Math.sqrt(x * x + y * y + z * z);
  const k = angle < 1e-8 ? 0.5 : Math.sin(0.5 * angle) / angle;
  put(out, o, Math.cos(0.5 * angle), k * x, k * y, k * z);
}

/** out = the smallest rotation that turns the direction of a to that of b; a half turn where they are opposite */
export function between(a: Numbers, i: number, b: Numbers, j: number, out: Numbers, o: number): void {
  const aa = dot3(a, i, a, i);
  const bb = dot3(b, j, b, j);
  const sizes = Math.sqrt(aa * bb);
  const w = sizes + dot3(a, i, b, j);
  if (sizes < 1e-12) {
    put(out, o, 1, 0, 0, 0);
    return;
  }
  if (w < 1e-9 * sizes) {
    // Any axis across a will do; take the one most across its smallest part.
    const [x, y, z] = [Math.abs(a[i]), Math.abs(a[i + 1]), Math.abs(a[i + 2])];
    if (x <= y && x <= z) put(out, o, 0, 0, a[i + 2], -a[i + 1]);
    else if (y <= z) put(out, o, 0, -a[i + 2], 0, a[i]);
    else put(out, o, 0, a[i + 1], -a[i], 0);
    normalize(out, o);
    return;
  }
  const x = a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1];
  const y = a[i + 2] * b[j] - a[i] * b[j + 2];
  const z = a[i] * b[j + 1] - a[i + 1] * b[j];
  put(out, o, w, x, y, z);
  normalize(out, o);
}

/** out = the rotation at w of the way from a to b */
export function slerp(a: Numbers, i: number, b: Numbers, j: number, w: number, out: Numbers, o: number): void {
  const dot = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];
  const sign = dot < 0 ? -1 : 1;
  let u = 1 - w;
  let v = sign * w;
  // Mixing linearly is as good where the angle is so small that its sine loses digits.
  if (sign * dot < 1 - 1e-9) {
    const angle = Math.acos(sign * dot);
    u = Math.sin((1 - w) * angle);
    v = sign * Math.sin(w * angle);
  }
  put(
    out,
    o,
    u * a[i] + v * b[j],
    u * a[i + 1] + v * b[j + 1],
    u * a[i + 2] + v * b[j + 2],
    u * a[i + 3] + v * b[j + 3],
  );
  normalize(out, o);
}

export function dot3(a: Numbers, i: number, b: Numbers, j: number): number {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];
}

/** 3p² − 2p³ between 0 and 1 */
export function ease(p: number): number {
  const q = p < 0 ? 0 : p > 1 ? 1 : p;
  return q * q * (3 - 2 * q);
}

export function clamp(x: number, least: number, most: number): number {
  return x < least ? least : x > most ? most : x;
}

/** The last row in [first, stop) whose time is at most t; first − 1 if there is none. */
export function lastNotAfter(times: ArrayLike<number>, first: number, stop: number, t: number): number {
  let low = first;
  let high = stop;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
