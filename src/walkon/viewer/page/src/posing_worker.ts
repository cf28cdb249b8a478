/** The worker that reads the take once and poses it as often as it is asked; see posing_client.ts. */

import { frameOn, frameSize, type FrameSize } from "./pose_frame";
import { Poser } from "./poser";
import { readTake, UnreadableTake } from "./take";

/** To the worker: the take's bytes once, then times with a buffer to fill (or none: the worker makes one). */
export type Question =
  | { readonly kind: "take"; readonly bytes: Uint8Array }
  | { readonly kind: "pose"; readonly time: number; readonly buffer: ArrayBuffer | null };

/** From the worker. */
export type Answer =
  | { readonly kind: "ready"; readonly size: FrameSize; readonly start: number; readonly stop: number; readonly fps: number }
  | { readonly kind: "posed"; readonly time: number; readonly buffer: ArrayBuffer; readonly milliseconds: number }
  | { readonly kind: "failed"; readonly message: string; readonly unreadable: boolean };

let poser: Poser | null = null;
let size: FrameSize | null = null;

function answer(question: Question): void {
  if (question.kind === "take") {
    const take = readTake(question.bytes);
    poser = new Poser(take);
    size = frameSize(take);
    send({ kind: "ready", size, start: take.start, stop: take.stop, fps: take.fps });
    return;
  }
  if (poser === null || size === null) throw new Error("there is no take to pose");
  const before = performance.now();
  const frame = frameOn(size, question.buffer ?? undefined);
  poser.pose(question.time, frame);
  const milliseconds = performance.now() - before;
  send({ kind: "posed", time: question.time, buffer: frame.buffer, milliseconds }, [frame.buffer]);
}

function send(message: Answer, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

self.addEventListener("message", (event: MessageEvent<Question>) => {
  try {
    answer(event.data);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ kind: "failed", message, unreadable: error instanceof UnreadableTake });
  }
});
