/** The character's panel: who it is, what it plays, its marks, and the reason for what it does now. */

import type { AuditData } from "./audit_data";
import { element, listed, shortNumber } from "./dom";
import { icon } from "./icons";
import type { PoseFrame } from "./pose_frame";
import { renew } from "./renewing";
import type { Take } from "./take";
import { why, type MarkState, type Neighbour, type Playing, type Why } from "./why";

/** What the panel can ask of the page. */
export interface PanelActions {
  select(row: number): void;
  seek(time: number): void;
  follow(): void;
  look(): void;
}

const SECONDS_BETWEEN = 0.12;

export class CharacterPanel {
  readonly element = element(
    "section",
    { class: "card panel", id: "character", "aria-label": "Character", hidden: true },
  );
  private row = -1;
  private last = -Infinity;
  private readonly body = element("div", {});
  private audit: AuditData | null = null;
  /** Whether something in the panel is being pressed: then rows stay where they are. */
  private pressed = false;

  constructor(
    private readonly take: Take,
    private readonly actions: PanelActions,
  ) {
    this.body.addEventListener("pointerdown", () => (this.pressed = true));
    // On the window, because a press may end elsewhere.
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => (this.pressed = false));
  }

  setAudit(audit: AuditData | null): void {
    this.audit = audit;
  }

  /** Show a character, −1 for none. */
  show(row: number): void {
    this.row = row;
    this.last = -Infinity;
    this.pressed = false;
    const inside = this.element.contains(document.activeElement);
    this.element.hidden = row < 0;
    if (row < 0) return;
    const [r, g, b] = this.take.characters.colour.subarray(3 * row, 3 * row + 3);
    const swatch = element("span", { class: "swatch" });
    swatch.style.background = `rgb(${[r, g, b].map((c) => Math.round(c * 255)).join(" ")})`;
    const button = (name: "follow" | "first" | "close", label: string, run: () => void): HTMLButtonElement =>
      element("button", { class: "icon", type: "button", "aria-label": label, title: label, click: run }, icon(name));
    this.element.replaceChildren(
      element(
        "header",
        {},
        swatch,
        element("h2", { title: this.take.names[row] }, this.take.names[row]),
        button("follow", "Follow", () => this.actions.follow()),
        button("first", "See through the eyes", () => this.actions.look()),
        button("close", "Close", () => this.actions.select(-1)),
      ),
      this.body,
    );
    if (inside) this.focus(); // what had it is about somebody else
  }

  /** Give the focus to the panel's first button; false where nobody is shown. */
  focus(): boolean {
    if (this.element.hidden) return false;
    this.element.querySelector<HTMLElement>("button")?.focus();
    return this.element.contains(document.activeElement);
  }

  /** Tell what the frame shows; a few times a second while it runs, at once when `now`. */
  pose(frame: PoseFrame, now: boolean): void {
    if (this.row < 0 || this.row >= frame.size.characters || this.pressed) return;
    const clock = performance.now() / 1000;
    if (!now && clock - this.last < SECONDS_BETWEEN) return;
    this.last = clock;
    const told = why(this.take, this.row, frame);
    renew(this.body, this.parts(told, frame.time).filter((part) => part !== null));
  }

  private parts(told: Why, time: number): (HTMLElement | null)[] {
    if (!told.present) return [part("Now", element("p", {}, this.away(told.row, time))), this.marks(told.marks, time)];
    return [
      this.now(told, time),
      told.reason ? part("Why", element("p", {}, told.reason)) : null,
      this.marks(told.marks, time),
      told.holds.length || told.contacts.length ? part("Body", ...state(told)) : null,
      this.near(told),
    ];
  }

  private now(told: Why, time: number): HTMLElement {
    const { playing, segment } = told;
    const rows: (HTMLElement | null)[] = [];
    if (playing) rows.push(...clipRows(playing));
    else rows.push(element("p", { class: "main" }, "On a track alone"));
    if (segment) {
      const span = `${shortNumber(segment.start)} to ${shortNumber(segment.stop)} s`;
      const where = `Segment ${segment.number} of ${segment.count}, ${span}`;
      rows.push(element("p", { class: "faint numbers" }, told.edge === null ? where : `${where}, edge ${told.edge}`));
    }
    const mark = told.marks.find((each) => each.current);
    if (mark) rows.push(element("p", {}, onTheWay(mark, time)));
    return part("Now", ...rows);
  }

  private marks(marks: readonly MarkState[], time: number): HTMLElement | null {
    if (marks.length === 0) return null;
    const items = marks.map((mark) => {
      const unmet = this.audit?.unmet.find(
        (entry) => entry.character === this.take.names[this.row] && entry.mark === mark.name,
      );
      const { sign, kind, words } = standing(mark, time, unmet?.reason);
      const goal = mark.met ?? mark.window?.[0];
      const go = (): void => this.actions.seek(goal ?? 0);
      const link = { class: "link", type: "button", click: go };
      const name = goal === undefined ? element("span", {}, mark.name) : element("button", link, mark.name);
      return element(
        "li",
        { "data-key": mark.row },
        element("span", { class: `state ${kind}`, "aria-hidden": "true" }, sign),
        name,
        element("span", { class: `numbers ${kind}` }, words),
      );
    });
    return part("Marks", element("ul", { class: "rows" }, ...items));
  }

  private near(told: Why): HTMLElement {
    if (told.neighbours.length === 0) return part("Near", element("p", { class: "faint" }, "Nobody is within 3 m."));
    const items = this.steady(told.neighbours).map((other) =>
      element(
        "li",
        { "data-key": other.row },
        element(
          "button",
          { class: "link", type: "button", click: () => this.actions.select(other.row) },
          other.name,
        ),
        element("span", { class: "numbers" }, `${other.distance.toFixed(2)} m ${other.side}`),
      ),
    );
    return part("Near", element("ul", { class: "rows" }, ...items));
  }

  /** Nearest first, but under the pointer names stay where they are: whoever aims at one must not get another. */
  private steady(neighbours: readonly Neighbour[]): readonly Neighbour[] {
    if (!this.body.matches(":hover")) return neighbours;
    const shown = [...this.body.querySelectorAll<HTMLElement>('[data-key="Near"] li')].map((row) => row.dataset.key);
    const place = ({ row }: Neighbour): number => (shown.indexOf(String(row)) + shown.length + 1) % (shown.length + 1);
    return [...neighbours].sort((a, b) => place(a) - place(b));
  }

  private away(row: number, time: number): string {
    const [enters, leaves] = [this.take.enters[row], this.take.leaves[row]];
    if (Number.isNaN(enters)) return "Never enters.";
    if (time < enters) return `Not there yet: enters at ${shortNumber(enters)} s.`;
    const until = shortNumber(leaves);
    return time > leaves ? `Gone: left at ${until} s.` : `Away for a moment; there until ${until} s.`;
  }
}

function part(title: string, ...children: (HTMLElement | null)[]): HTMLElement {
  return element("div", { class: "part", "data-key": title }, element("h3", {}, title), ...children);
}

function clipRows(playing: Playing): (HTMLElement | null)[] {
  const done = element("i", {});
  done.style.width = `${(100 * playing.clipTime) / Math.max(playing.clipDuration, 1e-9)}%`;
  const pace = playing.rate > 0 ? `${playing.rate.toFixed(2)}×` : "held";
  const { fadingFrom: from } = playing;
  return [
    element("p", { class: "main" }, playing.clip),
    element("div", { class: "bar" }, done),
    element(
      "p",
      { class: "faint numbers" },
      `${playing.clipTime.toFixed(2)} of ${playing.clipDuration.toFixed(2)} s, ${pace}`,
    ),
    from ? element(
      "p",
      { class: "numbers" },
      `Fading in from ${from.clip} (still ${Math.round(100 * from.share)} %)`,
    ) : null,
    playing.labels.length ? element(
      "ul",
      { class: "chips", "aria-label": "Labels" },
      ...playing.labels.map((label) => element("li", {}, label)),
    ) : null,
  ];
}

function state(told: Why): HTMLElement[] {
  const rows: HTMLElement[] = [];
  if (told.contacts.length) rows.push(element("p", {}, `Down: ${listed(told.contacts)}`));
  if (told.holds.length) rows.push(element("p", {}, `Holds ${listed(told.holds)}`));
  return rows;
}

function onTheWay(mark: MarkState, time: number): string {
  if (mark.met === null || time < mark.met) return `On the way to ${mark.name}`;
  return time <= mark.met + mark.hold ? `Holding ${mark.name}` : `Past ${mark.name}`;
}

/** How a mark stands at a time: a sign, its colour and words. */
function standing(
  mark: MarkState,
  time: number,
  unmet: string | undefined,
): { sign: string; kind: string; words: string } {
  if (unmet !== undefined) return { sign: "✕", kind: "bad", words: unmet };
  const due = mark.window ? `due ${shortNumber(mark.window[0])} to ${shortNumber(mark.window[1])} s` : "";
  if (mark.met === null) return { sign: "✕", kind: "bad", words: due ? `not met, ${due}` : "not met" };
  if (time + 1e-6 >= mark.met) return { sign: "✓", kind: "good", words: `met at ${mark.met.toFixed(2)} s` };
  return { sign: "○", kind: "", words: `at ${mark.met.toFixed(2)} s` };
}
