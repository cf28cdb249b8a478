/** The designer: puts the parts of the page together and turns what hands do into questions to the server. */

import { found } from "../dom";
import type { ThemeSwitch } from "../theme";
import { Latest, NoServer, type Connection } from "./connection";
import { ClipTimeline } from "./clip_timeline";
import { Desk } from "./desk";
import { designerKeys } from "./designer_keys";
import { DistancePane } from "./distance_pane";
import { DriveMode } from "./drive_mode";
import { EdgePlaying } from "./edge_playing";
import { Frames } from "./frames";
import { HubPanel } from "./hub_panel";
import { Keys } from "./keys";
import { clearErrors, note, showEnd, showError } from "./notices";
import { Preview } from "./preview";
import type { Hello, Moment, Trial } from "./protocol";
import { Stage } from "./stage";
import { Toolbar, type Mode } from "./toolbar";

export class Designer {
  readonly desk: Desk;
  readonly stage: Stage;
  readonly preview: Preview;
  readonly playing: EdgePlaying;
  readonly drive: DriveMode;
  readonly distances: DistancePane;
  readonly timeline: ClipTimeline;
  readonly panel: HubPanel;
  readonly toolbar: Toolbar;
  readonly keys: Keys;
  mode: Mode = "design";
  private readonly trials: Latest<Trial>;
  private busy = false;

  constructor(
    private readonly line: Connection,
    { state, ...library }: Hello,
    readonly themes: ThemeSwitch,
  ) {
    const desk = new Desk(line, new Frames(library.clips, library.rate, library.starts, library.lead_s), state);
    this.desk = desk;
    desk.grow_cm = library.threshold_cm;
    this.trials = new Latest<Trial>(
      (found) => {
        if (!desk.trying) return;
        desk.trying = { ...desk.trying, found };
        desk.tell("trial");
      },
      (error) => showError(error),
    );
    this.stage = new Stage(found<HTMLCanvasElement>("stage"));
    this.preview = new Preview(desk, this.stage, found("transport"));
    this.playing = new EdgePlaying(desk, this.preview);
    this.drive = new DriveMode(desk, this.stage, library);
    this.stage.tick = (seconds) => (this.mode === "drive" ? this.drive.tick(seconds) : this.preview.tick(seconds));
    this.toolbar = new Toolbar(desk, found("bar"), {
      mode: (mode) => void this.setMode(mode),
      undo: () => void this.change("undo"),
      redo: () => void this.change("redo"),
      save: () => void this.save(),
      theme: () => themes.toggle(),
      help: () => this.keys.toggleHelp(),
    });
    this.distances = new DistancePane(desk, found("distances"), {
      threshold: (cm, done) => this.setThreshold(cm, done),
      toggle: (frame) => void this.toggleMatch(desk.frames.moment(frame)),
      grow: () => void this.grow(),
      compare: () => this.playing.compare(),
    });
    this.timeline = new ClipTimeline(desk, found("clips"), {
      play: (moment, joined) => this.playing.playAt(moment, joined),
    });
    this.panel = new HubPanel(desk, found("hubs"), {
      select: (hub) => this.selectHub(hub),
      threshold: (hub, cm, done) => this.tryThreshold(hub, cm, done),
      rename: (hub, name) => void this.change("rename", { hub, name }),
      remove: (hub) => void this.remove(hub),
      build: () => void this.build(),
      suggest: (replace) => void this.suggest(replace),
      playEdge: (edge, joined) => this.playing.play(edge, joined),
    });
    this.keys = new Keys(designerKeys(this));
    line.pushed = (push) => {
      if (push.push === "state") {
        const before = desk.state.built;
        desk.setState(push.state);
        // What was shown as recorded can be shown as it will be.
        if (!before && push.state.built && desk.played.length > 0) this.preview.playEdges(desk.played);
      } else this.toolbar.progress.show(push);
    };
    themes.watch((theme) => {
      this.stage.paint(theme);
      this.distances.image.repaint();
      this.timeline.redraw();
      this.distances.slice.redraw();
    });
    window.addEventListener("beforeunload", (event) => {
      if (!desk.state.saved) event.preventDefault();
    });
    this.begin();
  }

  /** Show the first hub and a join through it. */
  private begin(): void {
    const { desk } = this;
    const seed = desk.selected?.seed ??
      desk.selected?.matches[0] ?? { clip: 0, time: Math.min(1, desk.frames.clips[0].seconds / 2) };
    desk.choose({ clip: seed.clip, time: seed.time }, { clip: seed.clip, time: seed.time });
    const { edges } = desk.state;
    // A step into the hub, of the usual length, and one out of it.
    const into = [...edges.keys()]
      .filter((e) => edges[e].stop === desk.hub)
      .sort((a, b) => edges[a].duration - edges[b].duration);
    const edge = into[Math.floor(into.length / 3)];
    if (edge !== undefined) {
      this.playing.play(edge, false);
      this.playing.join();
    } else this.preview.playStretch(seed.clip, 0, desk.frames.clips[seed.clip].seconds);
    // The image of everything takes the server some seconds; what moves comes first.
    void this.preview.started.then(() => this.distances.image.view(null));
  }

  // Choosing

  selectHub(hub: number): void {
    const { desk } = this;
    if (hub === desk.hub || !desk.state.hubs[hub]) return;
    desk.selectHub(hub);
    const at = desk.selected?.seed ?? desk.selected?.matches[0];
    if (at) desk.choose({ clip: at.clip, time: at.time }, { clip: at.clip, time: at.time });
  }

  // Changing

  /** Ask for a change; what is refused is shown. */
  async change(what: string, fields: Readonly<Record<string, unknown>> = {}): Promise<boolean> {
    try {
      await this.line.ask(what, fields);
      clearErrors();
      return true;
    } catch (error) {
      this.desk.trying = null;
      this.desk.tell("state");
      if (!(error instanceof NoServer)) showError(error);
      return false;
    }
  }

  /** Threshold of the selected hub, or of one that would be grown here. */
  setThreshold(cm: number, done: boolean): void {
    const { desk } = this;
    if (desk.atSeed) this.tryThreshold(desk.hub, cm, done);
    else {
      desk.grow_cm = cm;
      desk.tell("threshold");
    }
  }

  tryThreshold(hub: number, cm: number, done: boolean): void {
    const { desk } = this;
    const threshold_cm = Math.min(Math.max(Math.round(cm * 100) / 100, 0.2), 1000);
    if (done) {
      this.trials.clear();
      if (desk.state.hubs[hub]?.threshold_cm === threshold_cm) {
        desk.trying = null;
        desk.tell("trial");
      } else void this.change("set_threshold", { hub, threshold_cm });
      return;
    }
    desk.trying = { hub, threshold_cm, found: desk.trying?.hub === hub ? desk.trying.found : null };
    desk.tell("trial");
    this.trials.ask(() => this.line.ask<Trial>("preview", { hub, threshold_cm }));
  }

  /** Move the selected hub's threshold by so many cm. */
  nudge(by: number): void {
    const hub = this.desk.selected;
    if (hub?.seed) this.tryThreshold(this.desk.hub, hub.threshold_cm + by, true);
  }

  async grow(): Promise<void> {
    const { desk } = this;
    const { clip, time } = desk.frames.moment(desk.frames.frame(desk.row));
    if (await this.change("grow", { clip, time, threshold_cm: desk.grow_cm }))
      note(`A hub grew from ${desk.frames.words(desk.row)}.`);
  }

  /** Put a frame into the selected hub, or take it out. */
  async toggleMatch(moment: Moment): Promise<void> {
    const { desk } = this;
    if (!desk.selected) {
      note("Select a hub first, or grow one.");
      return;
    }
    const { hub } = desk;
    const inside = desk.hubsAt(moment).includes(hub);
    await this.change(inside ? "unpick" : "pick", { hub, ...moment });
  }

  /** A new hub of frames picked by hand, with the chosen one. */
  async pickNew(): Promise<void> {
    const { clip, time } = this.desk.column;
    await this.change("pick", { clip, time });
  }

  async remove(hub: number): Promise<void> {
    const name = this.desk.state.hubs[hub]?.name;
    if (name === undefined) note("There is no hub to remove.");
    else if (await this.change("remove_hub", { hub })) note(`${name} is removed; Ctrl Z brings it back.`);
  }

  async suggest(replace: boolean): Promise<void> {
    const before = this.desk.state.hubs.length;
    if (!(await this.change("suggest", { replace }))) return;
    const more = this.desk.state.hubs.length - before;
    note(
      replace
        ? "These are the suggested hubs. Undo brings yours back."
        : more > 0
          ? `${more} suggested ${more === 1 ? "hub" : "hubs"} added.`
          : "All suggested hubs are there already.",
    );
  }

  async build(): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    const done = await this.change("build");
    this.busy = false;
    return done;
  }

  async save(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    if (await this.change("save")) note("Saved.");
    this.busy = false;
  }

  // Driving

  async setMode(mode: Mode): Promise<void> {
    if (mode === this.mode) return;
    if (mode === "drive") {
      if (!this.desk.state.built && !(await this.build())) return;
      try {
        await this.drive.start();
      } catch (error) {
        showError(error);
        return;
      }
    } else this.drive.stop();
    this.mode = mode;
    found("page").dataset.mode = mode;
    found("drive").hidden = mode !== "drive";
    found("stick-place").hidden = mode !== "drive";
    for (const id of ["hubs", "distances", "clips", "playing", "transport"]) found(id).hidden = mode === "drive";
    this.preview.active = mode === "design";
    if (mode === "design") this.preview.resume();
    this.toolbar.setMode(mode);
  }

  /** The line broke. */
  end(): void {
    const kept = this.desk.state.saved
      ? "Everything was saved."
      : "What was not saved is gone with it, unless the server still runs.";
    showEnd(
      "The designer’s server is gone",
      kept,
      "Run “walkon graph design” again and open the address it prints; or try again, if it still runs.",
      true,
    );
  }
}
