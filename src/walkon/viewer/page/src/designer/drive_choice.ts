/** Which edge to play next: the one that, with the best edge after it, loses least against what is commanded.

At a hub, with the command's direction ψ seen from the body and its speed v, an edge of displacement d and duration T
loses |d − v T (cos ψ, sin ψ)| metres. The edge after it is looked at as well; what is left then counts too: a heading
that is still wrong, and the way back to a hub where one moves. The sum is taken per second. Edges longer than a step
are played to their end, so they cost extra: commands must wait for them. So do edges from one pose of rest to another,
such as sitting down or putting a box down, which are for bound keys, or for want of another way. To stand, the quickest
way to a hub of rest is taken. Metres, seconds, radians. */

import type { DriveGraph } from "./drive_graph";
import { wrapped } from "./planar";

export interface Command {
  /** m/s; 0 to stand. */
  readonly speed: number;
  /** Direction in the world. */
  readonly heading: number;
}

/** Seconds within which a command should be obeyed: one step. */
export const LIMIT = 0.6;
/** m/s under which a hub is one of rest. */
const RESTING = 0.15;
/** Metres lost for each m/s and radian that the heading is still wrong at the end. */
const FACING = 0.45;
/** m/s that each second over the limit costs, of the first edge and of the second. */
const LONG = 1.3;
const LONG_AFTER = 0.35;
/** Seconds that going from one pose of rest to another costs: nobody puts a box down because it is quicker. */
const ACTING = 4;

export class Chooser {
  /** [H] seconds to the nearest hub where one moves, and to the nearest where one rests; Infinity where none is. */
  readonly toMoving: Float64Array;
  readonly toRest: Float64Array;
  /** m/s of an ordinary step, and of a fast one. */
  readonly walk: number;
  readonly fast: number;

  constructor(private readonly graph: DriveGraph) {
    const { speeds } = graph;
    this.toRest = this.times((hub) => speeds[hub] < RESTING);
    this.toMoving = this.times((hub) => speeds[hub] >= RESTING);
    const steps = Array.from({ length: graph.count }, (_, e) => e)
      .filter((e) => graph.duration[e] < 1.5 * LIMIT && speeds[graph.start[e]] >= RESTING)
      .map((e) => graph.speed(e))
      .sort((a, b) => a - b);
    const at = (share: number, none: number): number => steps[Math.floor(share * (steps.length - 1))] ?? none;
    this.walk = at(0.5, 1.2);
    this.fast = Math.max(at(0.95, 1.7), 1.15 * this.walk);
  }

  rests(hub: number): boolean {
    return this.toRest[hub] === 0;
  }

  /** The next edge for a body that is at a hub with a heading; −1 to wait there. */
  choose(hub: number, heading: number, command: Command): number {
    const { graph } = this;
    const { outFirst, duration, stop } = graph;
    const stand = command.speed <= 0;
    if (stand && this.rests(hub)) return -1;
    if (stand && Number.isFinite(this.toRest[hub])) return this.least(hub, (e) => duration[e] + this.toRest[stop[e]]);
    // Where nobody can rest, one goes on straight.
    const wanted = stand ? 0 : wrapped(command.heading - heading);
    const v = stand ? this.walk : command.speed;
    return this.least(hub, (e) => {
      const lost = this.lost(e, wanted, v);
      const then = wrapped(wanted - graph.displacement[3 * e + 2]);
      const mid = stop[e];
      let best = Infinity;
      for (let f = outFirst[mid]; f < outFirst[mid + 1]; f++) {
        const left = Math.abs(wrapped(then - graph.displacement[3 * f + 2]));
        const total = lost + this.lost(f, then, v) + v * (FACING * left + Math.min(this.toMoving[stop[f]], 20));
        best = Math.min(best, total / (duration[e] + duration[f]) + LONG_AFTER * Math.max(duration[f] - LIMIT, 0));
      }
      return best + LONG * Math.max(duration[e] - LIMIT, 0);
    });
  }

  /** The quickest way from a hub to the start of an edge, and that edge; null where there is none. */
  wayTo(hub: number, edge: number): number[] | null {
    const goal = this.graph.start[edge];
    const left = this.times((each) => each === goal);
    if (!Number.isFinite(left[hub])) return null;
    const way: number[] = [];
    for (let at = hub; at !== goal;) {
      const next = this.least(at, (e) => this.graph.duration[e] + left[this.graph.stop[e]]);
      if (next < 0 || way.length > this.graph.hubs.length) return null;
      way.push(next);
      at = this.graph.stop[next];
    }
    return [...way, edge];
  }

  /** Whether an edge leads from one pose of rest to another. */
  private acts(edge: number): boolean {
    const { start, stop, speeds } = this.graph;
    return start[edge] !== stop[edge] && speeds[start[edge]] < RESTING && speeds[stop[edge]] < RESTING;
  }

  private lost(edge: number, wanted: number, speed: number): number {
    const { displacement, duration } = this.graph;
    const way = speed * duration[edge];
    return (
      (this.acts(edge) ? ACTING * speed : 0) +
      Math.hypot(displacement[3 * edge] - way * Math.cos(wanted), displacement[3 * edge + 1] - way * Math.sin(wanted))
    );
  }

  private least(hub: number, cost: (edge: number) => number): number {
    let best = -1;
    let least = Infinity;
    for (let e = this.graph.outFirst[hub]; e < this.graph.outFirst[hub + 1]; e++) {
      const mine = cost(e);
      if (mine < least) [best, least] = [e, mine];
    }
    return best;
  }

  /** Seconds from every hub to the nearest of those that are goals. */
  private times(goal: (hub: number) => boolean): Float64Array {
    const { graph } = this;
    const found = Float64Array.from(graph.hubs.keys(), (hub) => (goal(hub) ? 0 : Infinity));
    for (let round = 0; round < graph.hubs.length; round++) {
      let better = false;
      for (let e = 0; e < graph.count; e++) {
        const through = graph.duration[e] + found[graph.stop[e]];
        if (through < found[graph.start[e]] - 1e-9) {
          found[graph.start[e]] = through;
          better = true;
        }
      }
      if (!better) break;
    }
    return found;
  }
}
