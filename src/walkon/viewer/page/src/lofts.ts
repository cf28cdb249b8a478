/** Surfaces that hang on joints: rings of points, joined into tubes with round ends.

Every ring has its centre in the frame of one joint (at rest all joint frames are parallel), and turns with a mixture of
that joint and another one, so that knees bend without a crease and keep their girth:

    world = p(joint) + R(slerp(joint, other, share)) local × scale

Metres, in joints' frames at rest. */

import { add, cross, dot, length, sub, times, unit, type Vec3 } from "./vectors";

/** What a surface is made of: an index into a character's palette (palette.ts). */
export const CLOTH = { shirt: 0, trousers: 1, shoes: 2, skin: 3, hair: 4 } as const;
export type Cloth = (typeof CLOTH)[keyof typeof CLOTH];

/** Where points hang: `joint` carries them, turned by `share` of `other`'s rotation in place of its own. */
export interface Hold {
  readonly joint: number;
  readonly other: number;
  readonly share: number;
  /** Of a finger: its segment (hands.ts), plus six for the right hand. Points are in that segment's frame then, which hangs
  on `joint`, and turn with a `share` of the segment before. */
  readonly finger?: number;
  /** Where that frame is while the finger is straight, needed only for normals. */
  readonly straight?: Vec3;
}

export function rigid(joint: number): Hold {
  return { joint, other: joint, share: 0 };
}

export interface Ring {
  readonly hold: Hold;
  /** Centre in the joint's frame. */
  readonly centre: Vec3;
  /** Half axes: points are centre + u cos θ + v sin θ. */
  readonly u: Vec3;
  readonly v: Vec3;
  /** Roundness: 2 is an ellipse, more is boxier. */
  readonly power?: number;
  /** Half axis for sin θ < 0 in place of −v, for what is flat below. */
  readonly below?: Vec3;
  /** Brightness, for folds and undersides. */
  readonly shade?: number;
  /** Left out where few triangles are wanted. */
  readonly fine?: boolean;
}

/** Vertices and triangles of a body, as the vertex shader wants them. */
export interface Surface {
  /** [V × 3] in the frame of the joint. */
  readonly locals: Float32Array;
  /** [V × 3] at rest. */
  readonly normals: Float32Array;
  /** [V × 4] joint, other joint, share of the other, and cloth + shade / 2; of fingers joint, share of the segment before,
  −1 − segment. */
  readonly holds: Float32Array;
  readonly triangles: Uint32Array;
}

/** How finely bodies are made: sides of a limb's tube, and which rings: all, those not marked `fine`, half of these,
or only a prism about every bone. */
export interface Detail {
  readonly sides: number;
  readonly rings: "all" | "some" | "few" | "bones";
  /** Whether hands have fingers. */
  readonly fingers?: boolean;
}

/** Collects lofts and gives one surface. */
export class Lofts {
  private readonly locals: number[] = [];
  private readonly normals: number[] = [];
  private readonly holds: number[] = [];
  private readonly triangles: number[] = [];
  /** [V] where the frames of the points are at rest. */
  private readonly frames: Vec3[] = [];

  /** `rest` are the joints' places at rest, [J], needed only for normals. */
  constructor(
    private readonly rest: readonly Vec3[],
    readonly detail: Detail,
  ) {}

  /** Join rings in order; `wide` tubes get more sides. Ends are closed unless told otherwise. */
  tube(rings: readonly Ring[], cloth: Cloth, { wide = 1, start = true, stop = true } = {}): void {
    const kept = this.kept(rings);
    const sides = Math.max(this.coarse ? 3 : 4, Math.round(this.detail.sides * wide));
    const first = this.locals.length / 3;
    for (const ring of kept) {
      for (let i = 0; i < sides; i++) this.point(onRing(ring, (2 * Math.PI * i) / sides), ring, cloth);
    }
    const from = this.triangles.length;
    // Whether rings run so that u × v points along the tube decides which side is out.
    const along = sub(this.restOf(kept[kept.length - 1]), this.restOf(kept[0]));
    const flip = dot(cross(kept[0].u, kept[0].v), along) < 0;
    for (let k = 0; k + 1 < kept.length; k++) {
      for (let i = 0; i < sides; i++) {
        const a = first + k * sides + i;
        const b = first + k * sides + ((i + 1) % sides);
        this.triangle(a, b, b + sides, flip);
        this.triangle(a, b + sides, a + sides, flip);
      }
    }
    if (start) this.cap(kept[0], cloth, first, sides, !flip);
    if (stop) this.cap(kept[kept.length - 1], cloth, first + (kept.length - 1) * sides, sides, flip);
    this.smooth(first, from);
  }

  /** An ellipsoid with half axes x, y, z, fixed to one joint. */
  ball(hold: Hold, centre: Vec3, axes: readonly [Vec3, Vec3, Vec3], cloth: Cloth, { shade = 1, wide = 1 } = {}): void {
    const rows = Math.max(Math.round((this.fine ? 7 : 3.4) * wide), 3);
    const rings: Ring[] = [];
    for (let k = 0; k < rows; k++) {
      const angle = -Math.PI / 2 + (Math.PI * (k + 0.5)) / rows;
      const at = add(centre, times(axes[2], Math.sin(angle)));
      rings.push({ hold, centre: at, u: times(axes[0], Math.cos(angle)), v: times(axes[1], Math.cos(angle)), shade });
    }
    this.tube(rings, cloth, { wide });
  }

  /** Whether small things are worth their triangles. */
  get fine(): boolean {
    return this.detail.rings === "all";
  }

  /** Whether only what is seen from far away is worth its triangles. */
  get coarse(): boolean {
    return this.detail.rings === "few" || this.detail.rings === "bones";
  }

  surface(): Surface {
    return {
      locals: new Float32Array(this.locals),
      normals: new Float32Array(this.normals),
      holds: new Float32Array(this.holds),
      triangles: new Uint32Array(this.triangles),
    };
  }

  private kept(rings: readonly Ring[]): readonly Ring[] {
    if (this.fine) return rings;
    const some = rings.filter((ring) => !ring.fine);
    if (!this.coarse || some.length < 4) return some;
    // Joints that bend keep their ring, and so do the ends.
    return some.filter((ring, k) => k % 2 === 0 || k === some.length - 1 || ring.hold.share === 0.5);
  }

  private restOf(ring: Ring): Vec3 {
    return add(this.frameOf(ring.hold), ring.centre);
  }

  /** Where the frame of points is at rest; fingers are straight there, and in a world of their own. */
  private frameOf(hold: Hold): Vec3 {
    return hold.straight ?? this.rest[hold.joint];
  }

  private point(local: Vec3, ring: Ring, cloth: Cloth): number {
    this.locals.push(...local);
    this.normals.push(0, 0, 0);
    this.frames.push(this.frameOf(ring.hold));
    const { joint, other, share, finger } = ring.hold;
    const dress = cloth + 0.5 * Math.min(ring.shade ?? 1, 1.9);
    if (finger === undefined) this.holds.push(joint, other, share, dress);
    else this.holds.push(joint, share, -1 - finger, dress);
    return this.locals.length / 3 - 1;
  }

  private cap(ring: Ring, cloth: Cloth, first: number, sides: number, flip: boolean): void {
    const middle = this.point(ring.centre, ring, cloth);
    for (let i = 0; i < sides; i++) this.triangle(middle, first + i, first + ((i + 1) % sides), flip);
  }

  private triangle(a: number, b: number, c: number, flip: boolean): void {
    if (flip) this.triangles.push(a, c, b);
    else this.triangles.push(a, b, c);
  }

  /** Normals of the vertices from `first` on: the mean of their triangles', by area, at rest. */
  private smooth(first: number, from: number): void {
    const place = (index: number): Vec3 => {
      const at = 3 * index;
      return add(this.frames[index], [this.locals[at], this.locals[at + 1], this.locals[at + 2]]);
    };
    for (let t = from; t < this.triangles.length; t += 3) {
      const corners = [this.triangles[t], this.triangles[t + 1], this.triangles[t + 2]];
      const [a, b, c] = corners.map(place);
      const normal = cross(sub(b, a), sub(c, a));
      for (const corner of corners) for (let k = 0; k < 3; k++) this.normals[3 * corner + k] += normal[k];
    }
    for (let index = first; index < this.locals.length / 3; index++) {
      const at = 3 * index;
      const normal = unit([this.normals[at], this.normals[at + 1], this.normals[at + 2]]);
      for (let k = 0; k < 3; k++) this.normals[at + k] = length(normal) > 0 ? normal[k] : k === 2 ? 1 : 0;
    }
  }
}

function onRing(ring: Ring, angle: number): Vec3 {
  const round = 2 / (ring.power ?? 2);
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const x = Math.sign(c) * Math.abs(c) ** round;
  const y = Math.sign(s) * Math.abs(s) ** round;
  const low = s < 0 && ring.below ? times(ring.below, -y) : times(ring.v, y);
  return add(ring.centre, add(times(ring.u, x), low));
}
