// Poses a take with the page's own modules, for tests: node pose_takes.mjs MODULES TAKE TIMES.json ANSWER
// The answer is one frame's buffer after the other; a take that is refused gives its sentence, and exit code 3.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [modules, file, times, answer] = process.argv.slice(2);
const { moversOf, newFrame, placedCorners, Poser, readMover, readTake, UnreadableTake } = await import(pathToFileURL(modules).href);
let bytes = readFileSync(file);
if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes);
try {
  const take = readTake(new Uint8Array(bytes));
  const poser = new Poser(take);
  const frame = newFrame(take);
  const parts = [];
  const movers = moversOf(take.stage).map((mover) => ({ mover, poses: [], corners: [] }));
  for (const time of JSON.parse(readFileSync(times, "utf8"))) {
    poser.pose(time, frame);
    parts.push(Buffer.from(frame.buffer.slice(0)));
    for (const { mover, poses, corners } of movers) {
      const pose = new Float64Array(4);
      readMover(mover, time, pose);
      poses.push([...pose]);
      corners.push(placedCorners(mover, pose));
    }
  }
  writeFileSync(answer, Buffer.concat(parts));
  const { fps, start, stop, complete, names } = take;
  const moving = movers.map(({ mover, poses, corners }) => ({ name: mover.name, poses, corners }));
  console.log(JSON.stringify({ fps, start, stop, complete, names, enters: [...take.enters], size: frame.size, moving }));
} catch (error) {
  if (!(error instanceof UnreadableTake)) throw error;
  console.log(error.message);
  process.exitCode = 3;
}
