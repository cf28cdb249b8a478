/** Heights of the floor: how high it is at a place, and how it slopes there (walkon.stage.floor). World, metres.

Flat, a ramp between two level halves, or a terrain of triangles, in one layer or several: of those above each other the
one nearest to a given height counts. Triangles are kept in square cells of the ground plane (walkon.geometry.triangle_grid),
so a look-up costs the same wherever it is. */

/** The floor as a take has it. */
export type StageFloor =
  | { readonly kind: "flat"; readonly height: number }
  | { readonly kind: "ramp"; readonly start: readonly number[]; readonly stop: readonly number[] }
  /** [F × 9] corners of triangles, counter-clockwise seen from above where one may stand. */
  | { readonly kind: "terrain"; readonly corners: Float64Array };

export const LEVEL_GROUND: StageFloor = { kind: "flat", height: 0 };

/** The floor at a place: z, and by how much it rises per metre along x and y. */
export interface FloorPoint {
  z: number;
  dx: number;
  dy: number;
}

export interface FloorHeights {
  /** Its height where that is the same everywhere; null where it is not flat. */
  readonly level: number | null;
  /** Least and greatest height. */
  readonly span: readonly [number, number];
  /** The floor at (x, y) that is nearest to a height, NaN: the highest; z is NaN where there is none. The result is used
  again by the next call. */
  at(x: number, y: number, near: number): Readonly<FloorPoint>;
}

export function heightsOf(floor: StageFloor): FloorHeights {
  if (floor.kind === "flat") return new FlatHeights(floor.height);
  return floor.kind === "ramp" ? new RampHeights(floor.start, floor.stop) : new TerrainHeights(floor.corners);
}

/** The height of the floor under something that is at a height: `near` itself where there is no floor. */
export function under(floor: FloorHeights, x: number, y: number, near: number): number {
  const { z } = floor.at(x, y, near);
  return Number.isNaN(z) ? near : z;
}

class FlatHeights implements FloorHeights {
  readonly span: readonly [number, number];
  private readonly point: FloorPoint;

  constructor(readonly level: number) {
    this.span = [level, level];
    this.point = { z: level, dx: 0, dy: 0 };
  }

  at(): Readonly<FloorPoint> {
    return this.point;
  }
}

class RampHeights implements FloorHeights {
  readonly level = null;
  readonly span: readonly [number, number];
  private readonly point: FloorPoint = { z: 0, dx: 0, dy: 0 };

  constructor(
    private readonly start: readonly number[],
    private readonly stop: readonly number[],
  ) {
    this.span = [Math.min(start[2], stop[2]), Math.max(start[2], stop[2])];
  }

  at(x: number, y: number): Readonly<FloorPoint> {
    const { start, stop, point } = this;
    const [ax, ay, rise] = [stop[0] - start[0], stop[1] - start[1], stop[2] - start[2]];
    const square = ax * ax + ay * ay;
    const s = ((x - start[0]) * ax + (y - start[1]) * ay) / square;
    const slopes = s >= 0 && s <= 1 ? rise / square : 0;
    point.z = start[2] + rise * Math.min(Math.max(s, 0), 1);
    point.dx = slopes * ax;
    point.dy = slopes * ay;
    return point;
  }
}

/** Metres beyond its sides at which a place is still on a triangle. */
const EDGE = 1e-6;
/** Twice the area from above over the square of the longer side up to which a triangle is upright. */
const UPRIGHT = 1e-9;
const PER_TRIANGLE = 12;
const [FEWEST_CELLS, MOST_CELLS] = [1 << 6, 1 << 22];

class TerrainHeights implements FloorHeights {
  readonly level = null;
  readonly span: readonly [number, number];
  private readonly point: FloorPoint = { z: 0, dx: 0, dy: 0 };
  private readonly low: readonly [number, number];
  private readonly cell: number;
  private readonly columns: number;
  private readonly rows: number;
  /** Where each cell's members begin, and the triangles of cell after cell. */
  private readonly firsts: Int32Array;
  private readonly members: Int32Array;

  constructor(private readonly corners: Float64Array) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < corners.length; k++) {
      if (corners[k] < low[k % 3]) low[k % 3] = corners[k];
      if (corners[k] > high[k % 3]) high[k % 3] = corners[k];
    }
    this.low = [low[0], low[1]];
    this.span = [low[2], high[2]];
    const size = [Math.max(high[0] - low[0], 1e-3), Math.max(high[1] - low[1], 1e-3)];
    const count = corners.length / 9;
    let cell = Math.sqrt((size[0] * size[1]) / Math.min(Math.max(count, FEWEST_CELLS), MOST_CELLS));
    while (this.covered(cell) > PER_TRIANGLE * (count + FEWEST_CELLS)) cell *= 1.5;
    this.cell = cell;
    this.columns = Math.floor(size[0] / cell) + 1;
    this.rows = Math.floor(size[1] / cell) + 1;
    this.firsts = new Int32Array(this.columns * this.rows + 1);
    this.visit((_, k) => void this.firsts[k + 1]++);
    for (let k = 0; k + 1 < this.firsts.length; k++) this.firsts[k + 1] += this.firsts[k];
    this.members = new Int32Array(this.firsts[this.firsts.length - 1]);
    const ends = this.firsts.slice();
    this.visit((f, k) => void (this.members[ends[k]++] = f));
  }

  at(x: number, y: number, near: number): Readonly<FloorPoint> {
    const { corners, point, cell, columns, rows, firsts, members } = this;
    point.z = Number.NaN;
    point.dx = point.dy = 0;
    const i = Math.floor((x - this.low[0]) / cell);
    const j = Math.floor((y - this.low[1]) / cell);
    if (!(i >= -1 && i <= columns && j >= -1 && j <= rows)) return point;
    const k = clampIndex(j, rows) * columns + clampIndex(i, columns);
    let best = Infinity;
    for (let m = firsts[k]; m < firsts[k + 1]; m++) {
      const f = 9 * members[m];
      const [ax, ay, az] = [corners[f], corners[f + 1], corners[f + 2]];
      const [ux, uy] = [corners[f + 3] - ax, corners[f + 4] - ay];
      const [vx, vy] = [corners[f + 6] - ax, corners[f + 7] - ay];
      if (isOutside(ax, ay, ux, uy, x, y) || isOutside(ax, ay, -vx, -vy, x, y)) continue;
      if (isOutside(ax + ux, ay + uy, vx - ux, vy - uy, x, y)) continue;
      const double = ux * vy - uy * vx;
      if (double <= UPRIGHT * Math.max(ux * ux + uy * uy, vx * vx + vy * vy)) continue;
      const [uz, vz] = [corners[f + 5] - az, corners[f + 8] - az];
      const z = az + (((x - ax) * vy - (y - ay) * vx) * uz + (ux * (y - ay) - uy * (x - ax)) * vz) / double;
      const away = Number.isNaN(near) ? -z : Math.abs(z - near);
      if (away >= best) continue;
      best = away;
      point.z = z;
      point.dx = (vy * uz - uy * vz) / double;
      point.dy = (ux * vz - vx * uz) / double;
    }
    return point;
  }

  /** How many cells of a size all triangles' boxes cover, at most. */
  private covered(cell: number): number {
    let sum = 0;
    for (let f = 0; f < this.corners.length; f += 9) {
      const [x, y] = [this.extent(f), this.extent(f + 1)];
      sum += Math.ceil((x[1] - x[0]) / cell + 1) * Math.ceil((y[1] - y[0]) / cell + 1);
    }
    return sum;
  }

  /** Least and greatest of the coordinate at `at` over the three corners. */
  private extent(at: number): readonly [number, number] {
    const { corners } = this;
    return [
      Math.min(corners[at], corners[at + 3], corners[at + 6]),
      Math.max(corners[at], corners[at + 3], corners[at + 6]),
    ];
  }

  /** Call for every triangle and every cell that its box covers. */
  private visit(each: (triangle: number, cell: number) => void): void {
    const { low, cell, columns, rows } = this;
    for (let f = 0; f < this.corners.length; f += 9) {
      const [i0, i1] = this.extent(f).map((x, k) => clampIndex(Math.floor((x + (k ? EDGE : -EDGE) - low[0]) / cell), columns));
      const [j0, j1] = this.extent(f + 1).map((y, k) => clampIndex(Math.floor((y + (k ? EDGE : -EDGE) - low[1]) / cell), rows));
      for (let j = j0; j <= j1; j++) for (let i = i0; i <= i1; i++) each(f / 9, j * columns + i);
    }
  }
}

function clampIndex(index: number, count: number): number {
  return Math.min(Math.max(index, 0), count - 1);
}

/** Whether (x, y) is to the right of a side from (ax, ay) along (ex, ey). */
function isOutside(ax: number, ay: number, ex: number, ey: number, x: number, y: number): boolean {
  return ex * (y - ay) - ey * (x - ax) < -EDGE * (Math.abs(ex) + Math.abs(ey));
}
