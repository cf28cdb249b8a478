/** The menu of layers: a button that opens it, and an entry to switch each layer. Keys as menus have them everywhere:
arrows, Home and End move, Enter and Space switch, Escape and Tab shut it. */

import { element } from "./dom";
import { icon } from "./icons";
import { LAYERS, type LayerName } from "./layers";

export const LAYER_KEYS: Readonly<Record<LayerName, string>> = {
  marks: "m",
  paths: "p",
  plants: "l",
  contacts: "c",
  footprints: "f",
};

export class LayerMenu {
  readonly element = element("div", { class: "card menu", role: "menu", "aria-label": "Layers", hidden: true });
  private readonly entries = new Map<LayerName, HTMLButtonElement>();

  constructor(
    private readonly opener: HTMLButtonElement,
    toggle: (name: LayerName) => void,
  ) {
    opener.setAttribute("aria-haspopup", "menu");
    opener.setAttribute("aria-expanded", "false");
    opener.addEventListener("click", () => (this.element.hidden ? this.open() : this.close()));
    opener.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      own(event);
      this.open(event.key === "ArrowUp" ? -1 : 0);
    });
    for (const name of LAYERS) {
      const entry = element(
        "button",
        { type: "button", role: "menuitemcheckbox", "aria-checked": "false", tabindex: -1, click: () => toggle(name) },
        element("span", { class: "box" }, icon("check")),
        name[0].toUpperCase() + name.slice(1),
        element("kbd", {}, LAYER_KEYS[name].toUpperCase()),
      );
      this.entries.set(name, entry);
      this.element.append(entry);
    }
    this.element.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", (event) => {
      const target = event.target as Node;
      if (!this.element.contains(target) && !opener.contains(target)) this.close(false);
    });
  }

  set(name: LayerName, on: boolean): void {
    this.entries.get(name)?.setAttribute("aria-checked", String(on));
  }

  open(at = 0): void {
    this.show(true);
    [...this.entries.values()].at(at)?.focus();
  }

  /** Shut it; the focus goes back to the button, unless told otherwise. Returns whether it was open. */
  close(back = true): boolean {
    if (this.element.hidden) return false;
    const inside = this.element.contains(document.activeElement);
    this.show(false);
    if (inside && back) this.opener.focus();
    return true;
  }

  private show(open: boolean): void {
    this.element.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const entries = [...this.entries.values()];
    const at = entries.indexOf(document.activeElement as HTMLButtonElement);
    const count = entries.length;
    const goal: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % count,
      ArrowUp: (at + count - 1) % count,
      Home: 0,
      End: count - 1,
    };
    if (event.key in goal) {
      own(event);
      entries[goal[event.key]].focus();
    } else if (event.key === "Escape") {
      own(event);
      this.close();
    } else if (event.key === "Tab") {
      event.stopPropagation();
      this.close(); // and on from the button
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      own(event);
    }
  }
}

/** Keep a key from everything else on the page. */
function own(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
