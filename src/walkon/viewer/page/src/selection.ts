/** What shows who is selected: a ring on the floor and a tag with the name over the head. */

import { Color, Quaternion, Vector3, type PerspectiveCamera } from "three";
import type { FloorHeights } from "./floor_heights";
import { FloorShapes } from "./floor_shapes";
import { footprintRadius } from "./layer_footprints";
import { ABSENT, PLANAR, WHOLE, type PoseFrame } from "./pose_frame";
import { floorUnder } from "./standing";
import type { Take } from "./take";
import type { Theme } from "./theme";

/** Pixels from the top of the head to the tag. */
const GAP = 8;
/** Share of a body's height by which the crown is above the root of somebody who stands. */
const CROWN_ABOVE_ROOT = 0.45;

export class Selection {
  row = -1;
  private readonly ring: FloorShapes;
  private readonly colour = new Color();
  private readonly place = new Vector3();

  constructor(
    private readonly take: Take,
    private readonly tag: HTMLElement,
    private readonly floor: FloorHeights,
  ) {
    this.ring = new FloorShapes("ring", 1, floor.level === null);
  }

  get object(): FloorShapes["mesh"] {
    return this.ring.mesh;
  }

  paint(theme: Theme): void {
    this.colour.setHex(theme.accent);
  }

  /** Draw the ring, and put the tag over the head as the camera sees it. */
  pose(frame: PoseFrame, camera: PerspectiveCamera, canvas: HTMLCanvasElement, through: boolean): void {
    const { row } = this;
    this.ring.begin();
    const there = row >= 0 && frame.present[row] !== ABSENT && !through;
    if (there) {
      const [x, y] = frame.planar.subarray(3 * row, 3 * row + 2);
      const radius = 1.35 * this.take.characters.scale[row] * footprintRadius(
        this.take.bodies[this.take.characters.body[row]],
      );
      this.ring.add(x, y, floorUnder(this.take, frame, row, this.floor), 0.009, 0, [radius, radius], this.colour, 0.95);
    }
    this.ring.end();
    this.tag.hidden = !there;
    if (!there) return;
    const head = crownOf(this.take, frame, row, this.place);
    head.project(camera);
    const behind = head.z > 1 || Math.abs(head.x) > 1.1 || Math.abs(head.y) > 1.1;
    this.tag.hidden = behind;
    if (this.tag.textContent !== this.take.names[row]) this.tag.textContent = this.take.names[row];
    const x = (0.5 + 0.5 * head.x) * canvas.clientWidth;
    const y = (0.5 - 0.5 * head.y) * canvas.clientHeight;
    this.tag.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, calc(-100% - ${GAP}px))`;
  }
}

/** The top of a character's head: of its capsule, where the body has one. */
function crownOf(take: Take, frame: PoseFrame, row: number, into: Vector3): Vector3 {
  const body = take.bodies[take.characters.body[row]];
  const k = body.capsuleParts.indexOf("head");
  if (k >= 0 && frame.present[row] === PLANAR) {
    topOf(frame, row, into).z += CROWN_ABOVE_ROOT * body.height * take.characters.scale[row];
    return into;
  }
  if (k < 0 || frame.present[row] !== WHOLE) return topOf(frame, row, into);
  const at = row * frame.size.joints + body.capsuleJoints[k];
  const [w, x, y, z] = frame.rotations.subarray(4 * at, 4 * at + 4);
  const turn = new Quaternion(x, y, z, w);
  const scale = take.characters.scale[row];
  into.z = -Infinity;
  for (const [end, offset] of [body.capsuleStarts[k], body.capsuleEnds[k]].entries()) {
    const [ox, oy, oz] = offset;
    const place = new Vector3(ox, oy, oz).multiplyScalar(scale).applyQuaternion(turn);
    place.add(new Vector3().fromArray(frame.positions, 3 * at));
    place.z += scale * body.capsuleRadii[k][end];
    if (place.z > into.z) into.copy(place);
  }
  return into;
}

/** The highest joint of a character. */
export function topOf(frame: PoseFrame, row: number, into: Vector3): Vector3 {
  const { joints } = frame.size;
  let best = row * joints;
  for (let at = best; at < (row + 1) * joints; at++) if (frame.positions[3 * at + 2] > frame.positions[3 * best + 2]) {
    best = at;
  }
  return into.fromArray(frame.positions, 3 * best);
}
