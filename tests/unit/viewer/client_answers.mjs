// Drives the page's posing client with a worker that answers when told, for tests: node client_answers.mjs MODULES
// Prints what happened as JSON.
import { pathToFileURL } from "node:url";

const workers = [];
globalThis.Worker = class {
  constructor() {
    this.asked = [];
    this.heard = {};
    this.ended = false;
    workers.push(this);
  }
  addEventListener(kind, listener) {
    this.heard[kind] = listener;
  }
  postMessage(message, transfer) {
    this.asked.push({ ...message, transferred: transfer.length });
  }
  terminate() {
    this.ended = true;
  }
  answer(data) {
    this.heard.message({ data });
  }
};
globalThis.self = globalThis;
const { PosingClient, frameOn } = await import(pathToFileURL(process.argv[2]).href);
const size = { characters: 2, joints: 3, props: 1 };
const posed = (worker, milliseconds = 1) => {
  const question = worker.asked.at(-1);
  const buffer = question.buffer ?? frameOn(size).buffer;
  worker.answer({ kind: "posed", time: question.time, buffer, milliseconds });
  return buffer;
};
const settled = (promise) => promise.then((value) => ({ value }), (error) => ({ error }));

// Three requests before the take is read: one question, for the latest time, and one frame for all three.
const client = new PosingClient(new Uint8Array(8));
const [worker] = workers;
const early = [client.request(1), client.request(2), client.request(3)];
const beforeReady = worker.asked.map((question) => question.kind);
worker.answer({ kind: "ready", size, start: 0, stop: 9, fps: 60 });
const summary = await client.ready;
const buffers = [posed(worker, 7)];
const frames = await Promise.all(early);

// Two overtaken requests while one is under way.
const under = client.request(4);
const later = [client.request(5), client.request(6)];
buffers.push(posed(worker));
const four = await under;
buffers.push(posed(worker));
const six = await Promise.all(later);
for (let i = 0; i < 20; i++) {
  const next = client.request(10 + i);
  buffers.push(posed(worker));
  await next;
}
const asked = worker.asked.slice(1).map((question) => question.time);

// A take that cannot be read, and an end.
const refused = new PosingClient(new Uint8Array(8));
const waiting = refused.request(0);
workers[1].answer({ kind: "failed", message: "This take is damaged.", unreadable: true });
const failures = [await settled(refused.ready), await settled(waiting), await settled(refused.request(1))];
const last = client.request(99);
client.close();
failures.push(await settled(last));
console.log(
  JSON.stringify({
    beforeReady,
    summary,
    early: frames.map((frame) => frame.time),
    same: frames.every((frame) => frame === frames[0]),
    shape: [frames[0].positions.length, frames[0].rotations.length, frames[0].contacts.length],
    milliseconds: client.milliseconds,
    four: four.time,
    six: six.map((frame) => frame.time),
    asked: asked.slice(0, 3),
    buffers: new Set(buffers).size,
    failures: failures.map(({ error }) => [error.name, error.message]),
    ended: worker.ended,
  }),
);
