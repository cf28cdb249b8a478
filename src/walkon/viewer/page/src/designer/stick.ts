/** A stick on the screen for fingers and mice; it also shows what keys and gamepad say. */

import { element } from "../dom";

export class Stick {
  readonly element: HTMLElement;
  moved: (place: readonly [number, number] | null) => void = () => {};
  private readonly knob = element("i", {});
  private held = false;

  constructor() {
    this.element = element("div", { class: "stick", "aria-hidden": "true", title: "Drag to drive" }, this.knob);
    const { element: pad } = this;
    const move = (event: PointerEvent): void => {
      const box = pad.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * 2 - 1;
      const y = 1 - ((event.clientY - box.top) / box.height) * 2;
      const k = 1 / Math.max(Math.hypot(x, y), 1);
      this.moved([x * k, y * k]);
    };
    pad.addEventListener("pointerdown", (event) => {
      this.held = true;
      pad.setPointerCapture(event.pointerId);
      move(event);
    });
    pad.addEventListener("pointermove", (event) => {
      if (this.held) move(event);
    });
    const end = (): void => {
      this.held = false;
      this.moved(null);
    };
    pad.addEventListener("pointerup", end);
    pad.addEventListener("pointercancel", end);
  }

  show(right: number, ahead: number): void {
    this.knob.style.transform = `translate(${(38 * right).toFixed(1)}px, ${(-38 * ahead).toFixed(1)}px)`;
    this.element.classList.toggle("on", right !== 0 || ahead !== 0);
  }
}
