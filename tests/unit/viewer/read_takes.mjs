// Reads and poses many files with the page's own modules, for tests: node read_takes.mjs MODULES FILE...
// Prints a JSON list: the sentence of each that is refused, "" for each that is played. Any other error ends it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { newFrame, Poser, readTake, UnreadableTake } = await import(pathToFileURL(modules).href);
const told = files.map((file) => {
  try {
    const take = readTake(new Uint8Array(readFileSync(file)));
    const frame = newFrame(take);
    const poser = new Poser(take);
    for (const time of [take.start, 0.5 * (take.start + take.stop), take.stop]) poser.pose(time, frame);
    return "";
  } catch (error) {
    if (!(error instanceof UnreadableTake)) throw new Error(`${file}: ${error.stack}`);
    return error.message;
  }
});
console.log(JSON.stringify(told));
