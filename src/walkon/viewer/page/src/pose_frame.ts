/** A pose frame: everyone at one time, as the page draws it. World, metres, z up, rotations (w, x, y, z).

All arrays of a frame are views of one buffer, which goes from the worker to the page and back without being copied. */

import type { Take } from "./take";

/** Values of `present`. */
export const ABSENT = 0;
export const WHOLE = 1;
export const PLANAR = 2;

/** How large a frame is: N characters, J joints of the largest body, P props. */
export interface FrameSize {
  readonly characters: number;
  readonly joints: number;
  readonly props: number;
}

export interface PoseFrame {
  readonly size: FrameSize;
  readonly buffer: ArrayBuffer;
  /** Seconds of the take's clock that are shown. */
  time: number;
  /** [N × J × 3] world metres; zero where absent. Joints that a smaller body lacks are at its root. */
  readonly positions: Float32Array;
  /** [N × J × 4] joint → world, w first; zero where absent. */
  readonly rotations: Float32Array;
  /** [N] 0 absent, 1 a whole body, 2 a track only: all joints are at the root. */
  readonly present: Uint8Array;
  /** [N × 4] 1 where left heel, left ball, right heel, right ball bear. */
  readonly contacts: Uint8Array;
  /** [N] row of `take.segments`, −1 where absent. */
  readonly segments: Int32Array;
  /** [N × 3] (x, y, heading) over the floor. */
  readonly planar: Float32Array;
  /** [N × 2] what the fingers of left and right hands do: twice the shape (walkon.motion.hands) plus its weight. */
  readonly hands: Float32Array;
  /** [P × 3] and [P × 4] where props are; [P] whether they are. */
  readonly propPositions: Float32Array;
  readonly propRotations: Float32Array;
  readonly propPresent: Uint8Array;
}

export function frameSize(take: Take): FrameSize {
  const { segments, characters } = take;
  let joints = 1;
  // Bodies with which nobody plays a clip are posed as one joint.
  for (let s = 0; s < segments.rows; s++) {
    if (segments.clip[s] < 0) continue;
    joints = Math.max(joints, take.bodies[characters.body[segments.character[s]]].skeleton.names.length);
  }
  return { characters: take.names.length, joints, props: take.props.length };
}

/** Make an empty frame for a take. */
export function newFrame(take: Take): PoseFrame {
  return frameOn(frameSize(take));
}

/** Lay a frame over a buffer (which came back from the other thread), or over a new one. */
export function frameOn(size: FrameSize, buffer?: ArrayBuffer): PoseFrame {
  const { characters: N, joints: J, props: P } = size;
  // Numbers of four bytes first, so that all of them are aligned.
  const floats = [N * J * 3, N * J * 4, N * 3, P * 3, P * 4, N * 2];
  const words = floats.reduce((sum, count) => sum + count, 0) + N;
  const memory = buffer ?? new ArrayBuffer(words * 4 + N + N * 4 + P);
  let at = 0;
  const views = floats.map((count) => {
    const view = new Float32Array(memory, at, count);
    at += count * 4;
    return view;
  });
  const segments = new Int32Array(memory, at, N);
  at += N * 4;
  return {
    size,
    buffer: memory,
    time: Number.NaN,
    positions: views[0],
    rotations: views[1],
    planar: views[2],
    propPositions: views[3],
    propRotations: views[4],
    hands: views[5],
    segments,
    present: new Uint8Array(memory, at, N),
    contacts: new Uint8Array(memory, at + N, N * 4),
    propPresent: new Uint8Array(memory, at + N * 5, P),
  };
}
