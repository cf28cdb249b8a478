/** The toolbar: cameras, layers, worst cases, still, recording, theme and help. */

import { CAMERA_MODES, type CameraMode } from "./cameras";
import { element } from "./dom";
import { icon, type IconName } from "./icons";
import { LAYER_KEYS, LayerMenu } from "./layer_menu";
import type { LayerName } from "./layers";

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
export class Toolbar {
  private readonly modes = new Map<CameraMode, HTMLButtonElement>();
  private readonly cases: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly menu: LayerMenu;

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
    const keys = Object.values(LAYER_KEYS).join(", ").toUpperCase();
    const opener = button("layers", "Layers", keys, () => undefined);
    this.menu = new LayerMenu(opener, actions.layer);
    this.cases = button("cases", "Worst cases", "J", actions.cases);
    this.cases.hidden = true;
    this.record = button("record", "Record a video", "V", actions.record);
    const divider = (): HTMLElement => element("span", { class: "divider", "aria-hidden": "true" });
    place.append(
      cameras,
      button("all", "See everyone", "0", actions.frameAll),
      divider(),
      opener,
      this.cases,
      divider(),
      button("still", "Save a still", "I", actions.still),
      this.record,
      divider(),
      button("theme", "Light or dark", "T", actions.theme),
      button("help", "Keys", "?", actions.help),
      this.menu.element,
    );
  }

  /** Whether the menu was open; it is shut now. */
  closeMenu(): boolean {
    return this.menu.close();
  }

  setMode(mode: CameraMode, someone: boolean): void {
    for (const [each, button] of this.modes) {
      button.setAttribute("aria-checked", String(each === mode));
      button.disabled = each !== "orbit" && !someone;
    }
  }

  setLayer(name: LayerName, on: boolean): void {
    this.menu.set(name, on);
  }

  /** Offer the list of the audit's cases under its title. */
  offerCases(title: string, count: number): void {
    this.cases.hidden = false;
    this.cases.setAttribute("aria-label", title);
    this.cases.title = `${title}: ${count} (J)`;
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
}
