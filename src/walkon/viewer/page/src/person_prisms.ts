/** A person of a few pixels: one prism about every bone, some 190 triangles. Sizes are shares of the stature H. */

import { CLOTH, rigid, type Cloth, type Lofts } from "./lofts";
import { Person, SIDES } from "./person_measures";
import type { Skeleton } from "./take";
import { across, add, cross, mix, times, unit, type Vec3 } from "./vectors";

/** Half breadth and half depth at either end of a prism. */
type Girth = readonly [number, number];

export function personPrisms(skeleton: Skeleton, lofts: Lofts): void {
  const person = new Person(skeleton);
  const H = person.stature;
  const prism = (joint: number, from: Vec3, to: Vec3, first: Girth, last: Girth, cloth: Cloth): void => {
    const axis = unit(mix([1, to], [-1, from]));
    const ahead = across(person.forward, axis);
    const aside = cross(axis, ahead);
    // Corners of a prism with four sides lie farther out than the flesh, half of the way.
    const ring = (centre: Vec3, [breadth, depth]: Girth) => ({
      hold: rigid(joint),
      centre,
      u: times(add(ahead, aside), 0.86 * H * depth),
      v: times(add(aside, times(ahead, -1)), 0.86 * H * breadth),
    });
    lofts.tube([ring(from, first), ring(to, last)], cloth);
  };
  const zero: Vec3 = [0, 0, 0];
  const [hips, chest, head] = ["hips", "chest", "head"].map((role) => person.joint(role));
  prism(
    hips,
    times(person.up, -0.04 * H),
    mix([1, person.bone(hips, chest)]),
    [0.085, 0.06],
    [0.085, 0.06],
    CLOTH.shirt,
  );
  prism(chest, zero, times(person.up, 0.115 * H), [0.09, 0.06], [0.1, 0.045], CLOTH.shirt);
  prism(head, times(person.up, -0.03 * H), times(person.up, 0.1 * H), [0.034, 0.04], [0.036, 0.045], CLOTH.skin);
  for (const side of SIDES) {
    const [shoulder, elbow, wrist, hip, knee, ankle] = [
      "shoulder",
      "elbow",
      "wrist",
      "hip",
      "knee",
      "ankle",
    ].map((part) => person.joint(`${side}_${part}`));
    prism(shoulder, zero, person.bone(shoulder, elbow), [0.034, 0.034], [0.026, 0.026], CLOTH.shirt);
    prism(elbow, zero, times(person.bone(elbow, wrist), 1.4), [0.025, 0.025], [0.016, 0.016], CLOTH.skin);
    prism(hip, zero, person.bone(hip, knee), [0.052, 0.056], [0.036, 0.038], CLOTH.trousers);
    prism(knee, zero, person.bone(knee, ankle), [0.036, 0.038], [0.026, 0.028], CLOTH.trousers);
    const low = mix([-0.025 * H, person.up]);
    prism(
      ankle,
      mix([1, low], [-0.025 * H, person.forward]),
      mix([1, low], [0.11 * H, person.forward]),
      [0.018, 0.018],
      [0.018, 0.014],
      CLOTH.shoes,
    );
  }
}
