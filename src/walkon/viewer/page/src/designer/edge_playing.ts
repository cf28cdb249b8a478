/** What the preview plays: the edge at a moment, one from a list, a join of two, or two moments over each other. */

import type { Desk } from "./desk";
import { note } from "./notices";
import type { Preview } from "./preview";
import type { Moment } from "./protocol";

export class EdgePlaying {
  constructor(
    private readonly desk: Desk,
    private readonly preview: Preview,
  ) {}

  /** Play what is at a moment: its shortest edge, the next one when it is played already, or a stretch without any. */
  playAt(moment: Moment, joined: boolean): void {
    const { desk } = this;
    const over = desk.edgesOver(moment);
    if (over.length === 0) {
      const half = 1.2;
      this.preview.playStretch(moment.clip, moment.time - half, moment.time + half);
      return;
    }
    const last = desk.played[desk.played.length - 1];
    if (joined) {
      const fitting = over.filter(
        (e) => last !== undefined && desk.state.edges[e].start === desk.state.edges[desk.played[0]]?.stop,
      );
      if (fitting.length === 0) note("No edge here begins where the played one ends.");
      else this.play(fitting[0], true);
      return;
    }
    const now = over.indexOf(desk.played.length === 1 ? last : -1);
    this.play(over[(now + 1) % over.length], false);
  }

  play(edge: number, joined: boolean): void {
    const { desk } = this;
    const { edges } = desk.state;
    const first = desk.played[0];
    if (joined && first !== undefined && edges[first]?.stop === edges[edge].start)
      this.preview.playEdges([first, edge]);
    else if (joined && first !== undefined)
      note(`${desk.edgeWords(edges[first])} does not end where ${desk.edgeWords(edges[edge])} begins.`);
    else this.preview.playEdges([edge]);
  }

  /** Let another edge follow the one that is played. */
  join(): void {
    const { desk } = this;
    const { edges } = desk.state;
    const first = desk.played[0];
    if (first === undefined) {
      note("Play an edge first: click a clip between two match frames.");
      return;
    }
    const next = [...edges.keys()].filter((e) => edges[e].start === edges[first].stop);
    if (next.length === 0) {
      note(`Nothing leaves ${desk.state.hubs[edges[first].stop]?.name ?? "this hub"}: it is a dead end.`);
      return;
    }
    const now = next.indexOf(desk.played[1] ?? -1);
    // Leaping through the list shows different clips soon.
    const leap = 1 + Math.floor(next.length / 7);
    this.preview.playEdges([first, next[(now + (now < 0 ? 1 : leap)) % next.length]]);
  }

  compare(): void {
    const { row, column, frames } = this.desk;
    if (frames.frame(row) === frames.frame(column)) this.preview.playStretch(row.clip, row.time - 0.8, row.time + 0.8);
    else this.preview.compare(row, column);
  }
}
