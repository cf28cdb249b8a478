/** The measures of a person, from its skeleton's roles: stature, and which way is left, up and forward in a joint.

The same measures as walkon.motion.anatomy.anthropometry: the leg is 0.491 of the stature H (Drillis & Contini 1966). At rest
all joint frames are parallel. Metres. */

import type { Skeleton } from "./take";
import { across, add, cross, dot, length, sub, times, unit, vec3, type Vec3 } from "./vectors";

export type Side = "left" | "right";
export const SIDES: readonly Side[] = ["left", "right"];

const LEG_SHARE = 0.491;
const ARM_SHARE = 0.332;
const LIMBS = [
  ["hip", "knee", "ankle"],
  ["shoulder", "elbow", "wrist"],
] as const;

/** Places of all joints at rest, with the root at the origin. */
export function restPlaces(skeleton: Skeleton): Vec3[] {
  const places: Vec3[] = [];
  skeleton.parents.forEach((parent, joint) => {
    places.push(parent < 0 ? [0, 0, 0] : add(places[parent], vec3(skeleton.offsets[joint])));
  });
  return places;
}

/** Whether the roles are enough for a person whose rest pose stands, so that flesh can be modelled on it at rest. */
export function standsAtRest(skeleton: Skeleton): boolean {
  const has = (role: string): boolean => role in skeleton.roles;
  const whole = [...LIMBS[0], ...LIMBS[1]].every((part) => SIDES.every((side) => has(`${side}_${part}`)));
  if (!whole || !["hips", "chest", "head"].every(has)) return false;
  const person = new Person(skeleton);
  return SIDES.every((side) => {
    const leg = unit(person.between(`${side}_hip`, `${side}_ankle`));
    const arm = unit(person.between(`${side}_shoulder`, `${side}_wrist`));
    return dot(leg, person.up) < -0.75 && dot(arm, person.up) < 0.6 && dot(person.up, [0, 0, 1]) > 0.7;
  });
}

/** Named joints, directions and sizes of one skeleton. */
export class Person {
  readonly rest: Vec3[];
  /** H, metres. */
  readonly stature: number;
  readonly left: Vec3;
  readonly up: Vec3;
  readonly forward: Vec3;

  constructor(readonly skeleton: Skeleton) {
    this.rest = restPlaces(skeleton);
    this.stature = this.statureOf();
    this.left = unit(this.between("right_hip", "left_hip"));
    this.up = across(this.between("hips", "head"), this.left);
    this.forward = cross(this.left, this.up);
  }

  has(role: string): boolean {
    return role in this.skeleton.roles;
  }

  joint(role: string): number {
    return this.skeleton.roles[role];
  }

  bone(from: number, to: number): Vec3 {
    return sub(this.rest[to], this.rest[from]);
  }

  between(from: string, to: string): Vec3 {
    return this.bone(this.joint(from), this.joint(to));
  }

  /** Joints from `from` to its descendant `to`, both included. */
  chain(from: number, to: number): number[] {
    const joints = [to];
    while (joints[0] !== from && joints[0] > 0) joints.unshift(this.skeleton.parents[joints[0]]);
    return joints;
  }

  /** Direction away from the body's middle on one side. */
  out(side: Side): Vec3 {
    return times(this.left, side === "left" ? 1 : -1);
  }

  private statureOf(): number {
    for (const [parts, share] of [
      [LIMBS[0], LEG_SHARE],
      [LIMBS[1], ARM_SHARE],
    ] as const) {
      const lengths = SIDES.map((side) => {
        const roles = parts.map((part) => `${side}_${part}`);
        if (!roles.every((role) => this.has(role))) return Number.NaN;
        return length(this.between(roles[0], roles[1])) + length(this.between(roles[1], roles[2]));
      });
      const mean = (lengths[0] + lengths[1]) / 2;
      if (mean > 1e-3) return mean / share;
    }
    return 1.75;
  }
}
