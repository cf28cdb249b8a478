/** One hub in the panel: its colour, its name, its threshold as a slider, and what the threshold gives. */

import { counted, element } from "../dom";
import { icon } from "../icons";
import type { Desk } from "./desk";
import { sentence } from "./notices";

export interface HubActions {
  select(hub: number): void;
  /** The slider is dragged, or was let go. */
  threshold(hub: number, cm: number, done: boolean): void;
  rename(hub: number, name: string): void;
  remove(hub: number): void;
}

const STANCES: Readonly<Record<string, string>> = {
  left: "on the left foot",
  right: "on the right foot",
  both: "on both feet",
  neither: "on neither foot",
};

export class HubCard {
  readonly element: HTMLLIElement;
  private readonly swatch = element("i", { class: "swatch" });
  readonly name = element("input", {
    class: "name",
    type: "text",
    maxlength: 60,
    spellcheck: "false",
    autocomplete: "off",
  });
  readonly slider = element("input", { type: "range", step: 0.05 });
  private readonly value = element("output", { class: "numbers" });
  private readonly facts = element("p", { class: "facts numbers" });
  private readonly more = element("p", { class: "facts faint" });
  private readonly refused = element("p", { class: "facts bad", role: "status" });
  private readonly remove: HTMLButtonElement;
  private readonly line = element("div", { class: "threshold" }, this.slider, this.value);

  constructor(
    private readonly desk: Desk,
    private readonly hub: number,
    actions: HubActions,
  ) {
    this.remove = element(
      "button",
      { class: "icon small", type: "button", click: () => actions.remove(hub) },
      icon("close"),
    );
    this.element = element(
      "li",
      { class: "hub" },
      element("div", { class: "hub-head" }, this.swatch, this.name, this.remove),
      this.line,
      this.facts,
      this.more,
      this.refused,
    );
    this.element.addEventListener("pointerdown", () => actions.select(hub));
    this.element.addEventListener("focusin", () => actions.select(hub));
    this.slider.addEventListener("input", () => actions.threshold(hub, Number(this.slider.value), false));
    this.slider.addEventListener("change", () => actions.threshold(hub, Number(this.slider.value), true));
    this.name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.name.blur();
      else if (event.key === "Escape") {
        this.name.value = this.desk.state.hubs[hub].name;
        this.name.blur();
      }
    });
    this.name.addEventListener("change", () => actions.rename(hub, this.name.value));
  }

  /** Show the state; `most` is the slider's right end in cm. */
  refresh(most: number): void {
    const { desk, hub } = this;
    const mine = desk.state.hubs[hub];
    const dead = desk.state.dead_ends.includes(hub);
    const trying = desk.trying?.hub === hub ? desk.trying : null;
    const found = trying?.found ?? null;
    const selected = desk.hub === hub;
    this.element.setAttribute("aria-current", String(selected));
    this.element.style.setProperty("--hub", mine.colour);
    this.swatch.style.background = mine.colour;
    if (document.activeElement !== this.name) this.name.value = mine.name;
    this.name.setAttribute("aria-label", `Name of hub ${mine.name}`);
    this.remove.setAttribute("aria-label", `Remove hub ${mine.name}`);
    this.remove.title = "Remove this hub (Del)";
    this.line.hidden = mine.seed === null;
    this.slider.min = "0.5";
    if (Number(this.slider.max) !== most) this.slider.max = String(most);
    const cm = trying?.threshold_cm ?? mine.threshold_cm;
    if (!trying || document.activeElement !== this.slider) this.slider.value = String(cm);
    this.slider.setAttribute("aria-label", `Threshold of ${mine.name}`);
    this.slider.setAttribute("aria-valuetext", `${cm.toFixed(1)} centimetres`);
    this.slider.style.setProperty("--share", `${(100 * (cm - 0.5)) / (most - 0.5)}%`);
    this.value.textContent = `${cm.toFixed(1)} cm`;
    const frames = found?.matches.length ?? mine.matches.length;
    const before = found && found.matches.length !== mine.matches.length ? `${mine.matches.length} → ` : "";
    const bend = found ?? mine;
    const edges = found?.hub_edges ?? edgesOf(desk.state.counts, hub);
    this.facts.replaceChildren(
      element("b", {}, `${before}${counted(frames, "frame")}`),
      ` · ${counted(edges, "edge")} · `,
      element(
        "span",
        { title: "Degrees by which joints of its match frames are turned into its pose: median / 95th percentile" },
        `bent ${bend.median_deg.toFixed(1)}° / ${bend.p95_deg.toFixed(1)}°`,
      ),
      dead ? element("b", { class: "bad" }, " · dead end") : "",
    );
    const hands = mine.matches.filter((match) => match.hand).length;
    const parts = [
      STANCES[mine.stance] ?? "",
      mine.labels.slice(0, 4).join(", "),
      mine.seed === null ? "picked by hand" : hands ? `${hands} by hand` : mine.picked ? "changed by hand" : "",
    ];
    this.more.textContent = parts.filter(Boolean).join(" · ");
    this.more.hidden = !selected;
    this.refused.textContent = found?.refused ? sentence(found.refused) : "";
    this.refused.hidden = !found?.refused;
  }
}

/** Edges that begin or end in a hub. */
function edgesOf(counts: readonly (readonly number[])[], hub: number): number {
  return counts.reduce((sum, row, from) => sum + (from === hub ? row.reduce((a, b) => a + b, 0) : row[hub]), 0);
}
