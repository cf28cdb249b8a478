/** Forward kinematics of one joint: the twin of walkon.motion.kinematics, below its parent. */

import type { Workspace } from "./clip_reading";
import { times, turn } from "./quaternions";
import type { Rig } from "./score";

/** Place one joint of a body of some scale below its parent. */
export function placeJoint(rig: Rig, scale: number, j: number, space: Workspace): void {
  const { positions, rotations, locals } = space;
  const { offsets } = rig;
  const above = rig.parents[j];
  times(rotations, 4 * above, locals, 4 * j, rotations, 4 * j);
  turn(
    rotations,
    4 * above,
    scale * offsets[3 * j],
    scale * offsets[3 * j + 1],
    scale * offsets[3 * j + 2],
    positions,
    3 * j,
  );
  positions[3 * j] += positions[3 * above];
  positions[3 * j + 1] += positions[3 * above + 1];
  positions[3 * j + 2] += positions[3 * above + 2];
}
