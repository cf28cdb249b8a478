/** Many equal flat shapes on the floor, one instance each: place, heading, slope, sizes and colour. For plants and footprints.

Shapes lie on the floor as it slopes under their middle. Where it is not level, `LIFT` lets them through small folds.

Shapes that have a time of their own are written once and fade on the graphics card: strong from start to stop, then
ever fainter for `STAYS` seconds, and not there before and after. */

import {
  BufferAttribute,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
} from "three";
import type { FloorPoint } from "./floor_heights";

/** Seconds for which a shape stays after its time, and how much of it is left then at first. */
export const STAYS = 6;
const LEFT = 0.5;
/** Metres by which shapes on floors that are not level come nearer to the camera: a shape is flat, the floor is not. */
const LIFT = 0.05;

const VERTEX = /* glsl */ `
attribute vec4 place;
attribute vec4 look;
attribute vec2 sizes;
attribute vec2 slope;
varying vec2 vAt;
varying vec4 vLook;
#ifdef FADES
attribute vec2 span;
uniform float now;
#endif
void main() {
  vAt = position.xy;
  vLook = look;
  #ifdef FADES
  float age = now - span.y;
  if (now < span.x || age > ${STAYS.toFixed(1)}) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  if (age > 0.0) vLook.a *= ${LEFT.toFixed(2)} * (1.0 - age / ${STAYS.toFixed(1)});
  #endif
  vec2 p = position.xy * sizes;
  float c = cos(place.w), s = sin(place.w);
  vec2 off = vec2(c * p.x - s * p.y, s * p.x + c * p.y);
  vec4 seen = viewMatrix * vec4(place.xy + off, place.z + dot(slope, off), 1.0);
  gl_Position = projectionMatrix * seen;
  #ifdef LIFTED
  vec4 nearer = projectionMatrix * (seen + vec4(0.0, 0.0, ${LIFT.toFixed(3)}, 0.0));
  if (nearer.w > 0.0) gl_Position.z = nearer.z / nearer.w * gl_Position.w;
  #endif
}
`;

/** Shapes in the square from −1 to 1; x is ahead. Each gives a distance that is negative inside. */
const SHAPES = {
  /** A sole: heel and ball as two discs with a narrow waist. */
  sole: /* glsl */ `float inside(vec2 p) {
    float heel = length((p - vec2(-0.58, 0.0)) * vec2(1.0, 0.56)) - 0.40;
    float ball = length((p - vec2(0.38, 0.0)) * vec2(0.86, 0.56)) - 0.52;
    float waist = max(abs(p.x + 0.15) - 0.5, abs(p.y) - 0.55);
    return min(min(heel, ball), waist);
  }`,
  disc: /* glsl */ `float inside(vec2 p) { return length(p) - 0.98; }`,
  ring: /* glsl */ `float inside(vec2 p) { return abs(length(p) - 0.93) - 0.055; }`,
} as const;

export class FloorShapes {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  count = 0;
  private readonly place: InstancedBufferAttribute;
  private readonly look: InstancedBufferAttribute;
  private readonly sizes: InstancedBufferAttribute;
  private readonly slope: InstancedBufferAttribute;
  private readonly span: InstancedBufferAttribute | null = null;

  /** With a clock (in seconds), shapes are added once, with their times. `lifted` is for floors that are not level. */
  constructor(shape: keyof typeof SHAPES, capacity: number, lifted: boolean, clock?: { value: number }) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute(
      "position",
      new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3),
    );
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const many = (width: number): InstancedBufferAttribute => {
      const attribute = new InstancedBufferAttribute(new Float32Array(capacity * width), width);
      if (clock === undefined) attribute.setUsage(DynamicDrawUsage);
      return attribute;
    };
    this.place = many(4);
    this.look = many(4);
    this.sizes = many(2);
    this.slope = many(2);
    geometry.setAttribute("place", this.place);
    geometry.setAttribute("look", this.look);
    geometry.setAttribute("sizes", this.sizes);
    geometry.setAttribute("slope", this.slope);
    if (clock !== undefined) geometry.setAttribute("span", (this.span = many(2)));
    const material = new ShaderMaterial({
      defines: { ...(clock && { FADES: "" }), ...(lifted && { LIFTED: "" }) },
      uniforms: clock === undefined ? {} : { now: clock },
      vertexShader: VERTEX,
      fragmentShader: `varying vec2 vAt;\nvarying vec4 vLook;\n${SHAPES[shape]}
        void main() {
          float d = inside(vAt);
          float a = vLook.a * (1.0 - smoothstep(-fwidth(d), 0.0, d));
          if (a < 0.004) discard;
          gl_FragColor = vec4(vLook.rgb, a);
          #include <colorspace_fragment>
        }`,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    geometry.instanceCount = 0;
  }

  get capacity(): number {
    return this.place.count;
  }

  begin(): void {
    this.count = 0;
  }

  /** Add a shape at (x, y), so many metres above a floor that is so high and slopes so there. */
  add(
    x: number,
    y: number,
    { z, dx, dy }: Readonly<FloorPoint>,
    above: number,
    heading: number,
    sizes: readonly [number, number],
    colour: Color,
    alpha: number,
    start = 0,
    stop = 0,
  ): void {
    if (this.count >= this.capacity) return;
    const k = this.count++;
    this.place.setXYZW(k, x, y, z + above, heading);
    this.slope.setXY(k, dx, dy);
    this.look.setXYZW(k, colour.r, colour.g, colour.b, alpha);
    this.sizes.setXY(k, sizes[0], sizes[1]);
    this.span?.setXY(k, start, stop);
  }

  end(): void {
    this.mesh.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    for (const attribute of [this.place, this.look, this.sizes, this.slope, this.span]) {
      if (attribute === null) continue;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, this.count * attribute.itemSize);
      attribute.needsUpdate = true;
    }
  }
}
