/** The dialog that `?` opens: what there is, group by group, and the keys for it. */

import { element } from "./dom";
import { icon } from "./icons";

/** One line: what it does, and the names of its keys (or of what hands do). */
export interface HelpLine {
  readonly group: string;
  readonly label: string;
  readonly names: readonly string[];
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
  delete: "Del",
  enter: "Enter",
  mod: "Ctrl",
  shift: "Shift",
};

/** "shift+arrowleft" → "Shift ←"; keys as `KeyboardEvent.key` has them, in lower case. */
export function keyName(key: string): string {
  const parts = key.endsWith("+") ? [key] : key.split("+");
  return parts.map((part) => NAMES[part] ?? part.toUpperCase()).join(" ");
}

export class HelpDialog {
  private readonly dialog = element("dialog", { id: "help", "aria-labelledby": "help-title" });

  constructor(lines: readonly HelpLine[]) {
    const close = element(
      "button",
      { class: "icon", type: "button", "aria-label": "Close", click: () => this.dialog.close() },
      icon("close"),
    );
    const sections = [...new Set(lines.map(({ group }) => group))].map((group) =>
      element(
        "section",
        {},
        element("h3", {}, group),
        element("ul", {}, ...lines.filter((line) => line.group === group).map(listed)),
      ),
    );
    this.dialog.append(
      element("header", {}, element("h2", { id: "help-title" }, "Keys"), close),
      element("div", { class: "keys" }, ...sections),
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  get open(): boolean {
    return this.dialog.open;
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}

function listed({ label, names }: HelpLine): HTMLElement {
  const keys = names.map((name) => element("kbd", {}, name));
  return element("li", {}, element("span", {}, label), element("span", {}, ...keys));
}
