/** Keys: one list of what each does, for the page and for the help that `?` shows. Ctrl (or Cmd) is "mod+". */

import { element } from "../dom";
import { icon } from "../icons";

export interface Key {
  readonly group: string;
  /** As `KeyboardEvent.key` has them, in lower case, with "mod+" and "shift+" before where they are needed. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly run: () => void;
  readonly repeats?: boolean;
  /** Whether the key does this now; always, unless said. */
  readonly when?: () => boolean;
  /** How the help shows the keys, where it is not their names. */
  readonly shown?: readonly string[];
}

const NAMES: Readonly<Record<string, string>> = {
  " ": "Space",
  arrowleft: "←",
  arrowright: "→",
  arrowup: "↑",
  arrowdown: "↓",
  escape: "Esc",
  delete: "Del",
  enter: "Enter",
  mod: "Ctrl",
  shift: "Shift",
};

export class Keys {
  readonly help: HTMLDialogElement;

  constructor(private readonly list: readonly Key[]) {
    this.help = dialog(list);
    document.body.append(this.help);
    window.addEventListener("keydown", (event) => this.down(event));
  }

  toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private down(event: KeyboardEvent): void {
    if (event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const key = event.key.toLowerCase();
    const mod = event.ctrlKey || event.metaKey;
    if (this.help.open && key !== "?") return;
    // What has keys of its own keeps them: text, lists of choices, sliders, and buttons that Space or Enter presses.
    const text = target instanceof HTMLInputElement && target.type !== "range";
    if (!mod && (text || target.tagName === "SELECT")) return;
    if (text && mod && key !== "s") return;
    if (!mod && target instanceof HTMLInputElement && /^(arrow|home|end|page)/.test(key)) return;
    if ((target.tagName === "BUTTON" || target.tagName === "SUMMARY") && (key === " " || key === "enter")) return;
    for (const each of this.list) {
      if (!each.keys.some((wanted) => fits(wanted, key, mod, event.shiftKey)) || each.when?.() === false) continue;
      if (!event.repeat || each.repeats) each.run();
      event.preventDefault();
      return;
    }
  }
}

function fits(wanted: string, key: string, mod: boolean, shift: boolean): boolean {
  const parts = wanted.split("+");
  const last = wanted.endsWith("+") ? "+" : parts[parts.length - 1];
  if (last !== key || parts.includes("mod") !== mod) return false;
  // Signs such as ? need Shift on most keyboards, and say so themselves.
  const sign = key.length === 1 && !/[a-z0-9 ]/.test(key);
  return sign || parts.includes("shift") === shift;
}

function names(wanted: string): string[] {
  const parts = wanted.endsWith("+") ? [wanted] : wanted.split("+");
  return [parts.map((part) => NAMES[part] ?? part.toUpperCase()).join(" ")];
}

function dialog(list: readonly Key[]): HTMLDialogElement {
  const made = element("dialog", { id: "help", "aria-labelledby": "help-title" });
  const close = element(
    "button",
    { class: "icon", type: "button", "aria-label": "Close", click: () => made.close() },
    icon("close"),
  );
  const sections = [...new Set(list.map(({ group }) => group))].map((group) =>
    element(
      "section",
      {},
      element("h3", {}, group),
      element(
        "ul",
        {},
        ...list
          .filter((key) => key.group === group)
          .map(({ keys, shown, label }) =>
            element(
              "li",
              {},
              element("span", {}, label),
              element("span", {}, ...(shown ?? keys.flatMap(names)).map((name) => element("kbd", {}, name))),
            ),
          ),
      ),
    ),
  );
  made.append(
    element("header", {}, element("h2", { id: "help-title" }, "Keys"), close),
    element("div", { class: "keys" }, ...sections),
  );
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  return made;
}
