/** The audit's worst cases as a list: each is a moment, a place and usually somebody to look at. Those beyond a limit
are faults and come first; the others are what is largest, and nothing is wrong with them. */

import type { WorstCase } from "./audit_data";
import { counted, element, shortNumber } from "./dom";
import { icon } from "./icons";

/** Topics of figures in words, as reports have them. */
const TOPICS: Readonly<Record<string, string>> = {
  marks: "Marks",
  collisions: "Footprints on the way",
  bodies: "Bodies",
  foot_slide: "Feet",
  floor: "Floor",
  legs: "Legs",
  smoothness: "Smoothness",
  adjustment: "Adjustment of the clips",
  variety: "Variety",
  stuck: "Stuck",
  props: "Props",
  kinematics: "Kinematics",
};

export class WorstCases {
  readonly element: HTMLElement;
  /** Faults where a limit is broken; otherwise nothing is wrong, and these are just the largest values. */
  readonly title: string;
  /** Faults first. */
  readonly list: readonly WorstCase[];
  private current = -1;
  private readonly buttons: HTMLButtonElement[];

  constructor(
    cases: readonly WorstCase[],
    private readonly visit: (worst: WorstCase) => void,
    close: () => void,
  ) {
    this.list = [...cases.filter((worst) => worst.fault), ...cases.filter((worst) => !worst.fault)];
    const faults = this.list.filter((worst) => worst.fault).length;
    this.title = faults ? "Worst cases" : "Largest values";
    this.buttons = this.list.map((worst, k) => this.entry(worst, k));
    const shut = element(
      "button",
      { class: "icon", type: "button", "aria-label": "Close", title: "Close", click: close },
      icon("close"),
    );
    const verdict = faults ? `${counted(faults, "fault")} beyond the limits of a good take` : "All within the limits";
    this.element = element(
      "section",
      { class: "card panel cases", id: "cases", "aria-label": `${this.title} of the audit`, hidden: true },
      element("header", {}, element("h2", {}, this.title), shut),
      element("p", { class: faults ? "bad" : "" }, this.list.length ? verdict : "The audit found nothing to tell."),
      ...this.buttons,
    );
  }

  get shown(): boolean {
    return !this.element.hidden;
  }

  toggle(): boolean {
    this.element.hidden = !this.element.hidden;
    return !this.element.hidden;
  }

  /** Jump to the next (+1) or the one before (−1), around. */
  step(by: 1 | -1): void {
    const { length } = this.list;
    if (length === 0) return;
    this.go(this.current < 0 ? (by > 0 ? 0 : length - 1) : (this.current + by + length) % length);
  }

  private go(k: number): void {
    this.buttons[this.current]?.removeAttribute("aria-current");
    this.current = k;
    this.buttons[k].setAttribute("aria-current", "true");
    this.buttons[k].scrollIntoView({ block: "nearest" });
    this.visit(this.list[k]);
  }

  private entry(worst: WorstCase, k: number): HTMLButtonElement {
    const topic = worst.figure.split(".")[0];
    const words = worst.text.replace(/^At [\d.]+ s /, ""); // the time stands above
    return element(
      "button",
      { type: "button", class: worst.fault ? "fault" : null, click: () => this.go(k) },
      element(
        "small",
        {},
        element("span", {}, TOPICS[topic] ?? topic),
        element("span", {}, `${shortNumber(worst.time)} s`),
      ),
      element("span", {}, words),
      worst.verdict ? element("small", {}, worst.verdict) : null,
    );
  }
}
