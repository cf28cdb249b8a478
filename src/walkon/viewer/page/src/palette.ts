/** What a character wears: shirt in its colour from the take, quiet trousers, dark shoes, skin and hair.

Skin and hair differ from character to character, always in the same way. Linear colours, five per character. */

import { Color, SRGBColorSpace } from "three";
import { PALETTE_SIZE } from "./skinning";
import type { Take } from "./take";

const SKIN = [0xe9c3ab, 0xcc9c80, 0x9e735c, 0xf0cfba, 0x7d5745, 0xdbb094];
const HAIR = [0x4d3b30, 0x30292a, 0x2b2422, 0x8c6b4a, 0x201c1e, 0x6b5a50];
const TROUSERS = [0x47506a, 0x57534f, 0x3d4757, 0x6a6459, 0x4a4653];
const SHOES = [0x3a3c42, 0x4c4038, 0x2e3238];

/** [N × 5 × 4] colours; the alpha of the first is the character's size over its body's. */
export function palettes(take: Take, texels: number): Float32Array {
  const data = new Float32Array(texels * 4);
  const colour = new Color();
  for (let row = 0; row < take.names.length; row++) {
    const [r, g, b] = take.characters.colour.subarray(3 * row, 3 * row + 3);
    const pick = (from: readonly number[], salt: number): number => from[hashed(row, salt) % from.length];
    const write = (index: number, from: Color, alpha: number): void => {
      data.set([from.r, from.g, from.b, alpha], 4 * (PALETTE_SIZE * row + index));
    };
    const shirt = new Color().setRGB(r, g, b, SRGBColorSpace);
    write(0, shirt, take.characters.scale[row]);
    write(1, colour.setHex(pick(TROUSERS, 1)).lerp(shirt, 0.14), 1);
    write(2, colour.setHex(pick(SHOES, 2)), 1);
    const tone = hashed(row, 3) % SKIN.length;
    write(3, colour.setHex(SKIN[tone]), 1);
    write(4, colour.setHex(HAIR[tone]), 1);
  }
  return data;
}

/** A number that looks random, the same for the same character. */
function hashed(row: number, salt: number): number {
  let x = (row + 1) * 0x9e3779b1 + salt * 0x85ebca6b;
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return (x ^ (x >>> 15)) >>> 0;
}
