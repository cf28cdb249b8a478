/** The timeline: play, step, scrub, speed and loop. Its strip shows the selected character's segments and worst cases. */

import type { WorstCase } from "./audit_data";
import { SPEEDS, type Clock } from "./clock";
import { element, shortNumber } from "./dom";
import { icon } from "./icons";
import type { Take } from "./take";
import { segmentsOf } from "./why";

const STRIP_HEIGHT = 30;

export class Timeline {
  private readonly play = element("button", { class: "icon play", type: "button", click: () => this.clock.toggle() });
  private readonly loop = element(
    "button",
    { class: "icon", type: "button", "aria-label": "Loop", title: "Loop (O)", click: () => this.clock.toggleLoop() },
    icon("loop"),
  );
  private readonly now = element("b", {});
  private readonly scrub: HTMLInputElement;
  private readonly strip = element("canvas", { "aria-hidden": "true" });
  private readonly speed = element("select", { "aria-label": "Speed", title: "Speed ([ and ])" });
  private selected = -1;
  private cases: readonly WorstCase[] = [];
  private shownTime = Number.NaN;
  private wasPlaying: boolean | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly take: Take,
    place: HTMLElement,
  ) {
    this.scrub = element(
      "input",
      { type: "range", min: clock.start, max: clock.stop, step: "any", "aria-label": "Time" },
    );
    this.scrub.addEventListener("input", () => this.clock.seek(Number(this.scrub.value)));
    for (const speed of SPEEDS) this.speed.append(element("option", { value: speed }, `${shortNumber(speed)}×`));
    this.speed.addEventListener("change", () => this.clock.setSpeed(Number(this.speed.value)));
    const step = (by: 1 | -1): HTMLButtonElement => {
      const label = by > 0 ? "Next frame" : "Previous frame";
      return element(
        "button",
        {
          class: "icon",
          type: "button",
          "aria-label": label,
          title: `${label} (${by > 0 ? "→" : "←"})`,
          click: () => this.clock.step(by),
        },
        icon(by > 0 ? "forward" : "back"),
      );
    };
    place.append(
      step(-1),
      this.play,
      step(1),
      element("div", { class: "clock" }, this.now, element("span", {}, ` / ${clock.stop.toFixed(2)} s`)),
      element("div", { class: "scrub" }, this.strip, this.scrub),
      this.speed,
      this.loop,
    );
    new ResizeObserver(() => this.drawStrip()).observe(this.strip);
    this.refresh();
  }

  setSelected(row: number): void {
    this.selected = row;
    this.drawStrip();
  }

  setCases(cases: readonly WorstCase[]): void {
    this.cases = cases;
    this.drawStrip();
  }

  /** Show the clock's state; cheap when nothing changed. */
  refresh(): void {
    const { clock } = this;
    if (clock.playing !== this.wasPlaying) {
      this.wasPlaying = clock.playing;
      const label = clock.playing ? "Pause" : "Play";
      this.play.replaceChildren(icon(clock.playing ? "pause" : "play"));
      this.play.setAttribute("aria-label", label);
      this.play.title = `${label} (Space)`;
    }
    this.loop.setAttribute("aria-pressed", String(clock.loop));
    const speed = String(clock.speed);
    if (this.speed.value !== speed) this.speed.value = speed;
    if (clock.time === this.shownTime) return;
    this.shownTime = clock.time;
    const text = clock.time.toFixed(2);
    if (this.now.textContent !== text) {
      this.now.textContent = text;
      this.scrub.value = String(clock.time);
      this.scrub.setAttribute("aria-valuetext", `${text} seconds of ${clock.stop.toFixed(2)}`);
      this.drawStrip();
    }
  }

  drawStrip(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(this.strip.clientWidth * ratio);
    const height = Math.round(STRIP_HEIGHT * ratio);
    if (width === 0) return;
    if (this.strip.width !== width || this.strip.height !== height) Object.assign(this.strip, { width, height });
    const context = this.strip.getContext("2d");
    if (!context) return;
    const style = getComputedStyle(document.documentElement);
    const { start, stop, time } = this.clock;
    const at = (t: number): number => ((t - start) / Math.max(stop - start, 1e-9)) * width;
    const middle = height / 2;
    const thick = 4 * ratio;
    context.clearRect(0, 0, width, height);
    const rail = (from: number, to: number, colour: string): void => {
      context.fillStyle = colour;
      context.beginPath();
      context.roundRect(from, middle - thick / 2, Math.max(to - from, 1), thick, thick / 2);
      context.fill();
    };
    rail(0, width, style.getPropertyValue("--press"));
    rail(0, at(time), style.getPropertyValue("--accent"));
    if (this.selected >= 0) this.drawSegments(context, at, height, ratio);
    for (const { time: t, fault } of [...this.cases].reverse()) {
      context.fillStyle = style.getPropertyValue(fault ? "--bad" : "--faint"); // faults over the others
      context.fillRect(at(t) - 0.75 * ratio, 0, 1.5 * ratio, (fault ? 6 : 4) * ratio);
    }
  }

  private drawSegments(
    context: CanvasRenderingContext2D,
    at: (t: number) => number,
    height: number,
    ratio: number,
  ): void {
    const [r, g, b] = this.take.characters.colour.subarray(3 * this.selected, 3 * this.selected + 3);
    context.fillStyle = `rgb(${[r, g, b].map((c) => Math.round(255 * c)).join(" ")})`;
    const [first, count] = segmentsOf(this.take, this.selected);
    for (let s = first; s < first + count; s++) {
      const from = at(Math.max(this.take.segments.start[s], this.take.enters[this.selected]));
      const to = at(Math.min(this.take.segments.stop[s], this.take.leaves[this.selected]));
      context.fillRect(from, height - 5 * ratio, Math.max(to - from - ratio, 1), 4 * ratio);
    }
  }
}
