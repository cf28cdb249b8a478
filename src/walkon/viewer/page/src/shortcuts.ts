/** Keys: one list of what each does, used by the page, by its hints and by the help that `?` shows. */

import type { Hold } from "./camera_hands";
import { element } from "./dom";
import { icon } from "./icons";

export interface Shortcut {
  readonly group: "Time" | "Camera" | "Characters" | "Layers" | "Page";
  /** Keys as `KeyboardEvent.key` has them, in lower case; "shift+" before one that needs it. */
  readonly keys: readonly string[];
  readonly label: string;
  /** What a press of one of the keys does. */
  readonly run?: (key: string) => void;
  /** What the camera does while the key is down, in the order of the keys. */
  readonly holds?: readonly Hold[];
  /** Whether a key that stays down repeats. */
  readonly repeats?: boolean;
}

const NAMES: Readonly<Record<string, string>> = {
  " ": "Space",
  arrowleft: "←",
  arrowright: "→",
  arrowup: "↑",
  arrowdown: "↓",
  pageup: "PgUp",
  pagedown: "PgDn",
  escape: "Esc",
  home: "Home",
  end: "End",
  tab: "Tab",
};

function keyName(key: string): string {
  const plain = key.replace("shift+", "");
  const name = NAMES[plain] ?? plain.toUpperCase();
  return key.startsWith("shift+") ? `Shift ${name}` : name;
}

export class Shortcuts {
  readonly help: HTMLDialogElement;

  constructor(
    private readonly list: readonly Shortcut[],
    private readonly held: Set<Hold>,
  ) {
    this.help = helpDialog(list);
    document.body.append(this.help);
    window.addEventListener("keydown", (event) => this.down(event));
    window.addEventListener("keyup", (event) => this.up(event));
  }

  toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private down(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const key = event.key.toLowerCase();
    if (this.help.open && key !== "?") return;
    // What has keys of its own keeps them: a list of choices, and a button that Space or Enter presses.
    if (target.tagName === "SELECT" && key !== "escape" && key !== "?") return;
    if (target.tagName === "BUTTON" && (key === " " || key === "enter")) return;
    for (const shortcut of this.list) {
      const index = shortcut.keys.findIndex((each) => matches(each, key, event.shiftKey));
      if (index < 0) continue;
      if (shortcut.holds) this.held.add(shortcut.holds[index]);
      else if (!event.repeat || shortcut.repeats) shortcut.run?.(key);
      event.preventDefault();
      return;
    }
  }

  private up(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    for (const { keys, holds } of this.list) {
      keys.forEach((each, k) => {
        if (holds && each === key) this.held.delete(holds[k]);
      });
    }
  }
}

/** Signs such as ? and < need Shift on most keyboards, and say so themselves; letters and arrows do not. */
function matches(wanted: string, key: string, shift: boolean): boolean {
  if (wanted.startsWith("shift+")) return shift && wanted.slice(6) === key;
  const sign = key.length === 1 && !/[a-z0-9 ]/.test(key);
  return wanted === key && (sign || !shift || key.length === 1);
}

function helpDialog(list: readonly Shortcut[]): HTMLDialogElement {
  const groups = [...new Set(list.map((shortcut) => shortcut.group))];
  const dialog = element("dialog", { id: "help", "aria-labelledby": "help-title" });
  const close = element(
    "button",
    { class: "icon", type: "button", "aria-label": "Close", click: () => dialog.close() },
    icon("close"),
  );
  const sections = groups.map((group) =>
    element(
      "section",
      {},
      element("h3", {}, group),
      element(
        "ul",
        {},
        ...list
          .filter((shortcut) => shortcut.group === group)
          .map(
            ({ keys, label }) => element(
              "li",
              {},
              element("span", {}, label),
              element("span", {}, ...keys.map((key) => element("kbd", {}, keyName(key)))),
            ),
          ),
      ),
    ),
  );
  const pointer = element(
    "section",
    {},
    element("h3", {}, "Mouse and touch"),
    element(
      "ul",
      {},
      ...[
        ["Turn", "Drag"],
        ["Slide", "Shift drag"],
        ["Slide and zoom", "Two fingers"],
        ["Zoom", "Wheel"],
        ["Select", "Click"],
      ].map(([what, how]) => element("li", {}, element("span", {}, what), element("span", {}, element("kbd", {}, how)))),
    ),
  );
  dialog.append(
    element("header", {}, element("h2", { id: "help-title" }, "Keys"), close),
    element("div", { class: "keys" }, ...sections, pointer),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
