/** Where somebody stands: the floor under a posed character, of several the one it is on. World, metres. */

import type { FloorHeights, FloorPoint } from "./floor_heights";
import type { PoseFrame } from "./pose_frame";
import type { Take } from "./take";

/** Share of a body's height at which the root of somebody who stands is. */
export const ROOT_SHARE = 0.53;

/** z of a character's soles, if it stood. */
export function solesOf(take: Take, frame: PoseFrame, row: number): number {
  const height = take.bodies[take.characters.body[row]].height * take.characters.scale[row];
  return frame.positions[3 * row * frame.size.joints + 2] - ROOT_SHARE * height;
}

/** The floor under a character, or a level one at its soles where there is none; used again by the next look-up. */
export function floorUnder(take: Take, frame: PoseFrame, row: number, floor: FloorHeights): Readonly<FloorPoint> {
  const soles = solesOf(take, frame, row);
  const here = floor.at(frame.planar[3 * row], frame.planar[3 * row + 1], soles);
  return Number.isNaN(here.z) ? { z: soles, dx: 0, dy: 0 } : here;
}
