/** Frames for the page: asks the worker for the time that the clock shows, and takes over what arrives.

A frame's memory goes back to the worker as soon as a later one arrives, so only `frame` may be read, and nothing of it
kept. */

import type { PoseFrame } from "./pose_frame";
import type { PosingClient } from "./posing_client";

/** Frames that are asked for before the first has come: one to show, one under way. */
const AHEAD = 2;

export class FrameSource {
  /** The latest frame. */
  frame: PoseFrame | null = null;
  /** Whether it has not been drawn yet. */
  fresh = false;
  /** Milliseconds spent on frames since this was last set to 0. */
  spent = 0;
  private asked = Number.NaN;
  private outstanding = 0;

  constructor(
    private readonly client: PosingClient,
    /** Copies what it needs of a frame. */
    private readonly take: (frame: PoseFrame) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Get the first frame. */
  async first(time: number): Promise<PoseFrame> {
    this.asked = time;
    const frame = await this.client.request(time);
    this.arrive(frame);
    return frame;
  }

  /** Ask for a time, unless it is under way or too much else is. */
  ask(time: number): void {
    if (time === this.asked || this.outstanding >= AHEAD) return;
    this.asked = time;
    this.outstanding++;
    this.client
      .request(time)
      .then((frame) => {
        if (frame !== this.frame) this.arrive(frame);
      }, this.failed)
      .finally(() => this.outstanding--);
  }

  private arrive(frame: PoseFrame): void {
    const before = performance.now();
    this.frame = frame;
    this.take(frame);
    this.fresh = true;
    this.spent += performance.now() - before;
  }
}
