/** The timeline of all clips: match frames as ticks in the colours of their hubs, edges between them to click on.

What no edge passes over is hatched: no character ever plays it. Ticks of hubs that are cut off have a mark above. */

import { element } from "../dom";
import { sheet, soon, spot } from "./canvas";
import { BAR, BAR_TOP, blockOf, layClips, LINE, xOf, type Flow } from "./clip_flow";
import { ClipPainter, type Tick } from "./clip_painter";
import type { Desk } from "./desk";
import type { Moment } from "./protocol";

const PAD = 12;
const SCALES: readonly number[] = [12, 18, 26, 38, 56, 84, 130];

export interface TimelineActions {
  /** Play what is at a moment; `joined` where it shall follow the edge that is played. */
  play(moment: Moment, joined: boolean): void;
}

export class ClipTimeline {
  readonly redraw = soon(() => this.draw());
  readonly canvas = element("canvas", {
    tabindex: 0,
    role: "application",
    "aria-label":
      "Timeline of clips. Left and right move by a frame, with Shift to the next match frame; " +
      "up and down go from clip to clip; Enter plays the edge here.",
  });
  private readonly spacer = element("div", { class: "spacer" });
  private readonly scroll = element("div", { class: "clip-scroll" }, this.spacer);
  private readonly words = element("p", { class: "read numbers faint" });
  private flow: Flow = { blocks: [], lines: 0, scale: 1 };
  private zoom = 2;
  private ticks: Tick[][] = [];
  private covered: (readonly [number, number])[][] = [];
  private hot: Moment | null = null;
  private readonly painter: ClipPainter;

  constructor(
    private readonly desk: Desk,
    place: HTMLElement,
    private readonly actions: TimelineActions,
  ) {
    const { canvas, scroll } = this;
    this.painter = new ClipPainter(desk);
    this.spacer.append(canvas);
    const tool = (label: string, text: string, run: () => void): HTMLButtonElement =>
      element("button", { class: "icon small", type: "button", "aria-label": label, title: label, click: run }, text);
    place.append(
      element(
        "header",
        { class: "head" },
        element("h2", {}, "Clips"),
        this.words,
        tool("Smaller", "−", () => this.setZoom(this.zoom - 1)),
        tool("Larger", "+", () => this.setZoom(this.zoom + 1)),
      ),
      scroll,
    );
    scroll.addEventListener("scroll", this.redraw);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => {
      this.hot = null;
      this.say(null);
      this.redraw();
    });
    canvas.addEventListener("click", (event) => {
      const moment = this.at(event);
      if (!moment) return;
      desk.choose(moment, moment);
      const hubs = desk.hubsAt(moment);
      if (hubs.length && !hubs.includes(desk.hub)) desk.selectHub(hubs[0]);
      actions.play(moment, event.shiftKey);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.lay()).observe(scroll);
    desk.watch((change) => {
      if (change === "state" || change === "trial") this.sort();
      const played = desk.state.edges[desk.played[0] ?? -1];
      if (change === "moment") this.reveal(desk.row);
      else if (change === "playing" && played) this.reveal({ clip: played.clip, time: played.from });
      this.say(null);
      this.redraw();
    });
    this.sort();
    this.lay();
  }

  private setZoom(zoom: number): void {
    this.zoom = Math.min(Math.max(zoom, 0), SCALES.length - 1);
    this.lay();
    this.reveal(this.desk.row);
  }

  private lay(): void {
    const width = this.scroll.clientWidth;
    if (width === 0) return;
    this.flow = layClips(this.desk.frames.clips, width - 2 * PAD, SCALES[this.zoom]);
    this.spacer.style.height = `${this.flow.lines * LINE + 8}px`;
    this.redraw();
  }

  /** Sort match frames and edges by clips. */
  private sort(): void {
    const { desk } = this;
    const { clips } = desk.frames;
    const at: Map<string, { time: number; hubs: number[] }>[] = clips.map(() => new Map());
    for (let hub = 0; hub < desk.state.hubs.length; hub++) {
      for (const { clip, time } of desk.matches(hub)) {
        const key = time.toFixed(2);
        const tick = at[clip].get(key);
        if (tick) tick.hubs.push(hub);
        else at[clip].set(key, { time, hubs: [hub] });
      }
    }
    this.ticks = at.map((map) => [...map.values()].sort((a, b) => a.time - b.time));
    const spans: [number, number][][] = clips.map(() => []);
    for (const { clip, from, to } of desk.state.edges) spans[clip].push([from, to]);
    this.covered = spans.map((list) => {
      const merged: [number, number][] = [];
      for (const [from, to] of list.sort((a, b) => a[0] - b[0])) {
        const last = merged[merged.length - 1];
        if (last && from <= last[1] + 1e-6) last[1] = Math.max(last[1], to);
        else merged.push([from, to]);
      }
      return merged;
    });
  }

  private at(event: PointerEvent | MouseEvent): Moment | null {
    const { x, y } = spot(this.canvas, event);
    const line = Math.floor((y + this.scroll.scrollTop) / LINE);
    const block = this.flow.blocks.find(
      (each) => each.line === line && x - PAD >= each.x - 3 && x - PAD <= each.x + each.width + 3,
    );
    if (!block) return null;
    const time = Math.min(Math.max(block.from + (x - PAD - block.x) / this.flow.scale, block.from), block.to);
    // Near a match frame it is meant.
    const near = this.ticks[block.clip]
      .filter((tick) => Math.abs(tick.time - time) * this.flow.scale < 4)
      .sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0];
    return { clip: block.clip, time: near?.time ?? Math.round(time * this.desk.frames.rate) / this.desk.frames.rate };
  }

  private hover(event: PointerEvent): void {
    this.hot = this.at(event);
    this.canvas.style.cursor = this.hot ? "pointer" : "default";
    this.say(this.hot);
    this.redraw();
  }

  private say(moment: Moment | null): void {
    const { desk } = this;
    const at = moment ?? desk.row;
    const half = 0.51 / desk.frames.rate;
    const hubs = desk.hubsAt(at).map((hub) => {
      const match = desk.matches(hub).find((each) => each.clip === at.clip && Math.abs(each.time - at.time) < half);
      return `${desk.state.hubs[hub].name} ${match ? `(${match.distance_cm.toFixed(1)} cm)` : ""}`;
    });
    const edges = desk.edgesOver(at).length;
    const rest = hubs.length
      ? hubs.join(", ")
      : edges
        ? `${edges} ${edges === 1 ? "edge" : "edges"} here`
        : "no edge passes here";
    this.words.textContent = `${desk.frames.words(at)} · ${rest}`;
    this.words.title = this.words.textContent;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { desk } = this;
    const { clip, time } = desk.row;
    const { clips, rate } = desk.frames;
    const sideways = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    const upward = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (sideways) {
      let to = Math.min(Math.max(time + sideways / rate, 0), clips[clip].seconds);
      if (event.shiftKey) {
        const times = this.ticks[clip].map((tick) => tick.time);
        to = (sideways > 0 ? times.find((t) => t > time + 1e-3) : times.reverse().find((t) => t < time - 1e-3)) ?? time;
      }
      const moment = { clip, time: to };
      desk.choose(moment, moment);
    } else if (upward) {
      const next = Math.min(Math.max(clip + upward, 0), clips.length - 1);
      const moment = { clip: next, time: Math.min(time, Math.floor(clips[next].seconds * rate) / rate) };
      desk.choose(moment, moment);
    } else if (event.key === "Enter") this.actions.play(desk.row, event.shiftKey);
    else if (event.key === "-") this.setZoom(this.zoom - 1);
    else if (event.key === "+" || event.key === "=") this.setZoom(this.zoom + 1);
    else return;
    event.preventDefault();
  }

  /** Where a moment is on the page, in CSS pixels, once it is scrolled to. */
  spotOf(moment: Moment): { x: number; y: number } | null {
    this.reveal(moment);
    const block = blockOf(this.flow, moment);
    const box = this.canvas.getBoundingClientRect();
    return block
      ? {
          x: box.left + PAD + xOf(this.flow, block, moment.time),
          y: box.top + block.line * LINE - this.scroll.scrollTop + BAR_TOP + BAR / 2,
        }
      : null;
  }

  /** Scroll to a moment. */
  private reveal(moment: Moment): void {
    const block = blockOf(this.flow, moment);
    if (!block) return;
    const top = block.line * LINE;
    const { scroll } = this;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + LINE + 4 > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = top + LINE + 4 - scroll.clientHeight;
  }

  private draw(): void {
    this.canvas.style.height = `${this.scroll.clientHeight}px`;
    const drawn = sheet(this.canvas);
    if (!drawn) return;
    const { context, height } = drawn;
    const top = this.scroll.scrollTop;
    this.painter.begin(context, this.flow, this.hot);
    for (const block of this.flow.blocks) {
      const y = block.line * LINE - top;
      if (y < -LINE || y > height) continue;
      context.save();
      context.translate(PAD, y);
      this.painter.paint(block, this.ticks[block.clip], this.covered[block.clip]);
      context.restore();
    }
  }
}
