/** The page that plays a take: gets its bytes, reads them, and hands them to the viewer. What fails is said on the page. */

import { Vector3 } from "three";
import { auditData } from "./audit_data";
import { counted, found } from "./dom";
import { dress } from "./dressing";
import { note, showFailure } from "./message";
import { PosingClient } from "./posing_client";
import { readTake, type Take } from "./take";
import { isExported, takeBytes } from "./take_bytes";
import { ThemeSwitch } from "./theme";
import { Viewer } from "./viewer";

/** What scripts and tests can ask of the page. */
export interface WalkonPage {
  /** Resolves when the first frame is drawn; rejected where the take cannot be played. */
  readonly ready: Promise<void>;
  readonly time: number;
  readonly playing: boolean;
  readonly selected: string | null;
  readonly camera: string;
  play(): void;
  pause(): void;
  /** Resolves when that time is drawn. */
  seek(time: number): Promise<void>;
  select(name: string | null): void;
  /** Where a character's root is on the canvas, in pixels of the page; null where it is not there. */
  where(name: string): { x: number; y: number } | null;
  /** Where the joints of the user's own character are drawn for somebody, by role; null for those who do not wear it. */
  rig(name: string): Record<string, number[]> | null;
  /** Shape the hands of somebody, left and right, each as twice the number of its shape plus a weight from 0 to 1; null: as the
  take has them. */
  shapeHands(name: string, codes: readonly [number, number] | null): Promise<void>;
  /** Names of the seats that are folded up against their backs now. */
  foldedSeats(): string[];
  /** (x, y, heading, z) at which an obstacle on a track, or "DOOR.leaf", is drawn; null where there is none. */
  moving(name: string): number[] | null;
  /** The floor at a place that is nearest to a height (without one the highest): z, and its rise per metre along x and y;
  z is NaN where there is none. */
  floor(x: number, y: number, near?: number): { z: number; dx: number; dy: number };
  stats(): PageFigures;
}

export interface PageFigures {
  /** Milliseconds of the main thread per drawn frame, of the last 120: scripting and upload. */
  readonly median: number;
  readonly worst: number;
  readonly frames: number;
  readonly characters: number;
  readonly triangles: number;
  /** Draw calls of the last frame. */
  readonly calls: number;
  /** Milliseconds from the start of navigation to the first frame. */
  readonly firstFrame: number;
  /** Milliseconds that the worker took for the last pose. */
  readonly posing: number;
}

declare global {
  interface Window {
    walkon: WalkonPage;
  }
}

async function start(): Promise<Viewer> {
  const themes = new ThemeSwitch();
  const bytes = await takeBytes();
  const client = new PosingClient(bytes);
  const take = readTake(bytes);
  titled(take);
  const viewer = new Viewer(take, bytes, client, themes);
  await Promise.all([client.ready, dress(viewer)]);
  offer(viewer, client);
  await viewer.start();
  void auditData(!isExported()).then((audit) => viewer.setAudit(audit));
  return viewer;
}

function titled(take: Take): void {
  const name = document.title.replace(/\s*[·–—|-]\s*Walkon$/i, "") || "Walkon";
  found("name").textContent = name;
  const length = take.stop - take.start;
  const parts = [counted(take.names.length, "character"), `${length.toFixed(length < 100 ? 1 : 0)} s`];
  if (take.marks.rows) parts.push(counted(take.marks.rows, "mark"));
  if (!take.complete) parts.push("unfinished");
  found("facts").textContent = parts.join(" · ");
  found("title").title = `${name}: ${parts.join(", ")}`;
}

function offer(viewer: Viewer, client: PosingClient): void {
  const { take, clock, world, cameras } = viewer;
  Object.defineProperties(window.walkon, {
    time: { get: () => clock.time },
    playing: { get: () => clock.playing },
    selected: { get: () => (viewer.selected < 0 ? null : take.names[viewer.selected]) },
    camera: { get: () => cameras.mode },
  });
  Object.assign(window.walkon, {
    play: () => clock.playing || clock.toggle(),
    pause: () => clock.playing && clock.toggle(),
    seek: (time: number) => viewer.seek(time),
    select: (name: string | null) => viewer.select(name === null ? -1 : take.names.indexOf(name)),
    where: (name: string) => {
      const { frame } = viewer;
      const row = take.names.indexOf(name);
      if (!frame || row < 0 || frame.present[row] === 0) return null;
      const place = new Vector3().fromArray(frame.positions, 3 * row * frame.size.joints).project(cameras.camera);
      const box = world.canvas.getBoundingClientRect();
      return { x: box.left + (0.5 + 0.5 * place.x) * box.width, y: box.top + (0.5 - 0.5 * place.y) * box.height };
    },
    rig: (name: string) => viewer.rigged?.joints(take.names.indexOf(name)) ?? null,
    shapeHands: (name: string, codes: readonly [number, number] | null) =>
      viewer.shapeHands(take.names.indexOf(name), codes),
    foldedSeats: () => viewer.seats.folded(),
    moving: (name: string) => viewer.stage.placed(name),
    floor: (x: number, y: number, near = Number.NaN) => ({ ...world.heights.at(x, y, near) }),
    stats: (): PageFigures => ({
      ...viewer.stats.summary(),
      characters: take.names.length,
      triangles: viewer.crowd.triangles + (viewer.rigged?.triangles ?? 0),
      calls: world.renderer.info.render.calls,
      firstFrame: viewer.stats.firstFrame,
      posing: client.milliseconds,
    }),
  });
}

/** Before the first frame anything that fails is why there is none; after it the page goes on. (The worker and the
graphics card, without which it cannot, are watched by themselves.) */
let drawn = false;
function failed(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  if (text.startsWith("ResizeObserver loop")) return; // a layout that took two turns
  if (drawn) note(`Something went wrong: ${text}`);
  else showFailure(error);
}

found("loading").remove();
window.addEventListener("error", (event) => failed(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => failed(event.reason));
const started = start();
window.walkon = { ready: started.then(() => void (drawn = true)) } as WalkonPage;
started.catch(showFailure);
window.walkon.ready.catch(() => undefined);
