/** The crowd: one geometry per body and level of detail, drawn instanced, posed on the graphics card (skinning.ts).

A frame's joints are uploaded as they come; per frame the page only chooses who is drawn how finely. */

import {
  BufferAttribute,
  DataTexture,
  DynamicDrawUsage,
  FloatType,
  Frustum,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Matrix4,
  Mesh,
  NearestFilter,
  RGBAFormat,
  RGBFormat,
  type PerspectiveCamera,
} from "three";
import { bodyShape, DETAILS } from "./body_shape";
import { handTable } from "./hand_table";
import type { Surface } from "./lofts";
import { palettes } from "./palette";
import { standsAtRest } from "./person_measures";
import { frameSize, PLANAR, WHOLE, type PoseFrame } from "./pose_frame";
import { stands } from "./score";
import { bodyMaterial, depthMaterial, PALETTE_SIZE, TEXTURE_WIDTH, type Posing, type SkinningUniforms } from "./skinning";
import type { Body, Take } from "./take";
import { restShape, walkerShape, walkTable } from "./track_shape";
import { makeWalkCycle } from "./walk_cycle";

/** Pixels of a body's height over which it is drawn near, in middle detail, and far; more where the crowd is large. */
const PIXELS = [150, 46, 22] as const;
const LARGE_CROWD = 2000;
const LARGE_FACTOR = 3;
/** Metres around a root within which a body is, shadow included. */
const ROOM = 3.5;
/** Details of those who are only on a track come after the others; walkers are never nearer than in middle detail. */
const TRACKED = DETAILS.length;

/** Instances of one body in one detail. */
class Batch {
  readonly mesh: Mesh<InstancedBufferGeometry>;
  readonly triangles: number;
  private readonly rows: InstancedBufferAttribute;
  count = 0;

  constructor(surface: Surface, capacity: number, uniforms: SkinningUniforms, posing: Posing) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(surface.locals, 3));
    geometry.setAttribute("normal", new BufferAttribute(surface.normals, 3));
    geometry.setAttribute("holds", new BufferAttribute(surface.holds, 4));
    geometry.setIndex(new BufferAttribute(surface.triangles, 1));
    this.rows = new InstancedBufferAttribute(new Float32Array(capacity), 1);
    this.rows.setUsage(DynamicDrawUsage);
    geometry.setAttribute("row", this.rows);
    this.triangles = surface.triangles.length / 3;
    this.mesh = new Mesh(geometry, bodyMaterial(uniforms, posing));
    this.mesh.customDepthMaterial = depthMaterial(uniforms, posing);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  add(row: number): void {
    this.rows.array[this.count++] = row;
  }

  close(): void {
    this.mesh.visible = this.count > 0;
    this.mesh.geometry.instanceCount = this.count;
    if (this.count === 0) return;
    this.rows.clearUpdateRanges();
    this.rows.addUpdateRange(0, this.count);
    this.rows.needsUpdate = true;
  }
}

export class Crowd {
  readonly group = new Group();
  /** The frame that is shown. */
  frame: PoseFrame | null = null;
  /** Drawn now, without shadows. */
  triangles = 0;
  /** Character that is not drawn because one looks through its eyes; −1 for none. */
  hidden = -1;
  /** [N] 1 for those who are drawn as something else; null for nobody. */
  worn: Uint8Array | null = null;
  /** Codes of the left and the right hand of those whose hands a script has shaped, in the place of the frame's. */
  readonly shaped = new Map<number, readonly [number, number]>();
  private readonly uniforms: SkinningUniforms;
  private readonly joints: number;
  private readonly batches: (Batch | undefined)[][];
  private readonly members: number[];
  private readonly heights: Float32Array;
  private readonly legged: readonly boolean[];
  private readonly frustum = new Frustum();
  private readonly matrix = new Matrix4();

  constructor(private readonly take: Take) {
    const N = take.names.length;
    this.joints = frameSize(take).joints;
    this.members = take.bodies.map((_, body) => take.characters.body.reduce((sum, b) => sum + (b === body ? 1 : 0), 0));
    this.heights = Float32Array.from(
      take.characters.scale,
      (scale, row) => scale * take.bodies[take.characters.body[row]].height,
    );
    this.legged = take.bodies.map((body) => stands(body.skeleton));
    this.batches = take.bodies.map(() => []);
    const colours = floats(N * PALETTE_SIZE, 4);
    colours.image.data = palettes(take, colours.image.width * colours.image.height);
    this.uniforms = {
      jointPlaces: { value: floats(N * this.joints, 3) },
      jointTurns: { value: floats(N * this.joints, 4) },
      palettes: { value: colours },
      jointCount: { value: this.joints },
      states: { value: floats(N, 4) },
      poses: { value: null },
    };
  }

  /** Take a frame to show: its joints go to the graphics card with the next drawing. */
  pose(frame: PoseFrame): void {
    this.frame = frame;
    for (const [texture, values] of [
      [this.uniforms.jointPlaces.value, frame.positions],
      [this.uniforms.jointTurns.value, frame.rotations],
    ] as const) {
      (texture.image.data as Float32Array).set(values);
      texture.needsUpdate = true;
    }
    const { value: states } = this.uniforms.states;
    const data = states.image.data as Float32Array;
    const { walks, hands } = frame;
    for (let row = 0; row < frame.size.characters; row++) {
      data[4 * row] = walks[2 * row];
      data[4 * row + 1] = walks[2 * row + 1];
      data[4 * row + 2] = hands[2 * row];
      data[4 * row + 3] = hands[2 * row + 1];
    }
    for (const [row, codes] of this.shaped) data.set(codes, 4 * row + 2);
    states.needsUpdate = true;
  }

  /** Choose who is drawn, and how finely, for a camera and a canvas of so many pixels in height. */
  choose(camera: PerspectiveCamera, pixels: number): void {
    const frame = this.frame;
    if (frame === null) return;
    for (const details of this.batches) for (const batch of details) if (batch) batch.count = 0;
    camera.updateMatrixWorld();
    this.frustum.setFromProjectionMatrix(
      this.matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse),
    );
    const { planes } = this.frustum;
    const large = frame.size.characters > LARGE_CROWD ? LARGE_FACTOR : 1;
    const perMetre = pixels / (2 * Math.tan((camera.fov * Math.PI) / 360));
    const { x: cx, y: cy, z: cz } = camera.position;
    const stride = 3 * this.joints;
    const bodyOf = this.take.characters.body;
    this.triangles = 0;
    for (let row = 0; row < frame.size.characters; row++) {
      const present = frame.present[row];
      if ((present !== WHOLE && present !== PLANAR) || row === this.hidden || this.worn?.[row]) continue;
      const x = frame.positions[row * stride];
      const y = frame.positions[row * stride + 1];
      const z = frame.positions[row * stride + 2];
      let inside = true;
      for (let k = 0; k < 4 && inside; k++) {
        const { normal, constant } = planes[k];
        inside = normal.x * x + normal.y * y + normal.z * z + constant > -ROOM;
      }
      if (!inside) continue;
      const away = Math.hypot(x - cx, y - cy, z - cz);
      const tall = (perMetre * this.heights[row]) / Math.max(away, 0.1) / large;
      const detail = tall > PIXELS[0] ? 0 : tall > PIXELS[1] ? 1 : tall > PIXELS[2] ? 2 : 3;
      const body = bodyOf[row];
      const batch = this.batch(body, present === PLANAR ? TRACKED + Math.max(detail, this.legged[body] ? 1 : 0) : detail);
      batch.add(row);
      this.triangles += batch.triangles;
    }
    for (const details of this.batches) for (const batch of details) batch?.close();
  }

  private batch(body: number, detail: number): Batch {
    const known = this.batches[body][detail];
    if (known) return known;
    const { surface, posing, poses } = shapeOf(this.take.bodies[body], detail);
    const uniforms = { ...this.uniforms, poses: { value: poses } };
    const made = new Batch(surface, this.members[body], uniforms, posing);
    this.batches[body][detail] = made;
    this.group.add(made.mesh);
    return made;
  }
}

/** What is drawn of a body in a detail, what poses it, and the poses of its parts where these are not joints. */
function shapeOf(body: Body, detail: number): { surface: Surface; posing: Posing; poses: DataTexture | null } {
  if (detail < TRACKED) {
    const fingers = DETAILS[detail].fingers === true && standsAtRest(body.skeleton);
    const poses = fingers ? tableOf(handTable(body)) : null;
    return { surface: bodyShape(body, DETAILS[detail]), posing: fingers ? "fingers" : "joints", poses };
  }
  const coarse = DETAILS[detail - TRACKED];
  if (!stands(body.skeleton)) return { surface: restShape(body, coarse), posing: "joints", poses: null };
  const cycle = makeWalkCycle(body);
  return { surface: walkerShape(body, cycle, coarse), posing: "walk", poses: tableOf(walkTable(cycle)) };
}

/** A float texture of values [texels × 4]. */
function tableOf(values: Float32Array): DataTexture {
  const texture = floats(values.length / 4, 4);
  (texture.image.data as Float32Array).set(values);
  return texture;
}

/** A float texture with room for so many texels. */
function floats(texels: number, channels: 3 | 4): DataTexture {
  const rows = Math.max(Math.ceil(texels / TEXTURE_WIDTH), 1);
  const data = new Float32Array(TEXTURE_WIDTH * rows * channels);
  const texture = new DataTexture(data, TEXTURE_WIDTH, rows, channels === 3 ? RGBFormat : RGBAFormat, FloatType);
  texture.internalFormat = channels === 3 ? "RGB32F" : "RGBA32F";
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  return texture;
}
