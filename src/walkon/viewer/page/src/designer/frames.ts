/** Compared frames: all clips one after the other, at one rate. From numbers of frames to moments and back. */

import type { ClipFacts, Moment } from "./protocol";

export class Frames {
  /** [N + 1] first frame of each clip, and the count of all. */
  readonly starts: Int32Array;

  constructor(
    readonly clips: readonly ClipFacts[],
    readonly rate: number,
    starts: readonly number[],
    /** Seconds from a clip's ends within which nothing can be matched. */
    readonly lead: number,
  ) {
    this.starts = Int32Array.from(starts);
  }

  get count(): number {
    return this.starts[this.clips.length];
  }

  countOf(clip: number): number {
    return this.starts[clip + 1] - this.starts[clip];
  }

  /** The frame nearest to a moment. */
  frame({ clip, time }: Moment): number {
    const last = this.countOf(clip) - 1;
    return this.starts[clip] + Math.min(Math.max(Math.round(time * this.rate), 0), last);
  }

  clipOf(frame: number): number {
    let low = 0;
    let high = this.clips.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  moment(frame: number): Moment {
    const inside = Math.min(Math.max(Math.round(frame), 0), this.count - 1);
    const clip = this.clipOf(inside);
    return { clip, time: (inside - this.starts[clip]) / this.rate };
  }

  /** The nearest moment of the same clip that can be matched, where it has any. */
  usable({ clip, time }: Moment): Moment {
    const last = (this.countOf(clip) - 1) / this.rate - this.lead;
    return last < this.lead ? { clip, time } : { clip, time: Math.min(Math.max(time, this.lead), last) };
  }

  /** "2.33 s of wander_slow". */
  words(moment: Moment): string {
    return `${moment.time.toFixed(2)} s of ${this.clips[moment.clip]?.name ?? "?"}`;
  }
}

/** Local minima of distances along time, within each clip, by the rule of walkon's match sets. */
export function localMinima(frames: Frames, distances: Float32Array): Int32Array {
  const found: number[] = [];
  for (let clip = 0; clip < frames.clips.length; clip++) {
    const first = frames.starts[clip];
    const stop = frames.starts[clip + 1];
    for (let f = first; f < stop; f++) {
      const here = distances[f];
      const before = f > first ? distances[f - 1] : Infinity;
      const after = f + 1 < stop ? distances[f + 1] : Infinity;
      if (here < before && here <= after) found.push(f);
    }
  }
  return Int32Array.from(found);
}

/** Of these minima, those under a threshold, nearest first, that keep their distance (in seconds) within a clip. */
export function matchSet(
  frames: Frames,
  distances: Float32Array,
  minima: Int32Array,
  threshold: number,
  spacing: number,
): number[] {
  const least = Math.ceil(spacing * frames.rate - 1e-9);
  const order = Array.from(minima)
    .filter((f) => distances[f] <= threshold)
    .sort((f, g) => distances[f] - distances[g] || f - g);
  const kept: number[] = [];
  const taken = new Map<number, number[]>();
  for (const f of order) {
    const clip = frames.clipOf(f);
    const others = taken.get(clip) ?? [];
    if (others.some((g) => Math.abs(f - g) < least)) continue;
    others.push(f);
    taken.set(clip, others);
    kept.push(f);
  }
  return kept.sort((f, g) => f - g);
}
