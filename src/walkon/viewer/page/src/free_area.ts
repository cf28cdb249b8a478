/** Which part of the canvas the interface leaves free, so that what is looked at is not behind a panel. */

import type { FreeArea } from "./cameras";
import { found } from "./dom";

export function freeArea(canvas: HTMLCanvasElement): FreeArea {
  const box = canvas.getBoundingClientRect();
  const area = { left: 0, top: 0, right: box.width, bottom: box.height };
  if (found("page").classList.contains("bare")) return area;
  area.top = found("top").getBoundingClientRect().bottom - box.top;
  area.bottom = found("timeline").getBoundingClientRect().top - box.top;
  for (const panel of found("side").children) {
    const { left, top, width, height } = panel.getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    // A panel beside the view leaves the rest of its breadth, one across it the rest above it.
    if (width < 0.6 * box.width) area.right = Math.min(area.right, left - box.left);
    else area.bottom = Math.min(area.bottom, top - box.top);
  }
  const room = area.right - area.left > 80 && area.bottom - area.top > 80;
  return room ? area : { left: 0, top: 0, right: box.width, bottom: box.height };
}
