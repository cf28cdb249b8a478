/** Keys: one list of what each does, used by the page, by its hints and by the help that `?` shows. */

import type { Hold } from "./camera_hands";
import { HelpDialog, keyName, type HelpLine } from "./help_dialog";

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

/** What hands do on the stage. */
const HANDS: readonly HelpLine[] = [
  ["Turn", "Drag"],
  ["Slide", "Shift drag"],
  ["Slide and zoom", "Two fingers"],
  ["Zoom", "Wheel"],
  ["Select", "Click or tap"],
].map(([label, name]) => ({ group: "Mouse and touch", label, names: [name] }));

export class Shortcuts {
  private readonly help: HelpDialog;

  constructor(
    private readonly list: readonly Shortcut[],
    private readonly held: Set<Hold>,
  ) {
    const keys = list.map(({ group, label, keys }): HelpLine => ({ group, label, names: keys.map(keyName) }));
    // Where fingers are what there is, they come first.
    this.help = new HelpDialog(matchMedia("(pointer: coarse)").matches ? [...HANDS, ...keys] : [...keys, ...HANDS]);
    window.addEventListener("keydown", (event) => this.down(event));
    window.addEventListener("keyup", (event) => this.up(event));
  }

  toggleHelp(): void {
    this.help.toggle();
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
