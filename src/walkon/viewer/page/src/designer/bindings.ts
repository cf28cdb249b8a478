/** Clips on keys: nine slots, each with an edge. Slots are kept in the browser, by what an edge is, not by its number. */

import type { State } from "./protocol";

export const SLOTS = 9;

/** What an edge is, whatever number it has today. */
function identity(state: State, edge: number): string {
  const { start, stop, clip, from, to } = state.edges[edge];
  return [state.hubs[start]?.name, state.hubs[stop]?.name, clip, from.toFixed(2), to.toFixed(2)].join("|");
}

export class Bindings {
  private slots: (string | null)[] = Array.from({ length: SLOTS }, () => null);
  private readonly key: string;

  constructor(state: State) {
    this.key = `walkon-slots-${state.file}`;
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? "null");
      if (Array.isArray(kept)) this.slots = this.slots.map((_, k) => (typeof kept[k] === "string" ? kept[k] : null));
    } catch {
      // Without storage slots last as long as the page.
    }
    if (this.slots.every((slot) => slot === null)) {
      const first = suggestions(state);
      this.slots = this.slots.map((_, k) => (first[k] === undefined ? null : identity(state, first[k])));
    }
  }

  /** The edge of a slot, −1 for none (or where it is gone). */
  edge(state: State, slot: number): number {
    const wanted = this.slots[slot];
    return wanted ? state.edges.findIndex((_, edge) => identity(state, edge) === wanted) : -1;
  }

  bind(state: State, slot: number, edge: number): void {
    this.slots[slot] = edge < 0 ? null : identity(state, edge);
    try {
      localStorage.setItem(this.key, JSON.stringify(this.slots));
    } catch {
      // As above.
    }
  }
}

/** To begin with: from one pose on both feet to another (sitting down, lifting a box), then gestures and turns in place. */
function suggestions(state: State): number[] {
  const { hubs, edges } = state;
  const still = (hub: number): boolean => hubs[hub]?.stance === "both";
  const order = [...edges.keys()]
    .filter((e) => still(edges[e].start) && still(edges[e].stop))
    .sort((a, b) => edges[a].duration - edges[b].duration);
  const seen = new Set<string>();
  const one = (e: number): string =>
    `${edges[e].start} ${edges[e].stop} ${edges[e].start === edges[e].stop ? edges[e].clip : ""}`;
  const chosen = order.filter((e) => !seen.has(one(e)) && seen.add(one(e)));
  const changes = chosen
    .filter((e) => edges[e].start !== edges[e].stop)
    .sort((a, b) => edges[a].start - edges[b].start || edges[a].stop - edges[b].stop);
  const stays = chosen.filter((e) => edges[e].start === edges[e].stop && edges[e].duration > 2);
  return [...changes, ...stays].slice(0, SLOTS);
}
