// Times the page's posing under Node: node page_posing.mjs MODULES TAKE FRAMES → one line of JSON, milliseconds.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [modules, file, count] = process.argv.slice(2);
const { newFrame, Poser, readTake } = await import(pathToFileURL(modules).href);
const bytes = new Uint8Array(gunzipSync(readFileSync(file)));
const begun = performance.now();
const take = readTake(bytes);
const poser = new Poser(take);
const read = performance.now() - begun;
const frame = newFrame(take);
const times = [];
for (let i = 0; i < Number(count) + 20; i++) {
  const before = performance.now();
  poser.pose(take.start + ((i * 0.0617) % (take.stop - take.start)), frame);
  times.push(performance.now() - before);
}
// The first ones are still being compiled.
const sorted = times.slice(20).sort((a, b) => a - b);
const at = (share) => sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)];
console.log(JSON.stringify({ read, first: times[0], median: at(0.5), late: at(0.95) }));
