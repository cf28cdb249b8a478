/** Draws clips for the timeline: bars, what is never played, what is played now, match frames, and the chosen frames. */

import { element } from "../dom";
import { fitted, ink } from "./canvas";
import { BAR, BAR_TOP, xOf, type Block, type Flow } from "./clip_flow";
import type { Desk } from "./desk";
import type { Moment } from "./protocol";

/** A match frame, of one hub or of several. */
export interface Tick {
  readonly time: number;
  readonly hubs: readonly number[];
}

const NAMES = [
  "ink",
  "faint",
  "lane",
  "lane-solid",
  "hatch",
  "press",
  "accent-fill",
  "seam-fill",
  "bad",
  "cross",
] as const;
type Colours = Record<(typeof NAMES)[number], string>;

export class ClipPainter {
  private readonly hatch = element("canvas", { width: 12, height: 12 });
  private context: CanvasRenderingContext2D | null = null;
  private colours = Object.fromEntries(NAMES.map((name) => [name, "#888"])) as Colours;
  private pattern: CanvasPattern | null = null;
  private flow: Flow = { blocks: [], lines: 0, scale: 1 };
  private hot: Moment | null = null;

  constructor(private readonly desk: Desk) {}

  /** Get ready for a drawing; `hot` is the moment under the pointer. */
  begin(context: CanvasRenderingContext2D, flow: Flow, hot: Moment | null): void {
    this.context = context;
    this.flow = flow;
    this.hot = hot;
    this.colours = Object.fromEntries(NAMES.map((name) => [name, ink(`--${name}`)])) as Colours;
    this.pattern = this.hatching(context);
    context.font = "11px system-ui, sans-serif";
  }

  /** Draw a clip, or a part of one, with the match frames and the covered stretches of its clip. */
  paint(block: Block, ticks: readonly Tick[], covered: readonly (readonly [number, number])[]): void {
    const { context, colours, desk, flow } = this;
    if (!context) return;
    const { x, width } = block;
    const name = `${block.from > 0 ? "… " : ""}${desk.frames.clips[block.clip].name}`;
    context.fillStyle = desk.row.clip === block.clip ? colours.ink : colours.faint;
    context.fillText(fitted(context, name, Math.max(width, 44)), x, BAR_TOP - 5.5);
    context.save();
    context.beginPath();
    context.roundRect(x, BAR_TOP, width, BAR, 3);
    context.fillStyle = colours.lane;
    context.fill();
    context.clip();
    if (this.pattern) {
      context.fillStyle = this.pattern;
      context.fillRect(x, BAR_TOP, width, BAR);
    }
    context.fillStyle = colours["lane-solid"];
    for (const [from, to] of covered) {
      context.fillRect(xOf(flow, block, from), BAR_TOP, (to - from) * flow.scale, BAR);
    }
    this.paintPlayed(context, block);
    context.restore();
    this.paintTicks(context, block, ticks);
    this.paintCursors(context, block);
  }

  /** The stretch or edges that the preview plays, and the edge under the pointer. */
  private paintPlayed(context: CanvasRenderingContext2D, block: Block): void {
    const { desk, flow, colours } = this;
    const bar = (from: number, to: number, colour: string): void => {
      context.fillStyle = colour;
      context.fillRect(xOf(flow, block, from), BAR_TOP, Math.max((to - from) * flow.scale, 2), BAR);
    };
    if (this.hot?.clip === block.clip) {
      const over = desk.state.edges[desk.edgesOver(this.hot)[0] ?? -1];
      if (over) bar(over.from, over.to, colours.press);
    }
    desk.played.forEach((edge, k) => {
      const row = desk.state.edges[edge];
      if (row?.clip === block.clip) bar(row.from, row.to, k === 0 ? colours["accent-fill"] : colours["seam-fill"]);
    });
    if (desk.stretch?.clip === block.clip) bar(desk.stretch.from, desk.stretch.to, colours["accent-fill"]);
  }

  private paintTicks(context: CanvasRenderingContext2D, block: Block, ticks: readonly Tick[]): void {
    const { desk, flow } = this;
    const { hubs, dead_ends } = desk.state;
    for (const tick of ticks) {
      if (!inside(block, tick.time)) continue;
      const x = xOf(flow, block, tick.time);
      const part = (BAR + 3) / tick.hubs.length;
      tick.hubs.forEach((hub, k) => {
        context.fillStyle = hubs[hub].colour;
        const wide = hub === desk.hub ? 3.4 : 2.2;
        context.fillRect(x - wide / 2, BAR_TOP - 1 + k * part, wide, part - (tick.hubs.length > 1 ? 0.7 : 0));
      });
      if (tick.hubs.some((hub) => dead_ends.includes(hub))) {
        context.fillStyle = this.colours.bad;
        context.beginPath();
        context.moveTo(x - 4, BAR_TOP - 7);
        context.lineTo(x + 4, BAR_TOP - 7);
        context.lineTo(x, BAR_TOP - 2);
        context.fill();
      }
    }
  }

  private paintCursors(context: CanvasRenderingContext2D, block: Block): void {
    const { desk, flow } = this;
    for (const [moment, filled] of [
      [desk.column, false],
      [desk.row, true],
    ] as const) {
      if (moment.clip !== block.clip || !inside(block, moment.time)) continue;
      const x = xOf(flow, block, moment.time);
      context.strokeStyle = context.fillStyle = this.colours.cross;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, BAR_TOP + BAR);
      context.lineTo(x - 4.5, BAR_TOP + BAR + 6);
      context.lineTo(x + 4.5, BAR_TOP + BAR + 6);
      context.closePath();
      if (filled) context.fill();
      context.stroke();
    }
  }

  private hatching(context: CanvasRenderingContext2D): CanvasPattern | null {
    const pen = this.hatch.getContext("2d");
    if (!pen) return null;
    pen.clearRect(0, 0, 12, 12);
    pen.strokeStyle = this.colours.hatch;
    pen.lineWidth = 1.6;
    pen.beginPath();
    for (const offset of [-12, -6, 0, 6, 12]) {
      pen.moveTo(offset, 12);
      pen.lineTo(offset + 12, 0);
    }
    pen.stroke();
    return context.createPattern(this.hatch, "repeat");
  }
}

function inside(block: Block, time: number): boolean {
  return time >= block.from - 1e-6 && time <= block.to + 1e-6;
}
