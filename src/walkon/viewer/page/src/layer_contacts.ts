/** Contacts: the heels and balls that bear now, as dots at the feet's own contact points, seen through everything. */

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Points, PointsMaterial, Quaternion, Vector3 } from "three";
import type { Layer } from "./layers";
import { WHOLE, type PoseFrame } from "./pose_frame";
import type { Take } from "./take";
import type { Theme } from "./theme";

const NAMES = ["left_heel", "left_ball", "right_heel", "right_ball"];

export class ContactDots implements Layer {
  readonly object: Points<BufferGeometry, PointsMaterial>;
  private readonly places: BufferAttribute;
  /** Per body and contact: joint and offset, or null. */
  private readonly points: readonly (readonly ({ joint: number; offset: readonly number[] } | null)[])[];

  constructor(private readonly take: Take) {
    this.points = take.bodies.map(({ skeleton }) =>
      NAMES.map((name) => {
        const k = skeleton.contactNames.indexOf(name);
        return k < 0 ? null : { joint: skeleton.contactJoints[k], offset: skeleton.contactOffsets[k] };
      }),
    );
    this.places = new BufferAttribute(new Float32Array(Math.max(take.names.length, 1) * 12), 3);
    this.places.setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.places);
    const material = new PointsMaterial({ size: 9, sizeAttenuation: false, depthTest: false, transparent: true });
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <map_particle_fragment>",
        "float off = length(gl_PointCoord - 0.5); if (off > 0.5) discard; diffuseColor.a *= 1.0 - smoothstep(0.38, 0.5, off);",
      );
    };
    this.object = new Points(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 20;
  }

  pose(frame: PoseFrame): void {
    const turn = new Quaternion();
    const place = new Vector3();
    const { joints, characters } = frame.size;
    let count = 0;
    for (let row = 0; row < characters; row++) {
      if (frame.present[row] !== WHOLE) continue;
      const points = this.points[this.take.characters.body[row]];
      for (let k = 0; k < 4; k++) {
        const point = points[k];
        if (frame.contacts[4 * row + k] === 0 || point === null) continue;
        const at = row * joints + point.joint;
        const [w, x, y, z] = frame.rotations.subarray(4 * at, 4 * at + 4);
        place.fromArray(point.offset as number[]).multiplyScalar(this.take.characters.scale[row]);
        place.applyQuaternion(turn.set(x, y, z, w));
        const base = 3 * at;
        this.places.setXYZ(
          count++,
          place.x + frame.positions[base],
          place.y + frame.positions[base + 1],
          place.z + frame.positions[base + 2],
        );
      }
    }
    this.object.geometry.setDrawRange(0, count);
    this.places.needsUpdate = true;
  }

  paint(theme: Theme): void {
    this.object.material.color.setHex(theme.accent);
  }
}
