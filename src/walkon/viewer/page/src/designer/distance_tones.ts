/** Distances as colours: near is strong, far is the paper, in light and in dark. */

import { element } from "../dom";
import type { ImageHeader } from "./protocol";

/** Distances as they come: grey levels, row after row. */
export interface Picture {
  readonly header: ImageHeader;
  readonly levels: Uint8Array;
}

/** Near, middle and far colours, sRGB. */
const TONES: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  light: [
    [16, 28, 58],
    [70, 122, 205],
    [238, 240, 243],
  ],
  dark: [
    [240, 246, 255],
    [84, 134, 220],
    [33, 37, 44],
  ],
};
const MIDDLE = 0.4;

/** Paint a picture in the colours of the page's theme, a pixel for a level. */
export function paintDistances(picture: Picture): HTMLCanvasElement {
  const { width, height } = picture.header;
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const [near, middle, far] = TONES[document.documentElement.dataset.theme ?? "light"] ?? TONES.light;
  const table = new Uint32Array(256);
  for (let level = 0; level < 256; level++) {
    // Small distances are what one looks for: they get more of the colours.
    const share = (level / 255) ** 0.75;
    const [from, to, w] =
      share < MIDDLE ? [near, middle, share / MIDDLE] : [middle, far, (share - MIDDLE) / (1 - MIDDLE)];
    const [r, g, b] = from.map((value, k) => Math.round(value + (to[k] - value) * w));
    table[level] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let k = 0; k < pixels.length; k++) pixels[k] = table[picture.levels[k]];
  context.putImageData(image, 0, 0);
  return canvas;
}
