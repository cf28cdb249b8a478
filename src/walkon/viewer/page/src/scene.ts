/** The scene: renderer, lights, floor and soft shadows that follow what is looked at, at its height. z up, metres.

`createPreview` gives the same scene to other pages: a canvas, a crowd of one or more, an orbiting camera. */

import {
  Color,
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  Scene,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
  type PerspectiveCamera,
} from "three";
import { Crowd } from "./bodies";
import { Cameras } from "./cameras";
import { Floor } from "./floor";
import { heightsOf, LEVEL_GROUND, type FloorHeights, type StageFloor } from "./floor_heights";
import type { PoseFrame } from "./pose_frame";
import type { Take } from "./take";
import { THEMES, type Theme } from "./theme";

/** Direction from the floor to the light. */
const TO_LIGHT = new Vector3(-0.45, -0.62, 1.15).normalize();
const SHADOW_MAP = 2048;
const MOST_PIXELS = 2;
const NORMAL_BIAS = 0.02;
/** Metres over the floor, towards the light, from which things cast shadows; on hills more, as high as they are. */
const DEPTH = 12;
const MOST_DEPTH = 80;

/** Said where the browser cannot draw in three dimensions. */
export class NoWebGL extends Error {
  override readonly name = "NoWebGL";
}

export class World {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly floor: Floor;
  readonly heights: FloorHeights;
  theme: Theme = THEMES.light;
  private readonly sky = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly fill = new DirectionalLight(0xffffff, 0.35);
  private readonly depth: number;

  constructor(readonly canvas: HTMLCanvasElement, floor: StageFloor = LEVEL_GROUND) {
    this.floor = new Floor(floor, TO_LIGHT);
    this.heights = heightsOf(floor);
    this.depth = Math.min(DEPTH + this.heights.span[1] - this.heights.span[0], MOST_DEPTH);
    const context = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (context === null) throw new NoWebGL(
      "This browser cannot draw in three dimensions: WebGL 2 is missing or switched off.",
    );
    this.renderer = new WebGLRenderer({ canvas, context, antialias: true });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.info.autoReset = true;
    this.sky.position.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_MAP, SHADOW_MAP);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0002;
    this.sun.shadow.normalBias = NORMAL_BIAS;
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target, this.floor.group);
    this.paint(this.theme);
  }

  paint(theme: Theme): void {
    this.theme = theme;
    this.scene.background = new Color(theme.background);
    this.sky.color.setHex(theme.sky);
    this.sky.groundColor.setHex(theme.ground);
    this.sky.intensity = theme.skyIntensity;
    this.sun.color.setHex(theme.sun);
    this.sun.intensity = theme.sunIntensity;
    this.floor.paint(theme);
  }

  /** Fit the drawing to the canvas's place on the page; true where its size changed. */
  fit(camera: PerspectiveCamera): boolean {
    const width = Math.max(this.canvas.clientWidth, 1);
    const height = Math.max(this.canvas.clientHeight, 1);
    const ratio = Math.min(window.devicePixelRatio || 1, MOST_PIXELS);
    if (this.canvas.width === Math.floor(width * ratio) && this.canvas.height === Math.floor(height * ratio)) {
      return false;
    }
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    return true;
  }

  /** Draw; shadows are sharpest around `focus`, over `reach` metres. */
  draw(camera: PerspectiveCamera, focus: Vector3, reach: number): void {
    this.light(focus, Math.min(Math.max(reach, 4), 70));
    this.fill.position.copy(camera.position);
    this.fill.target.position.copy(focus);
    this.floor.follow(camera.position.x, camera.position.y, camera.position.distanceTo(focus));
    this.renderer.render(this.scene, camera);
  }

  private light(focus: Vector3, reach: number): void {
    // Steps of a texel keep shadows from shimmering while the camera moves.
    const size = 2 ** (Math.ceil(Math.log2(reach) * 4) / 4);
    const texel = (2 * size) / SHADOW_MAP;
    const snap = 32 * texel;
    // A slope is as far from its own shadow as a texel is wide, or it would be speckled.
    if (this.heights.level === null) this.sun.shadow.normalBias = Math.max(NORMAL_BIAS, 1.2 * texel);
    const at = focus.clone().divideScalar(snap).round().multiplyScalar(snap);
    this.sun.target.position.copy(at);
    this.sun.position.copy(at).addScaledVector(TO_LIGHT, this.depth + size);
    const { camera } = this.sun.shadow;
    if (camera.right !== size) {
      camera.left = camera.bottom = -size;
      camera.right = camera.top = size;
      camera.near = 1;
      camera.far = this.depth + 2.6 * size;
      camera.updateProjectionMatrix();
    }
  }
}

/** A small stage for other pages: shows frames of a take on a canvas. */
export class Preview {
  readonly world: World;
  readonly crowd: Crowd;
  readonly cameras: Cameras;

  constructor(canvas: HTMLCanvasElement, take: Take, theme: Theme = THEMES.light) {
    this.world = new World(canvas, take.stage.floor);
    this.world.paint(theme);
    this.crowd = new Crowd(take);
    this.cameras = new Cameras(canvas, this.world.heights);
    this.world.scene.add(this.crowd.group);
  }

  /** Show everyone as posed in a frame (kept until the next one). */
  show(frame: PoseFrame): void {
    this.crowd.pose(frame);
    this.draw(1 / 60);
  }

  draw(seconds: number): void {
    this.world.fit(this.cameras.camera);
    this.cameras.step(seconds);
    this.crowd.choose(this.cameras.camera, this.world.canvas.clientHeight);
    this.world.draw(this.cameras.camera, this.cameras.focus, this.cameras.reach);
  }
}

export function createPreview(canvas: HTMLCanvasElement, take: Take, theme?: Theme): Preview {
  return new Preview(canvas, take, theme);
}
