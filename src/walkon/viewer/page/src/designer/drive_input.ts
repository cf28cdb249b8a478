/** What the hands say: keys, gamepad and the stick on the screen become one vector, right and ahead of the camera.

Length 1 is full speed of that device; keys walk, with Shift they hurry. */

export interface Wish {
  /** −1 to 1. */
  readonly right: number;
  readonly ahead: number;
  /** Whether full length means the fastest, or an ordinary walk. */
  readonly hurry: boolean;
}

const STILL: Wish = { right: 0, ahead: 0, hurry: false };
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  KeyW: [0, 1],
  ArrowUp: [0, 1],
  KeyS: [0, -1],
  ArrowDown: [0, -1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
/** What a stick may lean by itself. */
const DEAD = 0.18;

export class DriveInput {
  /** A bound clip is asked for: 0 is the first. */
  slot: (slot: number) => void = () => {};
  /** The camera is turned, in radians a second (Q and E, the right stick). */
  turning = 0;
  /** The stick on the screen, null where nobody holds it. */
  stick: readonly [number, number] | null = null;
  /** Name of the gamepad, "" where there is none. */
  gamepad = "";
  private readonly down = new Set<string>();
  private shift = false;
  private pressed: boolean[] = [];

  constructor(private readonly active: () => boolean) {
    window.addEventListener("keydown", (event) => this.key(event, true), { capture: true });
    window.addEventListener("keyup", (event) => this.key(event, false), { capture: true });
    window.addEventListener("blur", () => this.release());
  }

  release(): void {
    this.down.clear();
    this.shift = false;
    this.stick = null;
  }

  /** What is wanted now. */
  read(): Wish {
    const pad = this.readGamepad();
    this.turning = (this.down.has("KeyE") ? 1 : 0) - (this.down.has("KeyQ") ? 1 : 0) + pad.turn;
    if (this.down.has("Space")) return STILL;
    if (this.stick) return limited(this.stick[0], this.stick[1], true);
    let right = 0;
    let ahead = 0;
    for (const code of this.down) {
      const way = WAYS[code];
      if (way) {
        right += way[0];
        ahead += way[1];
      }
    }
    if (right !== 0 || ahead !== 0) {
      const length = Math.hypot(right, ahead);
      return { right: right / length, ahead: ahead / length, hurry: this.shift };
    }
    return pad.wish;
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (!this.active()) return;
    const target = event.target as HTMLElement;
    this.shift = event.shiftKey;
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      (down &&
        ((target instanceof HTMLInputElement && target.type !== "checkbox") ||
          target.tagName === "SELECT" ||
          target.closest("dialog")))
    )
      return;
    const { code } = event;
    if (
      WAYS[code] ||
      code === "KeyQ" ||
      code === "KeyE" ||
      (code === "Space" && !["BUTTON", "INPUT"].includes(target.tagName))
    ) {
      if (down) this.down.add(code);
      else this.down.delete(code);
      event.preventDefault();
    } else if (down && /^(Digit|Numpad)[1-9]$/.test(code)) {
      if (!event.repeat) this.slot(Number(code.slice(-1)) - 1);
      event.preventDefault();
    }
  }

  private readGamepad(): { wish: Wish; turn: number } {
    const pad = navigator.getGamepads?.().find((each) => each !== null && each.connected) ?? null;
    this.gamepad = pad?.id ?? "";
    if (!pad) {
      this.pressed = [];
      return { wish: STILL, turn: 0 };
    }
    pad.buttons.slice(0, 9).forEach((button, k) => {
      if (button.pressed && this.pressed[k] === false) this.slot(k);
      this.pressed[k] = button.pressed;
    });
    const turn = Math.abs(pad.axes[2] ?? 0) > DEAD ? pad.axes[2] : 0;
    return { wish: limited(pad.axes[0] ?? 0, -(pad.axes[1] ?? 0), true), turn };
  }
}

/** A stick's place as a wish: nothing near its middle, full at its rim. */
function limited(right: number, ahead: number, hurry: boolean): Wish {
  const length = Math.hypot(right, ahead);
  if (length < DEAD) return STILL;
  const share = (Math.min(length, 1) - DEAD) / (1 - DEAD) / length;
  return { right: right * share, ahead: ahead * share, hurry };
}
