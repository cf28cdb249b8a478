/** The stage: bounds, obstacles with their heights and doors, and what moves where it is then; seats are in seats_view.ts.
World, metres.

Tall obstacles that stand between the camera and what it looks at are drawn as glass, like the fourth wall of a theatre. */

import {
  BoxGeometry,
  DoubleSide,
  EdgesGeometry,
  ExtrudeGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Shape,
  Vector2,
  type PerspectiveCamera,
  type Vector3,
} from "three";
import { under, type FloorHeights } from "./floor_heights";
import { Ribbons } from "./ribbons";
import { moversOf, placedCorners, readMover, type Mover } from "./stage_motion";
import type { Door, Obstacle, Stage } from "./take";
import type { Theme } from "./theme";

const DOOR_HEIGHT = 2.1;
const POST = 0.035;
/** Metres above the floor: what is lower never hides anybody; what hangs higher is left out. */
const TALL = 1.2;
const OVERHEAD = 2.0;
/** Metres nearer to the camera than the focus. */
const BEFORE = 0.6;
/** Metres between the focus and a floor from which on what stands there is on another storey. */
const STOREY = 3;
const WHITE = [1, 1, 1];

interface Block {
  readonly mesh: Mesh<ExtrudeGeometry, MeshLambertMaterial>;
  /** In the world; of what moves, where it is now. */
  polygon: readonly (readonly number[])[];
  tall: boolean;
  /** z of the floor that it stands on. */
  ground: number;
  /** What it is made of unless it is glass. */
  readonly usual: MeshLambertMaterial;
}

interface MovingBlock {
  readonly mover: Mover;
  readonly group: Group;
  /** (x, y, heading, z) */
  readonly pose: Float64Array;
  readonly block: Block;
}

export class StageView {
  readonly group = new Group();
  private readonly solid = new MeshLambertMaterial();
  private readonly glass = new MeshLambertMaterial({ transparent: true, opacity: 0.18, depthWrite: false });
  private readonly edges = new LineBasicMaterial({ transparent: true, opacity: 0.7 });
  private readonly bounds = flat(0.75);
  private readonly doors = flat(0.9);
  private readonly frames = new MeshLambertMaterial();
  private readonly blocks: Block[] = [];
  private readonly moving: MovingBlock[] = [];

  constructor(stage: Stage, private readonly floor: FloorHeights) {
    for (const obstacle of stage.obstacles) if (obstacle.track === null) this.addObstacle(obstacle);
    for (const mover of moversOf(stage)) this.addMover(mover);
    for (const door of stage.doors) this.addDoor(door);
    if (stage.bounds) {
      const line = new Ribbons(floor);
      line.line(stage.bounds, 0.045, WHITE, { closed: true, height: 0.004 });
      this.group.add(new Mesh(line.geometry(), this.bounds));
    }
  }

  paint(theme: Theme): void {
    this.solid.color.setHex(theme.obstacle);
    this.glass.color.setHex(theme.obstacle);
    this.edges.color.setHex(theme.edge);
    this.bounds.color.setHex(theme.bounds);
    this.doors.color.setHex(theme.door);
    this.frames.color.setHex(theme.door);
  }

  /** Make glass of what stands before the focus. */
  open(camera: PerspectiveCamera, focus: Vector3): void {
    const ax = camera.position.x - focus.x;
    const ay = camera.position.y - focus.y;
    const size = Math.hypot(ax, ay) || 1;
    for (const { mesh, polygon, tall, ground, usual } of this.blocks) {
      const same = Math.abs(focus.z - ground) < STOREY;
      const before = tall && same && polygon.some(([x, y]) => ((x - focus.x) * ax + (y - focus.y) * ay) / size > BEFORE);
      mesh.material = before ? this.glass : usual;
      mesh.castShadow = true;
    }
  }

  /** Put what moves where it is at a time of the take. */
  pose(time: number): void {
    for (const { mover, group, pose, block } of this.moving) {
      readMover(mover, time, pose);
      group.position.set(pose[0], pose[1], pose[3]);
      group.rotation.z = pose[2];
      block.polygon = placedCorners(mover, pose);
      block.ground = this.groundOf(block.polygon, mover.base + pose[3]);
      group.visible = mover.base + pose[3] - block.ground < OVERHEAD && mover.height + pose[3] > block.ground;
      block.tall = mover.height + pose[3] - block.ground > TALL;
    }
  }

  /** (x, y, heading, z) at which something that moves is drawn, by its name; null where there is no such thing. */
  placed(name: string): number[] | null {
    const found = this.moving.find(({ mover }) => mover.name === name);
    if (found === undefined) return null;
    const { position, rotation } = found.group;
    return [position.x, position.y, rotation.z, position.z];
  }

  private addObstacle(obstacle: Obstacle): void {
    const { polygon, base, height } = obstacle;
    const ground = this.groundOf(polygon, base);
    if (base - ground >= OVERHEAD) return;
    const mesh = this.prism(polygon, base, height, this.group);
    mesh.name = obstacle.name;
    this.blocks.push({ mesh, polygon, tall: height - ground > TALL, ground, usual: this.solid });
  }

  private addMover(mover: Mover): void {
    const group = new Group();
    const mesh = this.prism(mover.polygon, mover.base, mover.height, group);
    mesh.name = mover.name;
    const block = { mesh, polygon: mover.polygon, tall: false, ground: 0, usual: mover.leaf ? this.frames : this.solid };
    this.blocks.push(block);
    this.moving.push({ mover, group, pose: new Float64Array(4), block });
    this.group.add(group);
  }

  /** z of the floor under the middle of the corners of something with its underside at a height. */
  private groundOf(polygon: Obstacle["polygon"], base: number): number {
    const [x, y] = [0, 1].map((axis) => polygon.reduce((sum, corner) => sum + corner[axis], 0) / polygon.length);
    return under(this.floor, x, y, base);
  }

  private prism(polygon: Obstacle["polygon"], base: number, height: number, into: Group): Block["mesh"] {
    const outline = new Shape(polygon.map(([x, y]) => new Vector2(x, y)));
    const geometry = new ExtrudeGeometry(outline, { depth: height - base, bevelEnabled: false });
    geometry.translate(0, 0, base);
    const mesh = new Mesh(geometry, this.solid);
    mesh.castShadow = mesh.receiveShadow = true;
    into.add(mesh, new LineSegments(new EdgesGeometry(geometry, 25), this.edges));
    return mesh;
  }

  private addDoor(door: Door): void {
    const [a, b] = door.ends;
    const sill = new Ribbons(this.floor);
    sill.line([[...a, door.z], [...b, door.z]], 0.1, WHITE, { height: 0.005 });
    this.group.add(new Mesh(sill.geometry(), this.doors));
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const frame = new Group();
    for (const along of [0, length]) {
      const post = new Mesh(new BoxGeometry(POST, POST, DOOR_HEIGHT), this.frames);
      post.position.set(along, 0, DOOR_HEIGHT / 2);
      frame.add(post);
    }
    const lintel = new Mesh(new BoxGeometry(length + POST, POST, POST), this.frames);
    lintel.position.set(length / 2, 0, DOOR_HEIGHT);
    frame.add(lintel);
    for (const part of frame.children) part.castShadow = true;
    frame.position.set(a[0], a[1], door.z);
    frame.rotation.z = Math.atan2(b[1] - a[1], b[0] - a[0]);
    this.group.add(frame);
  }
}

function flat(opacity: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity, depthWrite: false, side: DoubleSide });
}
