/** Marks as tape on the stage floor, in their characters' colours, each in a circle: thin where the take means to meet it,
thick where it does not.

A mark that asks for a time only has no place on the floor and is shown in the panel alone. */

import { Color, DoubleSide, Group, Mesh, MeshBasicMaterial, SRGBColorSpace } from "three";
import { under, type FloorHeights } from "./floor_heights";
import type { Layer } from "./layers";
import { Ribbons } from "./ribbons";
import { ASKS } from "./tables";
import type { Take } from "./take";

const TAPE = 0.055;

export class MarkTape implements Layer {
  readonly object = new Group();

  constructor(take: Take, floor: FloorHeights) {
    const tape = new Ribbons(floor);
    const { marks } = take;
    for (let row = 0; row < marks.rows; row++) {
      const asks = marks.asks[row];
      if (!(asks & ASKS.position)) continue;
      const facing = asks & ASKS.facing ? marks.facing[row] : Math.PI / 4;
      const [x, y] = [marks.position[2 * row], marks.position[2 * row + 1]];
      const z = under(floor, x, y, asks & ASKS.height ? marks.height[row] : Number.NaN);
      const [c, s] = [Math.cos(facing), Math.sin(facing)];
      const [r, g, b] = take.characters.colour.subarray(3 * marks.character[row], 3 * marks.character[row] + 3);
      const strong = new Color().setRGB(r, g, b, SRGBColorSpace).multiplyScalar(0.72).toArray();
      const at = (ahead: number, aside: number): number[] => [x + c * ahead - s * aside, y + s * ahead + c * aside, z];
      tape.line([at(0, -0.2), at(0, 0.2)], TAPE, strong, { height: 0.006 });
      if (asks & ASKS.facing) tape.line([at(0, 0), at(-0.32, 0)], TAPE, strong, { height: 0.006 });
      else tape.line([at(-0.2, 0), at(0.2, 0)], TAPE, strong, { height: 0.006 });
      const met = (asks & ASKS.meant) !== 0;
      tape.ring(x, y, z, met ? 0.36 : 0.34, met ? 0.375 : 0.38, strong, { height: 0.006 });
    }
    const material = new MeshBasicMaterial(
      { vertexColors: true, transparent: true, opacity: 0.9, depthWrite: false, side: DoubleSide },
    );
    if (!tape.empty) this.object.add(new Mesh(tape.geometry(), material));
  }

  pose(): void {}
}
