/** The driver: one character on the graph, edge after edge, as commands say. Playing is concatenation:

    hub's pose q in the world  →  play an edge, placed by q  →  q ∘ its displacement

Seconds of motion; world, metres. Nothing here knows of keys or screens. */

import type { PoseFrame } from "../pose_frame";
import { Chooser, type Command } from "./drive_choice";
import type { DriveGraph } from "./drive_graph";
import { Obedience } from "./obedience";
import { compose, moveBody, wrapped, type Planar } from "./planar";

/** A command is another one from here on: radians, m/s. */
const OTHER_WAY = 0.26;
const OTHER_SPEED = 0.2;

export class Driver {
  readonly chooser: Chooser;
  readonly obedience = new Obedience();
  /** Seconds of motion so far. */
  time = 0;
  hub: number;
  /** The edge that is played, −1 while waiting at a hub. */
  edge = -1;
  /** Seconds since its start. */
  since = 0;
  /** The hub's pose where the edge began. */
  place: Planar = [0, 0, 0];
  /** Play idle edges while standing: livelier, but commands must wait for their ends. */
  fidgets = false;
  /** Edges to come, by hand: the way to a bound clip, and that clip. */
  plan: number[] = [];
  private command: Command = { speed: 0, heading: 0 };
  /** The command that was last counted as a new one. */
  private counted: Command = this.command;
  private idle = 0;

  constructor(readonly graph: DriveGraph) {
    this.chooser = new Chooser(graph);
    const resting = [...graph.hubs.keys()].filter(
      (hub) => this.chooser.rests(hub) && Number.isFinite(this.chooser.toMoving[hub]),
    );
    this.hub = resting.sort((a, b) => this.chooser.toMoving[a] - this.chooser.toMoving[b])[0] ?? graph.start[0] ?? 0;
  }

  get commanded(): Command {
    return this.command;
  }

  /** Take a command; `late` is for how many seconds it has been holding. */
  obey(command: Command, late = 0): void {
    const before = this.counted;
    const turned =
      command.speed > 0 && before.speed > 0 && Math.abs(wrapped(command.heading - before.heading)) > OTHER_WAY;
    const stops = command.speed <= 0 !== before.speed <= 0;
    this.command = command;
    // Small changes are followed, but do not count as new commands until they add up.
    if (!turned && !stops && Math.abs(command.speed - before.speed) <= OTHER_SPEED) return;
    this.counted = command;
    if (command.speed > 0) this.plan = [];
    // Standing and told to stand: there is nothing to obey.
    if (command.speed <= 0 && this.edge < 0) this.obedience.withdrawn();
    else this.obedience.commanded(this.time - late);
  }

  /** Play an edge as soon as its start can be reached; false where it cannot. */
  perform(edge: number): boolean {
    const from = this.edge >= 0 ? this.graph.stop[this.edge] : this.hub;
    const way = this.chooser.wayTo(from, edge);
    if (!way) return false;
    this.plan = way;
    this.obedience.commanded(this.time);
    return true;
  }

  /** Go on by so many seconds. */
  step(seconds: number): void {
    this.time += seconds;
    if (this.edge < 0) {
      this.begin(this.next(), 0);
      return;
    }
    this.since += seconds;
    for (let guard = 0; guard < 64 && this.edge >= 0 && this.since >= this.graph.duration[this.edge]; guard++) {
      const { edge, graph } = this;
      const over = this.since - graph.duration[edge];
      if (this.ended) {
        this.since = graph.duration[edge];
        break;
      }
      this.place = compose(this.place, graph.displacement.subarray(3 * edge, 3 * edge + 3));
      this.hub = graph.stop[edge];
      this.begin(this.next(), over);
    }
  }

  /** Whether the edge that is played ends in a hub that nothing leaves. */
  get ended(): boolean {
    if (this.edge < 0) return false;
    const { stop, outFirst } = this.graph;
    return outFirst[stop[this.edge]] === outFirst[stop[this.edge] + 1];
  }

  /** Pose the character. */
  pose(frame: PoseFrame): void {
    const waits = this.edge < 0;
    this.graph.pose(waits ? this.graph.outFirst[this.hub] : this.edge, waits ? 0 : this.since, frame);
    moveBody(frame, 0, this.place);
  }

  private next(): number {
    const planned = this.plan.shift();
    if (planned !== undefined) return planned;
    const chosen = this.chooser.choose(this.hub, this.place[2], this.command);
    return chosen < 0 && this.fidgets ? this.restless() : chosen;
  }

  private begin(edge: number, over: number): void {
    this.edge = edge;
    this.since = edge < 0 ? 0 : over;
    if (edge >= 0 || this.command.speed <= 0) this.obedience.begun(this.time - over);
  }

  /** Of the edges that stay at a hub of rest, one after the other. */
  private restless(): number {
    const { outFirst, stop } = this.graph;
    const stay = [];
    for (let e = outFirst[this.hub]; e < outFirst[this.hub + 1]; e++)
      if (stop[e] === this.hub && this.graph.speed(e) < 0.05 && Math.abs(this.graph.displacement[3 * e + 2]) < 0.15)
        stay.push(e);
    return stay.length ? stay[this.idle++ % stay.length] : -1;
  }
}
