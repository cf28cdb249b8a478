/** The surface of any body, at four levels of detail: a person's where the skeleton stands like one, else its capsules.

Made once per body from the skeleton; all characters of that body share it (bodies.ts). */

import { CLOTH, Lofts, rigid, type Cloth, type Detail, type Ring, type Surface } from "./lofts";
import { restPlaces, standsAtRest } from "./person_measures";
import { personPrisms } from "./person_prisms";
import { personShape } from "./person_shape";
import type { Body } from "./take";
import { across, cross, length, mix, sub, times, unit, vec3, type Vec3 } from "./vectors";

/** Near, middle, far, and what is only a few pixels tall. */
export const DETAILS: readonly Detail[] = [
  { sides: 12, rings: "all", fingers: true },
  { sides: 7, rings: "some", fingers: true },
  { sides: 3.6, rings: "few" },
  { sides: 4, rings: "bones" },
];

export function bodyShape(body: Body, detail: Detail): Surface {
  const lofts = new Lofts(restPlaces(body.skeleton), detail);
  const person = standsAtRest(body.skeleton);
  if (person && detail.rings === "bones") personPrisms(body.skeleton, lofts);
  else if (person) personShape(body, lofts);
  else capsules(body, lofts);
  return lofts.surface();
}

/** Every capsule as the hull of its two spheres; joints of machines are a shade darker than their links. */
function capsules(body: Body, lofts: Lofts): void {
  body.capsuleJoints.forEach((joint, k) => {
    const start = vec3(body.capsuleStarts[k]);
    const end = vec3(body.capsuleEnds[k]);
    const [r0, r1] = body.capsuleRadii[k];
    const way = unit(sub(end, start));
    const axis: Vec3 = way.some((part) => part !== 0) ? way : [0, 0, 1];
    const u = across([1, 0, 0], axis);
    const v = cross(axis, u);
    const ring = (centre: Vec3, radius: number): Ring => ({
      hold: rigid(joint),
      centre,
      u: times(u, radius),
      v: times(v, radius),
    });
    // A ball has nothing but its round ends.
    const short = length(sub(end, start)) < Math.max(r0, r1);
    const steps = lofts.fine ? [0.12, 0.35, 0.6, 0.85] : lofts.coarse && !short ? [] : lofts.coarse ? [0.5] : [0.3, 0.75];
    // A share of the quarter circle from the pole to the rim of a half sphere.
    const round = (centre: Vec3, radius: number, s: number): Ring => {
      const angle = 0.5 * Math.PI * s;
      return ring(mix([1, centre], [radius * Math.cos(angle), axis]), Math.abs(radius) * Math.sin(angle));
    };
    const rings: Ring[] = steps.map((s) => round(start, -r0, s));
    rings.push(ring(start, r0), ring(end, r1));
    for (const s of [...steps].reverse()) rings.push(round(end, r1, s));
    lofts.tube(rings, clothOf(body.capsuleParts[k]));
  });
}

/** The same dress as in pictures (walkon.drawing.figures): by the name of the part. */
function clothOf(part: string): Cloth {
  const name = part.toLowerCase().replace(/^(left|right)_/, "");
  const among = (...words: string[]): boolean => words.some((word) => name.includes(word));
  if (among("foot", "toe", "heel", "ball", "instep", "sole", "tyre", "beak")) return CLOTH.shoes;
  if (among("head", "neck", "hand", "forearm")) return CLOTH.skin;
  if (among("pelvis", "thigh", "shank", "shin", "calf", "leg", "window")) return CLOTH.trousers;
  return CLOTH.shirt;
}
