/** The built graph as driving needs it: edges from hub to hub with their motion, frame by frame.

An edge's motion is in its start hub's frame; whoever plays it places it. Metres, seconds, radians, w first. */

import { WHOLE, type PoseFrame } from "../pose_frame";
import { times, turn } from "../quaternions";
import { unpackMixed } from "../rotations48";
import type { Binary, EdgesHeader, LibraryFacts } from "./protocol";

export class DriveGraph {
  readonly hubs: readonly string[];
  readonly fps: number;
  /** [E] */
  readonly start: Int32Array;
  readonly stop: Int32Array;
  readonly duration: Float32Array;
  /** [E × 3] */
  readonly displacement: Float32Array;
  /** [H + 1] the edges that leave hub h are outFirst[h] to outFirst[h + 1] − 1. */
  readonly outFirst: Int32Array;
  /** [H] m/s with which motion passes through. */
  readonly speeds: Float64Array;
  private readonly first: Int32Array;
  private readonly roots: Float32Array;
  private readonly planar: Float32Array;
  private readonly rotations: Uint16Array;
  private readonly joints: number;
  private readonly parents: readonly number[];
  private readonly offsets: Float64Array;
  private readonly locals: Float64Array;
  private readonly places: Float64Array;
  private readonly turns: Float64Array;

  constructor({ header, bytes }: Binary<EdgesHeader>, skeleton: LibraryFacts["skeleton"]) {
    const part = (name: string): { offset: number; count: number } => {
      const { offset, shape } = header.arrays[name];
      return { offset, count: shape.reduce((product, length) => product * length, 1) };
    };
    const ints = (name: string): Int32Array => new Int32Array(bytes.buffer, part(name).offset, part(name).count);
    const floats = (name: string): Float32Array => new Float32Array(bytes.buffer, part(name).offset, part(name).count);
    this.hubs = header.hubs;
    this.fps = header.fps;
    this.joints = header.joints;
    this.start = ints("start");
    this.stop = ints("stop");
    this.first = ints("first");
    this.duration = floats("duration");
    this.displacement = floats("displacement");
    this.roots = floats("roots");
    this.planar = floats("planar");
    this.rotations = new Uint16Array(bytes.buffer, part("rotations").offset, part("rotations").count);
    this.parents = skeleton.parents;
    this.offsets = Float64Array.from(skeleton.offsets.flat());
    this.locals = new Float64Array(4 * this.joints);
    this.places = new Float64Array(3 * this.joints);
    this.turns = new Float64Array(4 * this.joints);
    this.outFirst = new Int32Array(this.hubs.length + 1);
    for (let e = 0; e < this.start.length; e++) this.outFirst[this.start[e] + 1]++;
    for (let h = 0; h < this.hubs.length; h++) this.outFirst[h + 1] += this.outFirst[h];
    this.speeds = Float64Array.from(this.hubs.keys(), (hub) => this.speedOf(hub));
  }

  get count(): number {
    return this.start.length;
  }

  /** Metres a second, as the crow flies, of one edge. */
  speed(edge: number): number {
    return Math.hypot(this.displacement[3 * edge], this.displacement[3 * edge + 1]) / this.duration[edge];
  }

  /** Pose a frame's first character in an edge, so many seconds after its start, in its start hub's frame. */
  pose(edge: number, seconds: number, frame: PoseFrame): void {
    const { joints: J, locals, places, turns, offsets, parents } = this;
    const last = this.first[edge + 1] - 1 - this.first[edge];
    const x = Math.min(Math.max(seconds * this.fps, 0), last);
    const before = Math.floor(x);
    const w = x - before;
    const a = this.first[edge] + before;
    const b = before < last ? a + 1 : a;
    for (let i = 0; i < 3; i++) places[i] = (1 - w) * this.roots[3 * a + i] + w * this.roots[3 * b + i];
    for (let j = 0; j < J; j++) unpackMixed(this.rotations, a * J + j, b * J + j, w, locals, 4 * j);
    turns.set(locals.subarray(0, 4));
    for (let j = 1; j < J; j++) {
      const above = parents[j];
      times(turns, 4 * above, locals, 4 * j, turns, 4 * j);
      turn(turns, 4 * above, offsets[3 * j], offsets[3 * j + 1], offsets[3 * j + 2], places, 3 * j);
      for (let i = 0; i < 3; i++) places[3 * j + i] += places[3 * above + i];
    }
    frame.positions.set(places);
    frame.rotations.set(turns);
    frame.present[0] = WHOLE;
    for (let i = 0; i < 3; i++) frame.planar[i] = this.planar[3 * a + i];
  }

  /** How fast motion leaves a hub: over the first tenth of a second of its edges. */
  private speedOf(hub: number): number {
    const [from, stop] = [this.outFirst[hub], Math.min(this.outFirst[hub + 1], this.outFirst[hub] + 8)];
    let sum = 0;
    for (let e = from; e < stop; e++) {
      const steps = Math.max(1, Math.min(Math.round(0.1 * this.fps), this.first[e + 1] - this.first[e] - 1));
      const a = 3 * this.first[e];
      const b = a + 3 * steps;
      sum += (Math.hypot(this.roots[b] - this.roots[a], this.roots[b + 1] - this.roots[a + 1]) * this.fps) / steps;
    }
    return stop > from ? sum / (stop - from) : 0;
  }
}
