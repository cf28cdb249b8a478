/** What moves on the stage: obstacles on tracks, and the leaves of doors about their hinges (walkon.stage.moving).

Tracks of the stage have exact knots: between two of them places go straight, or by a cubic Hermite where velocities are
given, and headings turn evenly; before the first and after the last one they stay. World, metres, seconds, radians. */

import { clamp, lastNotAfter } from "./quaternions";
import type { Door, Obstacle, Stage, StageTrack } from "./take";

const LEAF_THICKNESS_M = 0.04;

export interface Mover {
  readonly name: string;
  /** [K][2] metres in the frame that moves; base and height are above its z. */
  readonly polygon: readonly (readonly number[])[];
  readonly base: number;
  readonly height: number;
  readonly track: StageTrack;
  /** (x, y, heading) of the frame in which the track is: the world, or the hinge of a door. */
  readonly within: readonly number[];
  readonly leaf: boolean;
}

/** Obstacles on tracks, then leaves. */
export function moversOf(stage: Stage): Mover[] {
  return [...stage.obstacles.flatMap(moverOf), ...stage.doors.flatMap(leafOf)];
}

function moverOf({ name, polygon, base, height, track }: Obstacle): Mover[] {
  return track === null ? [] : [{ name, polygon, base, height, track, within: [0, 0, 0], leaf: false }];
}

function leafOf({ name, ends, hinge, leafHeight, z, track }: Door): Mover[] {
  if (track === null) return [];
  const [x, y] = ends[hinge];
  const [dx, dy] = [ends[1 - hinge][0] - x, ends[1 - hinge][1] - y];
  const [width, half] = [Math.hypot(dx, dy), 0.5 * LEAF_THICKNESS_M];
  const polygon = [
    [0, -half],
    [width, -half],
    [width, half],
    [0, half],
  ];
  const within = [x, y, Math.atan2(dy, dx)];
  return [{ name: name && `${name}.leaf`, polygon, base: z, height: z + leafHeight, track, within, leaf: true }];
}

/** Put (x, y, heading, z) of what moves at a time into `pose`. */
export function readMover({ track, within }: Mover, time: number, pose: Float64Array): void {
  const { times, places, headings, velocities } = track;
  const t = clamp(time, times[0], times[times.length - 1]);
  const low = Math.min(Math.max(lastNotAfter(times, 0, times.length, t), 0), times.length - 2);
  const seconds = times[low + 1] - times[low];
  const share = (t - times[low]) / seconds;
  const rest = 1 - share;
  const along = (axis: number): number => {
    const first = places[low][axis] ?? 0;
    const step = (places[low + 1][axis] ?? 0) - first;
    if (velocities === null) return first + share * step;
    const swept = rest * (velocities[low][axis] ?? 0) - share * (velocities[low + 1][axis] ?? 0);
    return first + share * share * (3 - 2 * share) * step + seconds * share * rest * swept;
  };
  const [x, y] = [along(0), along(1)];
  const [cos, sin] = [Math.cos(within[2]), Math.sin(within[2])];
  pose[0] = within[0] + cos * x - sin * y;
  pose[1] = within[1] + sin * x + cos * y;
  pose[2] = within[2] + headings[low] + share * (headings[low + 1] - headings[low]);
  pose[3] = along(2);
}

/** Corners [K][2] of what moves where it is at a pose. */
export function placedCorners({ polygon }: Mover, pose: Float64Array): number[][] {
  const [cos, sin] = [Math.cos(pose[2]), Math.sin(pose[2])];
  return polygon.map(([x, y]) => [pose[0] + cos * x - sin * y, pose[1] + sin * x + cos * y]);
}
