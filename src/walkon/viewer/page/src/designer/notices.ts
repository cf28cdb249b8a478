/** What the page says while it goes on: short notes, errors that stay until read, and how far a long job is. */

import { element, found } from "../dom";
import { icon } from "../icons";
import { note } from "../message";
import { NoServer, Refused } from "./connection";
import type { Progress } from "./protocol";

const STAYS = 9000;

export { note };

/** Show an error; it goes by itself after a while, or when it is closed. */
export function showError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Refused || error instanceof NoServer)) console.error(error);
  const place = found("errors");
  const told = [...place.children].find((child) => (child as HTMLElement).dataset.text === text);
  told?.remove();
  const box: HTMLDivElement = element(
    "div",
    { class: "error card", "data-text": text },
    element("span", {}, sentence(text)),
    element(
      "button",
      { class: "icon", type: "button", "aria-label": "Close", click: () => box.remove() },
      icon("close"),
    ),
  );
  place.append(box);
  while (place.children.length > 3) place.firstElementChild?.remove();
  setTimeout(() => box.remove(), STAYS);
}

export function clearErrors(): void {
  found("errors").replaceChildren();
}

/** Say in place of the page why it cannot go on. */
export function showEnd(title: string, text: string, hint: string, again = false): void {
  const box = found("message");
  const button =
    again && element("button", { class: "solid", type: "button", click: () => location.reload() }, "Try again");
  box.replaceChildren(
    element("div", {}, element("h2", {}, title), element("p", {}, text), element("p", {}, hint), button),
  );
  box.hidden = false;
  found("page").inert = true;
}

/** A thin bar and a few words while a job runs. */
export class ProgressBar {
  readonly element: HTMLElement;
  private readonly bar = element("i", {});
  private readonly words = element("span", {});

  constructor() {
    this.element = element(
      "div",
      {
        class: "progress",
        role: "progressbar",
        "aria-label": "Progress",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        hidden: true,
      },
      this.words,
      element("div", { class: "bar" }, this.bar),
    );
  }

  show({ done, total, what }: Progress): void {
    const share = Math.round((100 * done) / Math.max(total, 1));
    this.element.hidden = done >= total;
    this.bar.style.width = `${Math.max(share, 4)}%`;
    this.words.textContent = what ? `${what[0].toUpperCase()}${what.slice(1)}…` : "Working…";
    this.element.setAttribute("aria-valuenow", String(share));
    this.element.setAttribute("aria-valuetext", what);
  }
}

/** The server's sentences begin small, as parts of longer ones. */
export function sentence(text: string): string {
  const whole = text.trim();
  return whole.length === 0 ? whole : whole[0].toUpperCase() + whole.slice(1) + (/[.!?]$/.test(whole) ? "" : ".");
}
