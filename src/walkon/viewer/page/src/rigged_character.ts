/** The user's own rigged character in the place of the page's bodies: read once, cloned for those nearest to the camera,
posed from every frame (rig_poser.ts). Whoever is no person, or too far down a large crowd, keeps the page's body. */

import {
  Frustum,
  Group,
  Matrix4,
  Mesh,
  Quaternion,
  type Skeleton,
  SkinnedMesh,
  TextureLoader,
  Vector3,
  type MeshStandardMaterial,
  type Object3D,
  type PerspectiveCamera,
} from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { clone } from "three/examples/jsm/utils/SkeletonUtils.js";
import type { CharacterData, CharacterFile } from "./character_data";
import { WHOLE, type PoseFrame } from "./pose_frame";
import { backTimes } from "./quaternions";
import { rigFit, type RigFit } from "./rig_fit";
import { RigPoser } from "./rig_poser";
import type { Take } from "./take";

/** Metres around a root within which a body is, shadow included. */
const ROOM = 3.5;
/** There is nothing to mirror on this stage, so polished metal would be black. */
const MOST_METAL = 0.35;

/** One copy of the character. */
class Wearer {
  readonly holder = new Group();
  readonly bones: Object3D[];
  readonly triangles: number;

  constructor(model: Object3D, data: CharacterData) {
    const copy = clone(model);
    const nodes = new Map<number, Object3D>();
    let triangles = 0;
    const shared: Skeleton[] = [];
    copy.traverse((part) => {
      // Cloning gives each mesh bones' matrices of its own; parts of one skin need them only once.
      if (part instanceof SkinnedMesh) {
        const same = shared.find((other) => alike(other, part.skeleton));
        if (same === undefined) shared.push(part.skeleton);
        else part.skeleton = same;
      }
      if (typeof part.userData.node === "number") nodes.set(part.userData.node, part);
      if (part instanceof Mesh) triangles += (part.geometry.index?.count ?? part.geometry.attributes.position.count) / 3;
    });
    this.triangles = triangles;
    this.bones = data.nodes.map((node, joint) => {
      const bone = nodes.get(node);
      if (bone === undefined) throw new Error(`its joint ${data.names[joint]} is not in its scene`);
      bone.position.fromArray(data.translations[joint]);
      bone.scale.fromArray(data.scales[joint]);
      return bone;
    });
    this.holder.add(copy);
    this.holder.visible = false;
  }
}

export class RiggedCrowd {
  readonly group = new Group();
  /** [N] 1 for those who wear the character in the last drawing. */
  readonly worn: Uint8Array;
  /** Drawn now, without shadows. */
  triangles = 0;
  private readonly fits: readonly (RigFit | null)[];
  private readonly poser: RigPoser;
  private readonly wearers: Wearer[] = [];
  /** [wearers] row that each shows. */
  private rows: number[] = [];
  private readonly away: Float32Array;
  private readonly outer: Float64Array;
  private readonly upright: Quaternion;
  private readonly frustum = new Frustum();
  private readonly matrix = new Matrix4();
  private readonly local = new Float64Array(4);
  private readonly place = new Vector3();

  constructor(
    private readonly take: Take,
    readonly data: CharacterData,
    private readonly model: Object3D,
  ) {
    const count = take.names.length;
    this.worn = new Uint8Array(count);
    this.away = new Float32Array(count);
    this.fits = data.fits.map((fit, body) => fit && rigFit(data, fit, take.bodies[body].skeleton));
    this.poser = new RigPoser(data.parents.length);
    this.outer = Float64Array.from(data.outer);
    const [w, x, y, z] = data.upright;
    this.upright = new Quaternion(x, y, z, w);
    this.wearers.push(this.made()); // what is wrong with the file is told before anything is drawn
  }

  /** How many people of the take could wear it. */
  get people(): number {
    return this.take.characters.body.reduce((sum, body) => sum + (this.fits[body] ? 1 : 0), 0);
  }

  /** Choose who wears it, seen by a camera, and pose them; `hidden` is a row that is not drawn. */
  pose(frame: PoseFrame, camera: PerspectiveCamera, hidden: number): void {
    this.rows = this.chosen(frame, camera, hidden);
    this.worn.fill(0);
    this.triangles = 0;
    while (this.wearers.length < this.rows.length) this.wearers.push(this.made());
    this.wearers.forEach((wearer, k) => {
      const row = this.rows[k];
      wearer.holder.visible = row !== undefined;
      if (row === undefined) return;
      this.worn[row] = 1;
      this.triangles += wearer.triangles;
      this.show(wearer, frame, row);
    });
  }

  /** Where the joints of somebody's copy are drawn, by role; null where nobody wears it under that row. */
  joints(row: number): Record<string, number[]> | null {
    const k = this.rows.indexOf(row);
    if (k < 0) return null;
    const { holder, bones } = this.wearers[k];
    holder.updateMatrixWorld(true);
    const places = Object.entries(this.data.roles).map(([role, joint]): [string, number[]] => [
      role,
      this.place.setFromMatrixPosition(bones[joint].matrixWorld).toArray(),
    ]);
    return Object.fromEntries(places);
  }

  private made(): Wearer {
    const wearer = new Wearer(this.model, this.data);
    this.group.add(wearer.holder);
    return wearer;
  }

  private chosen(frame: PoseFrame, camera: PerspectiveCamera, hidden: number): number[] {
    camera.updateMatrixWorld();
    this.frustum.setFromProjectionMatrix(
      this.matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse),
    );
    const { planes } = this.frustum;
    const stride = 3 * frame.size.joints;
    const found: number[] = [];
    for (let row = 0; row < frame.size.characters; row++) {
      if (frame.present[row] !== WHOLE || row === hidden || !this.fits[this.take.characters.body[row]]) continue;
      this.place.fromArray(frame.positions, row * stride);
      let inside = true;
      for (let k = 0; k < 4 && inside; k++) inside = planes[k].distanceToPoint(this.place) > -ROOM;
      if (!inside) continue;
      this.away[row] = this.place.distanceToSquared(camera.position);
      found.push(row);
    }
    if (found.length <= this.data.most) return found;
    const sorted = Float32Array.from(found, (row) => this.away[row]).sort();
    const far = sorted[this.data.most - 1];
    return found.filter((row) => this.away[row] <= far).slice(0, this.data.most);
  }

  private show(wearer: Wearer, frame: PoseFrame, row: number): void {
    const body = this.take.characters.body[row];
    const fit = this.fits[body];
    const told = this.data.fits[body];
    if (!fit || !told) return;
    const scale = this.take.characters.scale[row];
    const { poser, local } = this;
    poser.pose(fit, frame, row, scale);
    for (let joint = 0; joint < fit.joints; joint++) {
      const parent = fit.parents[joint];
      if (parent < 0) backTimes(this.outer, 0, poser.rotations, 4 * joint, local, 0);
      else backTimes(poser.rotations, 4 * parent, poser.rotations, 4 * joint, local, 0);
      wearer.bones[joint].quaternion.set(local[1], local[2], local[3], local[0]);
    }
    // The root stays where it is in the file; the whole file is put so that it comes to its place.
    const { holder } = wearer;
    holder.scale.setScalar(told.scale * scale);
    holder.quaternion.copy(this.upright);
    this.place.fromArray(this.data.root).multiplyScalar(told.scale * scale).applyQuaternion(this.upright);
    holder.position.fromArray(poser.positions).sub(this.place);
  }
}

/** Read the character's file; what cannot be read is refused with an error. */
export async function riggedCrowd(take: Take, file: CharacterFile): Promise<RiggedCrowd> {
  const loader = new GLTFLoader();
  // Pictures through <img>: what this page may fetch is nothing, not even from itself.
  loader.register((parser) => {
    parser.textureLoader = new TextureLoader(parser.options.manager);
    return { name: "pictures" };
  });
  const { scene, parser } = await loader.parseAsync(file.model, "");
  const bound = new Set(file.data.nodes);
  const others: Object3D[] = [];
  scene.traverse((part) => {
    const node = parser.associations.get(part)?.nodes;
    // Nodes and the first of several meshes in them share a number; the node comes first.
    if (node !== undefined && !(part instanceof Mesh && part.parent?.userData.node === node)) part.userData.node = node;
    if (part instanceof Mesh) {
      part.castShadow = part.receiveShadow = true;
      part.frustumCulled = false;
      for (const material of [part.material].flat() as MeshStandardMaterial[]) {
        if (material.metalness > MOST_METAL) material.metalness = MOST_METAL;
      }
      if (!(part instanceof SkinnedMesh) && !hangsOn(part, bound)) others.push(part);
    } else if ("isLight" in part || "isCamera" in part) others.push(part);
  });
  for (const part of others) part.removeFromParent(); // lamps, cameras and floors that came along
  return new RiggedCrowd(take, file.data, scene);
}

function alike(a: Skeleton, b: Skeleton): boolean {
  if (a.bones.length !== b.bones.length) return false;
  return a.bones.every((bone, k) => bone === b.bones[k] && a.boneInverses[k].equals(b.boneInverses[k]));
}

function hangsOn(part: Object3D, nodes: ReadonlySet<number>): boolean {
  for (let at: Object3D | null = part; at; at = at.parent) if (nodes.has(at.userData.node as number)) return true;
  return false;
}
