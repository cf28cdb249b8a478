/** The right side of the page: the graph in numbers, its hubs, how many edges lead from each to each, and those edges. */

import { counted, element } from "../dom";
import { CountsMatrix } from "./counts_matrix";
import type { Desk } from "./desk";
import { EdgeList } from "./edge_list";
import { HubCard, type HubActions } from "./hub_card";
import { sentence } from "./notices";

export interface PanelActions extends HubActions {
  build(): void;
  suggest(replace: boolean): void;
  playEdge(edge: number, joined: boolean): void;
}

export class HubPanel {
  private cards: HubCard[] = [];
  private readonly list = element("ul", { class: "hub-list" });
  private readonly edges = element("b", { class: "big numbers" });
  private readonly bend = element("b", { class: "big numbers" });
  private readonly high = element("b", { class: "big numbers" });
  private readonly exact = element("p", { class: "facts" });
  private readonly notes = element("ul", { class: "notes" });
  private readonly buildButton: HTMLButtonElement;
  private readonly matrix: CountsMatrix;
  private readonly edgeList: EdgeList;
  private most = 10;

  constructor(
    private readonly desk: Desk,
    private readonly place: HTMLElement,
    private readonly actions: PanelActions,
  ) {
    this.buildButton = element(
      "button",
      { class: "plain-button", type: "button", title: "Make the exact graph (B)", click: () => actions.build() },
      "Build",
    );
    this.edgeList = new EdgeList(desk, (edge, joined) => actions.playEdge(edge, joined));
    this.matrix = new CountsMatrix(desk, (start, stop) => this.edgeList.show(start, stop));
    const figure = (value: HTMLElement, words: string, title: string): HTMLElement =>
      element("div", { class: "figure", title }, value, element("span", { class: "faint" }, words));
    const suggest = (words: string, title: string, replace: boolean): HTMLButtonElement =>
      element("button", { class: "chip", type: "button", title, click: () => actions.suggest(replace) }, words);
    place.append(
      element(
        "section",
        { class: "summary", "aria-label": "Graph" },
        element(
          "div",
          { class: "figures" },
          figure(this.edges, "edges", "Clips from hub to hub"),
          figure(
            this.bend,
            "bent, median",
            "Degrees by which joints of match frames are turned into the common pose: median",
          ),
          figure(
            this.high,
            "bent, 95 %",
            "Degrees by which joints of match frames are turned into the common pose: 95th percentile",
          ),
        ),
        element("div", { class: "exactness" }, this.exact, this.buildButton),
        this.notes,
      ),
      element(
        "div",
        { class: "head" },
        element("h2", {}, "Hubs"),
        suggest("Suggest", "Add suggested hubs that are not there yet (U)", false),
        suggest("Start over", "Put the suggested hubs in the place of all", true),
      ),
      this.list,
      element("div", { class: "head" }, element("h2", {}, "Edges from hub to hub")),
      this.matrix.element,
      this.edgeList.element,
    );
    desk.watch((change) => {
      if (change === "state" || change === "hub" || change === "trial" || change === "playing") this.refresh();
      if (change === "hub" || change === "state") this.reveal();
    });
    this.refresh();
  }

  /** Scroll the panel, and nothing else, to the selected hub. */
  private reveal(): void {
    const card = this.cards[this.desk.hub]?.element;
    if (!card) return;
    const [mine, room] = [card.getBoundingClientRect(), this.place.getBoundingClientRect()];
    if (mine.top < room.top) this.place.scrollTop += mine.top - room.top;
    else if (mine.bottom > room.bottom) this.place.scrollTop += mine.bottom - room.bottom;
  }

  /** A note as a sentence; names of hubs keep their letters. */
  private words(note: string): string {
    return this.desk.state.hubs.some((hub) => note.startsWith(`${hub.name} `)) ? note : sentence(note);
  }

  /** Begin to rename a hub. */
  rename(hub: number): void {
    this.cards[hub]?.name.focus();
    this.cards[hub]?.name.select();
  }

  private refresh(): void {
    const { desk } = this;
    const { state, trying } = desk;
    const found = trying?.found ?? null;
    if (this.cards.length !== state.hubs.length) {
      this.cards = state.hubs.map((_, hub) => new HubCard(desk, hub, this.actions));
      this.list.replaceChildren(...this.cards.map((card) => card.element));
    }
    const largest = Math.max(...state.hubs.map((hub) => hub.threshold_cm), 4);
    if (!trying) this.most = Math.max(this.most, 5 * Math.ceil((1.6 * largest) / 5));
    for (const card of this.cards) card.refresh(this.most);
    this.edges.textContent = (found?.edges ?? state.quality.edges).toLocaleString("en");
    this.bend.textContent = `${state.quality.median_deg.toFixed(1)}°`;
    this.high.textContent = `${state.quality.p95_deg.toFixed(1)}°`;
    this.exact.textContent = trying
      ? "While you drag: quick estimates."
      : state.built
        ? "Built: figures are exact."
        : "Not built: figures are quick estimates.";
    this.exact.classList.toggle("faint", state.built);
    this.buildButton.hidden = state.built || state.hubs.length === 0;
    const notes =
      state.hubs.length === 0
        ? ["There are no hubs. Click a frame and grow one, or let some be suggested"]
        : state.notes;
    this.notes.replaceChildren(
      ...notes.slice(0, 8).map((note) => element("li", {}, this.words(note))),
      notes.length > 8 ? element("li", { class: "faint" }, `and ${counted(notes.length - 8, "more")}`) : "",
    );
    this.notes.hidden = notes.length === 0;
    this.matrix.refresh();
    this.edgeList.refresh();
  }
}
