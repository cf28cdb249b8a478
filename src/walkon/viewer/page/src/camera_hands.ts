/** Hands on the camera: mouse, pen and touch on the canvas, and keys that are held down.

One pointer turns (with Shift or another button it slides), two fingers slide and pinch, the wheel zooms. A short press
that does not move is a tap. */

import type { Cameras } from "./cameras";

const TAP_PIXELS = 6;
const TAP_MILLISECONDS = 500;
const TURN_SPEED = 1.5;
const SLIDE_SHARE = 0.55;
const ZOOM_SPEED = 1.6;

/** What keys do while they are held: turn and tilt in radians, slide in shares of the distance, zoom in powers. */
export type Hold =
  | ("left" | "right" | "ahead" | "back")
  | ("turnLeft" | "turnRight" | "tiltUp" | "tiltDown" | "nearer" | "farther");

export class CameraHands {
  /** Keys that are down. */
  readonly held = new Set<Hold>();
  tapped: (x: number, y: number) => void = () => {};
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private pressed: { x: number; y: number; time: number } | null = null;

  constructor(
    private readonly cameras: Cameras,
    private readonly canvas: HTMLCanvasElement,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    window.addEventListener("blur", () => this.held.clear());
  }

  /** Apply the keys that are down for so many seconds; true where there are any. */
  step(seconds: number): boolean {
    if (this.held.size === 0) return false;
    const is = (plus: Hold, minus: Hold): number => (this.held.has(plus) ? 1 : 0) - (this.held.has(minus) ? 1 : 0);
    const slide = SLIDE_SHARE * seconds * this.cameras.metresPerPixel * this.canvas.clientHeight;
    this.cameras.slide(is("right", "left") * slide, is("ahead", "back") * slide);
    this.cameras.turn(
      is("turnRight", "turnLeft") * TURN_SPEED * seconds,
      is("tiltUp", "tiltDown") * TURN_SPEED * 0.6 * seconds,
    );
    const zoom = is("farther", "nearer");
    if (zoom) this.cameras.zoom(Math.exp(zoom * ZOOM_SPEED * seconds));
    return true;
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.pressed = this.pointers.size === 1 ? { x: event.clientX, y: event.clientY, time: event.timeStamp } : null;
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before.x;
    const dy = event.clientY - before.y;
    if (this.pointers.size === 1) {
      const sliding = event.shiftKey || (event.buttons & 6) !== 0;
      if (sliding) this.slide(dx, dy);
      else this.cameras.turn(-dx * 0.006, dy * 0.005);
    } else if (this.pointers.size === 2) {
      const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = Math.hypot(before.x - other.x, before.y - other.y);
        const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (apart > 10 && now > 10) this.cameras.zoom(apart / now);
        this.slide(dx / 2, dy / 2);
      }
    }
    before.x = event.clientX;
    before.y = event.clientY;
  }

  private slide(dx: number, dy: number): void {
    const size = this.cameras.metresPerPixel;
    this.cameras.slide(-dx * size, dy * size * 1.4);
  }

  private up(event: PointerEvent): void {
    const { pressed } = this;
    this.pointers.delete(event.pointerId);
    this.pressed = null;
    if (!pressed || event.type !== "pointerup" || event.button !== 0) return;
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (far < TAP_PIXELS && event.timeStamp - pressed.time < TAP_MILLISECONDS) {
      const box = this.canvas.getBoundingClientRect();
      this.tapped(event.clientX - box.left, event.clientY - box.top);
    }
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 18 : 1;
    this.cameras.zoom(Math.exp(Math.min(Math.max(event.deltaY * lines, -120), 120) * 0.0016));
  }
}
