/** Seats: stools on four legs, and seats that tip up against their backs while nobody sits there (tip_up_seats.ts).

All boards are one instanced mesh and all legs another, whatever the number of seats; in a frame only the boards of seats
that somebody sat down on or left are placed anew. World, metres. */

import { BoxGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshLambertMaterial } from "three";
import { under, type FloorHeights } from "./floor_heights";
import { ABSENT, type PoseFrame } from "./pose_frame";
import type { Seat, Stage } from "./take";
import type { Theme } from "./theme";
import { seatBacks, TipUpSeats } from "./tip_up_seats";

const SIDE_M = 0.42;
const THICK_M = 0.045;
const LEG_RADII_M = [0.014, 0.018] as const;
const CORNERS = [[1, 1], [1, -1], [-1, 1], [-1, -1]] as const;

export class SeatsView {
  readonly group = new Group();
  private readonly cloth = new MeshLambertMaterial();
  private readonly metal = new MeshLambertMaterial();
  private readonly seats: readonly Seat[];
  private readonly tipping: TipUpSeats;
  private readonly boards: InstancedMesh;
  /** [seats] 1 where the board is drawn folded down. */
  private readonly shown: Uint8Array;
  /** [seats] z of the floor under each. */
  private readonly grounds: Float64Array;
  private readonly matrix = new Matrix4();

  constructor(stage: Stage, floor: FloorHeights) {
    this.seats = stage.seats;
    this.grounds = Float64Array.from(stage.seats, ({ place, height }) => under(floor, place[0], place[1], height));
    this.tipping = new TipUpSeats(stage.seats, seatBacks(stage));
    this.shown = new Uint8Array(stage.seats.length);
    this.boards = new InstancedMesh(new BoxGeometry(1, 1, 1), this.cloth, stage.seats.length);
    const stools = stage.seats.flatMap((_, row) => (Number.isNaN(this.tipping.backs[row]) ? [row] : []));
    const leg = new CylinderGeometry(LEG_RADII_M[0], LEG_RADII_M[1], 1, 8).rotateX(Math.PI / 2);
    const legs = new InstancedMesh(leg, this.metal, 4 * stools.length);
    stage.seats.forEach((_, row) => this.place(row, Number.isNaN(this.tipping.backs[row])));
    stools.forEach((row, k) => {
      const [seat, top] = [this.seats[row], this.boardBase(row)];
      const [c, s] = [Math.cos(seat.place[2]), Math.sin(seat.place[2])];
      CORNERS.forEach(([sx, sy], corner) => {
        const [mx, my] = [0.4 * sx * SIDE_M, 0.4 * sy * SIDE_M];
        // Every leg ends on the floor under it.
        const foot = under(floor, seat.place[0] + c * mx - s * my, seat.place[1] + s * mx + c * my, this.grounds[row]);
        const low = Math.min(foot, top - THICK_M);
        legs.setMatrixAt(4 * k + corner, this.at(seat, [mx, my, 0.5 * (low + top)], [1, 1, top - low]));
      });
    });
    for (const mesh of [this.boards, legs]) {
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false; // their bounds would have to follow every seat that is folded
      if (mesh.count > 0) this.group.add(mesh);
    }
  }

  paint(theme: Theme): void {
    this.cloth.color.setHex(theme.seat);
    this.metal.color.setHex(theme.metal);
  }

  /** Fold seats down under those who sit in a frame, and the others up. */
  pose(frame: PoseFrame): void {
    const { tipping, shown } = this;
    const { characters, joints } = frame.size;
    tipping.clear();
    for (let row = 0; row < characters; row++) {
      if (frame.present[row] === ABSENT) continue;
      const at = 3 * row * joints;
      tipping.settle(frame.positions[at], frame.positions[at + 1], frame.positions[at + 2]);
    }
    for (let row = 0; row < shown.length; row++) {
      if (Number.isNaN(tipping.backs[row]) || tipping.down[row] === shown[row]) continue;
      this.place(row, tipping.down[row] === 1);
    }
  }

  /** Names of the seats that are folded up now. */
  folded(): string[] {
    return this.seats.flatMap((seat, row) => (this.shown[row] ? [] : [seat.name]));
  }

  private place(row: number, down: boolean): void {
    const seat = this.seats[row];
    const thick = seat.height - this.boardBase(row);
    this.boards.setMatrixAt(
      row,
      down
        ? this.at(seat, [0, 0, seat.height - 0.5 * thick], [SIDE_M, SIDE_M, thick])
        : this.at(
            seat,
            [0.5 * thick - this.tipping.backs[row], 0, seat.height + 0.5 * SIDE_M - thick],
            [thick, SIDE_M, SIDE_M],
          ),
    );
    this.boards.instanceMatrix.needsUpdate = true;
    this.shown[row] = down ? 1 : 0;
  }

  /** z at which a seat's board begins. */
  private boardBase(row: number): number {
    const { height } = this.seats[row];
    return Math.max(height - THICK_M, 0.5 * (height + this.grounds[row]));
  }

  /** The matrix of a box of a size, with its middle in the seat's frame. */
  private at(
    seat: Seat,
    [mx, my, mz]: readonly [number, number, number],
    [sx, sy, sz]: readonly [number, number, number],
  ): Matrix4 {
    const [x, y, heading] = seat.place;
    const c = Math.cos(heading);
    const s = Math.sin(heading);
    return this.matrix.set(
      c * sx, -s * sy, 0, x + c * mx - s * my,
      s * sx, c * sy, 0, y + s * mx + c * my,
      0, 0, sz, mz,
      0, 0, 0, 1,
    );
  }
}
