/** The tables of a take, declared once: names, types and widths of their columns, from which reading and types follow.

The same columns as walkon.take.tables, in camelCase: a table has `rows`, and each column is one flat typed array of
rows × width numbers. Seconds of the take's clock, metres, radians; references are row numbers, −1 for none. Numbers of
64 bits are read into float64 (row numbers are far below 2⁵³), except the bits of `overrides.joints`. */

export type Kind = "int8" | "uint8" | "uint16" | "int32" | "int64" | "bits64" | "float32" | "float64";

interface Arrays {
  int8: Int8Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  int32: Int32Array;
  int64: Float64Array;
  bits64: BigInt64Array;
  float32: Float32Array;
  float64: Float64Array;
}

/** A column: its type in the file, and how many numbers a row has ([2, 3] for two vectors). */
export interface Column<K extends Kind = Kind> {
  readonly kind: K;
  readonly shape: readonly number[];
}

export type Columns = Readonly<Record<string, Column>>;

/** What a table with these columns looks like when it is read. */
export type Table<C extends Columns> = { readonly rows: number } & {
  readonly [Name in keyof C]: C[Name] extends Column<infer K> ? Arrays[K] : never;
};

function column<K extends Kind>(kind: K, ...shape: number[]): Column<K> {
  return { kind, shape };
}

export const CHARACTERS = {
  body: column("int32"),
  scale: column("float32"),
  stride: column("float32"),
  colour: column("float32", 3),
  enter: column("float64"),
  leave: column("float64"),
  dropStart: column("float64"),
} as const;

export const SEGMENTS = {
  character: column("int32"),
  start: column("float64"),
  stop: column("float64"),
  clip: column("int32"),
  clipStart: column("float64"),
  rateStart: column("float32"),
  rateStop: column("float32"),
  place: column("float64", 4),
  warp: column("int32"),
  blend: column("int32"),
  track: column("int32"),
  edge: column("int32"),
  mark: column("int32"),
  reason: column("int32"),
} as const;

export const WARPS = { offsets: column("float32", 2, 3), slopes: column("float32", 2, 3) } as const;

export const BLENDS = {
  clip: column("int32"),
  clipStart: column("float64"),
  rateStart: column("float32"),
  rateStop: column("float32"),
  place: column("float64", 4),
  duration: column("float32"),
} as const;

export const PLANAR_TRACKS = { first: column("int64"), count: column("int32"), rate: column("float32") } as const;

export const PLANAR_POSES = { pose: column("float32", 3) } as const;

export const OVERRIDES = {
  character: column("int32"),
  start: column("float64"),
  stop: column("float64"),
  fadeIn: column("float32"),
  fadeOut: column("float32"),
  rate: column("float32"),
  joints: column("bits64", 2),
  first: column("int64"),
  frames: column("int32"),
} as const;

export const OVERRIDE_FRAMES = { rotation: column("uint16", 3) } as const;

export const STANCES = {
  character: column("int32"),
  foot: column("int8"),
  start: column("float64"),
  stop: column("float64"),
  heel: column("float32", 2),
  ball: column("float32", 2),
  heelPlace: column("float32", 3),
  ballPlace: column("float32", 3),
  turnIn: column("float32", 3),
  turnOut: column("float32", 3),
  shiftIn: column("float32", 3),
  shiftOut: column("float32", 3),
  rateIn: column("float32", 3),
  rateOut: column("float32", 3),
  toeIn: column("float32"),
  toeOut: column("float32"),
} as const;

export const DROPS = { character: column("int32"), step: column("int32"), drop: column("float32") } as const;

export const ATTACHMENTS = {
  prop: column("int32"),
  start: column("float64"),
  stop: column("float64"),
  character: column("int32"),
  joint: column("int32"),
  pose: column("float64", 7),
} as const;

/** Bits of `marks.asks`: what a mark asks for, and whether the take means to meet it. */
export const ASKS = { position: 1, facing: 2, pose: 4, window: 8, meant: 16 } as const;

export const MARKS = {
  character: column("int32"),
  asks: column("uint8"),
  position: column("float64", 2),
  facing: column("float64"),
  window: column("float64", 2),
  hold: column("float64"),
  met: column("float64"),
} as const;

export const CLIP_ROWS = {
  skeleton: column("int32"),
  fps: column("float64"),
  firstFrame: column("int64"),
  frames: column("int32"),
  firstRotation: column("int64"),
  hinges: column("float32", 2, 3),
} as const;

export const CONTACT_RUNS = {
  clip: column("int32"),
  point: column("int8"),
  start: column("int32"),
  stop: column("int32"),
  height: column("float32"),
} as const;

export const LABEL_RUNS = {
  clip: column("int32"),
  label: column("int32"),
  start: column("int32"),
  stop: column("int32"),
} as const;

export type Characters = Table<typeof CHARACTERS>;
export type Segments = Table<typeof SEGMENTS>;
export type Warps = Table<typeof WARPS>;
export type Blends = Table<typeof BLENDS>;
export type PlanarTracks = Table<typeof PLANAR_TRACKS>;
export type PlanarPoses = Table<typeof PLANAR_POSES>;
export type Overrides = Table<typeof OVERRIDES>;
export type OverrideFrames = Table<typeof OVERRIDE_FRAMES>;
export type Stances = Table<typeof STANCES>;
export type Drops = Table<typeof DROPS>;
export type Attachments = Table<typeof ATTACHMENTS>;
export type Marks = Table<typeof MARKS>;
export type ClipRows = Table<typeof CLIP_ROWS>;
export type ContactRuns = Table<typeof CONTACT_RUNS>;
export type LabelRuns = Table<typeof LABEL_RUNS>;
