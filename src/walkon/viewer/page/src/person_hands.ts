/** Hands: a palm on the wrist, and fingers whose segments are posed by the shape of the hand (hands.ts, hand_table.ts); where
few triangles are wanted, one relaxed mitten. Sizes are shares of the stature H. */

import { LENGTHS } from "./hands";
import { CLOTH, rigid, type Lofts, type Ring } from "./lofts";
import type { Person, Side } from "./person_measures";
import { mix, times, type Vec3 } from "./vectors";

/** Palm: place along it, half breadth, half thickness. */
const PALM: readonly (readonly [number, number, number])[] = [
  [-0.014, 0.0122, 0.0088],
  [-0.001, 0.0152, 0.0114],
  [0.014, 0.0182, 0.0118],
  [0.032, 0.0222, 0.0114],
  [0.048, 0.0238, 0.01],
  [0.0555, 0.0232, 0.0086],
  [0.0595, 0.0205, 0.0062],
];
/** Mitten: place along it, half breadth, half thickness, curled towards the palm. */
const MITTEN: readonly (readonly [number, number, number, number])[] = [
  [-0.014, 0.0122, 0.0088, 0.0],
  [-0.001, 0.0152, 0.0114, 0.0],
  [0.014, 0.0185, 0.0122, 0.0],
  [0.034, 0.0232, 0.0125, 0.0005],
  [0.054, 0.0238, 0.0115, 0.001],
  [0.072, 0.0222, 0.0098, 0.003],
  [0.088, 0.0195, 0.0085, 0.0065],
  [0.1, 0.0155, 0.0072, 0.0105],
  [0.106, 0.0085, 0.0045, 0.013],
];

/** A finger: its first segment, where it lies beside the segment's bone at its base, joint and tip, where the base is, where
the tip's middle is along the second segment, radii at base, joint and tip. */
interface Finger {
  readonly segment: number;
  readonly aside: readonly [number, number, number];
  readonly base: number;
  readonly tip: number;
  readonly radii: readonly [number, number, number];
}

const INDEX: Finger = { segment: 0, aside: [0, 0, 0], base: 0, tip: 0.0235, radii: [0.0082, 0.0072, 0.0056] };
const THUMB: Finger = { segment: 4, aside: [0, 0, 0], base: -0.006, tip: 0.018, radii: [0.0108, 0.0082, 0.0064] };
const OTHERS: readonly Finger[] = [
  { segment: 2, aside: [0.0107, 0.01, 0.0082], base: 0, tip: 0.026, radii: [0.0082, 0.0073, 0.0057] },
  { segment: 2, aside: [0, 0, 0], base: -0.001, tip: 0.0235, radii: [0.008, 0.0071, 0.0056] },
  { segment: 2, aside: [-0.0097, -0.0088, -0.0072], base: -0.0045, tip: 0.0155, radii: [0.0074, 0.0063, 0.005] },
];
/** How much broader than thick the three fingers are as one. */
const BROAD = 2.15;

/** Add the hand of one side, whose palm has these axes. */
export function hand(person: Person, lofts: Lofts, side: Side, palm: readonly [Vec3, Vec3, Vec3]): void {
  const H = person.stature;
  const hold = rigid(person.joint(`${side}_wrist`));
  const [x, y, z] = palm;
  const fingers = lofts.detail.fingers === true;
  const rows: readonly (readonly number[])[] = fingers ? PALM : MITTEN;
  lofts.tube(
    rows.map(([t, broad, thick, curl = 0], k) => ({
      hold,
      centre: mix([t * H, x], [curl * H, z]),
      u: times(y, broad * H),
      v: times(z, thick * H),
      power: 2.5,
      fine: k % 2 === (fingers ? 1 : 0) && k + 1 < rows.length,
    })),
    CLOTH.skin,
  );
  if (!fingers) return;
  const add = (finger: Finger, broad = 1): void => tube(person, lofts, side, finger, broad);
  add(INDEX);
  add(THUMB);
  if (lofts.fine) for (const finger of OTHERS) add(finger);
  else add(OTHERS[1], BROAD);
}

/** Add one finger, in the frames of its two segments: about their x axes, broad along y. */
function tube(person: Person, lofts: Lofts, side: Side, finger: Finger, broad: number): void {
  const H = person.stature;
  const mirror = side === "left" ? 1 : -1;
  const { segment, aside, base, tip, radii } = finger;
  const reach = LENGTHS[segment];
  const ring = (
    second: boolean,
    along: number,
    beside: number,
    radius: number,
    { share = 0, fine = false } = {},
  ): Ring => ({
    hold: {
      joint: person.joint(`${side}_wrist`),
      other: person.joint(`${side}_wrist`),
      share,
      finger: (side === "left" ? 0 : 6) + segment + (second ? 1 : 0),
      straight: [second ? reach * H : 0, 0, 0] as Vec3,
    },
    centre: [along * H, mirror * beside * H, 0],
    u: [0, broad * radius * H, 0],
    v: [0, 0, radius * H],
    power: broad > 1 ? 3 : 2,
    fine,
  });
  const [r0, r1, r2] = radii;
  const [y0, y1, y2] = aside;
  const half = (a: number, b: number): number => 0.5 * (a + b);
  lofts.tube(
    [
      ring(false, base - 0.55 * r0, y0, 0.7 * r0, { fine: true }),
      ring(false, base, y0, r0),
      ring(false, half(base, reach), half(y0, y1), 0.98 * half(r0, r1), { fine: true }),
      ring(false, reach - 0.45 * r1, y1, r1, { fine: true }),
      ring(true, 0, y1, 1.02 * r1, { share: 0.5 }),
      ring(true, 0.45 * r1, y1, r1, { fine: true }),
      ring(true, 0.55 * tip, half(y1, y2), 0.99 * half(r1, r2), { fine: true }),
      ring(true, tip, y2, r2),
      ring(true, tip + 0.62 * r2, y2, 0.78 * r2, { fine: true }),
      ring(true, tip + 0.93 * r2, y2, 0.36 * r2),
    ],
    CLOTH.skin,
    { wide: broad > 1 ? 1 : lofts.fine ? 0.7 : 0.75 },
  );
}
