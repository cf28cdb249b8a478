/** The bar at the top: the file, design or drive, undo, redo, save, light or dark, help. */

import { element } from "../dom";
import { icon, type IconName } from "../icons";
import type { Desk } from "./desk";
import { ProgressBar } from "./notices";

export type Mode = "design" | "drive";

export interface ToolbarActions {
  mode(mode: Mode): void;
  undo(): void;
  redo(): void;
  save(): void;
  theme(): void;
  help(): void;
}

const UNDO = '<path d="M4.500 8h7.300a4 4 0 0 1 0 8H8"/><path d="m7.800 4.500-3.500 3.500 3.500 3.500"/>';

export class Toolbar {
  readonly progress = new ProgressBar();
  private readonly file = element("h1", {});
  private readonly saved = element("p", {});
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly save: HTMLButtonElement;
  private readonly modes = new Map<Mode, HTMLButtonElement>();

  constructor(
    private readonly desk: Desk,
    place: HTMLElement,
    actions: ToolbarActions,
  ) {
    const button = (label: string, key: string, picture: SVGSVGElement, run: () => void): HTMLButtonElement =>
      element(
        "button",
        { class: "icon", type: "button", "aria-label": label, title: `${label} (${key})`, click: run },
        picture,
      );
    const named = (name: IconName): SVGSVGElement => icon(name);
    this.undo = button("Undo", "Ctrl Z", arrow(false), () => actions.undo());
    this.redo = button("Redo", "Ctrl Shift Z", arrow(true), () => actions.redo());
    this.save = element(
      "button",
      { class: "solid", type: "button", title: "Build and save (Ctrl S)", click: () => actions.save() },
      "Save",
    );
    const group = element("div", { class: "modes", role: "radiogroup", "aria-label": "What to do" });
    for (const [mode, words] of [
      ["design", "Design"],
      ["drive", "Drive"],
    ] as const) {
      const made = element(
        "button",
        { type: "button", role: "radio", title: `${words} (V)`, click: () => actions.mode(mode) },
        words,
      );
      this.modes.set(mode, made);
      group.append(made);
    }
    group.addEventListener("keydown", (event) => {
      if (!/^Arrow(Left|Right|Up|Down)$/.test(event.key)) return;
      event.preventDefault();
      const other = this.modes.get("design")?.getAttribute("aria-checked") === "true" ? "drive" : "design";
      actions.mode(other);
      this.modes.get(other)?.focus();
    });
    place.append(
      element("div", { class: "file" }, this.file, this.saved),
      group,
      this.progress.element,
      element(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "Graph" },
        this.undo,
        this.redo,
        this.save,
        element("span", { class: "divider", "aria-hidden": "true" }),
        button("Light or dark", "T", named("theme"), () => actions.theme()),
        button("Keys", "?", named("help"), () => actions.help()),
      ),
    );
    desk.watch((change) => {
      if (change === "state") this.refresh();
    });
    this.setMode("design");
    this.refresh();
  }

  setMode(mode: Mode): void {
    for (const [each, button] of this.modes) {
      button.setAttribute("aria-checked", String(each === mode));
      button.tabIndex = each === mode ? 0 : -1;
    }
  }

  private refresh(): void {
    const { state } = this.desk;
    const name = state.file.split(/[\\/]/).pop() ?? state.file;
    this.file.textContent = name;
    this.saved.textContent = state.saved ? "Saved" : "Not saved yet";
    this.saved.classList.toggle("unsaved", !state.saved);
    this.undo.disabled = state.undo === 0;
    this.redo.disabled = state.redo === 0;
    this.save.classList.toggle("quiet", state.saved);
    document.title = `${state.saved ? "" : "• "}${name} – Walkon`;
  }
}

function arrow(right: boolean): SVGSVGElement {
  const made = icon("back");
  made.innerHTML = UNDO;
  if (right) made.style.transform = "scaleX(-1)";
  return made;
}
