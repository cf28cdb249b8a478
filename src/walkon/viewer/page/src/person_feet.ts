/** Shoes: cross-sections from heel to toe, flat below, standing on the skeleton's own soles. The toes bend at the ball. */

import { CLOTH, rigid, type Lofts, type Ring } from "./lofts";
import type { Person, Side } from "./person_measures";
import { across, add, cross, dot, length, mix, sub, times, unit, vec3, type Vec3 } from "./vectors";

/** Heel to ball, as shares: place (0 at the heel's end, 1 at the ball), half breadth and height in H. */
const SHOE: readonly (readonly [number, number, number])[] = [
  [0.0, 0.0095, 0.02],
  [0.05, 0.0165, 0.031],
  [0.16, 0.0205, 0.044],
  [0.33, 0.0215, 0.0525],
  [0.5, 0.0222, 0.0475],
  [0.68, 0.0245, 0.0355],
  [0.84, 0.0275, 0.0285],
  [0.95, 0.0288, 0.025],
];
/** Ball to toe tip: place (0 at the ball, 1 at the tip), half breadth and height in H. */
const TOES: readonly (readonly [number, number, number])[] = [
  [0.05, 0.0288, 0.0235],
  [0.4, 0.0272, 0.0198],
  [0.72, 0.0222, 0.0168],
  [0.92, 0.0135, 0.0135],
  [1.0, 0.006, 0.0095],
];

/** Where the sole is, in the ankle's frame. */
interface Sole {
  readonly heel: Vec3;
  readonly ball: Vec3;
  readonly up: Vec3;
  readonly forward: Vec3;
}

/** Add the shoe of one side. */
export function feet(person: Person, lofts: Lofts, side: Side): void {
  const H = person.stature;
  const ankle = person.joint(`${side}_ankle`);
  const ball = person.has(`${side}_ball`) ? person.joint(`${side}_ball`) : ankle;
  const ballPlace = ball === ankle ? null : person.bone(ankle, ball);
  const sole = soleOf(person, side, ankle, ball, ballPlace);
  const aside = cross(sole.up, sole.forward);
  const back = sub(sole.heel, times(sole.forward, 0.011 * H));
  const section = (
    place: Vec3,
    breadth: number,
    tall: number,
  ): Pick<Ring, "centre" | "u" | "v" | "below" | "power"> => {
    const low = 0.4 * tall;
    return {
      centre: add(place, times(sole.up, low)),
      u: times(aside, breadth),
      v: times(sole.up, tall - low),
      below: times(sole.up, -low),
      power: 2.7,
    };
  };
  const rings: Ring[] = SHOE.map(([t, breadth, tall], k) => ({
    hold: rigid(ankle),
    ...section(mix([1 - t, back], [t, sole.ball]), breadth * H, tall * H),
    fine: k % 2 === 0 && k > 0,
  }));
  const reach = person.skeleton.parents.flatMap((parent, child) =>
    parent === ball && ball !== ankle ? [dot(person.bone(ball, child), sole.forward)] : [],
  );
  const toe = Math.min(Math.max(...reach, 0.042 * H), 0.052 * H);
  const base = ballPlace ?? ([0, 0, 0] as const);
  TOES.forEach(([t, breadth, tall], k) => {
    const place = mix([1, sole.ball], [t * toe, sole.forward], [-1, base]);
    const share = t < 0.1 ? 0.5 : 0;
    const hold = ball === ankle ? rigid(ankle) : { joint: ball, other: ankle, share };
    rings.push({ hold, ...section(place, breadth * H, tall * H), fine: k === 1 || k === 3 });
  });
  lofts.tube(rings, CLOTH.shoes);
  if (lofts.coarse) return;
  // A sock between hem and collar, so that no gap shows when the foot bends.
  const shank = unit(person.bone(person.joint(`${side}_knee`), ankle));
  const ahead = across(person.forward, shank);
  lofts.tube(
    [-0.05, -0.02, 0.004].map((t, k) => ({
      hold: k === 2 ? rigid(ankle) : { joint: ankle, other: person.joint(`${side}_knee`), share: k === 0 ? 1 : 0.6 },
      centre: times(shank, t * H),
      u: times(ahead, 0.0225 * H),
      v: times(cross(shank, ahead), 0.02 * H),
      shade: 0.8,
    })),
    CLOTH.shoes,
    { wide: 0.8 },
  );
}

function soleOf(person: Person, side: Side, ankle: number, ball: number, ballPlace: Vec3 | null): Sole {
  const H = person.stature;
  const shank = unit(person.bone(person.joint(`${side}_knee`), ankle));
  const reach = ballPlace ?? mix([0.08 * H, person.forward], [0.02 * H, shank]);
  const along = length(reach) > 0.02 * H ? unit(reach) : person.forward;
  let up = Math.abs(dot(along, shank)) < 0.85 ? times(shank, -1) : across(person.up, along);
  let forward = across(along, up);
  const drop = -dot(reach, up);
  const low = Math.min(Math.max(0.039 * H - drop, 0.01 * H), 0.024 * H);
  let heel = mix([-(drop + low), up], [-0.022 * H, forward]);
  let toe = add(reach, times(up, -low));
  const own = contact(person, `${side}_heel`, ankle);
  const fore = contact(person, `${side}_ball`, ball);
  if (own && fore) {
    heel = own;
    toe = add(fore, ball === ankle ? [0, 0, 0] : reach);
    forward = unit(sub(toe, heel));
    up = across(up, forward);
  }
  return { heel, ball: toe, up, forward };
}

function contact(person: Person, name: string, joint: number): Vec3 | null {
  const column = person.skeleton.contactNames.indexOf(name);
  if (column < 0 || person.skeleton.contactJoints[column] !== joint) return null;
  return vec3(person.skeleton.contactOffsets[column]);
}
