/** The upper right of the page: distance image, slice, and what can be done with the chosen frames. */

import { element } from "../dom";
import { Latest, Refused } from "./connection";
import type { Desk } from "./desk";
import { DistanceImage } from "./distance_image";
import { sentence, showError } from "./notices";
import { SlicePlot } from "./slice_plot";

export interface DistanceActions {
  threshold(cm: number, done: boolean): void;
  toggle(frame: number): void;
  grow(): void;
  compare(): void;
}

export class DistancePane {
  readonly image: DistanceImage;
  readonly slice: SlicePlot;
  private readonly latest: Latest<Float32Array>;
  private readonly words = element("p", { class: "read numbers" });
  private readonly whole = element(
    "button",
    {
      class: "chip",
      type: "button",
      title: "Show all clips against all (Escape in the image)",
      click: () => this.image.view(null),
    },
    "Whole library",
  );
  private readonly selects = ["Clip down the side", "Clip along the top"].map((label) =>
    element("select", { "aria-label": label, title: label }),
  );
  private readonly growButton = element(
    "button",
    {
      class: "plain-button",
      type: "button",
      title: "A new hub from the chosen frame (G)",
      click: () => this.actions.grow(),
    },
    "Grow a hub",
  );
  private readonly pickButton = element("button", {
    class: "plain-button",
    type: "button",
    click: () => this.actions.toggle(this.desk.frames.frame(this.desk.column)),
  });
  private readonly compareButton = element(
    "button",
    {
      class: "plain-button",
      type: "button",
      title: "Both moments over each other in the preview (C)",
      click: () => this.actions.compare(),
    },
    "Compare",
  );
  private hover: string | null = null;
  /** Why the chosen frame has no distances. */
  private problem = "";
  private sliced = -1;

  constructor(
    private readonly desk: Desk,
    place: HTMLElement,
    private readonly actions: DistanceActions,
  ) {
    this.image = new DistanceImage(desk, () => actions.compare());
    this.slice = new SlicePlot(desk, () => this.image.columns, {
      toggle: (frame) => actions.toggle(frame),
      threshold: (cm, done) => actions.threshold(cm, done),
      hovered: (words) => this.say(words),
    });
    this.latest = new Latest(
      (distances) => {
        desk.distances = distances;
        this.slice.refresh();
        this.say(this.hover);
        desk.tell("slice");
      },
      (error) => showError(error),
    );
    this.image.hovered = (words) => this.say(words);
    this.image.viewed = () => this.refreshView();
    this.selects.forEach((select, side) => {
      desk.frames.clips.forEach(({ name }, clip) => select.append(element("option", { value: clip }, name)));
      select.addEventListener("change", () => {
        const pair: [number, number] = [Number(this.selects[0].value), Number(this.selects[1].value)];
        pair[side] = Number(select.value);
        this.image.view(pair);
      });
    });
    place.append(
      element(
        "header",
        { class: "head" },
        element("h2", {}, "Distances"),
        this.whole,
        this.selects[0],
        element("span", { class: "faint", "aria-hidden": "true" }, "×"),
        this.selects[1],
      ),
      element("div", { class: "image-place" }, this.image.canvas),
      element("div", { class: "slice-place" }, this.slice.canvas),
      element(
        "footer",
        { class: "foot" },
        this.words,
        element("div", { class: "acts" }, this.compareButton, this.pickButton, this.growButton),
      ),
    );
    desk.watch((change) => this.refresh(change === "moment" || change === "state"));
    this.refresh(true);
  }

  /** Draw again; ask for the slice where the chosen frame is another one. */
  refresh(moved: boolean): void {
    const { desk } = this;
    if (moved) {
      const frame = desk.frames.frame(desk.row);
      if (frame !== this.sliced) {
        this.sliced = frame;
        const { clip, time } = desk.frames.moment(frame);
        this.latest.ask(async () => {
          try {
            const { bytes } = await desk.line.askBytes<object>("slice", { clip, time });
            this.problem = "";
            return new Float32Array(bytes.buffer.slice(0, 4 * desk.frames.count));
          } catch (error) {
            // A frame at a clip's end has no distances; that is no accident.
            if (!(error instanceof Refused)) throw error;
            this.problem = sentence(error.message);
            return new Float32Array(desk.frames.count).fill(Infinity);
          }
        });
      }
    }
    this.image.redraw();
    this.slice.redraw();
    this.refreshView();
    this.say(this.hover);
    const here = desk.hubsAt(desk.column).includes(desk.hub);
    const hub = desk.selected;
    this.pickButton.textContent = here ? "Take out" : "Put in";
    this.pickButton.disabled = !hub;
    this.pickButton.title = hub
      ? here
        ? `Take this frame out of ${hub.name} (M)`
        : `Put this frame into ${hub.name} (M)`
      : "Select a hub first";
  }

  private refreshView(): void {
    const { pair } = this.image;
    this.whole.setAttribute("aria-pressed", String(pair === null));
    const clips = pair ?? [this.desk.row.clip, this.desk.column.clip];
    this.selects.forEach((select, side) => {
      if (Number(select.value) !== clips[side]) select.value = String(clips[side]);
    });
    this.slice.redraw();
  }

  private say(hover: string | null): void {
    this.hover = hover;
    const { frames, row, column, distances } = this.desk;
    const metres = distances?.[frames.frame(column)];
    const far = metres === undefined || !Number.isFinite(metres) ? "" : ` · ${(100 * metres).toFixed(1)} cm`;
    this.words.textContent = hover ?? (this.problem || null) ?? `${frames.words(row)} ↔ ${frames.words(column)}${far}`;
    this.words.classList.toggle("faint", hover === null);
    this.words.title = this.words.textContent;
  }
}
