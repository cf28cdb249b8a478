/** Planar poses (x, y, heading) as transforms of the floor, and whole bodies moved by them. Metres, radians. */

import type { PoseFrame } from "../pose_frame";

export type Planar = readonly [number, number, number];

/** a ∘ b: b as seen from a, in the world. */
export function compose(a: Planar, b: ArrayLike<number>): Planar {
  const c = Math.cos(a[2]);
  const s = Math.sin(a[2]);
  return [a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1], wrapped(a[2] + b[2])];
}

export function inverse(a: ArrayLike<number>): Planar {
  const c = Math.cos(a[2]);
  const s = Math.sin(a[2]);
  return [-c * a[0] - s * a[1], s * a[0] - c * a[1], wrapped(-a[2])];
}

/** An angle within (−π, π]. */
export function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.ceil((angle - Math.PI) / (2 * Math.PI));
}

/** Move one character of a frame over the floor. */
export function moveBody(frame: PoseFrame, who: number, by: Planar): void {
  const { joints } = frame.size;
  const { positions, rotations, planar } = frame;
  const c = Math.cos(by[2]);
  const s = Math.sin(by[2]);
  const w = Math.cos(by[2] / 2);
  const z = Math.sin(by[2] / 2);
  for (let j = who * joints; j < (who + 1) * joints; j++) {
    const x = positions[3 * j];
    const y = positions[3 * j + 1];
    positions[3 * j] = by[0] + c * x - s * y;
    positions[3 * j + 1] = by[1] + s * x + c * y;
    const [qw, qx, qy, qz] = rotations.subarray(4 * j, 4 * j + 4);
    rotations[4 * j] = w * qw - z * qz;
    rotations[4 * j + 1] = w * qx - z * qy;
    rotations[4 * j + 2] = w * qy + z * qx;
    rotations[4 * j + 3] = w * qz + z * qw;
  }
  const moved = compose(by, planar.subarray(3 * who, 3 * who + 3));
  for (let i = 0; i < 3; i++) planar[3 * who + i] = moved[i];
}
