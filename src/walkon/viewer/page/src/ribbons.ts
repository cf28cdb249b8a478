/** Lines on the floor with a width in metres: ribbons, mitred at corners, for bounds, doors, marks and paths.

Where the floor is not level they are cut into short pieces and laid on it, from the height that is given on. */

import { BufferAttribute, BufferGeometry } from "three";
import { under, type FloorHeights } from "./floor_heights";

type Point = readonly number[];

/** Metres: pieces of lines on floors that are not level. */
const PIECE = 0.25;

/** Collects ribbons and other flat pieces with a colour per vertex. */
export class Ribbons {
  private readonly places: number[] = [];
  private readonly colours: number[] = [];
  private readonly triangles: number[] = [];

  constructor(private readonly floor: FloorHeights) {}

  /** Add a line through points (x, y[, z]), so many metres above the floor that is nearest to z, or the highest; closed
  lines return to their first point. */
  line(given: readonly Point[], width: number, colour: readonly number[], { closed = false, height = 0 } = {}): void {
    const points = this.floor.level === null ? cut(given, closed) : given;
    const count = points.length;
    if (count < 2) return;
    const first = this.places.length / 3;
    const direction = (a: Point, b: Point): [number, number] => {
      const size = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      return [(b[0] - a[0]) / size, (b[1] - a[1]) / size];
    };
    for (let i = 0; i < count; i++) {
      const before = points[closed ? (i + count - 1) % count : Math.max(i - 1, 0)];
      const after = points[closed ? (i + 1) % count : Math.min(i + 1, count - 1)];
      const here = points[i];
      const one = !closed && i === 0 ? direction(here, after) : direction(before, here);
      const two = !closed && i === count - 1 ? one : direction(here, after);
      let nx = -(one[1] + two[1]);
      let ny = one[0] + two[0];
      const size = Math.hypot(nx, ny) || 1;
      nx /= size;
      ny /= size;
      // A mitre reaches farther the sharper the corner; very sharp ones are cut.
      const reach = (0.5 * width) / Math.max(nx * -two[1] + ny * two[0], 0.4);
      const near = here[2] ?? Number.NaN;
      this.vertex(here[0] + nx * reach, here[1] + ny * reach, near, height, colour);
      this.vertex(here[0] - nx * reach, here[1] - ny * reach, near, height, colour);
    }
    for (let i = 0; i + 1 < count + (closed ? 1 : 0); i++) {
      const a = first + 2 * i;
      const b = first + 2 * ((i + 1) % count);
      this.triangles.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }

  /** Add a ring, or a disc where the inner radius is 0, on the floor nearest to `near`. */
  ring(
    x: number,
    y: number,
    near: number,
    inner: number,
    outer: number,
    colour: readonly number[],
    { height = 0, sides = 40 } = {},
  ): void {
    const first = this.places.length / 3;
    for (let i = 0; i < sides; i++) {
      const c = Math.cos((2 * Math.PI * i) / sides);
      const s = Math.sin((2 * Math.PI * i) / sides);
      this.vertex(x + inner * c, y + inner * s, near, height, colour);
      this.vertex(x + outer * c, y + outer * s, near, height, colour);
    }
    for (let i = 0; i < sides; i++) {
      const a = first + 2 * i;
      const b = first + 2 * ((i + 1) % sides);
      this.triangles.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }

  get empty(): boolean {
    return this.triangles.length === 0;
  }

  geometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(this.places), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(this.colours), 3));
    geometry.setIndex(this.triangles);
    return geometry;
  }

  private vertex(x: number, y: number, near: number, height: number, colour: readonly number[]): void {
    const z = under(this.floor, x, y, near);
    // Beyond the edge of a terrain lines go on at the height they are said to be at.
    this.places.push(x, y, (Number.isNaN(z) ? this.floor.span[0] : z) + height);
    this.colours.push(colour[0], colour[1], colour[2]);
  }
}

/** The points of a line with more of them between, no more than a piece apart. */
function cut(points: readonly Point[], closed: boolean): Point[] {
  return points.flatMap((here, k) => {
    const next = points[(k + 1) % points.length];
    if (k + 1 === points.length && !closed) return [here];
    const count = Math.max(Math.ceil(Math.hypot(next[0] - here[0], next[1] - here[1]) / PIECE), 1);
    return Array.from({ length: count }, (_, i) => here.map((value, axis) => value + (i / count) * (next[axis] - value)));
  });
}
