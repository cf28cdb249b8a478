/** The distance image: how far every frame down the side is from every frame along the top; near is strong.

Shows the whole library, or two clips. A click picks a pair of frames; rows are what is matched, columns what with. */

import { element } from "../dom";
import { ink, sheet, soon, spot } from "./canvas";
import { Latest } from "./connection";
import type { Desk } from "./desk";
import { paintDistances, type Picture } from "./distance_tones";
import { showError } from "./notices";
import type { ImageHeader } from "./protocol";

/** Frames first to first + count − 1, laid over a length. */
export interface Span {
  readonly first: number;
  readonly count: number;
}

const KEPT = 12;
const TICK = 7;
/** Rings of one hub that are drawn where it is not the selected one, and where it is. */
const SOME = 40;
const MANY = 500;

export class DistanceImage {
  readonly canvas = element("canvas", {
    class: "image",
    tabindex: 0,
    role: "application",
    "aria-label":
      "Distance image. Arrows move the pair of frames, with Shift by ten; " +
      "Enter looks into the two clips, Escape goes back to the whole library.",
  });
  /** The two clips that are shown, null for the whole library. */
  pair: readonly [number, number] | null = null;
  /** Called with words about what the pointer is on. */
  hovered: (words: string | null) => void = () => {};
  /** Called when another pair of clips is shown. */
  viewed: () => void = () => {};
  readonly redraw = soon(() => this.draw());
  private readonly pictures = new Map<string, Picture>();
  private readonly latest: Latest<Picture>;
  private shown: Picture | null = null;
  private painted: HTMLCanvasElement | null = null;
  private pointer: { x: number; y: number } | null = null;

  constructor(
    private readonly desk: Desk,
    private readonly picked: () => void,
  ) {
    this.latest = new Latest(
      (picture) => this.arrive(picture),
      (error) => showError(error),
    );
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => {
      this.pointer = null;
      this.hovered(null);
      this.redraw();
    });
    canvas.addEventListener("click", (event) => {
      const { x, y } = spot(canvas, event);
      this.pick(this.at(this.rows, y / canvas.clientHeight), this.at(this.columns, x / canvas.clientWidth));
    });
    canvas.addEventListener("dblclick", () => this.lookInto());
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(this.redraw).observe(canvas);
  }

  get rows(): Span {
    return this.span(this.pair?.[0]);
  }

  get columns(): Span {
    return this.span(this.pair?.[1]);
  }

  /** Show two clips, or the whole library. */
  view(pair: readonly [number, number] | null): void {
    this.pair = pair;
    this.shown = null;
    this.viewed();
    const key = pair ? pair.join(" ") : "all";
    this.latest.ask(async () => {
      const known = this.pictures.get(key);
      if (known) return known;
      const { header, bytes } = await this.desk.line.askBytes<ImageHeader>(
        "image",
        pair ? { a: pair[0], b: pair[1] } : { all: true },
      );
      const picture = { header, levels: bytes };
      this.pictures.set(key, picture);
      if (this.pictures.size > KEPT)
        this.pictures.delete([...this.pictures.keys()].find((each) => each !== "all") ?? key);
      return picture;
    });
    this.redraw();
  }

  /** Look into the clips of the chosen frames. */
  lookInto(): void {
    this.view([this.desk.row.clip, this.desk.column.clip]);
  }

  /** Colours changed. */
  repaint(): void {
    this.painted = null;
    this.redraw();
  }

  /** Metres between two frames, as the image has it; NaN where it is not shown. */
  private distance(row: number, column: number): number {
    const { shown, rows, columns } = this;
    if (!shown) return Number.NaN;
    const { width, height, metres_max } = shown.header;
    const y = Math.min(Math.floor(((row - rows.first + 0.5) / rows.count) * height), height - 1);
    const x = Math.min(Math.floor(((column - columns.first + 0.5) / columns.count) * width), width - 1);
    return (shown.levels[y * width + x] / 255) * metres_max;
  }

  private span(clip: number | undefined): Span {
    const { frames } = this.desk;
    return clip === undefined
      ? { first: 0, count: frames.count }
      : { first: frames.starts[clip], count: frames.countOf(clip) };
  }

  private at(span: Span, share: number): number {
    return span.first + Math.min(Math.max(Math.floor(share * span.count), 0), span.count - 1);
  }

  private arrive(picture: Picture): void {
    this.shown = picture;
    this.painted = null;
    this.redraw();
  }

  private pick(row: number, column: number): void {
    const { frames } = this.desk;
    // A pixel of the whole library is many frames: one that can be matched is meant.
    const [one, other] = [row, column].map((frame) =>
      this.pair ? frames.moment(frame) : frames.usable(frames.moment(frame)),
    );
    this.desk.choose(one, other);
    this.picked();
  }

  private hover(event: PointerEvent): void {
    const { canvas, desk } = this;
    this.pointer = spot(canvas, event);
    const row = this.at(this.rows, this.pointer.y / canvas.clientHeight);
    const column = this.at(this.columns, this.pointer.x / canvas.clientWidth);
    const metres = this.distance(row, column);
    const most = this.shown?.header.metres_max ?? 0;
    const words = Number.isNaN(metres)
      ? ""
      : metres >= most - 1e-9
        ? ` · over ${(100 * most).toFixed(0)} cm`
        : ` · ${(100 * metres).toFixed(1)} cm`;
    this.hovered(
      `${desk.frames.words(desk.frames.moment(row))} ↔ ${desk.frames.words(desk.frames.moment(column))}${words}`,
    );
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 10 : 1;
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [0, -by],
      ArrowRight: [0, by],
      ArrowUp: [-by, 0],
      ArrowDown: [by, 0],
    };
    const move = moves[event.key];
    if (move) {
      const { frames, row, column } = this.desk;
      const inside = (span: Span, frame: number): number =>
        Math.min(Math.max(frame, span.first), span.first + span.count - 1);
      this.pick(inside(this.rows, frames.frame(row) + move[0]), inside(this.columns, frames.frame(column) + move[1]));
    } else if (event.key === "Enter" && !this.pair) this.lookInto();
    else if (event.key === "Escape" && this.pair) this.view(null);
    else return;
    event.preventDefault();
  }

  private draw(): void {
    const drawn = sheet(this.canvas);
    if (!drawn) return;
    const { context, width, height } = drawn;
    if (this.shown) {
      this.painted ??= paintDistances(this.shown);
      context.imageSmoothingEnabled = this.painted.width > width;
      context.drawImage(this.painted, 0, 0, width, height);
    } else {
      context.fillStyle = ink("--lane");
      context.fillRect(0, 0, width, height);
      context.fillStyle = ink("--faint");
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillText("Comparing frames …", width / 2, height / 2);
      context.textAlign = "left";
    }
    this.drawMatches(context, width, height);
    const { frames, row, column } = this.desk;
    this.cross(context, width, height, frames.frame(row), frames.frame(column));
    if (this.pointer) {
      context.strokeStyle = ink("--faint");
      context.globalAlpha = 0.45;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(0, this.pointer.y);
      context.lineTo(width, this.pointer.y);
      context.moveTo(this.pointer.x, 0);
      context.lineTo(this.pointer.x, height);
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  private cross(context: CanvasRenderingContext2D, width: number, height: number, row: number, column: number): void {
    const { rows, columns } = this;
    const y = ((row - rows.first + 0.5) / rows.count) * height;
    const x = ((column - columns.first + 0.5) / columns.count) * width;
    context.strokeStyle = ink("--cross");
    context.lineWidth = 1.25;
    context.beginPath();
    if (y >= 0 && y <= height) {
      context.moveTo(0, y);
      context.lineTo(width, y);
    }
    if (x >= 0 && x <= width) {
      context.moveTo(x, 0);
      context.lineTo(x, height);
    }
    context.stroke();
    if (y < 0 || y > height || x < 0 || x > width) return;
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Match frames as ticks at two sides, and where two of one hub meet, in two clips, as rings. */
  private drawMatches(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { desk, rows, columns } = this;
    const { hubs } = desk.state;
    const far = this.pair === null;
    for (let hub = 0; hub < hubs.length; hub++) {
      if (far && hub !== desk.hub) continue;
      const found = desk.matches(hub).map((match) => desk.frames.frame(match));
      const inside = (span: Span, length: number): number[] =>
        found
          .filter((f) => f >= span.first && f < span.first + span.count)
          .map((f) => ((f - span.first + 0.5) / span.count) * length);
      const ys = inside(rows, height);
      const xs = inside(columns, width);
      context.fillStyle = context.strokeStyle = hubs[hub].colour;
      const thick = far ? 1 : 2;
      for (const x of xs) context.fillRect(x - thick / 2, 0, thick, TICK);
      for (const y of ys) context.fillRect(0, y - thick / 2, TICK, thick);
      if (far || (hub !== desk.hub && hubs.length > 1 && xs.length * ys.length > SOME) || xs.length * ys.length > MANY)
        continue;
      context.lineWidth = hub === desk.hub ? 2 : 1.25;
      for (const y of ys) {
        for (const x of xs) {
          context.beginPath();
          context.arc(x, y, 3.2, 0, 2 * Math.PI);
          context.stroke();
        }
      }
    }
  }
}
