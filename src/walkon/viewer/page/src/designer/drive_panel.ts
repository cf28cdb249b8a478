/** What driving shows at the side: the edge that is played, how soon commands are obeyed, and which clips are on keys. */

import { counted, element } from "../dom";
import type { Bindings } from "./bindings";
import { SLOTS } from "./bindings";
import { ink, sheet } from "./canvas";
import type { Desk } from "./desk";
import { LIMIT } from "./drive_choice";
import type { Driver } from "./driver";
import { edgeFacts } from "./edge_list";

export interface DrivePanelActions {
  perform(slot: number): void;
  rebind(slot: number): void;
  again(): void;
  fidgets(on: boolean): void;
}

const BARS = 40;

export class DrivePanel {
  private readonly now = element("p", { class: "main" });
  private readonly then = element("p", { class: "facts faint numbers" });
  private readonly share = element("i", {});
  private readonly figures = ["last", "median", "worst"].map(() => element("b", { class: "big numbers" }));
  private readonly summary = element("p", { class: "facts numbers", "aria-live": "polite" });
  private readonly bars = element("canvas", { class: "delays", "aria-hidden": "true" });
  private readonly pad = element("p", { class: "facts faint" });
  private readonly slots: { name: HTMLElement; facts: HTMLElement; play: HTMLButtonElement }[] = [];
  private readonly list = element("ol", { class: "slots" });
  private shown = Number.NaN;
  private drawn = Number.NaN;

  constructor(
    private readonly desk: Desk,
    private readonly bindings: Bindings,
    place: HTMLElement,
    actions: DrivePanelActions,
  ) {
    for (let slot = 0; slot < SLOTS; slot++) {
      const name = element("span", {});
      const facts = element("small", { class: "faint numbers" });
      const play = element(
        "button",
        {
          class: "edge",
          type: "button",
          title: "Play it as soon as it can be reached",
          click: () => actions.perform(slot),
        },
        name,
        facts,
      );
      const change = element(
        "button",
        {
          class: "chip",
          type: "button",
          "aria-label": `Change the clip on key ${slot + 1}`,
          click: () => actions.rebind(slot),
        },
        "Change",
      );
      this.slots.push({ name, facts, play });
      this.list.append(element("li", {}, element("kbd", {}, String(slot + 1)), play, change));
    }
    const fidgets = element("input", { type: "checkbox", id: "fidgets" });
    fidgets.addEventListener("change", () => actions.fidgets(fidgets.checked));
    const words = ["last", "median", "worst"];
    place.append(
      element(
        "div",
        { class: "head" },
        element("h2", {}, "Driving"),
        element(
          "button",
          {
            class: "chip",
            type: "button",
            title: "Back to the start, and forget the times",
            click: () => actions.again(),
          },
          "Start over",
        ),
      ),
      element("section", { class: "part now" }, this.now, element("div", { class: "bar" }, this.share), this.then),
      element(
        "section",
        { class: "part", "aria-label": "Time from command to obedience" },
        element("h3", {}, `Command to obedience (limit ${LIMIT} s)`),
        element(
          "div",
          { class: "figures" },
          ...this.figures.map((figure, k) =>
            element("div", { class: "figure" }, figure, element("span", { class: "faint" }, words[k])),
          ),
        ),
        this.bars,
        this.summary,
      ),
      element(
        "section",
        { class: "part" },
        element("h3", {}, "Controls"),
        element(
          "ul",
          { class: "controls" },
          row("Walk", "W A S D", "arrows"),
          row("Faster", "Shift"),
          row("Stand", "Space"),
          row("Turn the camera", "Q", "E", "drag"),
        ),
        this.pad,
        element(
          "label",
          { class: "check", for: "fidgets" },
          fidgets,
          element(
            "span",
            {},
            "Idle motion while standing ",
            element("small", { class: "faint" }, "(commands then wait for its end)"),
          ),
        ),
      ),
      element("div", { class: "head" }, element("h2", {}, "Clips on keys")),
      this.list,
    );
    this.refreshSlots();
  }

  refreshSlots(): void {
    const { state, frames } = this.desk;
    this.slots.forEach(({ name, facts, play }, slot) => {
      const edge = this.bindings.edge(state, slot);
      const row = state.edges[edge];
      name.textContent = row ? frames.clips[row.clip].name : "nothing";
      name.classList.toggle("faint", !row);
      facts.textContent = row ? `${this.desk.edgeWords(row)} · ${row.duration.toFixed(1)} s` : "";
      play.disabled = !row;
    });
  }

  refresh(driver: Driver, gamepad: string): void {
    const { edge, obedience, graph } = driver;
    if (edge !== this.shown) {
      this.shown = edge;
      const row = this.desk.state.edges[edge];
      this.now.textContent =
        edge < 0
          ? `Waiting at ${graph.hubs[driver.hub]}`
          : `${graph.hubs[graph.start[edge]]} → ${graph.hubs[graph.stop[edge]]}`;
      this.then.textContent = row
        ? `${this.desk.frames.clips[row.clip].name} · ${edgeFacts(row)}`
        : edge < 0
          ? "Standing still, in the hub’s pose"
          : "";
    }
    if (driver.ended && driver.since >= graph.duration[edge])
      this.then.textContent = `A dead end: nothing leaves ${graph.hubs[graph.stop[edge]]}. Start over.`;
    this.share.style.width = edge < 0 ? "0" : `${(100 * Math.min(driver.since / graph.duration[edge], 1)).toFixed(1)}%`;
    this.pad.textContent = gamepad
      ? `Gamepad: ${gamepad}`
      : "Gamepad: none yet; press one of its buttons. Left stick walks, buttons play clips.";
    const count = obedience.delays.length;
    if (count === this.drawn) return;
    this.drawn = count;
    [obedience.last, obedience.median, obedience.worst].forEach((seconds, k) => {
      this.figures[k].textContent = Number.isNaN(seconds) ? "–" : `${seconds.toFixed(2)} s`;
      this.figures[k].classList.toggle("bad", seconds > LIMIT + 1e-6);
    });
    this.summary.textContent =
      count === 0
        ? "Edges are played to their end; commands wait for it."
        : `${counted(count, "command")}, ${Math.round(100 * obedience.within)} % within ${LIMIT} s. Edges are played to their end.`;
    this.drawBars(obedience.delays.slice(-BARS));
  }

  private drawBars(delays: readonly number[]): void {
    const drawn = sheet(this.bars);
    if (!drawn) return;
    const { context, width, height } = drawn;
    const most = Math.max(2 * LIMIT, ...delays);
    const wide = width / BARS;
    const y = (seconds: number): number => height - (seconds / most) * (height - 2);
    delays.forEach((delay, k) => {
      context.fillStyle = ink(delay > LIMIT + 1e-6 ? "--bad" : "--accent");
      context.beginPath();
      context.roundRect(k * wide + 1, Math.min(y(delay), height - 2), Math.max(wide - 2, 2), height, 1.5);
      context.fill();
    });
    context.strokeStyle = ink("--faint");
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(0, y(LIMIT));
    context.lineTo(width, y(LIMIT));
    context.stroke();
    context.fillStyle = ink("--faint");
    context.font = "10.5px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText(`${LIMIT} s`, width, y(LIMIT) - 3);
  }
}

function row(what: string, ...keys: string[]): HTMLElement {
  return element(
    "li",
    {},
    element("span", {}, what),
    element("span", {}, ...keys.map((key) => element("kbd", {}, key))),
  );
}
