/** Plants: where feet stand, as soles on the floor. Those that bear at this moment are strong, earlier ones fade away.

A stance of which only the heel or only the ball is planted is a dot at that point. Every stance is written once; they
are in batches by their starts, and batches of other times are not drawn. */

import { Color, Group, SRGBColorSpace } from "three";
import { FloorShapes, STAYS } from "./floor_shapes";
import type { FloorHeights, FloorPoint } from "./floor_heights";
import type { Layer } from "./layers";
import type { PoseFrame } from "./pose_frame";
import type { Take } from "./take";

/** Stances of a batch. */
const BATCH = 4096;
const STRENGTH = 0.85;
/** Metres: radius of the print of a point. */
const DOT = 0.045;
/** Shares of the distance from heel to ball: half length, half breadth, and the middle of the sole. */
const SOLE = { length: 0.87, breadth: 0.285, middle: 0.66 };

interface Batch {
  readonly group: Group;
  readonly start: number;
  readonly stop: number;
}

export class Plants implements Layer {
  readonly object = new Group();
  private readonly batches: Batch[] = [];
  private readonly colours: Color[];
  /** Seconds since the take's start: what the graphics card can tell apart in long takes. */
  private readonly clock = { value: 0 };

  constructor(private readonly take: Take, private readonly floor: FloorHeights) {
    const { stances } = take;
    const order = Int32Array.from({ length: stances.rows }, (_, k) => k).sort(
      (a, b) => stances.start[a] - stances.start[b],
    );
    this.colours = take.names.map((_, row) => {
      const [r, g, b] = take.characters.colour.subarray(3 * row, 3 * row + 3);
      return new Color().setRGB(r, g, b, SRGBColorSpace).multiplyScalar(0.75);
    });
    for (let first = 0; first < order.length; first += BATCH) this.add(order.subarray(first, first + BATCH));
  }

  pose({ time }: PoseFrame): void {
    this.clock.value = time - this.take.start;
    for (const { group, start, stop } of this.batches) group.visible = start <= time && time <= stop + STAYS;
  }

  private add(rows: Int32Array): void {
    const { stances } = this.take;
    const soles = new FloorShapes("sole", rows.length, this.floor.level === null, this.clock);
    const dots = new FloorShapes("disc", rows.length, this.floor.level === null, this.clock);
    let stop = -Infinity;
    for (const row of rows) {
      this.print(row, soles, dots);
      stop = Math.max(stop, stances.stop[row]);
    }
    soles.end();
    dots.end();
    const group = new Group().add(soles.mesh, dots.mesh);
    this.object.add(group);
    this.batches.push({ group, start: stances.start[rows[0]], stop });
  }

  private print(row: number, soles: FloorShapes, dots: FloorShapes): void {
    const { stances, characters, start } = this.take;
    const who = stances.character[row];
    const colour = this.colours[who];
    const span = [stances.start[row] - start, stances.stop[row] - start] as const;
    const [hx, hy, hz] = stances.heelPlace.subarray(3 * row, 3 * row + 3);
    const [bx, by, bz] = stances.ballPlace.subarray(3 * row, 3 * row + 3);
    const heel = stances.heel[2 * row + 1] > stances.heel[2 * row];
    const ball = stances.ball[2 * row + 1] > stances.ball[2 * row];
    const apart = Math.hypot(bx - hx, by - hy);
    if (heel && ball && apart > 0.02) {
      const [x, y] = [hx + SOLE.middle * (bx - hx), hy + SOLE.middle * (by - hy)];
      const sizes = [SOLE.length * apart, SOLE.breadth * apart] as const;
      const heading = Math.atan2(by - hy, bx - hx);
      const here = this.floorAt(x, y, Math.min(hz, bz));
      soles.add(x, y, here, 0.007, heading, sizes, colour, STRENGTH, ...span);
    } else if (heel || ball) {
      const radius = DOT * characters.scale[who];
      const [x, y, z] = heel ? [hx, hy, hz] : [bx, by, bz];
      dots.add(x, y, this.floorAt(x, y, z), 0.007, 0, [radius, radius], colour, STRENGTH, ...span);
    }
  }
  /** The slope under a print, at the height of the print itself. */
  private floorAt(x: number, y: number, z: number): FloorPoint {
    const { dx, dy } = this.floor.at(x, y, z);
    return { z, dx, dy };
  }
}
