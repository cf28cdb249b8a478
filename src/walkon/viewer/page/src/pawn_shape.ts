/** What stands for a character that is only on a track: of a person a pawn of its height, of anything else (a bird, a car) its
body at rest; both are hung on the root joint. */

import { CLOTH, Lofts, rigid, type Surface } from "./lofts";
import { bodyShape, DETAILS } from "./body_shape";
import { restPlaces, standsAtRest } from "./person_measures";
import type { Body } from "./take";

/** Height and radius, as shares of the body's height. */
const OUTLINE: readonly (readonly [number, number])[] = [
  [0.0, 0.13],
  [0.012, 0.135],
  [0.03, 0.12],
  [0.08, 0.07],
  [0.3, 0.052],
  [0.6, 0.075],
  [0.74, 0.085],
  [0.8, 0.06],
  [0.83, 0.035],
  [0.85, 0.038],
  [0.88, 0.055],
  [0.93, 0.063],
  [0.975, 0.048],
  [0.997, 0.016],
];

export function pawnShape(body: Body): Surface {
  const rest = restPlaces(body.skeleton);
  if (!standsAtRest(body.skeleton)) return hungOnRoot(bodyShape(body, DETAILS[1]), rest);
  const { contactJoints, contactOffsets } = body.skeleton;
  const soles = contactJoints.map((joint, k) => rest[joint][2] + contactOffsets[k][2]);
  const low = Math.min(...rest.map((place) => place[2]), ...soles);
  const lofts = new Lofts(rest, { sides: 14, rings: "all" });
  const tall = body.height;
  lofts.tube(
    OUTLINE.map(([up, radius]) => ({
      hold: rigid(0),
      centre: [0, 0, low + up * tall] as const,
      u: [radius * tall, 0, 0] as const,
      v: [0, radius * tall, 0] as const,
    })),
    CLOTH.shirt,
  );
  return lofts.surface();
}

/** A surface at rest, as stiff as the root. */
function hungOnRoot(surface: Surface, rest: readonly (readonly number[])[]): Surface {
  const locals = Float32Array.from(surface.locals);
  const holds = Float32Array.from(surface.holds);
  for (let v = 0; v < holds.length / 4; v++) {
    const joint = holds[4 * v];
    for (let i = 0; i < 3; i++) locals[3 * v + i] += rest[joint][i] - rest[0][i];
    holds[4 * v] = holds[4 * v + 1] = holds[4 * v + 2] = 0;
  }
  return { ...surface, locals, holds };
}
