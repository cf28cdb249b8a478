/** The score: a take as posing reads it, made once. Rigs of bodies, ranges of rows per character, contacts per frame.

The twin of walkon.take.posing.score. Bodies are padded to J joints, the most that any has. */

import { inOrder, rowsOf } from "./table_rows";
import type { Body, Clips, Skeleton, Take } from "./take";
import {
  DROPS,
  GRIPS,
  HAND_SHAPES,
  HEIGHTS,
  OVERRIDES,
  STANCES,
  type Drops,
  type Grips,
  type HandShapes,
  type Heights,
  type Overrides,
  type Stances,
} from "./tables";

const SIDES = ["left", "right"] as const;
const FOOT_CONTACTS = ["left_heel", "left_ball", "right_heel", "right_ball"];
const LEG = ["hip", "knee", "ankle", "ball"];
const ARM = ["shoulder", "elbow", "wrist"];

/** One body as posing reads it. */
export interface Rig {
  readonly joints: number;
  readonly parents: Int32Array;
  /** [J] place of the joint in a stored frame, −1 where it never turns. */
  readonly channels: Int32Array;
  /** [J × 3] metres. */
  readonly offsets: Float64Array;
  /** Whether it has legs and the four contact points of feet. */
  readonly stands: boolean;
  /** [2 × 4] hip, knee, ankle, ball of the left and the right leg. */
  readonly legs: Int32Array;
  /** The joints that hang on a leg, from the hips down. */
  readonly onLegs: Int32Array;
  /** [2 × 3] heel in the ankle's frame, ball in the ball joint's. */
  readonly heels: Float64Array;
  readonly balls: Float64Array;
  /** [2 × 3] shoulder, elbow, wrist of the left and the right arm; −1 without one. */
  readonly arms: Int32Array;
  /** The joints that hang on either arm, from the shoulder down, and [J] which arm each hangs on, −1 for none. */
  readonly onArms: readonly [Int32Array, Int32Array];
  readonly armOf: Int8Array;
  /** [2 × 3] places of the palms in the wrists' frames, and [2 × 4] rotations wrist → palm. */
  readonly palmPlaces: Float64Array;
  readonly palmBacks: Float64Array;
  /** By what the height of a clip's root is multiplied, per skeleton of clips. */
  readonly heights: Float64Array;
  /** Metres of the root above the floor at rest; 0 of what does not stand. */
  readonly restHeight: number;
}

export interface Score {
  readonly rigs: readonly Rig[];
  /** [N + 1] first segment of each character. */
  readonly firstSegment: Int32Array;
  /** Sorted by character, foot and start; [2 N + 1] first stance of each foot. */
  readonly stances: Stances;
  readonly firstStance: Int32Array;
  /** Sorted by character and step, one per step. */
  readonly drops: Drops;
  readonly firstDrop: Int32Array;
  readonly overrides: Overrides;
  readonly firstOverride: Int32Array;
  readonly heights: Heights;
  readonly firstHeight: Int32Array;
  /** Sorted by character, hand and start; [2 N + 1] first row of each hand. */
  readonly grips: Grips;
  readonly firstGrip: Int32Array;
  readonly shapes: HandShapes;
  readonly firstShape: Int32Array;
  /** [K] rotations per frame of each clip. */
  readonly channels: Int32Array;
  /** [F] bit c where contact point c is down. */
  readonly contacts: Uint8Array;
}

export function makeScore(take: Take): Score {
  const N = take.names.length;
  const feet = (table: Stances): number[] => Array.from(table.character, (who, row) => 2 * who + table.foot[row]);
  const stances = inOrder(take.stances, STANCES, feet(take.stances), take.stances.start);
  const overrides = inOrder(take.overrides, OVERRIDES, take.overrides.character, take.overrides.start);
  const heights = inOrder(take.heights, HEIGHTS, take.heights.character, take.heights.time);
  const hands = (table: Grips | HandShapes): number[] => Array.from(
    table.character,
    (who, row) => 2 * who + table.hand[row],
  );
  const grips = inOrder(take.grips, GRIPS, hands(take.grips), take.grips.start);
  const shapes = inOrder(take.handShapes, HAND_SHAPES, hands(take.handShapes), take.handShapes.start);
  const drops = largest(inOrder(take.drops, DROPS, take.drops.character, take.drops.step));
  const moving = take.skeletons.map((skeleton) => skeleton.endSites.filter((end) => !end).length);
  return {
    rigs: take.bodies.map((body) => makeRig(body, take.skeletons)),
    firstSegment: ranges(take.segments.character, N),
    stances,
    firstStance: ranges(feet(stances), 2 * N),
    drops,
    firstDrop: ranges(drops.character, N),
    overrides,
    firstOverride: ranges(overrides.character, N),
    heights,
    firstHeight: ranges(heights.character, N),
    grips,
    firstGrip: ranges(hands(grips), 2 * N),
    shapes,
    firstShape: ranges(hands(shapes), 2 * N),
    channels: Int32Array.from(take.clips.rows.skeleton, (row) => moving[row]),
    contacts: contactBits(take.clips, take.skeletons),
  };
}

/** Keep the largest of several drops at one step: parts that were planted one after the other each bring theirs. */
function largest(drops: Drops): Drops {
  const heads: number[] = [];
  const most: number[] = [];
  for (let row = 0; row < drops.rows; row++) {
    const last = heads[heads.length - 1];
    if (last !== undefined && drops.character[last] === drops.character[row] && drops.step[last] === drops.step[row]) {
      most[most.length - 1] = Math.max(most[most.length - 1], drops.drop[row]);
    } else {
      heads.push(row);
      most.push(drops.drop[row]);
    }
  }
  return heads.length === drops.rows ? drops : { ...rowsOf(drops, DROPS, heads), drop: Float32Array.from(most) };
}

function ranges(group: ArrayLike<number>, count: number): Int32Array {
  const first = new Int32Array(count + 1);
  for (let row = 0; row < group.length; row++) first[group[row] + 1]++;
  for (let i = 0; i < count; i++) first[i + 1] += first[i];
  return first;
}

function contactBits(clips: Clips, skeletons: readonly Skeleton[]): Uint8Array {
  const bits = new Uint8Array(clips.roots.length / 3);
  const places = skeletons.map((skeleton) =>
    skeleton.contactNames.map((name) => (stands(skeleton) ? FOOT_CONTACTS.indexOf(name) : -1)),
  );
  const { contacts, rows } = clips;
  for (let run = 0; run < contacts.rows; run++) {
    const clip = contacts.clip[run];
    const point = places[rows.skeleton[clip]][contacts.point[run]] ?? -1;
    if (point < 0) continue;
    const first = rows.firstFrame[clip];
    const stop = Math.min(contacts.stop[run], rows.frames[clip]);
    for (let frame = Math.max(contacts.start[run], 0); frame < stop; frame++) bits[first + frame] |= 1 << point;
  }
  return bits;
}

function hasFeet(skeleton: Skeleton): boolean {
  return SIDES.every((side) => LEG.every((part) => `${side}_${part}` in skeleton.roles));
}

/** Whether a skeleton has legs and the four contact points of feet. */
export function stands(skeleton: Skeleton): boolean {
  return hasFeet(skeleton) && FOOT_CONTACTS.every((name) => skeleton.contactNames.includes(name));
}

function makeRig(body: Body, others: readonly Skeleton[]): Rig {
  const { skeleton } = body;
  const J = skeleton.names.length;
  const rest = restPositions(skeleton);
  const legs = new Int32Array(8).fill(-1);
  const heels = new Float64Array(6);
  const balls = new Float64Array(6);
  const onLegs: number[] = [];
  const standing = stands(skeleton);
  let restHeight = 0;
  if (standing) {
    const points = FOOT_CONTACTS.map((name) => skeleton.contactNames.indexOf(name));
    const soles = points.map((c) => rest[skeleton.contactJoints[c]][2] + skeleton.contactOffsets[c][2]);
    restHeight = rest[0][2] - Math.min(...soles);
    SIDES.forEach((side, foot) => {
      LEG.forEach((part, i) => (legs[4 * foot + i] = skeleton.roles[`${side}_${part}`]));
      heels.set(skeleton.contactOffsets[points[2 * foot]], 3 * foot);
      balls.set(skeleton.contactOffsets[points[2 * foot + 1]], 3 * foot);
    });
    const hangs = new Set([legs[0], legs[4]]);
    for (let j = 1; j < J; j++) {
      if (hangs.has(j) || hangs.has(skeleton.parents[j])) {
        hangs.add(j);
        onLegs.push(j);
      }
    }
  }
  let channel = 0;
  return {
    ...makeArms(body),
    joints: J,
    parents: Int32Array.from(skeleton.parents),
    channels: Int32Array.from(skeleton.endSites, (end) => (end ? -1 : channel++)),
    offsets: Float64Array.from(skeleton.offsets.flat()),
    stands: standing,
    legs,
    onLegs: Int32Array.from(onLegs),
    heels,
    balls,
    heights: Float64Array.from(others, (other) => size(skeleton) / size(other)),
    restHeight,
  };
}

/** The arms of a body: their joints, what hangs on them, and their palms, which come with the body. */
function makeArms(body: Body): Pick<Rig, "arms" | "onArms" | "armOf" | "palmPlaces" | "palmBacks"> {
  const { parents, roles } = body.skeleton;
  const arms = new Int32Array(6).fill(-1);
  const armOf = new Int8Array(parents.length).fill(-1);
  const palmPlaces = new Float64Array(6);
  const palmBacks = new Float64Array(8);
  const onArms = SIDES.map((side, arm) => {
    const palm = body.palms[arm];
    if (palm === null) return new Int32Array(0);
    ARM.forEach((part, i) => (arms[3 * arm + i] = roles[`${side}_${part}`]));
    palmPlaces.set(palm.slice(0, 3), 3 * arm);
    palmBacks.set([palm[3], -palm[4], -palm[5], -palm[6]], 4 * arm);
    const found: number[] = [];
    for (let j = arms[3 * arm]; j < parents.length; j++) {
      if (j !== arms[3 * arm] && armOf[parents[j]] !== arm) continue;
      armOf[j] = arm;
      found.push(j);
    }
    return Int32Array.from(found);
  });
  return { arms, armOf, onArms: [onArms[0], onArms[1]], palmPlaces, palmBacks };
}

function restPositions(skeleton: Skeleton): number[][] {
  const places = skeleton.offsets.map((offset) => [...offset]);
  for (let j = 1; j < places.length; j++) {
    for (let i = 0; i < 3; i++) places[j][i] += places[skeleton.parents[j]][i];
  }
  return places;
}

/** The length of a leg, or the reach of a body without feet: what heights of roots go by. */
function size(skeleton: Skeleton): number {
  if (!hasFeet(skeleton)) {
    const heights = restPositions(skeleton).map((place) => place[2]);
    return Math.max(Math.max(...heights) - Math.min(...heights), 1e-6);
  }
  let total = 0;
  for (const side of SIDES) {
    for (const [above, below] of [
      ["hip", "knee"],
      ["knee", "ankle"],
    ]) {
      const start = skeleton.roles[`${side}_${above}`];
      const sum = [0, 0, 0];
      for (let j = skeleton.roles[`${side}_${below}`]; j !== start; j = skeleton.parents[j]) {
        if (j <= 0) throw new Error(`the ${side} ${below} does not hang on the ${above}`);
        for (let i = 0; i < 3; i++) sum[i] += skeleton.offsets[j][i];
      }
      total += Math.hypot(sum[0], sum[1], sum[2]);
    }
  }
  return total / 2;
}
