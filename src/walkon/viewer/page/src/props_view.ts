/** Props: boxes, balls and cylinders, placed from each frame. */

import {
  BoxGeometry,
  Color,
  CylinderGeometry,
  Group,
  Mesh,
  MeshLambertMaterial,
  SphereGeometry,
  SRGBColorSpace,
  type BufferGeometry,
} from "three";
import type { PoseFrame } from "./pose_frame";
import type { Prop } from "./take";

export class PropsView {
  readonly group = new Group();
  private readonly meshes: Mesh[];

  constructor(props: readonly Prop[]) {
    this.meshes = props.map((prop) => {
      const [r, g, b] = prop.colour;
      const material = new MeshLambertMaterial({ color: new Color().setRGB(r, g, b, SRGBColorSpace) });
      const mesh = new Mesh(solid(prop), material);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.visible = false;
      this.group.add(mesh);
      return mesh;
    });
  }

  pose(frame: PoseFrame): void {
    this.meshes.forEach((mesh, k) => {
      mesh.visible = frame.propPresent[k] !== 0;
      mesh.position.fromArray(frame.propPositions, 3 * k);
      const [w, x, y, z] = frame.propRotations.subarray(4 * k, 4 * k + 4);
      mesh.quaternion.set(x, y, z, w);
    });
  }
}

function solid(prop: Prop): BufferGeometry {
  const [x, y, z] = prop.size;
  if (prop.shape === "sphere") return new SphereGeometry(x / 2, 28, 18);
  if (prop.shape === "cylinder") return new CylinderGeometry(x / 2, x / 2, z, 32).rotateX(Math.PI / 2);
  return new BoxGeometry(x, y, z);
}
