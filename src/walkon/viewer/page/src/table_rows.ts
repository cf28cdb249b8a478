/** Rows of tables, chosen and put in order. */

import type { Columns, Numbers, Table } from "./columns";

/** Return rows of a table in this order. */
export function rowsOf<C extends Columns>(table: Table<C>, columns: C, order: ArrayLike<number>): Table<C> {
  const found: Record<string, Numbers | number> = { rows: order.length };
  for (const [key, column] of Object.entries(columns)) {
    const values = table[key as keyof C] as Numbers;
    const width = column.shape.reduce((product, length) => product * length, 1);
    const kept = new (values.constructor as new (length: number) => Numbers)(order.length * width);
    for (let row = 0; row < order.length; row++) {
      for (let i = 0; i < width; i++) kept[row * width + i] = values[order[row] * width + i];
    }
    found[key] = kept;
  }
  return found as unknown as Table<C>;
}

/** Return a table sorted by group and time, as it is where it is sorted already. */
export function inOrder<C extends Columns>(
  table: Table<C>,
  columns: C,
  group: ArrayLike<number>,
  time: ArrayLike<number>,
): Table<C> {
  let sorted = true;
  for (let row = 1; row < table.rows && sorted; row++) {
    sorted = group[row] > group[row - 1] || (group[row] === group[row - 1] && time[row] >= time[row - 1]);
  }
  if (sorted) return table;
  const order = Array.from({ length: table.rows }, (_, row) => row);
  order.sort((a, b) => group[a] - group[b] || time[a] - time[b] || a - b);
  return rowsOf(table, columns, order);
}

/** Return the rows first to stop − 1 that have a value in a column of whole numbers that rise. */
export function rangeOf(column: ArrayLike<number>, value: number): readonly [number, number] {
  const bound = (least: number): number => {
    let [low, high] = [0, column.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle] < least) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [bound(value), bound(value + 1)];
}
