/** A person's surface: trunk, neck and head as smooth tubes about the bones. Arms and legs are in person_limbs.ts.

All sizes are shares of the stature H; half breadths and depths are those of an average adult in light clothes. */

import { palmAxes } from "./hands";
import { CLOTH, rigid, type Hold, type Lofts, type Ring } from "./lofts";
import { feet } from "./person_feet";
import { arm, leg } from "./person_limbs";
import { Person, SIDES } from "./person_measures";
import type { Body } from "./take";
import { across, add, cross, dot, interpolate, length, mix, times, unit, type Vec3 } from "./vectors";

/** Trunk from crotch to collar: level between hip sockets (0) and shoulders (1), half breadth, half depth, forward. */
const TRUNK: readonly (readonly [number, number, number, number, number?])[] = [
  [-0.19, 0.022, 0.026, 0.0, 0.92],
  [-0.15, 0.046, 0.043, -0.003, 0.95],
  [-0.09, 0.071, 0.054, -0.005],
  [-0.01, 0.09, 0.0625, -0.006],
  [0.1, 0.09, 0.062, -0.005],
  [0.16, 0.078, 0.052, -0.004],
];
const TORSO: readonly (readonly [number, number, number, number])[] = [
  [0.1, 0.0945, 0.067, -0.004],
  [0.24, 0.087, 0.061, -0.001],
  [0.4, 0.08, 0.056, 0.001],
  [0.56, 0.085, 0.06, 0.002],
  [0.72, 0.094, 0.065, 0.002],
  [0.84, 0.098, 0.063, 0.0],
  [0.93, 0.092, 0.055, -0.004],
  [1.0, 0.074, 0.046, -0.007],
  [1.055, 0.05, 0.039, -0.006],
  [1.1, 0.036, 0.034, -0.003],
];
/** Head from chin to crown: height over the chin in H, forward, half breadth, half depth. */
const HEAD: readonly (readonly [number, number, number, number])[] = [
  [0.001, 0.034, 0.009, 0.01],
  [0.005, 0.029, 0.017, 0.019],
  [0.014, 0.02, 0.026, 0.032],
  [0.03, 0.0125, 0.0335, 0.0445],
  [0.05, 0.008, 0.0395, 0.0525],
  [0.072, 0.005, 0.0435, 0.0565],
  [0.092, 0.003, 0.0435, 0.0565],
  [0.109, 0.002, 0.0395, 0.051],
  [0.121, 0.001, 0.031, 0.04],
  [0.128, 0.0, 0.018, 0.024],
];
const HEAD_TALL = 0.13;
const CROWN_ABOVE_JOINT = 0.107;

/** Add everything of a person to the lofts. */
export function personShape(body: Body, lofts: Lofts): void {
  const person = new Person(body.skeleton);
  trunk(person, lofts);
  head(person, lofts);
  for (const side of SIDES) {
    arm(person, lofts, side, palmAxes(body, side));
    leg(person, lofts, side);
    feet(person, lofts, side);
  }
}

/** Where a point of the spine hangs: halfway along a bone it is rigid, near a joint it turns with both bones. */
function spineHold(joints: readonly number[], levels: readonly number[], level: number): Hold {
  let k = 0;
  while (k + 1 < joints.length && levels[k + 1] <= level) k++;
  const next = k + 1 < joints.length ? levels[k + 1] : Number.POSITIVE_INFINITY;
  if (next < Number.POSITIVE_INFINITY && level > 0.5 * (levels[k] + next)) {
    // Below the next joint: its own share grows from 0 in the middle to a half at the joint.
    return {
      joint: joints[k + 1],
      other: joints[k],
      share: 1 - (level - 0.5 * (levels[k] + next)) / (next - levels[k]),
    };
  }
  if (k === 0) return rigid(joints[0]);
  const span = Math.min(0.5 * (next - levels[k]), 0.5 * (levels[k] - levels[k - 1]) + 0.05);
  return { joint: joints[k], other: joints[k - 1], share: Math.max(0, 0.5 * (1 - (level - levels[k]) / span)) };
}

function trunk(person: Person, lofts: Lofts): void {
  const H = person.stature;
  const { up, left, forward, rest } = person;
  const hips = person.joint("hips");
  const chest = person.joint("chest");
  const sockets = times(add(rest[person.joint("left_hip")], rest[person.joint("right_hip")]), 0.5);
  const shoulders = times(add(rest[person.joint("left_shoulder")], rest[person.joint("right_shoulder")]), 0.5);
  const low = dot(sockets, up);
  // A skeleton may lack a bone of the back (CMU): the trunk ends at its shoulders all the same.
  const tall = Math.max(dot(shoulders, up) - low, 0.15 * H);
  const joints = person.chain(hips, chest).filter(
    (joint, i, all) => i === 0 || length(person.bone(all[i - 1], joint)) > 1e-4,
  );
  const heights = joints.map((joint) => (dot(rest[joint], up) - low) / tall);
  const axis = (level: number): Vec3 => {
    // The back's line: through the sockets, the spine's joints, and between the shoulders.
    const marks: (readonly [number, Vec3])[] = [[0, mix([0.5, sockets], [0.5, rest[hips]])]];
    joints.forEach((joint, i) => {
      if (heights[i] > 0.12 && heights[i] < 0.92) marks.push([heights[i], rest[joint]]);
    });
    marks.push([1, shoulders]);
    const part = (direction: Vec3): number => interpolate(
      level,
      marks.map(([at, place]) => [at, dot(place, direction)] as const),
    );
    return mix([low + level * tall, up], [part(forward), forward], [dot(sockets, left), left]);
  };
  const ring = (
    [level, breadth, depth, ahead, shade]: readonly [number, number, number, number, number?],
    k: number,
  ): Ring => {
    const hold = level < 0.12 ? rigid(hips) : spineHold(joints, heights, level);
    const centre = add(axis(level), times(forward, ahead * H));
    return {
      hold,
      centre: mix([1, centre], [-1, rest[hold.joint]]),
      u: times(forward, depth * H),
      v: times(left, breadth * H),
      power: 2.25,
      shade,
      fine: k % 2 === 1 && k > 0 && level < 0.9,
    };
  };
  lofts.tube(TRUNK.map(ring), CLOTH.trousers, { wide: 1.4 });
  lofts.tube(TORSO.map(ring), CLOTH.shirt, { wide: 1.4 });
  for (const side of lofts.coarse ? [] : SIDES) {
    const base = person.has(`${side}_clavicle`) ? person.joint(`${side}_clavicle`) : chest;
    const end = person.bone(base, person.joint(`${side}_shoulder`));
    const out = person.out(side);
    const from = add(times(end, 0.1), times(up, Math.max(0.1 * dot(end, up), 0) + 0.004 * H));
    const along = unit(mix([1, end], [-1, from]));
    const width = across(forward, along);
    const thick = cross(along, width);
    const shoulder: Ring[] = [
      [0, 0.024, 0.015],
      [0.35, 0.0335, 0.0235],
      [0.75, 0.0375, 0.0325],
      [1.0, 0.0345, 0.0345],
      [1.12, 0.025, 0.027],
    ].map(([t, u, v]) => ({
      hold: rigid(base),
      centre: mix([1 - t, from], [t, end], [-0.003 * H, out]),
      u: times(width, u * H),
      v: times(thick, v * H),
    }));
    lofts.tube(shoulder, CLOTH.shirt);
  }
}

function head(person: Person, lofts: Lofts): void {
  const H = person.stature;
  const { left, rest } = person;
  const joint = person.joint("head");
  const chest = person.joint("chest");
  const neckJoints = person.chain(chest, joint);
  const below = neckJoints[neckJoints.length - 2] ?? chest;
  const ends = person.skeleton.parents.flatMap(
    (parent, child) => (parent === joint ? [person.bone(joint, child)] : []),
  );
  const neck = unit(person.bone(below, joint));
  const end = ends.sort((a, b) => dot(b, neck) - dot(a, neck))[0];
  const up = across(end && dot(end, neck) > 0.03 * H ? end : add(neck, person.up), left);
  const crown = Math.min(Math.max(end ? dot(end, up) : 0, CROWN_ABOVE_JOINT * H), 0.125 * H);
  const forward = cross(left, up);
  const chin = crown - HEAD_TALL * H;
  const at = (height: number, ahead: number): Vec3 => mix([chin + height * H, up], [(ahead + 0.006) * H, forward]);
  const hold = rigid(joint);
  // The neck: from inside the collar to inside the skull.
  const shoulders = times(add(rest[person.joint("left_shoulder")], rest[person.joint("right_shoulder")]), 0.5);
  const low = mix(
    [dot(shoulders, person.up) + 0.006 * H, person.up],
    [dot(rest[below], person.forward) - 0.008 * H, person.forward],
  );
  const foot = mix([1, low], [-1, rest[below]]);
  const top = mix([1, person.bone(below, joint)], [0.012 * H, up], [0.002 * H, forward]);
  const girth: readonly (readonly [number, number, number])[] = [
    [0, 0.04, 0.9],
    [0.3, 0.0345, 0.94],
    [0.62, 0.0315, 0.9],
    [1, 0.031, 0.84],
  ];
  lofts.tube(
    girth.map(([t, radius, shade]) => ({
      hold: t > 0.6 ? { joint, other: below, share: t === 1 ? 0.1 : 0.5 } : rigid(below),
      centre: t > 0.6 ? mix([1 - t, foot], [t, top], [-1, person.bone(below, joint)]) : mix([1 - t, foot], [t, top]),
      u: times(forward, radius * H),
      v: times(left, radius * 0.95 * H),
      shade,
    })),
    CLOTH.skin,
  );
  lofts.tube(
    HEAD.map(([height, ahead, breadth, depth], k) => ({
      hold,
      centre: at(height, ahead),
      u: times(forward, depth * H),
      v: times(left, breadth * H),
      power: 2.15,
      fine: k % 2 === 0 && k > 0,
      shade: k < 2 ? 0.9 : 1,
    })),
    CLOTH.skin,
    { wide: lofts.fine ? 1.8 : 1.3 },
  );
  const hairAxes: readonly [Vec3, Vec3, Vec3] = [
    times(unit(mix([1, forward], [0.28, up])), 0.0605 * H),
    times(left, 0.0475 * H),
    times(unit(mix([1, up], [-0.28, forward])), 0.0515 * H),
  ];
  lofts.ball(hold, at(0.087, -0.0105), hairAxes, CLOTH.hair, { wide: lofts.coarse ? 1 : lofts.fine ? 2.2 : 1.6 });
  if (!lofts.fine) return;
  lofts.ball(
    hold,
    at(0.052, 0.0605),
    [times(forward, 0.0085 * H), times(left, 0.0065 * H), times(up, 0.0135 * H)],
    CLOTH.skin,
    { wide: 0.7 },
  );
  for (const sign of [1, -1]) {
    const ear = add(at(0.061, -0.004), times(left, sign * 0.0425 * H));
    lofts.ball(
      hold,
      ear,
      [times(forward, 0.008 * H), times(left, 0.0045 * H), times(up, 0.0145 * H)],
      CLOTH.skin,
      { shade: 0.95, wide: 0.6 },
    );
  }
}
