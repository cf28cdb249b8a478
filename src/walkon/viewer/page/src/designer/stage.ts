/** The stage of the designer: one performer on a floor, a second one beside it to compare with, a camera that follows.

Parts hand it posed frames; it draws when something changed. World, metres, z up. */

import { Group, Mesh, MeshBasicMaterial, Shape, ShapeGeometry } from "three";
import { Crowd } from "../bodies";
import { CameraHands } from "../camera_hands";
import { Cameras } from "../cameras";
import type { PoseFrame } from "../pose_frame";
import { World } from "../scene";
import { subjectOf } from "../subjects";
import type { Take } from "../take";
import type { Theme } from "../theme";

const LONGEST_STEP = 0.1;
/** sRGB of the performer, and of the one to compare with. */
const COLOURS: readonly (readonly [number, number, number])[] = [
  [0.2, 0.45, 0.86],
  [0.9, 0.53, 0.2],
];

export class Stage {
  readonly world: World;
  readonly cameras: Cameras;
  readonly hands: CameraHands;
  /** Called before every drawing with the seconds that passed; true where it has changed something. */
  tick: (seconds: number) => boolean = () => false;
  private readonly crowds: (Crowd | null)[] = [null, null];
  private take: Take | null = null;
  private readonly arrow = new Group();
  private readonly ink = new MeshBasicMaterial({ transparent: true, opacity: 0.8, depthWrite: false });
  private dirty = true;
  private last = performance.now();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.world = new World(canvas);
    this.cameras = new Cameras(canvas);
    this.hands = new CameraHands(this.cameras, canvas);
    this.cameras.changed = () => (this.dirty = true);
    this.cameras.mode = "follow";
    this.cameras.zoom(0.56);
    this.cameras.turn(-1.15, -0.12);
    this.arrow.add(new Mesh(arrowShape(), this.ink));
    this.arrow.visible = false;
    this.world.scene.add(this.arrow);
    new ResizeObserver(() => (this.dirty = true)).observe(canvas);
    requestAnimationFrame((now) => this.draw(now));
  }

  paint(theme: Theme): void {
    this.world.paint(theme);
    this.ink.color.setHex(theme.accent);
    this.dirty = true;
  }

  /** Whether there is a body to draw yet. */
  get ready(): boolean {
    return this.take !== null;
  }

  /** Get ready to show takes of one character; bodies are made once, all takes have the same. */
  prepare(take: Take): void {
    if (this.take !== null) return;
    this.take = take;
    for (const [row, colour] of COLOURS.entries()) {
      take.characters.colour.set(colour, 0);
      const crowd = new Crowd(take);
      crowd.group.visible = row === 0;
      this.crowds[row] = crowd;
      this.world.scene.add(crowd.group);
    }
  }

  /** Show the performer, and the one beside where there is one. */
  show(frame: PoseFrame, beside: PoseFrame | null = null): void {
    const [first, second] = this.crowds;
    if (!first || !second || !this.take) return;
    first.pose(frame);
    second.group.visible = beside !== null;
    if (beside) second.pose(beside);
    const subject = subjectOf(this.take, frame, 0, this.world.heights);
    if (subject) this.cameras.subject = subject;
    this.dirty = true;
  }

  /** An arrow on the floor that shows where the performer shall go; none where the length is 0. */
  point(x: number, y: number, heading: number, length: number): void {
    this.arrow.visible = length > 0;
    this.arrow.position.set(x, y, 0.006);
    this.arrow.rotation.z = heading;
    this.arrow.scale.set(0.55 + 0.45 * length, 1, 1);
    this.dirty = true;
  }

  private draw(now: number): void {
    requestAnimationFrame((next) => this.draw(next));
    const passed = Math.max((now - this.last) / 1000, 0);
    this.last = now;
    if (this.canvas.clientWidth === 0) return;
    const seconds = Math.min(passed, LONGEST_STEP);
    const changed = this.tick(passed);
    const held = this.hands.step(seconds);
    const resized = this.world.fit(this.cameras.camera);
    const moving = this.cameras.step(seconds);
    if (!(changed || held || resized || moving || this.dirty)) return;
    this.dirty = false;
    for (const crowd of this.crowds) crowd?.choose(this.cameras.camera, this.canvas.clientHeight);
    this.world.draw(this.cameras.camera, this.cameras.focus, this.cameras.reach);
  }
}

/** A flat arrow along +x, beginning half a metre from the origin. */
function arrowShape(): ShapeGeometry {
  const shape = new Shape();
  const points: readonly (readonly [number, number])[] = [
    [0.5, 0.03],
    [0.94, 0.03],
    [0.92, 0.11],
    [1.2, 0],
    [0.92, -0.11],
    [0.94, -0.03],
    [0.5, -0.03],
  ];
  points.forEach(([x, y], k) => (k === 0 ? shape.moveTo(x, y) : shape.lineTo(x, y)));
  return new ShapeGeometry(shape);
}
