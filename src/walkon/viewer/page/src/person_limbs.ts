/** Arms and legs: tubes about the bones that bend at elbows and knees. Sizes are shares of the stature H. */

import { CLOTH, rigid, type Hold, type Lofts, type Ring } from "./lofts";
import { hand } from "./person_hands";
import type { Person, Side } from "./person_measures";
import { across, add, cross, mix, times, unit, type Vec3 } from "./vectors";

/** Upper arm with sleeve, forearm: place along the bone, half breadth, half depth. */
const SLEEVE: readonly (readonly [number, number])[] = [
  [-0.115, 0.012],
  [-0.1, 0.021],
  [-0.06, 0.0305],
  [0.0, 0.0362],
  [0.1, 0.0372],
  [0.25, 0.0345],
  [0.45, 0.0325],
  [0.62, 0.0325],
];
const BARE_ARM: readonly (readonly [number, number])[] = [
  [0.5, 0.026],
  [0.66, 0.0272],
  [0.85, 0.0252],
];
const FOREARM: readonly (readonly [number, number, number])[] = [
  [0.12, 0.0262, 0.0258],
  [0.3, 0.0268, 0.0255],
  [0.55, 0.0232, 0.021],
  [0.8, 0.0163, 0.017],
  [0.94, 0.0128, 0.0158],
];
/** Thigh and shank in trousers: place along the bone, half breadth, half depth, forward. */
const THIGH: readonly (readonly [number, number, number, number])[] = [
  [-0.16, 0.026, 0.03, -0.006],
  [-0.11, 0.041, 0.049, -0.006],
  [-0.02, 0.0515, 0.062, -0.005],
  [0.12, 0.0535, 0.0595, -0.002],
  [0.32, 0.049, 0.053, 0.001],
  [0.55, 0.0435, 0.047, 0.002],
  [0.78, 0.0385, 0.0415, 0.002],
  [0.92, 0.0362, 0.039, 0.002],
];
const SHANK: readonly (readonly [number, number, number, number])[] = [
  [0.08, 0.0352, 0.0378, 0.001],
  [0.22, 0.0358, 0.039, -0.004],
  [0.4, 0.0348, 0.0378, -0.006],
  [0.62, 0.0312, 0.0335, -0.004],
  [0.82, 0.029, 0.031, -0.002],
  [0.945, 0.0292, 0.0318, 0.0],
];

/** Rings about one bone from `joint` along `bone`; u is forward, v across. */
function along(
  person: Person,
  hold: Hold,
  bone: Vec3,
  rows: readonly (readonly number[])[],
  shade?: (t: number) => number,
): Ring[] {
  const H = person.stature;
  const axis = unit(bone);
  const ahead = across(person.forward, axis);
  const aside = cross(axis, ahead);
  return rows.map(([t, breadth, depth = breadth, shift = 0], k) => ({
    hold,
    centre: mix([t, bone], [shift * H, ahead]),
    u: times(ahead, depth * H),
    v: times(aside, breadth * H),
    fine: k % 2 === 1 && k + 1 < rows.length,
    shade: shade?.(t),
  }));
}

/** The ring in a hinge, which turns halfway between both bones, and its neighbours. */
function hinge(
  person: Person,
  upper: number,
  lower: number,
  before: Vec3,
  after: Vec3,
  radii: readonly [number, number],
): Ring[] {
  const H = person.stature;
  return ([[-0.012, 0.76], [0, 0.5], [0.012, 0.24]] as const).map(([shift, share]) => {
    const axis = unit(add(unit(before), unit(after)));
    const ahead = across(person.forward, axis);
    const side = cross(axis, ahead);
    const way = shift < 0 ? unit(before) : unit(after);
    return {
      hold: { joint: lower, other: upper, share },
      centre: times(way, shift * H),
      u: times(ahead, radii[1] * H),
      v: times(side, radii[0] * H),
      fine: shift !== 0,
    };
  });
}

/** Add an arm with its sleeve and hand, whose palm has these axes. */
export function arm(person: Person, lofts: Lofts, side: Side, palm: readonly [Vec3, Vec3, Vec3]): void {
  const [shoulder, elbow, wrist] = ["shoulder", "elbow", "wrist"].map((part) => person.joint(`${side}_${part}`));
  const upper = person.bone(shoulder, elbow);
  const lower = person.bone(elbow, wrist);
  lofts.tube(along(person, rigid(shoulder), upper, SLEEVE, (t) => (t > 0.6 ? 0.96 : 1)), CLOTH.shirt);
  lofts.tube(
    [
      ...along(person, rigid(shoulder), upper, BARE_ARM),
      ...hinge(person, shoulder, elbow, upper, lower, [0.0248, 0.0248]),
      ...along(person, rigid(elbow), lower, FOREARM),
      ...along(person, { joint: wrist, other: elbow, share: 0.5 }, lower, [[0, 0.0116, 0.0154]]),
    ],
    CLOTH.skin,
    { stop: false }, // the hand comes out of it
  );
  hand(person, lofts, side, palm);
}

/** Add a leg in trousers, down to the hem. */
export function leg(person: Person, lofts: Lofts, side: Side): void {
  const [hip, knee, ankle] = ["hip", "knee", "ankle"].map((part) => person.joint(`${side}_${part}`));
  const thigh = person.bone(hip, knee);
  const shank = person.bone(knee, ankle);
  lofts.tube(
    [
      ...along(person, rigid(hip), thigh, THIGH),
      ...hinge(person, hip, knee, thigh, shank, [0.0352, 0.0385]),
      ...along(person, rigid(knee), shank, SHANK, (t) => (t > 0.9 ? 0.95 : 1)),
    ],
    CLOTH.trousers,
    { wide: 1.15 },
  );
}
