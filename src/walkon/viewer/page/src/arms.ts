/** Arms: shoulder and elbow solved so that the palm comes to its goal (limb.ts), the hand turned; mixed by a weight.

The elbow bends about its hinge, the clip's own axis. The twin of walkon.take.posing._arm_kernels.solve_arms. */

import type { Workspace } from "./clip_reading";
import { placeJoint } from "./joints";
import { Limb, solveLimb } from "./limb";
import { about, backTimes, dot3, slerp, times, turn } from "./quaternions";
import type { Rig } from "./score";

const limb = new Limb();
const handTurn = new Float64Array(4);
const reach = new Float64Array(3);
const line = new Float64Array(3);
const above = new Float64Array(4);
const here = new Float64Array(4);

/** Bring the palm of one arm (0 left, 1 right) of a posed body to a pose [7] in the world, by a weight. */
export function solveArm(
  rig: Rig,
  arm: number,
  scale: number,
  palm: Float64Array,
  swivel: number,
  weight: number,
  space: Workspace,
): void {
  const { arms, parents, palmPlaces, palmBacks } = rig;
  const { positions, rotations, locals, hinges } = space;
  const shoulder = arms[3 * arm];
  const elbow = arms[3 * arm + 1];
  const wrist = arms[3 * arm + 2];
  const h = 6 + 3 * arm;
  const size = Math.sqrt(dot3(hinges, h, hinges, h));
  if (shoulder < 0 || size < 1e-6) return;
  times(palm, 3, palmBacks, 4 * arm, handTurn, 0);
  const p = 3 * arm;
  turn(handTurn, 0, scale * palmPlaces[p], scale * palmPlaces[p + 1], scale * palmPlaces[p + 2], reach, 0);
  turn(rotations, 4 * shoulder, hinges[h] / size, hinges[h + 1] / size, hinges[h + 2] / size, limb.axis, 0);
  for (let i = 0; i < 3; i++) {
    limb.upper[i] = positions[3 * elbow + i] - positions[3 * shoulder + i];
    limb.lower[i] = positions[3 * wrist + i] - positions[3 * elbow + i];
    limb.aim[i] = palm[i] - reach[i] - positions[3 * shoulder + i];
  }
  solveLimb(limb);
  const { rootTurn, hingeTurn, aim } = limb;
  if (swivel !== 0) {
    const away = Math.max(Math.sqrt(dot3(aim, 0, aim, 0)), 1e-9);
    for (let i = 0; i < 3; i++) line[i] = aim[i] / away;
    about(line, 0, swivel, here, 0);
    times(here, 0, rootTurn, 0, rootTurn, 0);
  }
  // Local rotations: those of all joints below as they are, then those of the three that turn.
  const onArm = rig.onArms[arm];
  for (let i = 0; i < onArm.length; i++) {
    const j = onArm[i];
    backTimes(rotations, 4 * parents[j], rotations, 4 * j, locals, 4 * j);
  }
  times(rootTurn, 0, rotations, 4 * shoulder, here, 0);
  backTimes(rotations, 4 * parents[shoulder], here, 0, here, 0);
  slerp(locals, 4 * shoulder, here, 0, weight, locals, 4 * shoulder);
  times(hingeTurn, 0, rotations, 4 * elbow, here, 0);
  backTimes(rotations, 4 * parents[elbow], here, 0, here, 0);
  slerp(locals, 4 * elbow, here, 0, weight, locals, 4 * elbow);
  times(rootTurn, 0, hingeTurn, 0, above, 0);
  times(above, 0, rotations, 4 * parents[wrist], above, 0);
  backTimes(above, 0, handTurn, 0, here, 0);
  slerp(locals, 4 * wrist, here, 0, weight, locals, 4 * wrist);
  for (let i = 0; i < onArm.length; i++) placeJoint(rig, scale, onArm[i], space);
}
