/** Who is where: under a point of the canvas, nearest to a place, and around somebody. */

import { Raycaster, Vector2, Vector3, type PerspectiveCamera } from "three";
import { ABSENT, type PoseFrame } from "./pose_frame";

/** Metres from a joint within which it is hit; farther away also so many pixels. */
const FLESH = 0.13;
const SLACK_PIXELS = 7;

/** Return the row of the character at a point in pixels of a canvas, −1 for nobody: the nearest one that has a joint
close to the line of sight. */
export function pick(
  frame: PoseFrame,
  camera: PerspectiveCamera,
  x: number,
  y: number,
  canvas: HTMLCanvasElement,
): number {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const caster = new Raycaster();
  caster.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
  const { origin, direction } = caster.ray;
  const perPixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
  const place = new Vector3();
  const { joints, characters } = frame.size;
  let found = -1;
  let nearest = Infinity;
  for (let row = 0; row < characters; row++) {
    if (frame.present[row] === ABSENT) continue;
    for (let joint = 0; joint < joints; joint++) {
      place.fromArray(frame.positions, 3 * (row * joints + joint)).sub(origin);
      const depth = place.dot(direction);
      if (depth < 0.05) continue;
      const off = Math.sqrt(Math.max(place.lengthSq() - depth * depth, 0));
      const allowed = Math.max(FLESH, SLACK_PIXELS * perPixel * depth);
      // Among those in line the one in front; off-centre hits count as a little farther.
      const score = depth + off;
      if (off < allowed && score < nearest) {
        nearest = score;
        found = row;
      }
    }
  }
  return found;
}

/** Whose root is nearest to a place, −1 where nobody is there. */
export function nearest(frame: PoseFrame, place: Vector3): number {
  let best = -1;
  let least = Infinity;
  for (let row = 0; row < frame.size.characters; row++) {
    if (frame.present[row] === ABSENT) continue;
    const [x, y, z] = frame.positions.subarray(3 * row * frame.size.joints, 3 * row * frame.size.joints + 3);
    const away = Math.hypot(x - place.x, y - place.y, z - place.z);
    if (away < least) [best, least] = [row, away];
  }
  return best;
}

/** Metres by which others are above or below somebody at most to hide him or her. */
const STOREY = 2.2;

/** Where all but one character are, (x, y), of those on the same storey as a height. */
export function othersThan(frame: PoseFrame, row: number, z: number): [number, number][] {
  const places: [number, number][] = [];
  const { joints } = frame.size;
  for (let other = 0; other < frame.size.characters; other++) {
    if (Math.abs(frame.positions[3 * other * joints + 2] - z) > STOREY) continue;
    if (other !== row && frame.present[other] !== ABSENT) places.push(
      [frame.planar[3 * other], frame.planar[3 * other + 1]],
    );
  }
  return places;
}
