/** The desk: what is designed, as the server last said, and what is chosen on this page. Parts watch it and draw.

`row` is the frame that is compared with all others (a row of the distance image), `column` the one beside it. */

import type { Connection } from "./connection";
import type { Frames } from "./frames";
import type { Edge, Hub, Moment, State, Trial } from "./protocol";

export type Change = "state" | "hub" | "moment" | "trial" | "threshold" | "playing" | "slice";

/** What a slider shows while it is dragged. */
export interface Trying {
  readonly hub: number;
  readonly threshold_cm: number;
  /** Null until the server has answered. */
  readonly found: Trial | null;
}

export class Desk {
  /** The selected hub, −1 for none. */
  hub = 0;
  row: Moment = { clip: 0, time: 0 };
  column: Moment = { clip: 0, time: 0 };
  trying: Trying | null = null;
  /** Threshold of a hub that would be grown from the row's frame. */
  grow_cm = 3.5;
  /** Edges that the preview plays: none, one, or a join of two. */
  played: readonly number[] = [];
  /** The stretch that the preview plays, where it is one of a clip. */
  stretch: { readonly clip: number; readonly from: number; readonly to: number } | null = null;
  /** Metres from the row's frame to all frames, once known. */
  distances: Float32Array | null = null;
  private readonly watchers: ((change: Change) => void)[] = [];

  constructor(
    readonly line: Connection,
    readonly frames: Frames,
    public state: State,
  ) {}

  watch(watcher: (change: Change) => void): void {
    this.watchers.push(watcher);
  }

  tell(change: Change): void {
    for (const watcher of this.watchers) watcher(change);
  }

  get selected(): Hub | null {
    return this.state.hubs[this.hub] ?? null;
  }

  setState(state: State): void {
    const before = this.state;
    const name = this.selected?.name;
    this.state = state;
    // The selected hub stays selected by its name; one that is new becomes so.
    const names = before.hubs.map((hub) => hub.name);
    const fresh = state.hubs.findIndex((hub) => !names.includes(hub.name));
    const same = state.hubs.findIndex((hub) => hub.name === name);
    if (fresh >= 0 && state.hubs.length > before.hubs.length) this.hub = fresh;
    else if (same >= 0) this.hub = same;
    else this.hub = Math.min(this.hub, state.hubs.length - 1);
    this.follow(before);
    this.trying = null;
    this.tell("state");
  }

  /** Find the played edges again, which may have other numbers now; one that is gone was a stretch of its clip. */
  private follow(before: State): void {
    const old = this.played.map((edge) => before.edges[edge]).filter((edge) => edge !== undefined);
    if (old.length === 0) return;
    const found = old.map(({ clip, from, to, start, stop }) => {
      const [first, last] = [start, stop].map((hub) => before.hubs[hub]?.name);
      const { hubs, edges } = this.state;
      return edges.findIndex(
        (edge) =>
          edge.clip === clip &&
          Math.abs(edge.from - from) + Math.abs(edge.to - to) < 0.01 &&
          hubs[edge.start]?.name === first &&
          hubs[edge.stop]?.name === last,
      );
    });
    if (found.every((edge) => edge >= 0)) this.played = found;
    else {
      this.played = [];
      this.stretch = { clip: old[0].clip, from: old[0].from, to: old[0].to };
    }
  }

  selectHub(hub: number): void {
    this.hub = hub;
    this.tell("hub");
  }

  /** Choose frames; the distances follow from the server. */
  choose(row: Moment | null, column: Moment | null): void {
    if (row) this.row = row;
    if (column) this.column = column;
    this.tell("moment");
  }

  /** The matches of a hub as they are shown: those of the slider while it is dragged. */
  matches(hub: number): Hub["matches"] {
    const { trying } = this;
    return trying?.hub === hub && trying.found ? trying.found.matches : this.state.hubs[hub].matches;
  }

  /** Hubs that have a match frame at a moment. */
  hubsAt(moment: Moment): number[] {
    const half = 0.51 / this.frames.rate;
    return [...this.state.hubs.keys()].filter((hub) =>
      this.matches(hub).some((match) => match.clip === moment.clip && Math.abs(match.time - moment.time) < half),
    );
  }

  /** Whether the row's frame is what the selected hub grew from. */
  get atSeed(): boolean {
    const seed = this.selected?.seed;
    return !!seed && this.frames.frame(seed) === this.frames.frame(this.row);
  }

  /** The threshold that the slice shows: of the selected hub at its seed, else of a hub to be. */
  get threshold_cm(): number {
    const hub = this.selected;
    if (!this.atSeed || !hub) return this.grow_cm;
    return this.trying?.hub === this.hub ? this.trying.threshold_cm : hub.threshold_cm;
  }

  /** Edges that pass over a moment of a clip, the shortest first. */
  edgesOver(moment: Moment): number[] {
    const { edges } = this.state;
    return [...edges.keys()]
      .filter(
        (e) =>
          edges[e].clip === moment.clip && edges[e].from - 1e-6 <= moment.time && moment.time <= edges[e].to + 1e-6,
      )
      .sort((e, f) => edges[e].to - edges[e].from - (edges[f].to - edges[f].from) || e - f);
  }

  edgeWords(edge: Edge): string {
    const { hubs } = this.state;
    return `${hubs[edge.start]?.name ?? "?"} → ${hubs[edge.stop]?.name ?? "?"}`;
  }
}
