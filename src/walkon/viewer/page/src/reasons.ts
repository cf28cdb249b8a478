/** Reasons in words: why a character does what it does, as walkon.take.reasons tells it.

Kinds and their words come from the same declaration (tables.ts); a test holds the words equal. */

import { rangeOf } from "./table_rows";
import { GENERAL_WORDS, REASON_KINDS } from "./tables";
import type { Take } from "./take";

type Reference = keyof typeof GENERAL_WORDS;

/** The row of a character's reason at a time, −1 for none; where one ends as another begins it is the later. */
export function reasonAt(take: Take, character: number, time: number): number {
  const { reasons } = take;
  const [first, stop] = rangeOf(reasons.character, character);
  let row = stop - 1;
  while (row >= first && reasons.start[row] > time) row--;
  return row >= first && time <= reasons.stop[row] ? row : -1;
}

/** A row of the take's reasons in words. */
export function reasonWords(take: Take, row: number): string {
  const { words, unit } = REASON_KINDS[take.reasons.kind[row]];
  const names: Record<Reference, (k: number) => string> = {
    mark: (k) => take.markNames[k],
    other: (k) => take.names[k],
    prop: (k) => take.props[k].name,
    note: (k) => take.notes[k],
  };
  return words.replace(/\{(\w+)\}/g, (_, part: "number" | Reference) => {
    if (part === "number") return `${tenths(take.reasons.number[row])} ${unit}`;
    const k = take.reasons[part][row];
    return (k < 0 ? "" : names[part](k)) || GENERAL_WORDS[part];
  });
}

/** A number from 0 on with one decimal, halves up: Python's rule, whatever a language does with ties. */
function tenths(number: number): string {
  const count = Math.floor(10 * number + 0.5);
  return `${Math.floor(count / 10)}.${count % 10}`;
}
