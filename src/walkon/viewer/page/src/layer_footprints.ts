/** Footprints: the disc that a walking body needs, with a tick in the direction that it faces.

The same disc as walkon.take.auditing.footprints: it covers the trunk at rest about the root. */

import { Color, Group, SRGBColorSpace } from "three";
import { FloorShapes } from "./floor_shapes";
import type { FloorHeights } from "./floor_heights";
import type { Layer } from "./layers";
import { restPlaces } from "./person_measures";
import { ABSENT, type PoseFrame } from "./pose_frame";
import { floorUnder } from "./standing";
import type { Body, Take } from "./take";

const TRUNK = ["pelvis", "abdomen", "chest", "left_clavicle", "right_clavicle"];

/** Metres, for a body at scale 1. */
export function footprintRadius(body: Body): number {
  const rest = restPlaces(body.skeleton);
  const size = (k: number, ends: readonly (readonly number[])[], end: 0 | 1): number => {
    const [x, y] = rest[body.capsuleJoints[k]];
    return Math.hypot(x + ends[k][0], y + ends[k][1]) + body.capsuleRadii[k][end];
  };
  const all = body.capsuleParts.map((part, k) => ({
    trunk: TRUNK.includes(part),
    size: Math.max(size(k, body.capsuleStarts, 0), size(k, body.capsuleEnds, 1)),
  }));
  const trunk = all.filter((part) => part.trunk);
  return (trunk.length ? trunk : all).reduce((most, part) => Math.max(most, part.size), 0.05);
}

export class FootprintDiscs implements Layer {
  readonly object = new Group();
  private readonly discs: FloorShapes;
  private readonly rims: FloorShapes;
  private readonly ticks: FloorShapes;
  private readonly radii: Float32Array;
  private readonly colours: Color[];

  constructor(private readonly take: Take, private readonly floor: FloorHeights) {
    const N = Math.max(take.names.length, 1);
    const lifted = floor.level === null;
    this.discs = new FloorShapes("disc", N, lifted);
    this.rims = new FloorShapes("ring", N, lifted);
    this.ticks = new FloorShapes("disc", N, lifted);
    this.object.add(this.discs.mesh, this.rims.mesh, this.ticks.mesh);
    const radii = take.bodies.map(footprintRadius);
    this.radii = Float32Array.from(take.characters.scale, (scale, row) => scale * radii[take.characters.body[row]]);
    this.colours = take.names.map((_, row) => {
      const [r, g, b] = take.characters.colour.subarray(3 * row, 3 * row + 3);
      return new Color().setRGB(r, g, b, SRGBColorSpace).multiplyScalar(0.8);
    });
  }

  pose(frame: PoseFrame): void {
    const all = [this.discs, this.rims, this.ticks];
    for (const shapes of all) shapes.begin();
    for (let row = 0; row < this.take.names.length; row++) {
      if (frame.present[row] === ABSENT) continue;
      const [x, y, heading] = [frame.planar[3 * row], frame.planar[3 * row + 1], frame.planar[3 * row + 2]];
      const r = this.radii[row];
      const here = { ...floorUnder(this.take, frame, row, this.floor) };
      this.discs.add(x, y, here, 0.005, heading, [r, r], this.colours[row], 0.22);
      this.rims.add(x, y, here, 0.006, heading, [1.05 * r, 1.05 * r], this.colours[row], 0.9);
      const [ox, oy] = [0.8 * r * Math.cos(heading), 0.8 * r * Math.sin(heading)];
      here.z += here.dx * ox + here.dy * oy;
      this.ticks.add(
        x + ox,
        y + oy,
        here,
        0.007,
        heading,
        [0.16 * r, 0.04 * r],
        this.colours[row],
        0.95,
      );
    }
    for (const shapes of all) shapes.end();
  }
}
