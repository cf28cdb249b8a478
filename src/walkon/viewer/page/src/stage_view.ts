/** The stage: bounds, obstacles with their heights, and doors; seats are in seats_view.ts. World, metres.

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
import { Ribbons } from "./ribbons";
import type { Door, Obstacle, Stage } from "./take";
import type { Theme } from "./theme";

const DOOR_HEIGHT = 2.1;
const POST = 0.035;
/** Metres: what is lower never hides anybody; what hangs higher is left out. */
const TALL = 1.2;
const OVERHEAD = 2.0;
/** Metres nearer to the camera than the focus. */
const BEFORE = 0.6;
const WHITE = [1, 1, 1];

interface Block {
  readonly mesh: Mesh<ExtrudeGeometry, MeshLambertMaterial>;
  readonly polygon: readonly (readonly number[])[];
  readonly tall: boolean;
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

  constructor(stage: Stage) {
    for (const obstacle of stage.obstacles) this.addObstacle(obstacle);
    for (const door of stage.doors) this.addDoor(door);
    if (stage.bounds) {
      const line = new Ribbons();
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
    for (const { mesh, polygon, tall } of this.blocks) {
      const before = tall && polygon.some(([x, y]) => ((x - focus.x) * ax + (y - focus.y) * ay) / size > BEFORE);
      mesh.material = before ? this.glass : this.solid;
      mesh.castShadow = true;
    }
  }

  private addObstacle(obstacle: Obstacle): void {
    if (obstacle.base >= OVERHEAD) return;
    const base = Math.max(obstacle.base, 0);
    const outline = new Shape(obstacle.polygon.map(([x, y]) => new Vector2(x, y)));
    const geometry = new ExtrudeGeometry(outline, { depth: obstacle.height - base, bevelEnabled: false });
    geometry.translate(0, 0, base);
    const mesh = new Mesh(geometry, this.solid);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.name = obstacle.name;
    this.group.add(mesh, new LineSegments(new EdgesGeometry(geometry, 25), this.edges));
    this.blocks.push({ mesh, polygon: obstacle.polygon, tall: obstacle.height > TALL });
  }

  private addDoor(door: Door): void {
    const [a, b] = door.ends;
    const sill = new Ribbons();
    sill.line([a, b], 0.1, WHITE, { height: 0.005 });
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
    frame.position.set(a[0], a[1], 0);
    frame.rotation.z = Math.atan2(b[1] - a[1], b[0] - a[0]);
    this.group.add(frame);
  }
}

function flat(opacity: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity, depthWrite: false, side: DoubleSide });
}
