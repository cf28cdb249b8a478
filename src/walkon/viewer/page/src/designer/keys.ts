/** Keys: one list of what each does, for the page and for the help that `?` shows. Ctrl (or Cmd) is "mod+". */

import { HelpDialog, keyName } from "../help_dialog";

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

export class Keys {
  private readonly help: HelpDialog;

  constructor(private readonly list: readonly Key[]) {
    this.help = new HelpDialog(
      list.map(({ group, label, keys, shown }) => ({ group, label, names: shown ?? keys.map(keyName) })),
    );
    window.addEventListener("keydown", (event) => this.down(event));
  }

  toggleHelp(): void {
    this.help.toggle();
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
