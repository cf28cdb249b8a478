/** Columns of tables: how they are declared, and what a table looks like when it is read.

A table has `rows`, and each column is one flat typed array of rows × width numbers. Seconds of the take's clock, metres,
radians. Numbers of 64 bits are read into float64: row numbers are far below 2⁵³. */

export type Kind = "int8" | "uint8" | "int16" | "uint16" | "int32" | "int64" | "float32" | "float64";

interface Arrays {
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  int64: Float64Array;
  float32: Float32Array;
  float64: Float64Array;
}

export type Numbers = Arrays[Kind];

/** What a column refers to: rows of it, −1 for nothing where there may be `none`, or ranges of rows. */
export interface Reference {
  readonly to: string;
  readonly none: boolean;
  readonly span: boolean;
}

/** A column: its type in the file, and how many numbers a row has ([2, 3] for two vectors). */
export interface Column<K extends Kind = Kind> {
  readonly kind: K;
  readonly shape: readonly number[];
  readonly reference?: Reference;
}

export type Columns = Readonly<Record<string, Column>>;

/** A table's columns, and its name in files. */
export interface Stored {
  readonly name: string;
  readonly columns: Columns;
}

/** What a table with these columns looks like when it is read. */
export type Table<C extends Columns> = { readonly rows: number } & {
  readonly [Name in keyof C]: C[Name] extends Column<infer K> ? Arrays[K] : never;
};

/** What the tables of a list look like when they are read. */
export type Tables<T extends Record<string, Stored>> = { readonly [Name in keyof T]: Table<T[Name]["columns"]> };

export function column<K extends Kind>(kind: K, ...shape: number[]): Column<K> {
  return { kind, shape };
}

/** A column that refers to rows of something. */
export function to<K extends Kind>(what: string, none: boolean, declared: Column<K>): Column<K> {
  return { ...declared, reference: { to: what, none, span: false } };
}

/** A column of ranges, (first, stop): rows first to stop − 1 of something. */
export function span(what: string): Column<"int64"> {
  return { kind: "int64", shape: [2], reference: { to: what, none: false, span: true } };
}
