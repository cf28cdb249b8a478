/** Phases of walkers: where in its stride somebody is who is only on a track, and how long the stride is. The rule of
walkon.take.posing.walk_phases: the phase is the way gone along where the track faces, over the length of a stride. The
way to every knot is added up once, when a track is first asked for. Strides, metres, seconds. */

import { crc32 } from "./crc32";
import { clamp, ease, lastNotAfter } from "./quaternions";
import { unpack } from "./rotations48";
import type { Take } from "./take";

const STRIDE_PER_ROOT_SPEED = 1.4;
const MIN_STRIDE = 0.4;
const MAX_STRIDE = 0.82;
const GRAVITY = 9.81;
const WALKING_OVER = 0.3;
const WINDOW = 0.3;
const GAUSS = [0.5 * (1 - 3 ** -0.5), 0.5 * (1 + 3 ** -0.5)] as const;
/** Of all headings that knots can have, in steps of π / 32768. */
const COSINES = Float64Array.from({ length: 65536 }, (_, step) => Math.cos((step * Math.PI) / 32768));

export class WalkPhases {
  /** [knots] metres gone since the track's first; [tracks] mean speed where it moves, NaN until it is measured. */
  private readonly gone: Float64Array;
  private readonly speeds: Float64Array;
  /** [segments] metres, and strides where the track begins; NaN until they are known. */
  private readonly strides: Float64Array;
  private readonly starts: Float64Array;
  private readonly heights: Float64Array;
  private readonly from = new Float64Array(2);
  private readonly to = new Float64Array(2);
  private readonly rotation = new Float64Array(4);

  /** `firstSegment` [N + 1] are the first segments of the characters. */
  constructor(
    private readonly take: Take,
    private readonly firstSegment: Int32Array,
  ) {
    this.gone = new Float64Array(take.trackKnots.rows);
    this.speeds = new Float64Array(take.tracks.rows).fill(Number.NaN);
    this.strides = new Float64Array(take.segments.rows).fill(Number.NaN);
    this.starts = new Float64Array(take.segments.rows).fill(Number.NaN);
    const { body, scale } = take.characters;
    this.heights = Float64Array.from(body, (row, who) => Math.max(take.bodies[row].height * scale[who], 1e-3));
  }

  /** Put phase (0 to 1) and stride (over the body's height) of a character in a segment that is a track alone at a time
  into `out` at `o`. */
  put(who: number, segment: number, time: number, out: Float32Array, o: number): void {
    const { segments, tracks, trackKnots } = this.take;
    if (Number.isNaN(this.starts[segment])) this.begin(who);
    const row = segments.track[segment];
    const clock = segments.trackStart[segment] + time - segments.start[segment];
    const stop = trackKnots.step[tracks.knots[2 * row + 1] - 1] * tracks.tick[row];
    const before = clamp(clock - WINDOW, 0, stop);
    const after = clamp(clock + WINDOW, 0, stop);
    const speed = Math.abs(this.goneAt(row, after) - this.goneAt(row, before)) / Math.max(after - before, 1e-6);
    const stride = this.strides[segment];
    const phase = this.starts[segment] + this.goneAt(row, clock) / stride;
    out[o] = phase - Math.floor(phase);
    out[o + 1] = (stride / this.heights[who]) * ease(speed / WALKING_OVER);
  }

  /** Find strides and phases at the start of all segments of a character. */
  private begin(who: number): void {
    const { segments, names } = this.take;
    let phase = crc32(new TextEncoder().encode(names[who])) / 2 ** 32;
    for (let s = this.firstSegment[who]; s < this.firstSegment[who + 1]; s++) {
      this.starts[s] = phase;
      const row = segments.track[s];
      if (row < 0 || segments.clip[s] >= 0) continue;
      if (Number.isNaN(this.speeds[row])) this.measure(row);
      const height = this.heights[who];
      const share = STRIDE_PER_ROOT_SPEED * Math.sqrt(this.speeds[row] / Math.sqrt(GRAVITY * height));
      this.strides[s] = height * clamp(share, MIN_STRIDE, MAX_STRIDE);
      const start = segments.trackStart[s];
      this.starts[s] = phase - this.goneAt(row, start) / this.strides[s];
      phase = this.starts[s] + this.goneAt(row, start + segments.stop[s] - segments.start[s]) / this.strides[s];
    }
  }

  /** Add up the way of a track, and find the mean speed of its stretches that move. */
  private measure(row: number): void {
    const { tracks, trackKnots } = this.take;
    let far = 0;
    let seconds = 0;
    for (let low = tracks.knots[2 * row]; low + 1 < tracks.knots[2 * row + 1]; low++) {
      const way = this.since(row, low, low + 1, 1);
      const lasts = (trackKnots.step[low + 1] - trackKnots.step[low]) * tracks.tick[row];
      this.gone[low + 1] = this.gone[low] + way;
      if (Math.abs(way) < WALKING_OVER * lasts) continue;
      far += Math.abs(way);
      seconds += lasts;
    }
    this.speeds[row] = far / Math.max(seconds, 1e-9);
  }

  /** Metres gone on a track at seconds of its clock. */
  private goneAt(row: number, clock: number): number {
    const { tracks, trackKnots } = this.take;
    const first = tracks.knots[2 * row];
    const stop = tracks.knots[2 * row + 1];
    const x = clock / tracks.tick[row];
    const low = Math.max(lastNotAfter(trackKnots.step, first, stop, x), first);
    const high = Math.min(low + 1, stop - 1);
    const span = trackKnots.step[high] - trackKnots.step[low];
    const share = span > 0 ? clamp((x - trackKnots.step[low]) / span, 0, 1) : 0;
    return this.gone[low] + (share > 0 ? this.since(row, low, high, share) : 0);
  }

  /** Metres gone since knot `low` at a share of the time to knot `high`. */
  private since(row: number, low: number, high: number, share: number): number {
    const { tracks, trackKnots: knots } = this.take;
    const grain = tracks.grain[row];
    const speed = tracks.speedGrain[row];
    const pace = (knots.step[high] - knots.step[low]) * tracks.tick[row] * speed;
    this.ahead(row, low, this.from);
    this.ahead(row, high, this.to);
    let total = 0;
    for (let point = 0; point < 2; point++) {
      const x = GAUSS[point] * share;
      for (let i = 0; i < 2; i++) {
        let way = grain * (knots.place[3 * high + i] - knots.place[3 * low + i]);
        if (speed > 0) {
          way *= 6 * x * (1 - x);
          way += pace * (1 - x) * (1 - 3 * x) * knots.velocity[3 * low + i];
          way += pace * x * (3 * x - 2) * knots.velocity[3 * high + i];
        }
        total += way * ((1 - x) * this.from[i] + x * this.to[i]);
      }
    }
    return 0.5 * share * total;
  }

  /** Which way a track faces at a knot, over the floor. */
  private ahead(row: number, knot: number, out: Float64Array): void {
    const { tracks, trackKnots, trackTurns } = this.take;
    if (tracks.turns[2 * row + 1] > tracks.turns[2 * row]) {
      const at = knot + tracks.turns[2 * row] - tracks.knots[2 * row];
      unpack(trackTurns.rotation, at, this.rotation, 0);
      const [w, x, y, z] = this.rotation;
      out[0] = 1 - 2 * (y * y + z * z);
      out[1] = 2 * (x * y + w * z);
      return;
    }
    const heading = trackKnots.heading[knot];
    out[0] = COSINES[heading & 65535];
    out[1] = COSINES[(heading - 16384) & 65535];
  }
}
