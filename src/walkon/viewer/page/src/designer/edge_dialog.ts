/** A dialog to choose an edge for a key: a few words narrow the list. */

import { element } from "../dom";
import { icon } from "../icons";
import type { Desk } from "./desk";
import { edgeFacts } from "./edge_list";

const MOST = 60;

export class EdgeDialog {
  private readonly dialog: HTMLDialogElement;
  private readonly words = element("input", {
    type: "search",
    placeholder: "sit, turn left, wave …",
    "aria-label": "Words of a clip or a hub",
    autocomplete: "off",
  });
  private readonly list = element("div", { class: "edge-list" });
  private readonly title = element("h2", {});
  private chosen: (edge: number) => void = () => {};

  constructor(private readonly desk: Desk) {
    const close = element(
      "button",
      { class: "icon", type: "button", "aria-label": "Close", click: () => this.dialog.close() },
      icon("close"),
    );
    const none = element(
      "button",
      { class: "plain-button", type: "button", click: () => this.end(-1) },
      "Nothing on this key",
    );
    this.dialog = element(
      "dialog",
      { class: "choose" },
      element("header", {}, this.title, close),
      element("div", { class: "search" }, this.words, none),
      this.list,
    );
    this.words.addEventListener("input", () => this.fill());
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  open(title: string, chosen: (edge: number) => void): void {
    this.title.textContent = title;
    this.chosen = chosen;
    this.fill();
    this.dialog.showModal();
    this.words.select();
  }

  private end(edge: number): void {
    this.dialog.close();
    this.chosen(edge);
  }

  private fill(): void {
    const { desk } = this;
    const { edges } = desk.state;
    const wanted = this.words.value
      .toLowerCase()
      .split(/[\s_]+/)
      .filter(Boolean);
    const found: number[] = [];
    for (let e = 0; e < edges.length && found.length < MOST; e++) {
      const text =
        `${desk.frames.clips[edges[e].clip].name} ${desk.edgeWords(edges[e])} ${desk.frames.clips[edges[e].clip].labels.join(" ")}`.toLowerCase();
      if (wanted.every((word) => text.includes(word))) found.push(e);
    }
    this.list.replaceChildren(
      ...found.map((e) =>
        element(
          "button",
          { type: "button", class: "edge", click: () => this.end(e) },
          element("span", {}, desk.edgeWords(edges[e])),
          element(
            "small",
            { class: "faint numbers" },
            `${desk.frames.clips[edges[e].clip].name} ${edges[e].from.toFixed(2)} s · ${edgeFacts(edges[e])}`,
          ),
        ),
      ),
      found.length === 0
        ? element("p", { class: "facts faint" }, "No edge has these words.")
        : found.length === MOST
          ? element("p", { class: "facts faint" }, "There are more; type a word.")
          : "",
    );
  }
}
