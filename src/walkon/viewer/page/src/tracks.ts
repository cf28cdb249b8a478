/** Tracks: places over time without joints, between quantized knots (walkon.take.tables.Tracks). Metres, seconds. */

import { clamp, lastNotAfter, put, times, turn } from "./quaternions";
import { unpackMixed } from "./rotations48";
import type { Take } from "./take";

const HEADING_GRAIN_RAD = Math.PI / 32768;
const yaw = new Float64Array(4);
const local = new Float64Array(3);
const shape = { low: 0, high: 0, share: 0, seconds: 0 };

/** Find the knots of a track around u seconds of its clock. */
function findKnot(take: Take, row: number, u: number): typeof shape {
  const { tracks, trackKnots: knots } = take;
  const first = tracks.knots[2 * row];
  const stop = tracks.knots[2 * row + 1];
  const x = u / tracks.tick[row];
  shape.low = Math.max(lastNotAfter(knots.step, first, stop, x), first);
  shape.high = Math.min(shape.low + 1, stop - 1);
  const span = knots.step[shape.high] - knots.step[shape.low];
  shape.share = span > 0 ? clamp((x - knots.step[shape.low]) / span, 0, 1) : 0;
  shape.seconds = span * tracks.tick[row];
  return shape;
}

/** Put place [3] and rotation [4] of a track at u seconds of its clock into `place` and `rotation`. */
export function readTrack(take: Take, row: number, u: number, place: Float64Array, rotation: Float64Array): void {
  const { tracks, trackKnots: knots, trackTurns } = take;
  const { low, high, share, seconds } = findKnot(take, row, u);
  const grain = tracks.grain[row];
  const speed = tracks.speedGrain[row];
  const rest = 1 - share;
  for (let i = 0; i < 3; i++) {
    const a = grain * knots.place[3 * low + i];
    const b = grain * knots.place[3 * high + i];
    let at = rest * a + share * b;
    if (speed > 0) {
      const ease = share * share * (3 - 2 * share);
      const pace = seconds * speed;
      at = (1 - ease) * a + ease * b;
      at += pace * share * rest * (rest * knots.velocity[3 * low + i] - share * knots.velocity[3 * high + i]);
    }
    place[i] = tracks.origin[3 * row + i] + at;
  }
  if (tracks.turns[2 * row + 1] > tracks.turns[2 * row]) {
    const shift = tracks.turns[2 * row] - tracks.knots[2 * row];
    unpackMixed(trackTurns.rotation, low + shift, high + shift, share, rotation, 0);
    return;
  }
  const a = knots.heading[low];
  const way = ((((knots.heading[high] - a + 32768) % 65536) + 65536) % 65536) - 32768;
  const heading = HEADING_GRAIN_RAD * (a + share * way);
  put(rotation, 0, Math.cos(0.5 * heading), 0, 0, Math.sin(0.5 * heading));
}

/** The same for the track of segment s at time t of the take, placed on the stage. */
export function readSegmentTrack(take: Take, s: number, t: number, place: Float64Array, rotation: Float64Array): void {
  const { segments } = take;
  readTrack(take, segments.track[s], segments.trackStart[s] + t - segments.start[s], local, rotation);
  const heading = segments.place[3 * s + 2];
  put(yaw, 0, Math.cos(0.5 * heading), 0, 0, Math.sin(0.5 * heading));
  turn(yaw, 0, local[0], local[1], local[2], place, 0);
  place[0] += segments.place[3 * s];
  place[1] += segments.place[3 * s + 1];
  times(yaw, 0, rotation, 0, rotation, 0);
}
