/** The viewer: plays one take. Puts the parts together and runs them, frame by frame.

A frame is posed in the worker for the time that the clock will show, taken over when it arrives, and drawn with the next
picture of the screen; nothing is drawn while nothing changes. */

import { Vector3 } from "three";
import type { AuditData, WorstCase } from "./audit_data";
import { Crowd } from "./bodies";
import { CameraHands } from "./camera_hands";
import { Cameras, type CameraMode } from "./cameras";
import { Clock } from "./clock";
import { readMoment, writeMoment } from "./deep_links";
import { found } from "./dom";
import { under } from "./floor_heights";
import { FrameSource } from "./frame_source";
import { freeArea } from "./free_area";
import { Layers, type LayerName } from "./layers";
import { note, showFailure } from "./message";
import { PageStats } from "./page_stats";
import { CharacterPanel } from "./panel";
import { nearest, othersThan, pick } from "./picking";
import { ABSENT, type PoseFrame } from "./pose_frame";
import type { PosingClient } from "./posing_client";
import { PropsView } from "./props_view";
import type { RiggedCrowd } from "./rigged_character";
import { Saving } from "./saving";
import { World } from "./scene";
import { SeatsView } from "./seats_view";
import { Selection } from "./selection";
import { Shortcuts } from "./shortcuts";
import { StageView } from "./stage_view";
import { placesToSee, subjectOf } from "./subjects";
import type { Take } from "./take";
import type { ThemeSwitch } from "./theme";
import { Timeline } from "./timeline";
import { Toolbar } from "./toolbar";
import { viewerKeys } from "./viewer_keys";
import { WorstCases } from "./worst_cases";

const LONGEST_TICK = 0.1;
/** As in style.css: there is room for one panel. */
const ON_PHONE = matchMedia("(max-width: 40rem)");

export class Viewer {
  readonly world: World;
  readonly clock: Clock;
  readonly cameras: Cameras;
  readonly stats = new PageStats();
  readonly crowd: Crowd;
  readonly layers: Layers;
  private readonly hands: CameraHands;
  readonly stage: StageView;
  readonly seats: SeatsView;
  private readonly props: PropsView;
  private readonly selection: Selection;
  private readonly panel: CharacterPanel;
  private readonly timeline: Timeline;
  private readonly toolbar: Toolbar;
  private readonly saving: Saving;
  private readonly frames: FrameSource;
  private readonly shortcuts: Shortcuts;
  private readonly layout = new ResizeObserver(() => this.cameras.setArea(freeArea(this.world.canvas)));
  /** Those who wear the user's own character. */
  rigged: RiggedCrowd | null = null;
  private cases: WorstCases | null = null;
  /** Whether the selected one was chosen with keys on the stage: then Escape goes on to the panel. */
  private byKeys = false;
  private dirty = true;
  private last = performance.now();
  private waiting: { time: number; done: () => void }[] = [];

  constructor(
    readonly take: Take,
    bytes: Uint8Array,
    client: PosingClient,
    private readonly themes: ThemeSwitch,
  ) {
    const canvas = found<HTMLCanvasElement>("view");
    this.world = new World(canvas, take.stage.floor);
    const { heights } = this.world;
    this.clock = new Clock(take.start, take.stop, take.fps);
    this.cameras = new Cameras(canvas, heights);
    this.hands = new CameraHands(this.cameras, canvas);
    this.crowd = new Crowd(take);
    this.stage = new StageView(take.stage, heights);
    this.seats = new SeatsView(take.stage, heights);
    this.props = new PropsView(take.props);
    this.layers = new Layers(take, bytes, heights, () => this.frame);
    this.selection = new Selection(take, found("tag"), heights);
    this.frames = new FrameSource(client, (frame) => this.crowd.pose(frame), showFailure);
    this.saving = new Saving(
      this.world,
      () => this.render(),
      () => this.clock.time,
      (running) => this.toolbar.setRecording(running),
    );
    this.world.scene.add(
      this.crowd.group,
      this.stage.group,
      this.seats.group,
      this.props.group,
      this.layers.group,
      this.selection.object,
    );
    this.panel = new CharacterPanel(take, {
      select: (row) => this.choose(row),
      seek: (time) => this.seek(time),
      follow: () => this.setCamera("follow"),
      look: () => this.setCamera("first"),
    });
    found("side").append(this.panel.element);
    this.timeline = new Timeline(this.clock, take, found("timeline"));
    this.toolbar = new Toolbar(found("tools"), {
      camera: (mode) => this.setCamera(mode),
      frameAll: () => this.frameAll(),
      layer: (name) => this.toggleLayer(name),
      cases: () => this.toggleCases(),
      still: () => this.saveStill(),
      record: () => this.record(),
      theme: () => this.themes.toggle(),
      help: () => this.shortcuts.toggleHelp(),
    });
    this.shortcuts = new Shortcuts(viewerKeys(this), this.hands.held);
    this.connect(canvas);
  }

  /** Show the first frame, then run. */
  async start(): Promise<void> {
    const moment = readMoment(location.hash);
    if (moment.time !== null) this.clock.seek(moment.time);
    const frame = await this.frames.first(this.clock.time);
    this.world.fit(this.cameras.camera);
    this.goTo(moment.name, "orbit");
    this.cameras.setArea(freeArea(this.world.canvas)); // with the panel, if somebody is selected
    this.frameOn(frame);
    if (this.selected >= 0) this.setCamera(moment.camera);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (moment.time === null && !calm && this.take.stop > this.take.start) this.clock.toggle();
    this.last = performance.now();
    this.tick(this.last);
    this.stats.firstFrame = performance.now();
  }

  /** Show people as the user's own character. */
  wear(rigged: RiggedCrowd): void {
    this.rigged = rigged;
    this.crowd.worn = rigged.worn;
    this.world.scene.add(rigged.group);
    this.dirty = true;
  }

  /** Give somebody's hands other shapes than the take does; resolves when they are drawn. */
  shapeHands(row: number, codes: readonly [number, number] | null): Promise<void> {
    if (codes === null) this.crowd.shaped.delete(row);
    else this.crowd.shaped.set(row, codes);
    if (this.frame) this.crowd.pose(this.frame);
    this.dirty = true;
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  }

  setAudit(audit: AuditData | null): void {
    this.panel.setAudit(audit);
    if (audit === null) return;
    this.cases = new WorstCases(audit.worst, (worst) => void this.visit(worst), () => this.toggleCases());
    found("side").append(this.cases.element);
    this.layout.observe(this.cases.element);
    this.timeline.setCases(this.cases.list);
    this.toolbar.offerCases(this.cases.title, audit.worst.length);
  }

  /** Go to a time; resolves when it is drawn. */
  seek(time: number): Promise<void> {
    this.clock.seek(time);
    return new Promise((done) => this.waiting.push({ time: this.clock.time, done }));
  }

  /** Everyone as last posed; its memory is used again, so nothing of it may be kept. */
  get frame(): PoseFrame | null {
    return this.frames.frame;
  }

  get selected(): number {
    return this.selection.row;
  }

  select(row: number): void {
    if (row === this.selection.row) return;
    this.selection.row = row;
    this.panel.show(row);
    this.timeline.setSelected(row);
    if (row < 0 && this.cameras.mode !== "orbit") this.cameras.setMode("orbit");
    this.aim();
    this.settle();
  }

  /** Select the next (+1) or the one before (−1) of those who are there now, around. */
  step(by: 1 | -1): void {
    const row = this.beside(by) ?? this.beside(by, by > 0 ? -1 : this.take.names.length);
    if (row !== null) this.choose(row, true);
  }

  setCamera(mode: CameraMode): void {
    if (mode !== "orbit" && this.selected < 0) this.select(this.frame ? nearest(this.frame, this.cameras.focus) : -1);
    if (mode !== "orbit" && this.selected < 0) return note("There is nobody to be with.");
    this.aim();
    this.cameras.setMode(mode);
    this.settle();
  }

  frameAll(): void {
    if (!this.frame) return;
    this.cameras.setMode("orbit");
    this.frameOn(this.frame);
    this.settle();
  }

  private frameOn(frame: PoseFrame): void {
    const { places, ground } = placesToSee(this.take, frame, this.world.heights);
    this.cameras.frame(places, ground);
  }

  toggleLayer(name: LayerName): void {
    const on = this.layers.toggle(name);
    this.toolbar.setLayer(name, on);
    note(`${name[0].toUpperCase()}${name.slice(1)} ${on ? "shown" : "hidden"}`);
  }

  toggleCases(): void {
    if (this.cases) this.toolbar.setCases(this.cases.toggle());
    else this.tellNoAudit();
  }

  stepCase(by: 1 | -1): void {
    if (this.cases) this.cases.step(by);
    else this.tellNoAudit();
  }

  toggleTheme(): void {
    this.themes.toggle();
  }

  toggleHelp(): void {
    this.shortcuts.toggleHelp();
  }

  /** Hide or show everything but the stage. */
  toggleBare(): void {
    if (found("page").classList.toggle("bare")) note("Press H to have the controls back");
  }

  /** Shut what is open, one thing at a time; from the stage to the panel of whoever keys have chosen there. */
  escape(): void {
    const { canvas } = this.world;
    const onStage = document.activeElement === canvas;
    if (this.toolbar.closeMenu()) return;
    if (found("page").classList.contains("bare")) return this.toggleBare();
    if (onStage && this.byKeys && this.selected >= 0 && this.panel.focus()) return;
    if (this.selected >= 0) this.choose(-1);
    else if (onStage) document.querySelector<HTMLElement>("#timeline .play")?.focus();
  }

  saveStill(): void {
    void this.saving.still();
  }

  record(): void {
    void this.saving.record();
  }

  private connect(canvas: HTMLCanvasElement): void {
    const redraw = (): void => void (this.dirty = true);
    this.cameras.changed = redraw;
    this.layers.changed = redraw;
    this.clock.changed = () => {
      this.timeline.refresh();
      this.settle();
    };
    this.hands.tapped = (x, y) => {
      if (this.frame) this.choose(pick(this.frame, this.cameras.camera, x, y, canvas));
    };
    this.themes.watch((theme) => {
      this.world.paint(theme);
      this.stage.paint(theme);
      this.seats.paint(theme);
      this.layers.paint(theme);
      this.selection.paint(theme);
      this.timeline.drawStrip();
      redraw();
    });
    for (const part of [canvas, found("top"), found("timeline"), this.panel.element]) this.layout.observe(part);
    document.addEventListener("visibilitychange", redraw);
    window.addEventListener("hashchange", () => {
      const moment = readMoment(location.hash);
      if (moment.time !== null) this.clock.seek(moment.time);
      this.goTo(moment.name, moment.camera);
    });
    canvas.addEventListener(
      "webglcontextlost",
      () => showFailure(new Error("The graphics card stopped drawing this page.")),
    );
    // On the stage Tab goes through the cast, and leaves it after the last one; Escape leaves it at once.
    canvas.addEventListener("keydown", (event) => {
      if (event.key !== "Tab" || event.ctrlKey || event.altKey || event.metaKey) return;
      const backwards = event.shiftKey && this.selected < 0;
      const row = backwards ? null : this.beside(event.shiftKey ? -1 : 1);
      if (row === null) return;
      event.preventDefault();
      this.choose(row, true);
    });
  }

  /** Row of the next (+1) or the one before (−1) of those who are there now; null where there is none. */
  private beside(by: 1 | -1, from = this.selected < 0 && by < 0 ? this.take.names.length : this.selected): number | null {
    const { frame } = this;
    if (!frame) return null;
    let row = from + by;
    while (row >= 0 && row < this.take.names.length && frame.present[row] === ABSENT) row += by;
    return row >= 0 && row < this.take.names.length ? row : null;
  }

  /** Select somebody by hand: on a phone the panel takes the place of the audit's cases. */
  private choose(row: number, byKeys = false): void {
    const inPanel = this.panel.element.contains(document.activeElement);
    this.byKeys = byKeys;
    this.select(row);
    if (row >= 0 && ON_PHONE.matches && this.cases?.shown) this.toggleCases();
    if (row < 0 && inPanel) this.world.canvas.focus({ preventScroll: true });
  }

  private tellNoAudit(): void {
    note("This page has no audit: make it with --audit to jump to the worst cases.");
  }

  private goTo(name: string | null, camera: CameraMode): void {
    const row = name === null ? -1 : this.take.names.indexOf(name);
    if (name !== null && row < 0) note(`There is no “${name}” in this take.`);
    this.select(row);
    if (row >= 0) this.setCamera(camera);
  }

  private async visit(worst: WorstCase): Promise<void> {
    this.clock.playing = false;
    const shown = this.seek(worst.time);
    if (worst.row >= 0 && worst.row < this.take.names.length) this.select(worst.row);
    await shown;
    const { frame } = this;
    if (!frame) return;
    const [x, y] = worst.place;
    const z = worst.place[2] ?? 0.9 + under(this.world.heights, x, y, this.cameras.focus.z - 0.9);
    const ground = under(this.world.heights, x, y, z);
    // Around people's hips, unless it is nowhere near the floor.
    const height = z - ground > 3 ? z : ground + Math.min(Math.max(z - ground, 0.5), 1.2);
    this.cameras.visit(new Vector3(x, y, height), othersThan(frame, worst.row, height));
  }

  /** After something was chosen: draw, and keep the address at this moment. */
  private settle(): void {
    this.dirty = true;
    this.toolbar.setMode(this.cameras.mode, this.take.names.length > 0);
    if (this.frame) this.panel.pose(this.frame, true);
    if (this.clock.playing) return;
    const name = this.selected >= 0 ? this.take.names[this.selected] : null;
    writeMoment({ time: this.clock.time, name, camera: this.cameras.mode });
  }

  /** Tell the camera where its character is. */
  private aim(): void {
    this.cameras.subject = this.frame ? subjectOf(this.take, this.frame, this.selected, this.world.heights) : null;
    this.crowd.hidden = this.cameras.mode === "first" && this.cameras.subject ? this.selected : -1;
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    const before = performance.now();
    const seconds = Math.min(Math.max((now - this.last) / 1000, 0), LONGEST_TICK);
    this.last = now;
    this.clock.tick(seconds);
    this.frames.ask(this.clock.time);
    const moved = this.hands.step(seconds);
    const { fresh } = this.frames;
    if (fresh) this.aim();
    const moving = this.cameras.step(seconds);
    if (fresh || moved || moving || this.dirty || this.saving.running) {
      this.draw();
      this.stats.add(performance.now() - before + this.frames.spent);
      this.frames.spent = 0;
    }
  };

  /** Draw once more what is set up. */
  private render(): void {
    this.world.draw(this.cameras.camera, this.cameras.focus, this.cameras.reach);
  }

  private draw(): void {
    const { frame, world, cameras } = this;
    if (!frame) return;
    const { camera } = cameras;
    if (world.fit(camera)) cameras.step(0);
    if (this.frames.fresh) {
      this.props.pose(frame);
      this.seats.pose(frame);
      this.stage.pose(frame.time);
      this.layers.pose(frame, this.selected);
      this.panel.pose(frame, !this.clock.playing);
      this.timeline.refresh();
    }
    this.crowd.hidden = cameras.mode === "first" && cameras.subject ? this.selected : -1;
    this.rigged?.pose(frame, camera, this.crowd.hidden);
    this.crowd.choose(camera, world.canvas.clientHeight);
    this.stage.open(camera, cameras.focus);
    this.selection.pose(frame, camera, world.canvas, cameras.mode === "first");
    this.render();
    this.frames.fresh = this.dirty = false;
    const shown = this.waiting.filter(({ time }) => frame.time === time || this.clock.time !== time);
    if (shown.length === 0) return;
    this.waiting = this.waiting.filter((each) => !shown.includes(each));
    for (const { done } of shown) done();
  }
}
