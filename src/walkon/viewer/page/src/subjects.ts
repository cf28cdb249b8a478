/** Where somebody is for a camera: root, eyes and gaze, from the posed joints. World, metres. */

import { Quaternion, Vector3 } from "three";
import type { Subject } from "./cameras";
import { under, type FloorHeights } from "./floor_heights";
import { ABSENT, PLANAR, type PoseFrame } from "./pose_frame";
import { topOf } from "./selection";
import { floorUnder, ROOT_SHARE, solesOf } from "./standing";
import type { Take } from "./take";

/** Shares of all foot places between which the first view looks. */
const LOW = 0.04;
const HIGH = 0.96;
const SAMPLES = 500;
/** Share of a body's height by which eyes are above the root of somebody who stands. */
const EYES_ABOVE_ROOT = 0.4;

/** Return a character as the camera's subject; null where it is absent. */
export function subjectOf(take: Take, frame: PoseFrame, row: number, floor: FloorHeights): Subject | null {
  if (row < 0 || frame.present[row] === ABSENT) return null;
  const body = take.bodies[take.characters.body[row]];
  const height = body.height * take.characters.scale[row];
  const { joints } = frame.size;
  const root = new Vector3().fromArray(frame.positions, 3 * row * joints);
  // Whoever is only on a track has no joints but the root.
  const tracked = frame.present[row] === PLANAR;
  const head = tracked ? undefined : body.skeleton.roles.head;
  const joint = row * joints + (head ?? 0);
  const [w, x, y, z] = frame.rotations.subarray(4 * joint, 4 * joint + 4);
  const turn = new Quaternion(x, y, z, w);
  const gaze = new Vector3(1, 0, 0).applyQuaternion(turn).normalize();
  const eyes = tracked
    ? root.clone().setZ(root.z + EYES_ABOVE_ROOT * height)
    : head === undefined
      ? topOf(frame, row, new Vector3())
      : new Vector3(0.055 * height, 0, 0.045 * height).applyQuaternion(turn).add(
        new Vector3().fromArray(frame.positions, 3 * joint),
      );
  // Whoever flies, climbs or lies is looked at where it is; others without the sway of their steps.
  const ground = floorUnder(take, frame, row, floor).z;
  const middle = Math.abs(root.z - ground - ROOT_SHARE * height) < 0.5 * height ? ground + 0.54 * height : root.z;
  return { row, root, middle, eyes, gaze, height };
}

/** Places that the first view should show: people and props now, the stage, and where feet will stand; and how high
the floor is among them. */
export function placesToSee(take: Take, frame: PoseFrame, floor: FloorHeights): { places: Vector3[]; ground: number } {
  const grounds: number[] = [];
  const places: Vector3[] = [];
  const person = (x: number, y: number, z: number): void => {
    grounds.push(z);
    for (const [dx, dy] of [
      [-0.4, -0.4],
      [0.4, -0.4],
      [-0.4, 0.4],
      [0.4, 0.4],
    ]) {
      places.push(new Vector3(x + dx, y + dy, z), new Vector3(x + dx, y + dy, z + 1.8));
    }
  };
  for (let row = 0; row < take.names.length; row++) {
    if (frame.present[row] === ABSENT) continue;
    person(frame.planar[3 * row], frame.planar[3 * row + 1], solesOf(take, frame, row));
  }
  const { heelPlace, rows } = take.stances;
  // Most of the places where feet will stand, but not the ends of long ways out.
  const [inX, inY] = [0, 1].map((axis) => {
    const sorted = Float64Array.from({ length: rows }, (_, k) => heelPlace[3 * k + axis]).sort();
    return (value: number): boolean => value >= sorted[Math.floor(LOW * rows)] && value <= sorted[Math.floor(HIGH * rows)];
  });
  for (let k = 0; k < rows; k += Math.max(Math.floor(rows / SAMPLES), 1)) {
    const [x, y, z] = heelPlace.subarray(3 * k, 3 * k + 3);
    if (take.stances.heel[2 * k + 1] > take.stances.heel[2 * k] && inX(x) && inY(y)) person(x, y, z);
  }
  for (const seat of take.stage.seats) places.push(new Vector3(seat.place[0], seat.place[1], seat.height));
  if (places.length === 0) for (const [x, y] of take.stage.bounds ?? [[-2, -2], [2, 2]]) {
    places.push(new Vector3(x, y, under(floor, x, y, floor.span[0])));
  }
  if (grounds.length === 0) grounds.push(...places.map(({ x, y, z }) => under(floor, x, y, z)));
  grounds.sort((a, b) => a - b);
  return { places, ground: grounds[Math.floor(grounds.length / 2)] };
}
