/** What is drawn of a character that is only on a track: of somebody with legs a walker, who strides along it (walk_cycle.ts),
of anything else, a bird or a car, its body at rest, as stiff as its root.

A walker's points hang on the parts of its walk cycle, in the root's frame of somebody who stands: (x, z) from the joint that
the part turns about, and y from the root, because parts turn about the left axis alone. */

import { bodyShape } from "./body_shape";
import type { Detail, Surface } from "./lofts";
import { restPlaces } from "./person_measures";
import { copy4, slerp, turn } from "./quaternions";
import type { Body } from "./take";
import { PARTS, walkParts, type WalkCycle } from "./walk_cycle";

/** Steps of a stride, and lengths of strides from none to `MAX_STRIDE` of the height, in the table of a walk cycle. */
export const WALK_PHASES = 64;
export const WALK_LEVELS = 9;
export const MAX_STRIDE = 0.82;

/** A body at rest, fixed to its root. */
export function restShape(body: Body, detail: Detail): Surface {
  const surface = bodyShape(body, { ...detail, fingers: false });
  const rest = restPlaces(body.skeleton);
  const locals = Float32Array.from(surface.locals);
  const holds = Float32Array.from(surface.holds);
  for (let v = 0; v < holds.length / 4; v++) {
    const joint = holds[4 * v];
    for (let i = 0; i < 3; i++) locals[3 * v + i] += rest[joint][i] - rest[0][i];
    holds[4 * v] = holds[4 * v + 1] = holds[4 * v + 2] = 0;
  }
  return { ...surface, locals, holds };
}

/** Somebody who stands, ready to walk: `holds` have parts in the place of joints. */
export function walkerShape(body: Body, cycle: WalkCycle, detail: Detail): Surface {
  const surface = bodyShape(body, { ...detail, fingers: false });
  const locals = Float32Array.from(surface.locals);
  const normals = Float32Array.from(surface.normals);
  const holds = Float32Array.from(surface.holds);
  const q = new Float64Array(4);
  const point = new Float64Array(3);
  for (let v = 0; v < holds.length / 4; v++) {
    const [joint, other, share] = holds.subarray(4 * v, 4 * v + 3);
    if (share > 0) slerp(cycle.rotations, 4 * joint, cycle.rotations, 4 * other, share, q, 0);
    else copy4(cycle.rotations, 4 * joint, q, 0);
    const part = cycle.parts[joint];
    turn(q, 0, locals[3 * v], locals[3 * v + 1], locals[3 * v + 2], point, 0);
    locals[3 * v] = cycle.places[3 * joint] + point[0] - cycle.pivots[2 * part];
    locals[3 * v + 1] = cycle.places[3 * joint + 1] + point[1];
    locals[3 * v + 2] = cycle.places[3 * joint + 2] + point[2] - cycle.pivots[2 * part + 1];
    turn(q, 0, normals[3 * v], normals[3 * v + 1], normals[3 * v + 2], point, 0);
    normals.set(point, 3 * v);
    holds[4 * v] = part;
    holds[4 * v + 1] = cycle.parts[other];
  }
  return { ...surface, locals, normals, holds };
}

/** [9 strides × 13 parts × 64 phases × 4]: (x, z) of the joint that a part turns about, and its pitch. */
export function walkTable(cycle: WalkCycle): Float32Array {
  const table = new Float32Array(WALK_LEVELS * PARTS.length * WALK_PHASES * 4);
  const places = new Float64Array(2 * PARTS.length);
  const pitch = new Float64Array(PARTS.length);
  for (let level = 0; level < WALK_LEVELS; level++) {
    for (let step = 0; step < WALK_PHASES; step++) {
      walkParts(cycle, step / WALK_PHASES, (MAX_STRIDE * level) / (WALK_LEVELS - 1), places, pitch);
      PARTS.forEach((_, part) => {
        const at = 4 * ((level * PARTS.length + part) * WALK_PHASES + step);
        table.set([places[2 * part], places[2 * part + 1], pitch[part], 0], at);
      });
    }
  }
  return table;
}
