/** Contacts: the heels and balls that bear now, as dots at the feet's own contact points.

Dots have a size in metres, between two and nine pixels. Those of the selected character are seen through everything;
others only where their feet could be. */

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  Points,
  PointsMaterial,
  Quaternion,
  Vector3,
} from "three";
import type { Layer } from "./layers";
import { WHOLE, type PoseFrame } from "./pose_frame";
import type { Take } from "./take";
import type { Theme } from "./theme";

const NAMES = ["left_heel", "left_ball", "right_heel", "right_ball"];
/** Metres across, and pixels at least and at most. */
const ACROSS = 0.07;
const PIXELS = [2, 9] as const;
/** Metres by which dots come nearer, so that a foot does not hide its own. */
const NEARER = 0.12;

class Dots {
  readonly object: Points<BufferGeometry, PointsMaterial>;
  private readonly places: BufferAttribute;
  private count = 0;

  constructor(capacity: number, through: boolean) {
    this.places = new BufferAttribute(new Float32Array(capacity * 3), 3);
    this.places.setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.places);
    const material = new PointsMaterial({ size: ACROSS, sizeAttenuation: false, transparent: true });
    material.depthTest = !through;
    material.depthWrite = false;
    material.onBeforeCompile = (shader) => {
      // `size` comes times the pixels of the screen per pixel of the page; `scale` is half the height in the latter.
      shader.vertexShader = shader.vertexShader.replace(
        "gl_PointSize = size;",
        `float ratio = size / ${ACROSS.toFixed(4)};
        float seen = size * scale * projectionMatrix[1][1] / max(-mvPosition.z, 0.01);
        gl_PointSize = clamp(seen, ${PIXELS[0].toFixed(1)} * ratio, ${PIXELS[1].toFixed(1)} * ratio);
        vec4 nearer = projectionMatrix * (mvPosition + vec4(0.0, 0.0, ${NEARER.toFixed(3)}, 0.0));
        if (nearer.w > 0.0) gl_Position.z = nearer.z / nearer.w * gl_Position.w;`,
      );
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <map_particle_fragment>",
        "float off = length(gl_PointCoord - 0.5); if (off > 0.5) discard; diffuseColor.a *= 1.0 - smoothstep(0.38, 0.5, off);",
      );
    };
    this.object = new Points(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 20;
  }

  begin(): void {
    this.count = 0;
  }

  add({ x, y, z }: Vector3): void {
    this.places.setXYZ(this.count++, x, y, z);
  }

  end(): void {
    this.object.geometry.setDrawRange(0, this.count);
    this.object.visible = this.count > 0;
    this.places.clearUpdateRanges();
    this.places.addUpdateRange(0, 3 * this.count);
    this.places.needsUpdate = true;
  }
}

export class ContactDots implements Layer {
  readonly object = new Group();
  private readonly others: Dots;
  private readonly chosen = new Dots(4, true);
  /** Per body and contact: joint and offset, or null. */
  private readonly points: readonly (readonly ({ joint: number; offset: Vector3 } | null)[])[];

  constructor(private readonly take: Take) {
    this.points = take.bodies.map(({ skeleton }) =>
      NAMES.map((name) => {
        const k = skeleton.contactNames.indexOf(name);
        if (k < 0) return null;
        return { joint: skeleton.contactJoints[k], offset: new Vector3(...skeleton.contactOffsets[k]) };
      }),
    );
    this.others = new Dots(Math.max(take.names.length, 1) * 4, false);
    this.object.add(this.others.object, this.chosen.object);
  }

  pose(frame: PoseFrame, selected: number): void {
    const turn = new Quaternion();
    const place = new Vector3();
    const root = new Vector3();
    const { joints, characters } = frame.size;
    const { rotations, positions } = frame;
    this.others.begin();
    this.chosen.begin();
    for (let row = 0; row < characters; row++) {
      if (frame.present[row] !== WHOLE) continue;
      const points = this.points[this.take.characters.body[row]];
      for (let k = 0; k < 4; k++) {
        const point = points[k];
        if (frame.contacts[4 * row + k] === 0 || point === null) continue;
        const at = row * joints + point.joint;
        turn.set(rotations[4 * at + 1], rotations[4 * at + 2], rotations[4 * at + 3], rotations[4 * at]);
        place.copy(point.offset).multiplyScalar(this.take.characters.scale[row]).applyQuaternion(turn);
        place.add(root.fromArray(positions, 3 * at));
        (row === selected ? this.chosen : this.others).add(place);
      }
    }
    this.others.end();
    this.chosen.end();
  }

  paint(theme: Theme): void {
    for (const { object } of [this.others, this.chosen]) object.material.color.setHex(theme.accent);
  }
}
