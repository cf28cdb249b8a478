/** Paths: the way of every character's root along the floor, over the whole take; the selected one's is strong.

Posing a crowd over minutes takes a while, so a second worker samples it and lines grow as it goes. */

import {
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  SRGBColorSpace,
  BufferAttribute,
  BufferGeometry,
} from "three";
import type { FloorHeights } from "./floor_heights";
import type { Layer } from "./layers";
import { ABSENT, type PoseFrame } from "./pose_frame";
import { PosingClient } from "./posing_client";
import { Ribbons } from "./ribbons";
import { floorUnder } from "./standing";
import type { Take } from "./take";

const RATE = 6;
const MOST_SAMPLES = 600;
const HEIGHT = 0.008;

export class Paths implements Layer {
  readonly object = new Group();
  private readonly samples: number;
  /** [S × N × 3] on the floor, NaN where absent. */
  private readonly places: Float32Array;
  private known = 0;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly strong = new Mesh(
    new BufferGeometry(),
    new MeshBasicMaterial({ vertexColors: true, side: DoubleSide, depthWrite: false, transparent: true }),
  );
  private selected = -1;

  constructor(
    private readonly take: Take,
    bytes: Uint8Array,
    private readonly floor: FloorHeights,
    private readonly changed: () => void,
  ) {
    const length = take.stop - take.start;
    this.samples = Math.min(Math.max(Math.ceil(length * RATE) + 1, 2), MOST_SAMPLES);
    this.places = new Float32Array(this.samples * take.names.length * 3).fill(Number.NaN);
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.55, depthWrite: false });
    this.lines = new LineSegments(new BufferGeometry(), material);
    this.lines.frustumCulled = this.strong.frustumCulled = false;
    this.object.add(this.lines, this.strong);
    void this.sample(new PosingClient(bytes));
  }

  pose(_frame: PoseFrame, selected: number): void {
    if (selected === this.selected) return;
    this.selected = selected;
    this.drawSelected();
  }

  private async sample(client: PosingClient): Promise<void> {
    try {
      await client.ready;
      const { take, samples } = this;
      for (let k = 0; k < samples; k++) {
        const frame = await client.request(take.start + ((take.stop - take.start) * k) / (samples - 1));
        for (let row = 0; row < take.names.length; row++) {
          if (frame.present[row] === ABSENT) continue;
          const at = 3 * (k * take.names.length + row);
          this.places[at] = frame.planar[3 * row];
          this.places[at + 1] = frame.planar[3 * row + 1];
          this.places[at + 2] = floorUnder(take, frame, row, this.floor).z;
        }
        this.known = k + 1;
        if (k % 60 === 59 || k === samples - 1) this.drawAll();
      }
    } finally {
      client.close();
    }
  }

  private drawAll(): void {
    const N = this.take.names.length;
    const places: number[] = [];
    const colours: number[] = [];
    for (let row = 0; row < N; row++) {
      const colour = this.colour(row, 0.8);
      for (let k = 0; k + 1 < this.known; k++) {
        const [a, b] = [3 * (k * N + row), 3 * ((k + 1) * N + row)];
        if (Number.isNaN(this.places[a]) || Number.isNaN(this.places[b])) continue;
        for (const at of [a, b]) places.push(this.places[at], this.places[at + 1], this.places[at + 2] + HEIGHT);
        colours.push(...colour, ...colour);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
    this.lines.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    this.drawSelected();
    this.changed();
  }

  private drawSelected(): void {
    const ribbon = new Ribbons(this.floor);
    const N = this.take.names.length;
    let run: number[][] = [];
    for (let k = 0; this.selected >= 0 && k <= this.known; k++) {
      const at = 3 * (k * N + this.selected);
      const there = k < this.known && !Number.isNaN(this.places[at]);
      const last = run[run.length - 1];
      // Standing still would give a ribbon without direction.
      if (there && (!last || Math.hypot(this.places[at] - last[0], this.places[at + 1] - last[1]) > 0.05)) {
        run.push([...this.places.subarray(at, at + 3)]);
      }
      if (!there) {
        ribbon.line(run, 0.05, this.colour(this.selected, 0.9), { height: HEIGHT + 0.002 });
        run = [];
      }
    }
    this.strong.geometry.dispose();
    this.strong.geometry = ribbon.geometry();
    this.strong.visible = !ribbon.empty;
  }

  private colour(row: number, strength: number): number[] {
    const [r, g, b] = this.take.characters.colour.subarray(3 * row, 3 * row + 3);
    return new Color().setRGB(r, g, b, SRGBColorSpace).multiplyScalar(strength).toArray();
  }
}
