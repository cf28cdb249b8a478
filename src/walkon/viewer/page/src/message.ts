/** What is said where the page cannot go on: a sentence instead of a blank page. Short notes while it does go on. */

import { element, found } from "./dom";
import { NoWebGL } from "./scene";
import { isExported } from "./take_bytes";
import { UnreadableTake } from "./unreadable";

let timer = 0;

/** Show a short note at the bottom, for two seconds; screen readers say it. */
export function note(text: string): void {
  const status = found("status");
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(timer);
  timer = window.setTimeout(() => status.classList.remove("shown"), 2200);
}

/** Say in place of the page why it cannot be shown. */
export function showFailure(error: unknown): void {
  const box = found("message");
  if (!box.hidden) return; // the first failure is the cause, later ones follow from it
  const { title, text, hint } = words(error);
  box.replaceChildren(
    element("div", {}, element("h2", {}, title), element("p", {}, text), hint ? element("p", {}, hint) : null),
  );
  box.hidden = false;
  found("page").inert = true;
}

function words(error: unknown): { title: string; text: string; hint: string } {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof UnreadableTake) {
    return {
      title: "This take cannot be played",
      text,
      hint: isExported()
        ? "Copy or download the page again; if that does not help, export it again."
        : "Make the take again, or check the file with “walkon check”.",
    };
  }
  if (error instanceof NoWebGL) {
    return {
      title: "Nothing can be drawn here",
      text,
      hint: "Switch on hardware acceleration, or open the page in a current Chrome, Edge, Firefox or Safari.",
    };
  }
  return { title: "Something went wrong", text, hint: "Reload the page. If that does not help, make the take again." };
}
