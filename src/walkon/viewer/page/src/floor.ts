/** The floor as it is drawn: with a quiet metre grid, in shadow where people stand, fading into the distance. World, metres.

A flat floor is an endless plane, a ramp three strips without an end, a terrain its own triangles. What is not level is
lighter where it faces the light and has contour lines, a quarter of a metre and a metre apart; undersides are plain. Where it
ends or breaks off there is a line. */

import {
  BufferGeometry,
  Color,
  DoubleSide,
  EdgesGeometry,
  Float32BufferAttribute,
  FrontSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PlaneGeometry,
  ShadowMaterial,
  Vector2,
  Vector3,
  type IUniform,
} from "three";
import type { StageFloor } from "./floor_heights";
import { LEVEL_GROUND } from "./floor_heights";
import type { Theme } from "./theme";

const SIZE = 4000;
/** Strips of a ramp are cut into so many pieces to each side, as planes are: small triangles are drawn exactly. */
const PIECES = 40;
/** Degrees between two faces from which on there is a line, and triangles beyond which lines would take too long. */
const CREASE = 25;
const MOST_FOR_LINES = 150_000;
/** Metres to each side for which the foot and the top of a ramp have lines. */
const RAMP_LINE = 60;
const LINE_LIFT = 0.004;

const PARS = /* glsl */ `
uniform vec3 floorColour;
uniform vec3 farColour;
uniform vec3 gridColour;
uniform vec2 gridStrength;
uniform vec3 toLight;
uniform float fadeLength;
varying vec3 vPlace;
varying vec3 vUp;

float lines(vec2 place, float step, float width) {
  vec2 cell = place / step;
  vec2 soft = max(fwidth(cell), vec2(1e-5));
  vec2 away = abs(fract(cell - 0.5) - 0.5);
  vec2 line = 1.0 - smoothstep(vec2(0.0), soft * 1.2, max(away - width / step, 0.0));
  // Where lines are closer than a few pixels they become an even tone, and then nothing.
  line *= clamp(1.15 - 5.0 * soft, 0.0, 1.0);
  return max(line.x, line.y);
}

/* Lines of equal height, about a pixel wide; none where the floor is level, which would be one line all over. */
float contours(float height, float step, float slope) {
  float cell = height / step;
  float soft = max(fwidth(cell), 1e-5);
  float line = 1.0 - smoothstep(0.0, 1.4 * soft, abs(fract(cell - 0.5) - 0.5));
  return line * clamp(1.15 - 5.0 * soft, 0.0, 1.0) * smoothstep(0.015, 0.05, slope);
}
`;

const COLOUR = /* glsl */ `
float away = length(vPlace - cameraPosition);
float metre = lines(vPlace.xy, 1.0, 0.004) * gridStrength.x;
float five = lines(vPlace.xy, 5.0, 0.008) * gridStrength.y;
float drawn = max(metre, five);
float shade = 1.0;
#ifdef RELIEF
vec3 up = normalize(vUp);
float slope = length(up.xy) / max(abs(up.z), 1e-3);
drawn = max(0.7 * drawn, contours(vPlace.z, 0.25, slope) * gridStrength.x * 1.3);
drawn = max(drawn, contours(vPlace.z, 1.0, slope) * gridStrength.y * 1.3);
// The light of a level floor is 1; more relief than light alone would give, or gentle slopes would look level.
shade = clamp(1.0 + 2.0 * (dot(up, toLight) / toLight.z - 1.0), 0.25, 1.12);
if (!gl_FrontFacing) { shade = 0.55; drawn = 0.0; }
#endif
float near = exp(-pow(away / fadeLength, 2.0));
vec3 tone = mix(floorColour, gridColour, drawn * near) * mix(1.0, shade, near);
float lit = 1.0 - opacity * (1.0 - getShadowMask()) * exp(-pow(away / (1.4 * fadeLength), 2.0));
#ifdef RELIEF
if (!gl_FrontFacing) lit = 1.0;
#endif
gl_FragColor = vec4(mix(farColour, tone * lit, near * 0.5 + 0.5 * exp(-away / fadeLength)), 1.0);
`;

export class Floor {
  readonly group = new Group();
  private readonly mesh: Mesh<BufferGeometry, ShadowMaterial>;
  private readonly edges = new LineBasicMaterial({ transparent: true, opacity: 0.8 });
  private readonly uniforms: Record<string, IUniform> = {
    floorColour: { value: new Color() },
    farColour: { value: new Color() },
    gridColour: { value: new Color() },
    gridStrength: { value: new Vector2() },
    toLight: { value: new Vector3(0, 0, 1) },
    fadeLength: { value: 40 },
  };

  /** `toLight` is the direction from the floor to the light. */
  constructor(private readonly floor: StageFloor = LEVEL_GROUND, toLight = new Vector3(0, 0, 1)) {
    const level = floor.kind === "flat";
    this.uniforms.toLight.value = toLight;
    const material = new ShadowMaterial({ transparent: false, side: level ? FrontSide : DoubleSide });
    if (!level) material.defines = { RELIEF: "" };
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "varying vec3 vPlace;\nvarying vec3 vUp;\nvoid main() {")
        .replace(
          "#include <worldpos_vertex>",
          "#include <worldpos_vertex>\nvPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;\nvUp = normal;",
        );
      shader.fragmentShader = shader.fragmentShader
        .replace("void main() {", `${PARS}\nvoid main() {`)
        .replace(/gl_FragColor = vec4\( color.*;/, COLOUR);
    };
    this.mesh = new Mesh(geometryOf(floor), material);
    if (floor.kind === "terrain") this.mesh.position.set(...originOf(floor.corners));
    this.mesh.castShadow = !level;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
    this.group.add(this.mesh);
    const lines = edgesOf(floor, this.mesh.geometry);
    if (lines === null) return;
    const seen = new LineSegments(lines, this.edges);
    if (floor.kind === "terrain") seen.position.copy(this.mesh.position);
    this.group.add(seen);
  }

  paint(theme: Theme): void {
    this.uniforms.floorColour.value.setHex(theme.floor);
    this.uniforms.farColour.value.setHex(theme.background);
    this.uniforms.gridColour.value.setHex(theme.grid);
    this.uniforms.gridStrength.value.set(...theme.gridStrength);
    this.mesh.material.opacity = theme.shadow;
    this.edges.color.setHex(theme.edge);
  }

  /** Keep what has no end under the camera, and fade it beyond what is looked at. */
  follow(x: number, y: number, distance: number): void {
    const { floor, mesh } = this;
    if (floor.kind === "flat") mesh.position.set(Math.round(x / 5) * 5, Math.round(y / 5) * 5, floor.height);
    if (floor.kind === "ramp") {
      // Only to the sides: a ramp begins and ends where it does.
      const [ax, ay] = unit(floor);
      const aside = Math.round((ax * (y - floor.start[1]) - ay * (x - floor.start[0])) / 5) * 5;
      mesh.position.set(-ay * aside, ax * aside, 0);
    }
    this.uniforms.fadeLength.value = Math.min(Math.max(3.2 * distance, 26), 600);
  }
}

function geometryOf(floor: StageFloor): BufferGeometry {
  if (floor.kind === "flat") return new PlaneGeometry(SIZE, SIZE, PIECES, PIECES);
  const places = floor.kind === "ramp" ? rampTriangles(floor) : new Float32Array(floor.corners.length);
  if (floor.kind === "terrain") {
    const origin = originOf(floor.corners);
    for (let k = 0; k < places.length; k++) places[k] = floor.corners[k] - origin[k % 3];
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** Lines where a floor ends or breaks off; null where there are none. */
function edgesOf(floor: StageFloor, geometry: BufferGeometry): BufferGeometry | null {
  if (floor.kind === "terrain") return floor.corners.length / 9 <= MOST_FOR_LINES ? new EdgesGeometry(geometry, CREASE) : null;
  if (floor.kind === "flat") return null;
  const [ax, ay] = unit(floor);
  const places = [floor.start, floor.stop].flatMap(([x, y, z]) =>
    [-RAMP_LINE, RAMP_LINE].flatMap((aside) => [x - ay * aside, y + ax * aside, z + LINE_LIFT]),
  );
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(places, 3));
}

/** Whole metres near the first corner: what the graphics card's numbers count from. */
function originOf(corners: Float64Array): [number, number, number] {
  return [Math.round(corners[0]), Math.round(corners[1]), Math.round(corners[2])];
}

type Ramp = Extract<StageFloor, { kind: "ramp" }>;

/** The direction of a ramp seen from above, and its length. */
function unit({ start, stop }: Ramp): [number, number, number] {
  const length = Math.hypot(stop[0] - start[0], stop[1] - start[1]);
  return [(stop[0] - start[0]) / length, (stop[1] - start[1]) / length, length];
}

/** The level half before a ramp, the ramp, and the level half behind it. */
function rampTriangles(floor: Ramp): Float32Array {
  const [ax, ay, length] = unit(floor);
  const { start, stop } = floor;
  const far = SIZE / 2;
  const places: number[] = [];
  const step = SIZE / PIECES;
  const outer = Array.from({ length: PIECES / 2 + 1 }, (_, k) => (k * far) / (PIECES / 2));
  const along = [
    ...outer.map((away): [number, number] => [-away, start[2]]).reverse(),
    ...outer.map((away): [number, number] => [length + away, stop[2]]),
  ];
  const corner = ([s, z]: [number, number], aside: number): void => {
    places.push(start[0] + ax * s - ay * aside, start[1] + ay * s + ax * aside, z);
  };
  for (let k = 0; k + 1 < along.length; k++) {
    for (let aside = -far; aside < far; aside += step) {
      const [a, b] = [along[k], along[k + 1]];
      for (const [end, side] of [[a, 0], [b, 0], [b, step], [a, 0], [b, step], [a, step]] as const) corner(end, aside + side);
    }
  }
  return new Float32Array(places);
}
