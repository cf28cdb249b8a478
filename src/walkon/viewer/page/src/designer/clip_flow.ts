/** Clips laid out like words in lines: one after the other, each as long as it lasts, broken where a line is full. */

import type { ClipFacts, Moment } from "./protocol";

export const LINE = 39;
/** Where in a line the bar begins, and how high it is; names stand above. */
export const BAR_TOP = 17;
export const BAR = 15;
const GAP = 12;
const LEAST = 46;

/** A clip's place, or that of a part of it where it is longer than a line. */
export interface Block {
  readonly clip: number;
  readonly line: number;
  readonly x: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

export interface Flow {
  readonly blocks: readonly Block[];
  readonly lines: number;
  /** Pixels a second. */
  readonly scale: number;
}

export function layClips(clips: readonly ClipFacts[], width: number, scale: number): Flow {
  const blocks: Block[] = [];
  let line = 0;
  let x = 0;
  const room = Math.max(width, LEAST);
  clips.forEach(({ seconds }, clip) => {
    let from = 0;
    while (from < seconds || from === 0) {
      const whole = (seconds - from) * scale;
      if (x > 0 && whole > room - x) {
        line++;
        x = 0;
      }
      const wide = Math.min(whole, room);
      const to = whole <= room ? seconds : from + wide / scale;
      blocks.push({ clip, line, x, width: Math.max(wide, 3), from, to });
      x += Math.max(wide, LEAST) + GAP;
      if (to >= seconds) break;
      from = to;
    }
  });
  return { blocks, lines: line + 1, scale };
}

/** The block that has a moment. */
export function blockOf(flow: Flow, moment: Moment): Block | undefined {
  return flow.blocks.find(
    (block) => block.clip === moment.clip && moment.time >= block.from - 1e-6 && moment.time <= block.to + 1e-6,
  );
}

export function xOf(flow: Flow, block: Block, time: number): number {
  return block.x + (time - block.from) * flow.scale;
}
