// Tells reasons with the page's own modules, for tests: node tell_reasons.mjs MODULES TAKE ASKED.json
// Asked are [character, time] pairs; prints the words of every row, and the row at each pair.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, file, asked] = process.argv.slice(2);
const { readTake, reasonAt, reasonWords } = await import(pathToFileURL(modules).href);
const take = readTake(new Uint8Array(readFileSync(file)));
const words = Array.from({ length: take.reasons.rows }, (_, row) => reasonWords(take, row));
const rows = JSON.parse(readFileSync(asked, "utf8")).map(([character, time]) => reasonAt(take, character, time));
console.log(JSON.stringify({ words, rows }));
