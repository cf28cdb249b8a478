/** The slice: distances from the chosen frame to all others along the image's columns, with its minima.

The line is the threshold, and can be dragged. A click on a minimum puts it into the selected hub, or takes it out. */

import { element } from "../dom";
import { ink, sheet, soon, spot } from "./canvas";
import type { Desk } from "./desk";
import type { Span } from "./distance_image";
import { localMinima, matchSet } from "./frames";

const GRAB = 6;
const SPACING = 1 / 3;

export interface SliceActions {
  /** A minimum was clicked. */
  toggle(frame: number): void;
  /** The line is being dragged, or was let go. */
  threshold(cm: number, done: boolean): void;
  hovered(words: string | null): void;
}

export class SlicePlot {
  readonly canvas = element("canvas", {
    class: "slice",
    tabindex: 0,
    role: "application",
    "aria-label":
      "Slice of distances from the chosen frame. Left and right go from minimum to minimum, " +
      "up and down move the threshold, Enter puts a minimum into the selected hub or takes it out.",
  });
  readonly redraw = soon(() => this.draw());
  private minima: Int32Array = new Int32Array(0);
  private dragging = false;
  private hot = -1;

  constructor(
    private readonly desk: Desk,
    private readonly columns: () => Span,
    private readonly actions: SliceActions,
  ) {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => {
      this.hot = -1;
      this.actions.hovered(null);
      this.redraw();
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(this.redraw).observe(canvas);
  }

  /** New distances are there. */
  refresh(): void {
    this.minima = this.desk.distances ? localMinima(this.desk.frames, this.desk.distances) : new Int32Array(0);
    this.redraw();
  }

  /** Go to the next minimum (+1) or the one before (−1) near the threshold. */
  go(by: 1 | -1): void {
    const { desk } = this;
    const now = desk.frames.frame(desk.column);
    const near = this.shown();
    const next = by > 0 ? near.find((f) => f > now) : [...near].reverse().find((f) => f < now);
    if (next !== undefined) desk.choose(null, desk.frames.moment(next));
  }

  /** Where a frame is on the page, in CSS pixels. */
  spotOf(frame: number): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + this.x(frame), y: box.top + this.y(this.desk.distances?.[frame] ?? 0) };
  }

  /** Metres at the top of the plot. */
  private get top(): number {
    return Math.max(0.12, 0.022 * this.desk.threshold_cm);
  }

  /** Minima that are drawn: those not far above the threshold. */
  private shown(): number[] {
    const { distances, threshold_cm } = this.desk;
    if (!distances) return [];
    const { first, count } = this.columns();
    const most = Math.min(Math.max(0.018 * threshold_cm, 0.04), this.top);
    return Array.from(this.minima).filter((f) => f >= first && f < first + count && distances[f] <= most);
  }

  /** Frames that are, or would be, in the set. */
  private set(): { frames: Set<number>; colour: string } {
    const { desk } = this;
    const hub = desk.selected;
    if (hub && (desk.atSeed || hub.seed === null))
      return { frames: new Set(desk.matches(desk.hub).map((m) => desk.frames.frame(m))), colour: hub.colour };
    if (!desk.distances) return { frames: new Set(), colour: ink("--accent") };
    return {
      frames: new Set(matchSet(desk.frames, desk.distances, this.minima, desk.grow_cm / 100, SPACING)),
      colour: ink("--accent"),
    };
  }

  private x(frame: number): number {
    const { first, count } = this.columns();
    return ((frame - first + 0.5) / count) * this.canvas.clientWidth;
  }

  private y(metres: number): number {
    const height = this.canvas.clientHeight;
    return height - 4 - (Math.min(metres, 10) / this.top) * (height - 10);
  }

  private cm(y: number): number {
    const height = this.canvas.clientHeight;
    return Math.min(Math.max(((height - 4 - y) / (height - 10)) * this.top * 100, 0.2), 60);
  }

  private nearest(x: number, y: number): number {
    const { distances } = this.desk;
    if (!distances) return -1;
    let best = -1;
    let least = 11;
    for (const f of this.shown()) {
      const away = Math.hypot(this.x(f) - x, this.y(distances[f]) - y);
      if (away < least) [best, least] = [f, away];
    }
    return best;
  }

  private down(event: PointerEvent): void {
    const { x, y } = spot(this.canvas, event);
    if (this.nearest(x, y) >= 0 || Math.abs(y - this.y(this.desk.threshold_cm / 100)) > GRAB) return;
    this.dragging = true;
    this.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const { x, y } = spot(this.canvas, event);
    const { desk, canvas } = this;
    if (this.dragging) {
      this.actions.threshold(this.cm(y), false);
      return;
    }
    this.hot = this.nearest(x, y);
    const line = Math.abs(y - this.y(desk.threshold_cm / 100)) <= GRAB;
    canvas.style.cursor = this.hot >= 0 ? "pointer" : line ? "ns-resize" : "crosshair";
    const { first, count } = this.columns();
    const frame =
      this.hot >= 0 ? this.hot : first + Math.min(Math.max(Math.floor((x / canvas.clientWidth) * count), 0), count - 1);
    const metres = desk.distances?.[frame];
    const words = metres === undefined || !Number.isFinite(metres) ? "" : ` · ${(100 * metres).toFixed(1)} cm`;
    this.actions.hovered(`${desk.frames.words(desk.frames.moment(frame))}${words}`);
    this.redraw();
  }

  private up(event: PointerEvent): void {
    const { x, y } = spot(this.canvas, event);
    if (this.dragging) {
      this.dragging = false;
      this.actions.threshold(this.cm(y), true);
      return;
    }
    const found = this.nearest(x, y);
    if (found >= 0) {
      this.desk.choose(null, this.desk.frames.moment(found));
      this.actions.toggle(found);
      return;
    }
    const { first, count } = this.columns();
    const share = x / this.canvas.clientWidth;
    this.desk.choose(
      null,
      this.desk.frames.moment(first + Math.min(Math.max(Math.floor(share * count), 0), count - 1)),
    );
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { desk } = this;
    const step = event.shiftKey ? 0.5 : 0.1;
    if (event.key === "ArrowRight") this.go(1);
    else if (event.key === "ArrowLeft") this.go(-1);
    else if (event.key === "ArrowUp") this.actions.threshold(desk.threshold_cm + step, true);
    else if (event.key === "ArrowDown") this.actions.threshold(Math.max(desk.threshold_cm - step, 0.2), true);
    else if (event.key === "Enter") this.actions.toggle(desk.frames.frame(desk.column));
    else return;
    event.preventDefault();
  }

  private draw(): void {
    const drawn = sheet(this.canvas);
    if (!drawn) return;
    const { context, width, height } = drawn;
    const { desk } = this;
    const { distances } = desk;
    const limit = this.y(desk.threshold_cm / 100);
    context.fillStyle = ink("--accent-soft");
    context.fillRect(0, limit, width, height - limit);
    if (distances) this.drawCurve(context, width, height, distances);
    context.strokeStyle = ink("--accent");
    context.setLineDash([5, 4]);
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(0, limit);
    context.lineTo(width, limit);
    context.stroke();
    context.setLineDash([]);
    if (distances) this.drawMinima(context, distances);
    const x = this.x(desk.frames.frame(desk.column));
    context.strokeStyle = ink("--cross");
    context.lineWidth = 1;
    context.strokeRect(x, -2, 0, height + 4);
    context.font = "600 11px system-ui, sans-serif";
    context.fillStyle = ink("--accent");
    context.textAlign = "right";
    context.fillText(`${desk.threshold_cm.toFixed(1)} cm`, width - 6, Math.max(limit - 5, 12));
    context.textAlign = "left";
    context.fillStyle = ink("--faint");
    context.font = "10.5px system-ui, sans-serif";
    context.fillText(`${(100 * this.top).toFixed(0)} cm`, 5, 12);
  }

  /** The least distance of the frames in each pixel. */
  private drawCurve(context: CanvasRenderingContext2D, width: number, height: number, distances: Float32Array): void {
    const { first, count } = this.columns();
    const steps = Math.min(count, Math.floor(width));
    context.beginPath();
    let pen = false;
    for (let k = 0; k < steps; k++) {
      const from = first + Math.floor((k * count) / steps);
      const stop = first + Math.floor(((k + 1) * count) / steps);
      let least = Infinity;
      for (let f = from; f < stop; f++) least = Math.min(least, distances[f]);
      if (!Number.isFinite(least)) {
        pen = false;
        continue;
      }
      const x = ((k + 0.5) / steps) * width;
      const y = Math.max(this.y(least), -height);
      if (pen) context.lineTo(x, y);
      else context.moveTo(x, y);
      pen = true;
    }
    context.strokeStyle = ink("--ink");
    context.globalAlpha = 0.75;
    context.lineWidth = 1.1;
    context.lineJoin = "round";
    context.stroke();
    context.globalAlpha = 1;
  }

  private drawMinima(context: CanvasRenderingContext2D, distances: Float32Array): void {
    const { frames, colour } = this.set();
    const limit = this.desk.threshold_cm / 100;
    const many = this.columns().count > 6000;
    const solid = ink("--solid");
    for (const f of this.shown()) {
      const member = frames.has(f);
      if (!member && many && distances[f] > limit) continue;
      const hot = f === this.hot;
      context.beginPath();
      context.arc(this.x(f), this.y(distances[f]), hot ? 5.5 : member ? (many ? 2.8 : 4) : 3, 0, 2 * Math.PI);
      context.fillStyle = member ? colour : solid;
      context.strokeStyle = hot ? ink("--ink") : member ? solid : ink("--faint");
      context.lineWidth = member ? 1 : 1.4;
      context.fill();
      context.stroke();
    }
  }
}
