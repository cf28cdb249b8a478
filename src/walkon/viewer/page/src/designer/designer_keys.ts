/** What keys do in the designer. Panes have keys of their own while they are in focus: arrows and Enter. */

import type { Designer } from "./designer";
import type { Key } from "./keys";

export function designerKeys(designer: Designer): Key[] {
  const { desk, preview } = designer;
  const designing = (): boolean => designer.mode === "design";
  const key = (
    group: string,
    keys: readonly string[],
    label: string,
    run: () => void,
    more: Partial<Key> = {},
  ): Key => ({ group, keys, label, run, when: designing, ...more });
  const always = { when: (): boolean => true };
  const none = (): void => {};
  return [
    key("Graph", ["mod+z"], "Undo", () => void designer.change("undo"), { ...always, repeats: true }),
    key("Graph", ["mod+shift+z", "mod+y"], "Redo", () => void designer.change("redo"), { ...always, repeats: true }),
    key("Graph", ["mod+s"], "Save", () => void designer.save(), always),
    key("Graph", ["b"], "Build the exact graph", () => void designer.build()),
    key("Graph", ["u"], "Suggest hubs", () => void designer.suggest(false)),
    key("Hubs", ["]"], "Next hub", () => designer.selectHub((desk.hub + 1) % Math.max(desk.state.hubs.length, 1)), {
      repeats: true,
    }),
    key(
      "Hubs",
      ["["],
      "Previous hub",
      () => designer.selectHub((desk.hub + desk.state.hubs.length - 1) % Math.max(desk.state.hubs.length, 1)),
      { repeats: true },
    ),
    key("Hubs", [".", ">"], "Higher threshold", () => designer.nudge(0.1), { repeats: true, shown: ["."] }),
    key("Hubs", [",", "<"], "Lower threshold", () => designer.nudge(-0.1), { repeats: true, shown: [","] }),
    key("Hubs", ["r"], "Rename", () => designer.panel.rename(desk.hub)),
    key("Hubs", ["delete", "backspace"], "Remove", () => void designer.remove(desk.hub), { shown: ["Del"] }),
    key("Frames", ["g"], "Grow a hub from the chosen frame", () => void designer.grow()),
    key("Frames", ["m"], "Put the frame into the hub, or take it out", () => void designer.toggleMatch(desk.column)),
    key("Frames", ["h"], "New hub of frames picked by hand", () => void designer.pickNew()),
    key("Frames", ["n"], "Next minimum of the slice", () => designer.distances.slice.go(1), { repeats: true }),
    key("Frames", ["p"], "Previous minimum", () => designer.distances.slice.go(-1), { repeats: true }),
    key("Frames", ["c"], "Compare the two moments", () => designer.playing.compare()),
    key("Preview", [" "], "Play or pause", () => preview.toggle()),
    key("Preview", ["k"], "One frame back", () => preview.step(-1), { repeats: true }),
    key("Preview", ["l"], "One frame on", () => preview.step(1), { repeats: true }),
    key("Preview", ["e"], "Play the edge at the chosen frame", () => designer.playing.playAt(desk.row, false)),
    key("Preview", ["j"], "Let another edge follow", () => designer.playing.join()),
    key("In image, slice and clips", [], "Move by a frame; Shift: by ten, or to match frames", none, {
      shown: ["←", "→", "↑", "↓"],
    }),
    key("In image, slice and clips", [], "Look into two clips, toggle a minimum, play", none, { shown: ["Enter"] }),
    key("In image, slice and clips", [], "Back to the whole library", none, { shown: ["Esc"] }),
    key(
      "Driving",
      ["v"],
      "Drive, or back to the design",
      () => void designer.setMode(designer.mode === "design" ? "drive" : "design"),
      always,
    ),
    key("Driving", [], "Walk (relative to the camera)", none, { shown: ["W A S D", "arrows"] }),
    key("Driving", [], "Faster, stand", none, { shown: ["Shift", "Space"] }),
    key("Driving", [], "Turn the camera", none, { shown: ["Q", "E"] }),
    key("Driving", [], "Clips on keys", none, { shown: ["1 … 9"] }),
    key("Page", ["t"], "Light or dark", () => designer.themes.toggle(), always),
    key("Page", ["?"], "These keys", () => designer.keys.toggleHelp(), always),
  ];
}
