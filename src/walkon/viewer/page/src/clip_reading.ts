/** Reading clips for one character at one time: between frames, placed, faded in from another, warped.

Steps 1 to 3 of the rule in walkon.take.posing.posing. The clip's own world is taken to the stage by (x, y, heading):
root = R(heading) stride p + (x, y), height = scale · (leg of the body / leg of the clip's skeleton) · z; or it is the
frame of a track. */

import { clamp, ease, put, slerp, times } from "./quaternions";
import { unpackMixed } from "./rotations48";
import type { Rig, Score } from "./score";
import type { Take } from "./take";

const yaw = new Float64Array(4);
const HERE = new Float64Array(3);

/** One body being posed: the same arrays for everyone, one after the other. */
export class Workspace {
  /** [J × 4] joint → parent. */
  readonly locals: Float64Array;
  readonly others: Float64Array;
  /** [J × 3] and [J × 4] in the world. */
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
  readonly root = new Float64Array(3);
  readonly otherRoot = new Float64Array(3);
  /** [4 × 3] axes of left and right knee and elbow in the frames of hips and shoulders. */
  readonly hinges = new Float64Array(12);

  constructor(joints: number) {
    this.locals = new Float64Array(joints * 4);
    this.others = new Float64Array(joints * 4);
    this.positions = new Float64Array(joints * 3);
    this.rotations = new Float64Array(joints * 4);
  }
}

/** The clip's time: its speed runs evenly from one rate to the other. */
function clipTime(start: number, rateStart: number, rateStop: number, length: number, tau: number): number {
  return start + (rateStart + ((0.5 * (rateStop - rateStart)) / Math.max(length, 1e-9)) * tau) * tau;
}

/** Fill local rotations and the root's place of a clip at u seconds, placed; return the frame whose contacts hold. */
function readClip(
  take: Take,
  score: Score,
  rig: Rig,
  clip: number,
  u: number,
  places: Float64Array,
  place: number,
  stride: number,
  scale: number,
  locals: Float64Array,
  root: Float64Array,
): number {
  const { rows, roots, rotations } = take.clips;
  const last = rows.frames[clip] - 1;
  const x = clamp(u * rows.fps[clip], 0, last);
  const before = Math.floor(x);
  const part = x - before;
  const after = Math.min(before + 1, last);
  const count = score.channels[clip];
  const row = rows.firstRotation[clip] + before * count;
  const next = rows.firstRotation[clip] + after * count;
  const { channels, joints } = rig;
  for (let j = 0; j < joints; j++) {
    const c = channels[j];
    if (c < 0) put(locals, 4 * j, 1, 0, 0, 0);
    else unpackMixed(rotations, row + c, next + c, part, locals, 4 * j);
  }
  const frame = rows.firstFrame[clip] + before;
  const nextFrame = rows.firstFrame[clip] + after;
  const a = 3 * frame;
  const b = 3 * nextFrame;
  const heading = places[3 * place + 2];
  const sine = Math.sin(heading);
  const cosine = Math.cos(heading);
  const px = stride * ((1 - part) * roots[a] + part * roots[b]);
  const py = stride * ((1 - part) * roots[a + 1] + part * roots[b + 1]);
  const height = scale * rig.heights[rows.skeleton[clip]];
  root[0] = places[3 * place] + cosine * px - sine * py;
  root[1] = places[3 * place + 1] + sine * px + cosine * py;
  root[2] = height * ((1 - part) * roots[a + 2] + part * roots[b + 2]);
  turnRoot(locals, heading);
  return part < 0.5 ? frame : nextFrame;
}

function turnRoot(locals: Float64Array, heading: number): void {
  put(yaw, 0, Math.cos(0.5 * heading), 0, 0, Math.sin(0.5 * heading));
  times(yaw, 0, locals, 0, locals, 0);
}

/** Fill local rotations, the root and the hinges of segment s at time t; return the frame whose contacts hold. */
export function readSegment(
  take: Take,
  score: Score,
  rig: Rig,
  who: number,
  s: number,
  t: number,
  space: Workspace,
): number {
  const { segments, blends, characters } = take;
  const { locals, others, root, otherRoot, hinges } = space;
  const stride = characters.stride[who];
  const scale = characters.scale[who];
  const clip = segments.clip[s];
  const tau = t - segments.start[s];
  const length = segments.stop[s] - segments.start[s];
  let u = clipTime(segments.clipStart[s], segments.rateStart[s], segments.rateStop[s], length, tau);
  const tracked = segments.track[s] >= 0;
  const places = tracked ? HERE : segments.place;
  let frame = readClip(take, score, rig, clip, u, places, tracked ? 0 : s, stride, scale, locals, root);
  let old = clip;
  let w = 1;
  const blend = segments.blend[s];
  if (blend >= 0 && tau < blends.duration[blend]) {
    const span = blends.duration[blend];
    old = blends.clip[blend];
    u = clipTime(blends.clipStart[blend], blends.rateStart[blend], blends.rateStop[blend], span, tau);
    const oldFrame = readClip(take, score, rig, old, u, blends.place, blend, stride, scale, others, otherRoot);
    w = ease(tau / span);
    for (let i = 0; i < 3; i++) root[i] = (1 - w) * otherRoot[i] + w * root[i];
    for (let j = 0; j < rig.joints; j++) slerp(others, 4 * j, locals, 4 * j, w, locals, 4 * j);
    if (w < 0.5) frame = oldFrame;
  }
  const axes = take.clips.rows.hinges;
  for (let i = 0; i < 12; i++) hinges[i] = (1 - w) * axes[12 * old + i] + w * axes[12 * clip + i];
  const warp = segments.warp[s];
  if (warp >= 0) addWarp(take, warp, tau, length, space);
  return frame;
}

/** Shift the root by d(t) and turn the body about it by φ(t), a cubic with given values and slopes at both ends. */
function addWarp(take: Take, warp: number, tau: number, length: number, space: Workspace): void {
  const { offsets, slopes } = take.warps;
  const p = tau / Math.max(length, 1e-9);
  const h = p * p * (3 - 2 * p);
  const rise = length * p * (1 - p) * (1 - p);
  const fall = -length * p * p * (1 - p);
  const at = 6 * warp;
  const value = (i: number): number =>
    (1 - h) * offsets[at + i] + h * offsets[at + 3 + i] + rise * slopes[at + i] + fall * slopes[at + 3 + i];
  space.root[0] += value(0);
  space.root[1] += value(1);
  turnRoot(space.locals, value(2));
}
