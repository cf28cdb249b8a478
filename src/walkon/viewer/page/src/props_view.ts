/** Props: boxes, balls and cylinders, compounds of them, and meshes, placed from each frame. */

import {
  BoxGeometry,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
} from "three";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { PoseFrame } from "./pose_frame";
import type { Prop } from "./take";

/** Radians between two faces of a mesh from which on the edge between them is seen (walkon.geometry.closed_meshes). */
const CREASE = (40 / 180) * Math.PI;

export class PropsView {
  readonly group = new Group();
  private readonly solids: Group[];

  constructor(props: readonly Prop[]) {
    const made = new Map<string, [readonly number[], BufferGeometry][]>();
    this.solids = props.map((prop) => {
      // Props that look alike share what they are drawn from.
      const { shape, size, colour: main, parts, vertices, triangles } = prop;
      const look = JSON.stringify([shape, size, main, parts, vertices, triangles]);
      const geometries = made.get(look) ?? coloured(prop);
      made.set(look, geometries);
      const solid = new Group();
      for (const [colour, geometry] of geometries) {
        const [r, g, b] = colour;
        const material = new MeshLambertMaterial({ color: new Color().setRGB(r, g, b, SRGBColorSpace) });
        const mesh = new Mesh(geometry, material);
        mesh.castShadow = mesh.receiveShadow = true;
        solid.add(mesh);
      }
      solid.visible = false;
      this.group.add(solid);
      return solid;
    });
  }

  pose(frame: PoseFrame): void {
    this.solids.forEach((solid, k) => {
      solid.visible = frame.propPresent[k] !== 0;
      solid.position.fromArray(frame.propPositions, 3 * k);
      const [w, x, y, z] = frame.propRotations.subarray(4 * k, 4 * k + 4);
      solid.quaternion.set(x, y, z, w);
    });
  }
}

/** One geometry, in the prop's frame, for each of its colours. */
function coloured(prop: Prop): [readonly number[], BufferGeometry][] {
  if (prop.shape === "mesh") return [[prop.colour, surface(prop)]];
  if (prop.shape !== "compound") return [[prop.colour, simple(prop.shape, prop.size)]];
  const found = new Map<string, [readonly number[], BufferGeometry[]]>();
  for (const { shape, size, pose, colour } of prop.parts ?? []) {
    const own = colour ?? prop.colour;
    const geometry = simple(shape, size).applyQuaternion(new Quaternion(pose[4], pose[5], pose[6], pose[3]));
    geometry.translate(pose[0], pose[1], pose[2]);
    const alike = found.get(own.join()) ?? [own, []];
    found.set(own.join(), [own, [...alike[1], geometry]]);
  }
  return [...found.values()].map(([colour, parts]) => [colour, mergeGeometries(parts)]);
}

function simple(shape: string, [x, y, z]: readonly number[]): BufferGeometry {
  if (shape === "sphere") return new SphereGeometry(x / 2, 28, 18);
  if (shape === "cylinder") return new CylinderGeometry(x / 2, x / 2, z, 32).rotateX(Math.PI / 2);
  return new BoxGeometry(x, y, z);
}

/** A mesh: what is round is shaded as round, and edges stay edges. */
function surface(prop: Prop): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute((prop.vertices ?? []).flat(), 3));
  geometry.setIndex((prop.triangles ?? []).flat());
  return toCreasedNormals(geometry, CREASE);
}
