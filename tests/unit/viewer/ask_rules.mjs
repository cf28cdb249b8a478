// Asks the page's rules of drawing, for tests: node ask_rules.mjs MODULES TAKE QUESTIONS.json
// {"walks": [[body, phase, stride], …], "hands": [[shape, weight, side], …], "hips": [[x, y, z], …]}
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, file, asked] = process.argv.slice(2);
const page = await import(pathToFileURL(modules).href);
const take = page.readTake(new Uint8Array(readFileSync(file)));
const { walks = [], hands = [], hips = [] } = JSON.parse(readFileSync(asked, "utf8"));
const cycles = new Map();
const seats = new page.TipUpSeats(take.stage.seats, page.seatBacks(take.stage));
for (const [x, y, z] of hips) seats.settle(x, y, z);
console.log(
  JSON.stringify({
    walks: walks.map(([body, phase, stride]) => {
      if (!cycles.has(body)) cycles.set(body, page.makeWalkCycle(take.bodies[body]));
      const places = new Float64Array(26);
      const pitch = new Float64Array(13);
      page.walkParts(cycles.get(body), phase, stride, places, pitch);
      return [[...places], [...pitch]];
    }),
    cycles: [...cycles].map(([body, cycle]) => [body, [...cycle.places], [...cycle.rotations], [...cycle.parts]]),
    hands: hands.map(([shape, weight, side]) => {
      const places = new Float64Array(18);
      const rotations = new Float64Array(24);
      page.fingerPoses(shape, weight, side, places, rotations);
      return [[...places], [...rotations]];
    }),
    backs: Array.from(seats.backs, (back) => (Number.isNaN(back) ? null : back)),
    down: [...seats.down],
  }),
);
