/** The audit's worst cases as a list: each is a moment, a place and usually somebody to look at. */

import type { WorstCase } from "./audit_data";
import { element, shortNumber } from "./dom";
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
  readonly element = element(
    "section",
    { class: "card panel cases", id: "cases", "aria-label": "Worst cases of the audit", hidden: true },
  );
  private current = -1;
  private readonly buttons: HTMLButtonElement[];

  constructor(
    private readonly cases: readonly WorstCase[],
    private readonly visit: (worst: WorstCase) => void,
    close: () => void,
  ) {
    this.buttons = cases.map((worst, k) => {
      const topic = worst.figure.split(".")[0];
      return element(
        "button",
        { type: "button", click: () => this.go(k) },
        element(
          "small",
          {},
          element("span", {}, TOPICS[topic] ?? topic),
          element("span", {}, `${shortNumber(worst.time)} s`),
        ),
        worst.text,
      );
    });
    const shut = element(
      "button",
      { class: "icon", type: "button", "aria-label": "Close", title: "Close", click: close },
      icon("close"),
    );
    this.element.append(
      element("header", {}, element("h2", {}, "Worst cases"), shut),
      ...(cases.length ? this.buttons : [element("p", { class: "empty" }, "The audit found none.")]),
    );
  }

  get times(): readonly number[] {
    return this.cases.map((worst) => worst.time);
  }

  toggle(): boolean {
    this.element.hidden = !this.element.hidden;
    return !this.element.hidden;
  }

  /** Jump to the next (+1) or the one before (−1), around. */
  step(by: 1 | -1): void {
    if (this.cases.length === 0) return;
    this.go(
      this.current < 0 ? (by > 0 ? 0 : this.cases.length - 1) : (
        this.current + by + this.cases.length
      ) % this.cases.length,
    );
  }

  private go(k: number): void {
    this.buttons[this.current]?.removeAttribute("aria-current");
    this.current = k;
    this.buttons[k].setAttribute("aria-current", "true");
    this.buttons[k].scrollIntoView({ block: "nearest" });
    this.visit(this.cases[k]);
  }
}
