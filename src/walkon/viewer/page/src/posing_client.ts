/** Posing off the main thread: asks a worker for frames, one at a time, the latest request first.

A frame is the page's until a later one arrives; then its buffer goes back to the worker and is filled anew, so two or
three buffers travel to and fro and none is copied. A request that is overtaken by a later one before its turn comes is
answered with the later one's frame. */

import { frameOn, type FrameSize, type PoseFrame } from "./pose_frame";
import type { Answer, Question } from "./posing_worker";
import PosingWorker from "./posing_worker?worker&inline";
import { UnreadableTake } from "./unreadable";

/** What the worker says once it has read the take. */
export interface Summary {
  readonly size: FrameSize;
  readonly start: number;
  readonly stop: number;
  readonly fps: number;
}

interface Waiting {
  readonly resolve: (frame: PoseFrame) => void;
  readonly reject: (error: Error) => void;
}

export class PosingClient {
  /** Rejected with `UnreadableTake` where the take cannot be read. */
  readonly ready: Promise<Summary>;
  /** Milliseconds that the worker took for the last frame. */
  milliseconds = 0;

  private readonly worker: Worker;
  private size: FrameSize | null = null;
  private settle: { resolve: (summary: Summary) => void; reject: (error: Error) => void } | null = null;
  /** The time that is asked for next, and who waits for it; and those who wait for the frame under way. */
  private next: number | null = null;
  private nextWaiting: Waiting[] = [];
  private underWay: Waiting[] = [];
  private busy = false;
  private failure: Error | null = null;
  /** The frame that the page has, and buffers that are free. */
  private shown: PoseFrame | null = null;
  private readonly free: ArrayBuffer[] = [];

  constructor(bytes: Uint8Array) {
    this.ready = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.ready.catch(() => undefined); // whoever awaits it hears of it; nobody else must
    this.worker = new PosingWorker();
    this.worker.addEventListener("message", (event: MessageEvent<Answer>) => this.hear(event.data));
    this.worker.addEventListener("error", (event) => this.fail(new Error(`Posing failed: ${event.message}`)));
    this.busy = true;
    this.ask({ kind: "take", bytes });
  }

  /** Pose at a time in seconds. */
  request(time: number): Promise<PoseFrame> {
    if (this.failure !== null) return Promise.reject(this.failure);
    this.next = time;
    const answer = new Promise<PoseFrame>((resolve, reject) => this.nextWaiting.push({ resolve, reject }));
    this.goOn();
    return answer;
  }

  /** End the worker; what was asked is rejected. */
  close(): void {
    this.fail(new Error("The page stopped posing."));
    this.worker.terminate();
  }

  private goOn(): void {
    if (this.busy || this.next === null || this.failure !== null) return;
    const time = this.next;
    this.next = null;
    this.underWay = this.nextWaiting;
    this.nextWaiting = [];
    this.busy = true;
    const buffer = this.free.pop() ?? null;
    this.ask({ kind: "pose", time, buffer }, buffer === null ? [] : [buffer]);
  }

  private ask(question: Question, transfer: Transferable[] = []): void {
    this.worker.postMessage(question, transfer);
  }

  private hear(answer: Answer): void {
    if (answer.kind === "failed") {
      this.fail(answer.unreadable ? new UnreadableTake(answer.message) : new Error(`Posing failed: ${answer.message}`));
      return;
    }
    this.busy = false;
    if (answer.kind === "ready") {
      this.size = answer.size;
      this.settle?.resolve({ size: answer.size, start: answer.start, stop: answer.stop, fps: answer.fps });
    } else if (this.size !== null) {
      this.milliseconds = answer.milliseconds;
      if (this.shown !== null) this.free.push(this.shown.buffer);
      const frame = frameOn(this.size, answer.buffer);
      frame.time = answer.time;
      this.shown = frame;
      for (const waiting of this.underWay) waiting.resolve(frame);
      this.underWay = [];
    }
    this.goOn();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.settle?.reject(error);
    for (const waiting of [...this.underWay, ...this.nextWaiting]) waiting.reject(error);
    this.underWay = [];
    this.nextWaiting = [];
  }
}
