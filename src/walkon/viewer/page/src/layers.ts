/** Layers over the scene: marks, paths, plants, contacts and footprints, each on its key, drawn from the take.

| layer | what it shows |
| marks | tape on the floor where characters must be: a T whose bar is where the toes go, a cross where any facing will do |
| paths | the way of every character's root over the whole take, along the floor |
| plants | where feet stand: every plant so far as a sole, those of this moment strongly |
| contacts | heels and balls that bear now |
| footprints | the disc that a walking body needs |
*/

import { Group, type Object3D } from "three";
import type { FloorHeights } from "./floor_heights";
import { ContactDots } from "./layer_contacts";
import { FootprintDiscs } from "./layer_footprints";
import { MarkTape } from "./layer_marks";
import { Paths } from "./layer_paths";
import { Plants } from "./layer_plants";
import type { PoseFrame } from "./pose_frame";
import type { Take } from "./take";
import type { Theme } from "./theme";

export const LAYERS = ["marks", "paths", "plants", "contacts", "footprints"] as const;
export type LayerName = (typeof LAYERS)[number];

export interface Layer {
  readonly object: Object3D;
  pose(frame: PoseFrame, selected: number): void;
  paint?(theme: Theme): void;
}

/** Builds layers when they are first switched on. */
export class Layers {
  readonly group = new Group();
  /** Called when a layer has more to show. */
  changed: () => void = () => {};
  private readonly built = new Map<LayerName, Layer>();
  private readonly shown = new Set<LayerName>();
  private theme: Theme | null = null;
  private selected = -1;

  constructor(
    private readonly take: Take,
    private readonly bytes: Uint8Array,
    private readonly floor: FloorHeights,
    /** The frame that is shown: layers must not keep it, since its memory is used again. */
    private readonly current: () => PoseFrame | null,
  ) {}

  toggle(name: LayerName): boolean {
    const on = !this.shown.has(name);
    if (on) this.shown.add(name);
    else this.shown.delete(name);
    if (on && !this.built.has(name)) this.build(name);
    const layer = this.built.get(name);
    if (layer) layer.object.visible = on;
    const frame = this.current();
    if (on && layer && frame) layer.pose(frame, this.selected);
    this.changed();
    return on;
  }

  pose(frame: PoseFrame, selected: number): void {
    this.selected = selected;
    for (const name of this.shown) this.built.get(name)?.pose(frame, selected);
  }

  paint(theme: Theme): void {
    this.theme = theme;
    for (const layer of this.built.values()) layer.paint?.(theme);
  }

  private build(name: LayerName): void {
    const layer = this.make(name);
    this.built.set(name, layer);
    this.group.add(layer.object);
    if (this.theme) layer.paint?.(this.theme);
  }

  private make(name: LayerName): Layer {
    switch (name) {
      case "marks":
        return new MarkTape(this.take, this.floor);
      case "paths":
        return new Paths(this.take, this.bytes, this.floor, () => this.changed());
      case "plants":
        return new Plants(this.take, this.floor);
      case "contacts":
        return new ContactDots(this.take);
      case "footprints":
        return new FootprintDiscs(this.take, this.floor);
    }
  }
}
