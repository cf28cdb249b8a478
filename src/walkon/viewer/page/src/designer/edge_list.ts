/** The edges from one hub to another, each with how long it lasts, how far it goes and turns; a click plays it. */

import { counted, element } from "../dom";
import type { Desk } from "./desk";
import type { Edge } from "./protocol";

const MOST = 200;

/** "0.57 s · 1.22 m/s · 14° left". */
export function edgeFacts({ displacement: [x, y, heading], duration }: Edge): string {
  const degrees = Math.round((180 / Math.PI) * heading);
  const turn = degrees === 0 ? "straight" : `${Math.abs(degrees)}° ${degrees > 0 ? "left" : "right"}`;
  return `${duration.toFixed(2)} s · ${(Math.hypot(x, y) / duration).toFixed(2)} m/s · ${turn}`;
}

export class EdgeList {
  readonly element = element("div", { class: "edge-list" });
  private pair: readonly [string, string] | null = null;
  private key = "";

  constructor(
    private readonly desk: Desk,
    private readonly play: (edge: number, joined: boolean) => void,
  ) {}

  show(start: number, stop: number): void {
    const { hubs } = this.desk.state;
    this.pair = [hubs[start].name, hubs[stop].name];
    this.refresh();
  }

  refresh(): void {
    const { hubs, edges } = this.desk.state;
    const [start, stop] = (this.pair ?? []).map((name) => hubs.findIndex((hub) => hub.name === name));
    const rows =
      start === undefined || stop === undefined || start < 0 || stop < 0
        ? null
        : [...edges.keys()].filter((e) => edges[e].start === start && edges[e].stop === stop);
    const key = JSON.stringify([this.pair, rows?.map((e) => [e, edges[e].from]), this.desk.played]);
    if (key === this.key) return;
    this.key = key;
    if (!rows || !this.pair) {
      this.element.replaceChildren(
        element(
          "p",
          { class: "facts faint" },
          "A cell shows its edges. Rows are where edges begin, columns where they end.",
        ),
      );
      return;
    }
    const buttons = rows.slice(0, MOST).map((e) => {
      const button = element(
        "button",
        {
          type: "button",
          class: "edge",
          "aria-current": String(this.desk.played.includes(e)),
          title: "Play; with Shift after the edge that is played",
        },
        element("span", {}, this.desk.frames.clips[edges[e].clip].name),
        element("small", { class: "faint numbers" }, edgeFacts(edges[e])),
      );
      button.addEventListener("click", (event) => this.play(e, event.shiftKey));
      return button;
    });
    this.element.replaceChildren(
      element(
        "p",
        { class: "facts" },
        element("b", {}, `${this.pair[0]} → ${this.pair[1]}`),
        ` · ${counted(rows.length, "edge")}${rows.length > MOST ? `, the first ${MOST}` : ""}`,
      ),
      ...buttons,
    );
  }
}
