/** How many edges lead from each hub (rows) to each (columns). A cell opens their list. Arrows move between cells. */

import { element } from "../dom";
import type { Desk } from "./desk";

export class CountsMatrix {
  readonly element = element("div", { class: "matrix" });
  private key = "";
  private chosen: readonly [number, number] = [0, 0];
  private cells: HTMLButtonElement[][] = [];

  constructor(
    private readonly desk: Desk,
    private readonly open: (start: number, stop: number) => void,
  ) {
    this.element.addEventListener("keydown", (event) => this.move(event));
  }

  refresh(): void {
    const { hubs, counts, dead_ends } = this.desk.state;
    const shown = this.desk.trying?.found?.counts ?? counts;
    const key = JSON.stringify([hubs.map((hub) => [hub.name, hub.colour]), shown, dead_ends]);
    if (key === this.key) return;
    this.key = key;
    const most = Math.max(1, ...shown.flat());
    const dot = (hub: number): HTMLElement =>
      element("i", { class: "swatch", style: `background:${hubs[hub].colour}` });
    this.cells = hubs.map((from, start) =>
      hubs.map((to, stop) => {
        const count = shown[start]?.[stop] ?? 0;
        const cell = element(
          "button",
          {
            type: "button",
            class: count ? "" : "none",
            tabindex: -1,
            title: `${from.name} → ${to.name}: ${count}`,
            "aria-label": `${from.name} to ${to.name}: ${count} edges`,
            style: `--fill:${Math.round(6 + 34 * Math.sqrt(count / most))}%`,
            click: () => this.choose(start, stop),
          },
          count ? String(count) : "·",
        );
        return cell;
      }),
    );
    const head = element(
      "tr",
      {},
      element("td", {}),
      ...hubs.map((hub, stop) => element("th", { scope: "col", title: `to ${hub.name}` }, dot(stop))),
    );
    const rows = hubs.map((hub, start) =>
      element(
        "tr",
        {},
        element(
          "th",
          { scope: "row", class: dead_ends.includes(start) ? "bad" : "", title: hub.name },
          element("div", {}, dot(start), element("span", {}, hub.name)),
        ),
        ...this.cells[start].map((cell) => element("td", {}, cell)),
      ),
    );
    this.element.replaceChildren(
      element(
        "table",
        { "aria-label": "Edges from hub (row) to hub (column)" },
        element("thead", {}, head),
        element("tbody", {}, ...rows),
      ),
    );
    const [start, stop] = this.chosen;
    this.chosen = [Math.min(start, hubs.length - 1), Math.min(stop, hubs.length - 1)];
    this.mark();
  }

  private mark(): void {
    this.cells.forEach((row, start) =>
      row.forEach((cell, stop) => {
        const here = start === this.chosen[0] && stop === this.chosen[1];
        cell.tabIndex = here ? 0 : -1;
        cell.setAttribute("aria-pressed", String(here));
      }),
    );
  }

  private choose(start: number, stop: number): void {
    this.chosen = [start, stop];
    this.mark();
    this.open(start, stop);
  }

  private move(event: KeyboardEvent): void {
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const by = moves[event.key];
    if (!by || event.ctrlKey || event.metaKey) return;
    const cell = this.cells[this.chosen[0] + by[0]]?.[this.chosen[1] + by[1]];
    event.preventDefault();
    if (!cell) return;
    this.choose(this.chosen[0] + by[0], this.chosen[1] + by[1]);
    cell.focus();
  }
}
