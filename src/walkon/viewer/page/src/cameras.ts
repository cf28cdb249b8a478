/** Cameras: orbit around a place, follow a character, or look through its eyes. World, z up, metres, radians.

Angles and distance glide towards where they were asked to be. Keys and pointers only change what is asked for
(camera_hands.ts); `step` moves the camera and says whether it is still on its way. */

import { PerspectiveCamera, Quaternion, Vector3 } from "three";
import { heightsOf, LEVEL_GROUND, type FloorHeights } from "./floor_heights";

export type CameraMode = "orbit" | "follow" | "first";
export const CAMERA_MODES: readonly CameraMode[] = ["orbit", "follow", "first"];

/** The character that the camera is with. */
export interface Subject {
  readonly row: number;
  readonly root: Vector3;
  /** z of its middle: half as high as it is over the floor, or its root where it does not stand on it. */
  readonly middle: number;
  readonly eyes: Vector3;
  /** Where it looks, a unit vector. */
  readonly gaze: Vector3;
  readonly height: number;
}

/** The part of the canvas that nothing covers, in its pixels. */
export interface FreeArea {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface View {
  azimuth: number;
  elevation: number;
  distance: number;
}

const FOV = 38;
const FIRST_FOV = 68;
const GLIDE = 0.09;
const FOLLOW_GLIDE = 0.22;
const GAZE_GLIDE = 0.28;
const BLEND_SECONDS = 0.55;
const NEAREST = 0.6;
const FARTHEST = 900;
const LEAP = 4;
/** Share of the picture that framed people fill. */
const FILLED = 0.88;
const STEEPEST = 1.54;
const LOWEST = -0.12;
/** Metres over the floor: people's hips, and the least height of the camera. */
const HIPS = 0.9;
const OVER_FLOOR = 0.08;

export class Cameras {
  readonly camera = new PerspectiveCamera(FOV, 1, 0.05, 2500);
  /** What is looked at. */
  readonly focus = new Vector3(0, 0, 0.9);
  mode: CameraMode = "orbit";
  subject: Subject | null = null;
  /** Called when something asks for a new drawing. */
  changed: () => void = () => {};
  private readonly asked: View = { azimuth: -0.95, elevation: 0.4, distance: 9 };
  private readonly shown: View = { ...this.asked };
  private readonly askedFocus = new Vector3(0, 0, 0.9);
  private readonly look = { yaw: 0, pitch: 0 };
  private readonly gaze = new Vector3(1, 0, 0);
  private area: FreeArea | null = null;
  private readonly shift = { x: 0, y: 0 };
  /** How much farther away a followed character is seen because little of the canvas is free. */
  private back = 1;
  private subjectRow = -1;
  private blend = 0;
  private readonly fromPlace = new Vector3();
  private readonly fromTurn = new Quaternion();
  private fromFov = FOV;
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(readonly canvas: HTMLCanvasElement, private readonly floor: FloorHeights = heightsOf(LEVEL_GROUND)) {
    this.camera.up.set(0, 0, 1);
    const { z } = floor.at(0, 0, Number.NaN);
    this.askedFocus.z = this.focus.z = HIPS + (Number.isNaN(z) ? floor.span[0] : z);
  }

  /** Metres around the focus that matter. */
  get reach(): number {
    return this.mode === "first" ? 14 : 0.62 * this.shown.distance + 3;
  }

  setMode(mode: CameraMode): void {
    if (mode === this.mode) return;
    if (mode === "orbit" && this.subject) this.askedFocus.set(this.subject.root.x, this.subject.root.y, this.focus.z);
    if (mode === "follow") this.asked.distance = Math.min(Math.max(this.asked.distance, 3.2), 6.5);
    this.mode = mode;
    this.look.yaw = this.look.pitch = 0;
    this.startBlend();
    this.changed();
  }

  /** Say which part of the canvas is free: what is looked at goes to its middle. */
  setArea(area: FreeArea): void {
    this.area = area;
    this.changed();
  }

  turn(azimuth: number, elevation: number): void {
    if (this.mode === "first") {
      this.look.yaw = Math.min(Math.max(this.look.yaw + azimuth, -2.4), 2.4);
      this.look.pitch = Math.min(Math.max(this.look.pitch - elevation, -1.2), 1.2);
    } else {
      this.asked.azimuth += azimuth;
      this.asked.elevation = Math.min(Math.max(this.asked.elevation + elevation, LOWEST), STEEPEST);
    }
    this.changed();
  }

  /** Multiply the distance. */
  zoom(factor: number): void {
    this.asked.distance = Math.min(Math.max(this.asked.distance * factor, NEAREST), FARTHEST);
    this.changed();
  }

  /** Slide over the floor: metres to the right and ahead of the view. Leaves a followed character. */
  slide(right: number, ahead: number): void {
    if (this.mode !== "orbit") return;
    const { azimuth } = this.shown;
    const before = this.groundAt(this.askedFocus);
    this.askedFocus.x += -Math.sin(azimuth) * right - Math.cos(azimuth) * ahead;
    this.askedFocus.y += Math.cos(azimuth) * right - Math.sin(azimuth) * ahead;
    // Over hills the focus stays as high above the floor as it was.
    const after = this.groundAt(this.askedFocus);
    if (!Number.isNaN(before) && !Number.isNaN(after)) this.askedFocus.z += after - before;
    this.changed();
  }

  /** Metres that a pixel of the canvas spans at the focus. */
  get metresPerPixel(): number {
    const tall = 2 * this.shown.distance * Math.tan((this.camera.fov * Math.PI) / 360);
    return tall / Math.max(this.canvas.clientHeight, 1);
  }

  /** Look at a place from nearby, from where others (x, y) hide it least; for worst cases. */
  visit(place: Vector3, others: readonly (readonly [number, number])[], distance = 3.6): void {
    if (this.mode === "orbit") this.askedFocus.copy(place);
    this.asked.distance = distance;
    this.asked.elevation = Math.min(Math.max(this.asked.elevation, 0.18), 0.38);
    let least = Infinity;
    const from = this.asked.azimuth;
    for (let k = 0; k < 24; k++) {
      // Small turns first: 0, 1, −1, 2, −2 … steps of 15 degrees.
      const turn = ((k % 2 ? 1 : -1) * Math.ceil(k / 2) * Math.PI) / 12;
      const [cx, cy] = [Math.cos(from + turn), Math.sin(from + turn)];
      let hidden = 0.02 * Math.abs(turn);
      for (const [x, y] of others) {
        const along = (x - place.x) * cx + (y - place.y) * cy;
        const aside = Math.abs((x - place.x) * cy - (y - place.y) * cx);
        const breadth = 0.55 * (1 - along / (distance + 1));
        if (along > 0.2 && along < distance + 0.5) hidden += Math.max(0, 1 - aside / breadth);
      }
      if (hidden < least - 1e-9) {
        least = hidden;
        this.asked.azimuth = from + turn;
      }
    }
    this.changed();
  }

  /** Stand where all these places (x, y, z) are seen, with room for people, whose floor is at a height; at once. */
  frame(places: readonly Vector3[], ground: number): void {
    if (places.length === 0) return;
    const { azimuth } = this.asked;
    const elevation = Math.min(Math.max(this.asked.elevation, 0.3), 0.6);
    const back = new Vector3(
      Math.cos(elevation) * Math.cos(azimuth),
      Math.cos(elevation) * Math.sin(azimuth),
      Math.sin(elevation),
    );
    const right = new Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
    const up = new Vector3().crossVectors(back, right);
    const half = Math.tan((FOV * Math.PI) / 360) * FILLED;
    const { area, canvas } = this;
    const tall = half * (area ? (area.bottom - area.top) / canvas.clientHeight : 1);
    const wide = half * this.camera.aspect * (area ? (area.right - area.left) / canvas.clientWidth : 1);
    const middle = places.reduce((sum, place) => sum.add(place), new Vector3()).divideScalar(places.length);
    let distance = 2.5;
    const away = new Vector3();
    // Go back until all is seen, then move what is seen into the middle of the picture; a few times is enough.
    for (let k = 0; k < 6; k++) {
      let [left, most, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
      distance = 2.5;
      for (const place of places) {
        away.subVectors(place, middle);
        const depth = away.dot(back);
        distance = Math.max(distance, depth + Math.abs(away.dot(right)) / wide, depth + Math.abs(away.dot(up)) / tall);
      }
      for (const place of places) {
        away.subVectors(place, middle);
        const depth = Math.max(distance - away.dot(back), 0.1);
        left = Math.min(left, away.dot(right) / depth);
        most = Math.max(most, away.dot(right) / depth);
        low = Math.min(low, away.dot(up) / depth);
        high = Math.max(high, away.dot(up) / depth);
      }
      middle.addScaledVector(right, 0.5 * (left + most) * distance).addScaledVector(up, 0.5 * (low + high) * distance);
    }
    // The focus lies in the plane of people's hips, so that turning goes around them.
    const nearer = (ground + HIPS - middle.z) / back.z;
    middle.addScaledVector(back, nearer);
    distance -= nearer;
    Object.assign(this.asked, { azimuth, elevation, distance: Math.min(distance, FARTHEST) });
    Object.assign(this.shown, this.asked);
    this.askedFocus.copy(middle);
    if (this.mode === "orbit") this.focus.copy(middle);
    this.glideShift(1);
    this.changed();
  }

  /** Move on by so many seconds of the wall's clock; true while still moving. */
  step(seconds: number): boolean {
    const glide = this.calm.matches ? 1 : 1 - Math.exp(-seconds / GLIDE);
    let moving = this.glideView(glide);
    moving = this.glideFocus(seconds, glide) || moving;
    moving = this.glideShift(glide) || moving;
    const { azimuth, elevation } = this.shown;
    const distance = this.shown.distance * this.back;
    const { camera } = this;
    let fov = FOV;
    if (this.mode === "first" && this.subject) {
      this.placeEyes();
      fov = FIRST_FOV;
    } else {
      const level = Math.cos(elevation) * distance;
      camera.position.set(
        this.focus.x + level * Math.cos(azimuth),
        this.focus.y + level * Math.sin(azimuth),
        this.focus.z + Math.sin(elevation) * distance,
      );
      const ground = this.floor.at(camera.position.x, camera.position.y, this.focus.z - HIPS).z;
      if (camera.position.z < ground + OVER_FLOOR) camera.position.z = ground + OVER_FLOOR;
      camera.lookAt(this.focus);
    }
    if (this.blend > 0) {
      this.blend = Math.max(this.blend - seconds / BLEND_SECONDS, 0);
      const left = this.blend * this.blend * (3 - 2 * this.blend);
      camera.position.lerp(this.fromPlace, left);
      camera.quaternion.slerp(this.fromTurn, left);
      fov += (this.fromFov - fov) * left;
      moving = true;
    }
    const near = this.mode === "first" ? 0.05 : Math.min(Math.max(0.02 * distance, 0.05), 1);
    if (camera.fov !== fov || camera.near !== near) {
      camera.fov = fov;
      camera.near = near;
      camera.updateProjectionMatrix();
    }
    camera.updateMatrixWorld();
    return moving;
  }

  private glideView(glide: number): boolean {
    let moving = false;
    for (const key of ["azimuth", "elevation", "distance"] as const) {
      const away = this.asked[key] - this.shown[key];
      const small = key === "distance" ? 1e-3 * this.asked.distance : 1e-4;
      if (Math.abs(away) < small) this.shown[key] = this.asked[key];
      else {
        this.shown[key] += away * glide;
        moving = true;
      }
    }
    return moving;
  }

  /** Move the middle of the picture into the free area. */
  private glideShift(glide: number): boolean {
    const { area, canvas, camera, shift } = this;
    if (!area) return false;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const dx = 0.5 * (area.left + area.right - width) - shift.x;
    const dy = 0.5 * (area.top + area.bottom - height) - shift.y;
    const back = this.mode === "follow" ? Math.min(Math.max((0.8 * height) / (area.bottom - area.top), 1), 2.4) : 1;
    const moving = Math.abs(dx) + Math.abs(dy) > 0.5 || Math.abs(back - this.back) > 1e-3;
    this.back += moving ? (back - this.back) * glide : back - this.back;
    shift.x += moving ? dx * glide : dx;
    shift.y += moving ? dy * glide : dy;
    const { view } = camera;
    const same = view?.fullWidth === width && view.fullHeight === height;
    if (!same || view.offsetX !== -shift.x || view.offsetY !== -shift.y) {
      camera.setViewOffset(width, height, -shift.x, -shift.y, width, height);
    }
    return moving;
  }

  private glideFocus(seconds: number, glide: number): boolean {
    const { subject } = this;
    if (this.mode !== "orbit" && subject) {
      const goal = new Vector3(subject.root.x, subject.root.y, subject.middle);
      const fresh = subject.row !== this.subjectRow;
      if (fresh && this.subjectRow >= 0) this.startBlend();
      this.subjectRow = subject.row;
      const away = goal.distanceTo(this.focus);
      const share = fresh || away > LEAP ? 1 : 1 - Math.exp(-seconds / FOLLOW_GLIDE);
      this.focus.lerp(goal, share);
      this.gaze.lerp(subject.gaze, fresh ? 1 : 1 - Math.exp(-seconds / GAZE_GLIDE)).normalize();
      if (this.mode === "first") this.focus.copy(subject.root);
      return away > 2e-3 || this.gaze.distanceTo(subject.gaze) > 2e-3;
    }
    this.subjectRow = -1;
    const away = this.askedFocus.distanceTo(this.focus);
    if (away < 1e-4 * Math.max(1, this.shown.distance)) {
      this.focus.copy(this.askedFocus);
      return false;
    }
    this.focus.lerp(this.askedFocus, glide);
    return true;
  }

  private placeEyes(): void {
    const { subject, camera } = this;
    if (!subject) return;
    const yaw = Math.atan2(this.gaze.y, this.gaze.x) - this.look.yaw;
    const pitch = Math.min(
      Math.max(Math.asin(Math.min(Math.max(this.gaze.z, -1), 1)) - 0.06 - this.look.pitch, -1.45),
      1.45,
    );
    camera.position.copy(subject.eyes);
    const ahead = new Vector3(Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch));
    camera.lookAt(ahead.add(subject.eyes));
  }

  /** The height of the floor under a focus; NaN where there is none. */
  private groundAt({ x, y, z }: Vector3): number {
    return this.floor.at(x, y, z - HIPS).z;
  }

  private startBlend(): void {
    if (this.calm.matches) return;
    this.fromPlace.copy(this.camera.position);
    this.fromTurn.copy(this.camera.quaternion);
    this.fromFov = this.camera.fov;
    this.blend = 1;
  }
}
