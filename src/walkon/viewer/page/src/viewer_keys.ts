/** The viewer's keys: what each does. Every control of the page has one. */

import { LAYER_KEYS } from "./layer_menu";
import { LAYERS } from "./layers";
import type { Shortcut } from "./shortcuts";
import type { Viewer } from "./viewer";

export function viewerKeys(viewer: Viewer): readonly Shortcut[] {
  const clock = (): Viewer["clock"] => viewer.clock;
  const time: Shortcut[] = [
    { group: "Time", keys: [" ", "k"], label: "Play, pause", run: () => clock().toggle() },
    {
      group: "Time",
      keys: ["shift+arrowleft"],
      label: "A second back",
      repeats: true,
      run: () => clock().seek(clock().time - 1),
    },
    {
      group: "Time",
      keys: ["shift+arrowright"],
      label: "A second on",
      repeats: true,
      run: () => clock().seek(clock().time + 1),
    },
    { group: "Time", keys: ["arrowleft"], label: "A frame back", repeats: true, run: () => clock().step(-1) },
    { group: "Time", keys: ["arrowright"], label: "A frame on", repeats: true, run: () => clock().step(1) },
    { group: "Time", keys: ["home"], label: "To the start", run: () => clock().seek(clock().start) },
    { group: "Time", keys: ["end"], label: "To the end", run: () => clock().seek(clock().stop) },
    { group: "Time", keys: ["[", "arrowdown"], label: "Slower", run: () => clock().shiftSpeed(-1) },
    { group: "Time", keys: ["]", "arrowup"], label: "Faster", run: () => clock().shiftSpeed(1) },
    { group: "Time", keys: ["o"], label: "Loop", run: () => clock().toggleLoop() },
  ];
  const camera: Shortcut[] = [
    { group: "Camera", keys: ["1"], label: "Orbit", run: () => viewer.setCamera("orbit") },
    { group: "Camera", keys: ["2"], label: "Follow", run: () => viewer.setCamera("follow") },
    { group: "Camera", keys: ["3"], label: "Through the eyes", run: () => viewer.setCamera("first") },
    { group: "Camera", keys: ["0"], label: "See everyone", run: () => viewer.frameAll() },
    { group: "Camera", keys: ["w", "a", "s", "d"], label: "Slide", holds: ["ahead", "left", "back", "right"] },
    { group: "Camera", keys: ["q", "e"], label: "Turn", holds: ["turnLeft", "turnRight"] },
    { group: "Camera", keys: ["pageup", "pagedown"], label: "Tilt", holds: ["tiltUp", "tiltDown"] },
    { group: "Camera", keys: ["z", "x"], label: "Nearer, farther", holds: ["nearer", "farther"] },
  ];
  const cast: Shortcut[] = [
    { group: "Characters", keys: ["n"], label: "Next (or Tab on the stage)", repeats: true, run: () => viewer.step(1) },
    { group: "Characters", keys: ["b"], label: "The one before", repeats: true, run: () => viewer.step(-1) },
    { group: "Characters", keys: ["escape"], label: "To the panel; nobody; shut what is open", run: () => viewer.escape() },
    { group: "Characters", keys: ["j"], label: "Worst cases", run: () => viewer.toggleCases() },
    {
      group: "Characters",
      keys: [",", "."],
      label: "Case before, next case",
      run: (key) => viewer.stepCase(key === "," ? -1 : 1),
    },
  ];
  const layers = LAYERS.map((name): Shortcut => ({
    group: "Layers",
    keys: [LAYER_KEYS[name]],
    label: name[0].toUpperCase() + name.slice(1),
    run: () => viewer.toggleLayer(name),
  }));
  const page: Shortcut[] = [
    { group: "Page", keys: ["i"], label: "Save a still (PNG)", run: () => viewer.saveStill() },
    { group: "Page", keys: ["v"], label: "Record a video (WebM)", run: () => viewer.record() },
    { group: "Page", keys: ["t"], label: "Light or dark", run: () => viewer.toggleTheme() },
    { group: "Page", keys: ["h"], label: "Hide the controls", run: () => viewer.toggleBare() },
    { group: "Page", keys: ["?"], label: "These keys", run: () => viewer.toggleHelp() },
  ];
  return [...time, ...camera, ...cast, ...layers, ...page];
}
