/** The preview: plays a stretch of a clip, an edge, a join of two edges, or two moments over each other, with a transport.

Motion comes from the server as packed takes of one character. Seconds of the played motion; world, metres. */

import { Clock } from "../clock";
import { element, found } from "../dom";
import { icon } from "../icons";
import { newFrame, Poser, type PoseFrame } from "../poser";
import { readTake } from "../take";
import { unzipped } from "../take_bytes";
import type { Desk } from "./desk";
import { Latest } from "./connection";
import { showError } from "./notices";
import { compose, inverse, moveBody } from "./planar";
import type { Moment } from "./protocol";
import type { Stage } from "./stage";

/** Seconds around two compared moments that are played. */
const AROUND = 0.6;
const STRIP = 26;

interface Voice {
  readonly poser: Poser;
  readonly frame: PoseFrame;
}

interface Motion {
  readonly voices: readonly Voice[];
  readonly seconds: number;
  readonly fps: number;
  /** Moments of the motion that are marked: the seam of a join, or where two frames meet. */
  readonly marks: readonly number[];
  readonly title: string;
  readonly detail: string;
}

export class Preview {
  clock = new Clock(0, 1, 60);
  /** Off while somebody else has the stage. */
  active = true;
  /** Resolved when the first motion is there, or could not be had. */
  readonly started: Promise<void>;
  private settle: () => void = () => {};
  private motion: Motion | null = null;
  private shown = Number.NaN;
  private readonly latest: Latest<Motion>;
  private readonly play = element("button", { class: "icon", type: "button", click: () => this.toggle() });
  private readonly scrub = element("input", {
    type: "range",
    min: 0,
    max: 1,
    step: "any",
    "aria-label": "Time of the preview",
  });
  private readonly strip = element("canvas", { "aria-hidden": "true" });
  private readonly now = element("span", { class: "numbers now" });
  private readonly speed = element("select", { "aria-label": "Speed", title: "Speed" });
  private readonly words = found("playing");

  constructor(
    private readonly desk: Desk,
    private readonly stage: Stage,
    place: HTMLElement,
  ) {
    this.started = new Promise((resolve) => (this.settle = resolve));
    this.latest = new Latest(
      (motion) => this.start(motion),
      (error) => {
        this.settle();
        showError(error);
      },
    );
    this.scrub.addEventListener("input", () => {
      this.clock.playing = false;
      this.clock.seek(Number(this.scrub.value));
    });
    for (const speed of [0.1, 0.25, 0.5, 1])
      this.speed.append(element("option", { value: speed, selected: speed === 1 }, `${speed}×`));
    this.speed.addEventListener("change", () => (this.clock.speed = Number(this.speed.value)));
    place.append(this.play, element("div", { class: "scrub" }, this.strip, this.scrub), this.now, this.speed);
    new ResizeObserver(() => this.drawStrip()).observe(this.strip);
    this.refresh();
  }

  get playing(): boolean {
    return this.clock.playing;
  }

  toggle(): void {
    this.clock.toggle();
    this.refresh();
  }

  step(by: number): void {
    this.clock.step(by);
    this.refresh();
  }

  /** Play a stretch of a clip. */
  playStretch(clip: number, from: number, to: number): void {
    const { name, seconds } = this.desk.frames.clips[clip];
    const begin = Math.max(from, 0);
    const end = Math.min(Math.max(to, begin + 0.2), seconds);
    this.desk.played = [];
    this.desk.stretch = { clip, from: begin, to: end };
    this.desk.tell("playing");
    this.latest.ask(async () => {
      const voice = await this.voice({ clip, from: Math.min(begin, end - 0.1), to: end });
      return {
        voices: [voice],
        seconds: end - begin,
        fps: voice.poser.take.fps,
        marks: [],
        title: name,
        detail: `${begin.toFixed(2)} to ${end.toFixed(2)} s`,
      };
    });
  }

  /** Play an edge, or two that follow each other. */
  playEdges(edges: readonly number[]): void {
    const { desk } = this;
    const rows = edges.map((edge) => desk.state.edges[edge]);
    if (rows.length === 0 || rows.some((row) => row === undefined)) return;
    desk.played = edges;
    desk.stretch = null;
    desk.tell("playing");
    const built = desk.state.built;
    this.latest.ask(async () => {
      const voice = await this.voice(rows.length === 1 ? { edge: edges[0] } : { join: edges });
      const names = [...rows.map((row) => row.start), rows[rows.length - 1].stop].map(
        (hub) => desk.state.hubs[hub]?.name ?? "?",
      );
      const seconds = rows.reduce((sum, row) => sum + row.duration, 0);
      return {
        voices: [voice],
        seconds,
        fps: voice.poser.take.fps,
        marks: rows.length > 1 ? [rows[0].duration] : [],
        title: names.join(" → "),
        detail: `${rows.map((row) => desk.frames.clips[row.clip].name).join(", then ")} · ${seconds.toFixed(2)} s${built ? "" : " · as recorded, not built yet"}`,
      };
    });
  }

  /** Play two moments over each other: what a match looks like. */
  compare(one: Moment, other: Moment): void {
    const { frames } = this.desk;
    this.desk.played = [];
    this.desk.stretch = null;
    this.desk.tell("playing");
    this.latest.ask(async () => {
      const before = Math.min(AROUND, one.time, other.time);
      const after = Math.min(
        AROUND,
        frames.clips[one.clip].seconds - one.time,
        frames.clips[other.clip].seconds - other.time,
      );
      const length = Math.max(before + after, 0.1);
      const begins = [one, other].map(({ clip, time }) =>
        Math.max(Math.min(time - before, frames.clips[clip].seconds - length), 0),
      );
      const voices = await Promise.all(
        [one, other].map(({ clip }, k) => this.voice({ clip, from: begins[k], to: begins[k] + length })),
      );
      return {
        voices,
        seconds: length,
        fps: voices[0].poser.take.fps,
        marks: [before],
        title: "Two moments",
        detail: `${frames.words(one)} (blue) and ${frames.words(other)} (orange)`,
      };
    });
  }

  /** Go on by so many seconds of the wall's clock; true where the picture changed. */
  tick(seconds: number): boolean {
    if (!this.active || !this.motion) return false;
    this.clock.tick(seconds);
    if (this.clock.time === this.shown) return false;
    this.pose();
    return true;
  }

  /** Show the present moment again: after somebody else had the stage. */
  resume(): void {
    this.active = true;
    this.stage.point(0, 0, 0, 0);
    if (this.motion) this.pose();
  }

  private async voice(what: Readonly<Record<string, unknown>>): Promise<Voice> {
    const { bytes } = await this.desk.line.askBytes<object>("motion", what);
    const take = readTake(bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzipped(bytes) : bytes);
    this.stage.prepare(take);
    return { poser: new Poser(take), frame: newFrame(take) };
  }

  private start(motion: Motion): void {
    const { speed } = this.clock;
    const first = this.motion === null;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.motion = motion;
    this.clock = new Clock(0, motion.seconds, motion.fps);
    this.clock.speed = speed;
    this.clock.playing = !(first && calm);
    this.clock.changed = () => this.refresh();
    this.scrub.max = String(motion.seconds);
    this.words.replaceChildren(element("b", {}, motion.title), element("span", {}, motion.detail));
    if (this.active) this.pose();
    this.refresh();
    this.settle();
  }

  private pose(): void {
    const { motion, clock } = this;
    if (!motion) return;
    this.shown = clock.time;
    const [one, other] = motion.voices;
    const last = (voice: Voice): number => voice.poser.take.stop - 1e-6;
    one.poser.pose(Math.min(clock.time, last(one)), one.frame);
    if (other) {
      // They lie over each other at the marked moment.
      const at = motion.marks[0];
      const [a, b] = motion.voices.map((voice) => {
        const frame = newFrame(voice.poser.take);
        voice.poser.pose(Math.min(at, last(voice)), frame);
        return frame.planar;
      });
      other.poser.pose(Math.min(clock.time, last(other)), other.frame);
      moveBody(other.frame, 0, compose([a[0], a[1], a[2]], inverse(b)));
    }
    this.stage.show(one.frame, other?.frame ?? null);
    this.refresh();
  }

  private refresh(): void {
    const { clock } = this;
    const label = clock.playing ? "Pause" : "Play";
    if (this.play.getAttribute("aria-label") !== label) {
      this.play.replaceChildren(icon(clock.playing ? "pause" : "play"));
      this.play.setAttribute("aria-label", label);
      this.play.title = `${label} (Space)`;
    }
    this.now.textContent = `${clock.time.toFixed(2)} / ${clock.stop.toFixed(2)} s`;
    this.scrub.value = String(clock.time);
    this.scrub.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} seconds`);
    this.drawStrip();
  }

  /** The strip under the handle: what is past, and where the seam is. */
  private drawStrip(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(this.strip.clientWidth * ratio);
    const height = Math.round(STRIP * ratio);
    if (width === 0) return;
    if (this.strip.width !== width || this.strip.height !== height) Object.assign(this.strip, { width, height });
    const context = this.strip.getContext("2d");
    if (!context) return;
    const style = getComputedStyle(document.documentElement);
    const at = (time: number): number => (time / Math.max(this.clock.stop, 1e-9)) * width;
    context.clearRect(0, 0, width, height);
    const rail = (to: number, colour: string): void => {
      context.fillStyle = style.getPropertyValue(colour);
      context.beginPath();
      context.roundRect(0, height / 2 - 2 * ratio, Math.max(to, 1), 4 * ratio, 2 * ratio);
      context.fill();
    };
    rail(width, "--press");
    rail(at(this.clock.time), "--accent");
    context.fillStyle = style.getPropertyValue("--seam");
    for (const mark of this.motion?.marks ?? []) {
      const x = at(mark);
      context.fillRect(x - ratio, 3 * ratio, 2 * ratio, height - 6 * ratio);
      context.beginPath();
      context.moveTo(x - 4 * ratio, 0);
      context.lineTo(x + 4 * ratio, 0);
      context.lineTo(x, 5 * ratio);
      context.fill();
    }
  }
}
