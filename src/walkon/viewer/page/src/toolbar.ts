/** The toolbar: cameras, layers, worst cases, still, recording, theme and help. */

import { CAMERA_MODES, type CameraMode } from "./cameras";
import { element } from "./dom";
import { icon, type IconName } from "./icons";
import { LAYERS, type LayerName } from "./layers";

export interface ToolbarActions {
  camera(mode: CameraMode): void;
  frameAll(): void;
  layer(name: LayerName): void;
  cases(): void;
  still(): void;
  record(): void;
  theme(): void;
  help(): void;
}

const CAMERA_WORDS: Readonly<Record<CameraMode, readonly [string, string]>> = {
  orbit: ["Orbit", "1"],
  follow: ["Follow", "2"],
  first: ["Eyes", "3"],
};
export const LAYER_KEYS: Readonly<Record<LayerName, string>> = {
  marks: "m",
  paths: "p",
  plants: "l",
  contacts: "c",
  footprints: "f",
};

export class Toolbar {
  private readonly modes = new Map<CameraMode, HTMLButtonElement>();
  private readonly layers = new Map<LayerName, HTMLButtonElement>();
  private readonly cases: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly opener: HTMLButtonElement;
  private readonly menu = element("div", { class: "card menu", role: "menu", "aria-label": "Layers", hidden: true });

  constructor(place: HTMLElement, actions: ToolbarActions) {
    const button = (name: IconName, label: string, key: string, run: () => void): HTMLButtonElement =>
      element(
        "button",
        { class: "icon", type: "button", "aria-label": label, title: `${label} (${key})`, click: run },
        icon(name),
      );
    const cameras = element("div", { role: "radiogroup", "aria-label": "Camera", style: "display:flex;gap:2px" });
    for (const mode of CAMERA_MODES) {
      const [word, key] = CAMERA_WORDS[mode];
      const made = element(
        "button",
        {
          class: "mode",
          type: "button",
          role: "radio",
          "aria-checked": "false",
          "aria-label": word,
          title: `${word} (${key})`,
          click: () => actions.camera(mode),
        },
        icon(mode),
        element("span", {}, word),
      );
      this.modes.set(mode, made);
      cameras.append(made);
    }
    this.opener = button(
      "layers",
      "Layers",
      Object.values(LAYER_KEYS).join(", ").toUpperCase(),
      () => this.openMenu(this.menu.hidden !== false),
    );
    this.opener.setAttribute("aria-haspopup", "menu");
    this.opener.setAttribute("aria-expanded", "false");
    for (const name of LAYERS) {
      const made = element(
        "button",
        { type: "button", role: "menuitemcheckbox", "aria-checked": "false", click: () => actions.layer(name) },
        element("span", { class: "box" }, icon("check")),
        name[0].toUpperCase() + name.slice(1),
        element("kbd", {}, LAYER_KEYS[name].toUpperCase()),
      );
      this.layers.set(name, made);
      this.menu.append(made);
    }
    this.cases = button("cases", "Worst cases", "J", actions.cases);
    this.cases.hidden = true;
    this.record = button("record", "Record a video", "V", actions.record);
    const divider = (): HTMLElement => element("span", { class: "divider", "aria-hidden": "true" });
    place.append(
      cameras,
      button("all", "See everyone", "0", actions.frameAll),
      divider(),
      this.opener,
      this.cases,
      divider(),
      button("still", "Save a still", "I", actions.still),
      this.record,
      divider(),
      button("theme", "Light or dark", "T", actions.theme),
      button("help", "Keys", "?", actions.help),
      this.menu,
    );
    document.addEventListener("pointerdown", (event) => {
      if (!this.menu.hidden && !place.contains(event.target as Node)) this.openMenu(false);
    });
  }

  /** Whether the menu was open; it is shut now. */
  closeMenu(): boolean {
    const open = !this.menu.hidden;
    if (open) {
      const inside = this.menu.contains(document.activeElement);
      this.openMenu(false);
      if (inside) this.opener.focus();
    }
    return open;
  }

  setMode(mode: CameraMode, someone: boolean): void {
    for (const [each, button] of this.modes) {
      button.setAttribute("aria-checked", String(each === mode));
      button.disabled = each !== "orbit" && !someone;
    }
  }

  setLayer(name: LayerName, on: boolean): void {
    this.layers.get(name)?.setAttribute("aria-checked", String(on));
  }

  offerCases(count: number): void {
    this.cases.hidden = false;
    this.cases.title = `Worst cases: ${count} (J)`;
  }

  setCases(open: boolean): void {
    this.cases.setAttribute("aria-pressed", String(open));
  }

  setRecording(running: boolean): void {
    const label = running ? "Stop and save the video" : "Record a video";
    this.record.replaceChildren(icon(running ? "stop" : "record"));
    this.record.classList.toggle("recording", running);
    this.record.setAttribute("aria-label", label);
    this.record.title = `${label} (V)`;
  }

  private openMenu(open: boolean): void {
    this.menu.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
  }
}
