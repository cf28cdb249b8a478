/** Stills: what is on the canvas as a PNG, drawn anew at a good size. */

import { Vector2 } from "three";
import { element } from "./dom";
import type { World } from "./scene";

const LEAST_WIDTH = 1920;

/** Draw at `LEAST_WIDTH` pixels or more and save; returns the file's name. */
export async function saveStill(world: World, draw: () => void, name: string): Promise<string> {
  const { renderer, canvas } = world;
  const size = renderer.getSize(new Vector2());
  const ratio = renderer.getPixelRatio();
  const most = renderer.capabilities.maxTextureSize / Math.max(size.x, size.y);
  let picture: Promise<Blob | null>;
  try {
    renderer.setPixelRatio(Math.min(Math.max(ratio, LEAST_WIDTH / size.x), most));
    draw();
    picture = new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    renderer.setPixelRatio(ratio);
    draw();
  }
  const blob = await picture;
  if (blob === null) throw new Error("The browser could not make a picture of this size.");
  const file = `${name}.png`;
  download(blob, file);
  return file;
}

/** Hand a file to the reader. */
export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
