/** Clips as they were recorded: a packed take carries only the stretch of each that is played. Seconds. */

import type { Take } from "./take";

/** Where the stored frames of a clip begin in the recorded clip, and how long that is. */
export interface ClipSpan {
  readonly start: number;
  readonly duration: number;
}

/** Return the span of a clip: u seconds of the stored clip are `start` + u seconds of the recorded one. */
export function clipSpan(take: Take, clip: number): ClipSpan {
  const { rows } = take.clips;
  const own = (rows.frames[clip] - 1) / rows.fps[clip];
  const packed = take.provenance.packed as { clip_starts?: number[]; clip_durations?: number[] } | undefined;
  return { start: packed?.clip_starts?.[clip] ?? 0, duration: packed?.clip_durations?.[clip] ?? own };
}
