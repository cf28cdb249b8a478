/** Plants: where feet stand, as soles on the floor. Those that bear at this moment are strong, earlier ones fade away.

A stance of which only the heel or only the ball is planted is a dot at that point. */

import { Color, Group, SRGBColorSpace } from "three";
import { FloorShapes } from "./floor_shapes";
import type { Layer } from "./layers";
import type { PoseFrame } from "./pose_frame";
import type { Take } from "./take";

const MOST = 60_000;
/** Seconds for which the print of a foot stays. */
const STAYS = 6;
/** Metres: radius of the print of a point. */
const DOT = 0.045;
/** Shares of the distance from heel to ball: half length, half breadth, and the middle of the sole. */
const SOLE = { length: 0.87, breadth: 0.285, middle: 0.66 };

export class Plants implements Layer {
  readonly object = new Group();
  private readonly soles: FloorShapes;
  private readonly dots: FloorShapes;
  private readonly colours: Color[];
  /** Rows of the stances by start. */
  private readonly order: Int32Array;
  private readonly longest: number;

  constructor(private readonly take: Take) {
    const { stances } = take;
    this.order = Int32Array.from({ length: stances.rows }, (_, k) => k).sort(
      (a, b) => stances.start[a] - stances.start[b],
    );
    let longest = 0;
    for (let k = 0; k < stances.rows; k++) longest = Math.max(longest, stances.stop[k] - stances.start[k]);
    this.longest = longest;
    const room = Math.min(Math.max(stances.rows, 1), MOST);
    this.soles = new FloorShapes("sole", room);
    this.dots = new FloorShapes("disc", room);
    this.object.add(this.soles.mesh, this.dots.mesh);
    this.colours = take.names.map((_, row) => {
      const [r, g, b] = take.characters.colour.subarray(3 * row, 3 * row + 3);
      return new Color().setRGB(r, g, b, SRGBColorSpace).multiplyScalar(0.75);
    });
  }

  pose(frame: PoseFrame): void {
    const { stances } = this.take;
    const { time } = frame;
    this.soles.begin();
    this.dots.begin();
    for (let i = this.firstAfter(time) - 1; i >= 0; i--) {
      const row = this.order[i];
      if (stances.start[row] < time - STAYS - this.longest) break;
      const age = time - stances.stop[row];
      if (age <= STAYS) this.print(row, age <= 0 ? 0.85 : 0.42 * (1 - age / STAYS));
    }
    this.soles.end();
    this.dots.end();
  }

  private print(row: number, alpha: number): void {
    const { stances, characters } = this.take;
    const who = stances.character[row];
    const colour = this.colours[who];
    const [hx, hy, hz] = stances.heelPlace.subarray(3 * row, 3 * row + 3);
    const [bx, by, bz] = stances.ballPlace.subarray(3 * row, 3 * row + 3);
    const heel = stances.heel[2 * row + 1] > stances.heel[2 * row];
    const ball = stances.ball[2 * row + 1] > stances.ball[2 * row];
    const apart = Math.hypot(bx - hx, by - hy);
    if (heel && ball && apart > 0.02) {
      const [x, y] = [hx + SOLE.middle * (bx - hx), hy + SOLE.middle * (by - hy)];
      const sizes = [SOLE.length * apart, SOLE.breadth * apart] as const;
      this.soles.add(x, y, Math.min(hz, bz) + 0.007, Math.atan2(by - hy, bx - hx), sizes, colour, alpha);
    } else if (heel || ball) {
      const radius = DOT * characters.scale[who];
      this.dots.add(heel ? hx : bx, heel ? hy : by, (heel ? hz : bz) + 0.007, 0, [radius, radius], colour, alpha);
    }
  }

  /** How many stances have begun at a time. */
  private firstAfter(time: number): number {
    let [low, high] = [0, this.order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.take.stances.start[this.order[middle]] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
