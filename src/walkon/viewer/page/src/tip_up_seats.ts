/** Tip-up seats: seats with something high behind them, and which of them somebody sits on. The rule of walkon.drawing.stage_picture.

A seat whose back is near is folded up against it unless hips are on it or about to be, or people could not walk along a
row of them. Seats are kept in cells of the floor (a spatial hash), so a frame costs one look-up per person. Metres. */

import type { Obstacle, Seat, Stage } from "./take";

/** Metres behind the place of the hips where a seat has its back, if it has one. */
const BACK_M = [0.12, 0.5] as const;
/** Metres above a seat below which hips are on it, or about to be; and below it, from which on they are another storey's. */
const SETTLED_M = 0.35;
const BELOW_M = 0.5;
/** Metres from the middle of a seat on the floor. */
const AT_SEAT_M = 0.4;
/** Metres: cells in which seats are found; wide enough that a seat is in four at most. */
const CELL_M = 2 * AT_SEAT_M;
/** By what columns of cells are multiplied: more rows than any stage has. */
const COLUMN = 2 ** 24;

type Point = readonly number[];

/** How far behind the hips each seat [seats] has something that stands still and is higher than it; NaN where nothing is. */
export function seatBacks(stage: Stage): Float64Array {
  return Float64Array.from(stage.seats, (seat) => {
    let back = Number.NaN;
    for (const obstacle of stage.obstacles) {
      if (obstacle.track !== null) continue;
      if (!(obstacle.height > seat.height && seat.height > obstacle.base) || !isBehind(seat, obstacle)) continue;
      const away = distance(obstacle.polygon, seat.place);
      back = Number.isNaN(back) ? away : Math.min(back, away);
    }
    return back;
  });
}

/** The seats of a stage that tip up, and which of them are folded down at a moment. */
export class TipUpSeats {
  /** [seats] metres to the back, NaN for seats that have none. */
  readonly backs: Float64Array;
  /** [seats] 1 where somebody is on the seat, as of the last `settle`. */
  readonly down: Uint8Array;
  private readonly cells = new Map<number, number[]>();
  private readonly highest: number;

  constructor(private readonly seats: readonly Seat[], backs: Float64Array) {
    this.backs = backs;
    this.down = new Uint8Array(seats.length);
    const tipping = seats.flatMap((_, row) => (Number.isNaN(backs[row]) ? [] : [row]));
    this.highest = tipping.reduce((most, row) => Math.max(most, seats[row].height), -Infinity) + SETTLED_M;
    for (const row of tipping) {
      const [x, y] = seats[row].place;
      const keys = [-1, 1].flatMap((i) => [-1, 1].map((j) => cellOf(x + i * AT_SEAT_M, y + j * AT_SEAT_M)));
      for (const key of new Set(keys)) this.cells.set(key, [...(this.cells.get(key) ?? []), row]);
    }
  }

  /** Forget who sat where; then call `settle` for everybody. */
  clear(): void {
    this.down.fill(0);
  }

  /** Somebody's hips are here: fold the seats down that these are on. */
  settle(x: number, y: number, z: number): void {
    if (!(z < this.highest)) return;
    const near = this.cells.get(cellOf(x, y));
    if (near === undefined) return;
    for (const row of near) {
      const { place, height } = this.seats[row];
      if (Math.hypot(x - place[0], y - place[1]) > AT_SEAT_M) continue;
      if (z < height + SETTLED_M && z > height - BELOW_M) this.down[row] = 1;
    }
  }
}

function cellOf(x: number, y: number): number {
  return Math.floor(x / CELL_M) * COLUMN + Math.floor(y / CELL_M);
}

/** Whether the line behind a seat where a back would be meets an obstacle. */
function isBehind(seat: Seat, obstacle: Obstacle): boolean {
  const [x, y, heading] = seat.place;
  const [a, b] = BACK_M.map((away): Point => [x - away * Math.cos(heading), y - away * Math.sin(heading)]);
  const { polygon } = obstacle;
  if (isInside(polygon, a) || isInside(polygon, b)) return true;
  return polygon.some((corner, k) => areCrossing(a, b, corner, polygon[(k + 1) % polygon.length]));
}

/** Metres from a point to a polygon, 0 inside. */
function distance(polygon: readonly Point[], point: Point): number {
  if (isInside(polygon, point)) return 0;
  let least = Infinity;
  polygon.forEach((a, k) => {
    const b = polygon[(k + 1) % polygon.length];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const along = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / Math.max(dx * dx + dy * dy, 1e-18);
    const t = Math.min(Math.max(along, 0), 1);
    least = Math.min(least, Math.hypot(a[0] + t * dx - point[0], a[1] + t * dy - point[1]));
  });
  return least;
}

function isInside(polygon: readonly Point[], [x, y]: Point): boolean {
  let inside = false;
  polygon.forEach((a, k) => {
    const b = polygon[(k + 1) % polygon.length];
    if (a[1] > y !== b[1] > y && x < a[0] + ((y - a[1]) * (b[0] - a[0])) / (b[1] - a[1])) inside = !inside;
  });
  return inside;
}

/** Whether two stretches meet, their ends included. */
function areCrossing(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point): number =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}
