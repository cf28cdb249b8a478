/** The tables of a take: names, types and widths of their columns, and what they refer to.

The same columns as walkon.take.tables, in camelCase. This file is written by `python -m walkon.viewer.page_tables`; do
not edit it. */

import { column, span, to, type Stored, type Table } from "./columns";

/** Bits of `marks.asks`: what a mark asks for, and whether the take means to meet it. */
export const ASKS = { position: 1, facing: 2, pose: 4, window: 8, height: 32, meant: 16 } as const;

export const CHARACTERS = {
  body: to("bodies", false, column("int32")),
  scale: column("float32"),
  stride: column("float32"),
  colour: column("float32", 3),
  enter: column("float64"),
  leave: column("float64"),
  dropStart: column("float64"),
  near: column("float64"),
} as const;

export const SEGMENTS = {
  character: to("characters", false, column("int32")),
  start: column("float64"),
  stop: column("float64"),
  clip: to("clips", true, column("int32")),
  clipStart: column("float64"),
  rateStart: column("float32"),
  rateStop: column("float32"),
  place: column("float64", 3),
  warp: to("warps", true, column("int32")),
  blend: to("blends", true, column("int32")),
  track: to("tracks", true, column("int32")),
  trackStart: column("float64"),
  edge: column("int32"),
  mark: to("marks", true, column("int32")),
} as const;

export const WARPS = {
  offsets: column("float32", 2, 3),
  slopes: column("float32", 2, 3),
} as const;

export const BLENDS = {
  clip: to("clips", false, column("int32")),
  clipStart: column("float64"),
  rateStart: column("float32"),
  rateStop: column("float32"),
  place: column("float64", 3),
  duration: column("float32"),
} as const;

export const TRACKS = {
  knots: span("trackKnots"),
  turns: span("trackTurns"),
  tick: column("float64"),
  origin: column("float64", 3),
  grain: column("float32"),
  speedGrain: column("float32"),
} as const;

export const TRACK_KNOTS = {
  step: column("uint16"),
  place: column("int16", 3),
  heading: column("int16"),
  velocity: column("int8", 3),
} as const;

export const TRACK_TURNS = {
  rotation: column("uint16", 3),
} as const;

export const REFERENCES = {
  character: to("characters", false, column("int32")),
  start: column("float64"),
  stop: column("float64"),
  track: to("tracks", false, column("int32")),
  trackStart: column("float64"),
  place: column("float64", 3),
} as const;

export const HEIGHTS = {
  character: to("characters", false, column("int32")),
  time: column("float64"),
  height: column("float64"),
  slope: column("float32"),
} as const;

export const OVERRIDES = {
  character: to("characters", false, column("int32")),
  start: column("float64"),
  stop: column("float64"),
  fadeIn: column("float32"),
  fadeOut: column("float32"),
  rate: column("float32"),
  frames: column("int32"),
  added: column("uint8"),
  joints: span("overrideJoints"),
  rotations: span("overrideFrames"),
  roots: span("overrideRoots"),
} as const;

export const OVERRIDE_JOINTS = {
  joint: column("int32"),
} as const;

export const OVERRIDE_FRAMES = {
  rotation: column("uint16", 3),
} as const;

export const OVERRIDE_ROOTS = {
  offset: column("float32", 3),
} as const;

export const STANCES = {
  character: to("characters", false, column("int32")),
  foot: column("int8"),
  start: column("float64"),
  stop: column("float64"),
  heel: column("float32", 2),
  ball: column("float32", 2),
  heelPlace: column("float64", 3),
  ballPlace: column("float64", 3),
  turnIn: column("float32", 3),
  turnOut: column("float32", 3),
  shiftIn: column("float32", 3),
  shiftOut: column("float32", 3),
  rateIn: column("float32", 3),
  rateOut: column("float32", 3),
  toeIn: column("float32"),
  toeOut: column("float32"),
  roll: column("float32"),
  rise: column("float32"),
  turnOff: column("float32", 3),
  toeOff: column("float32"),
  lift: column("float32"),
} as const;

export const DROPS = {
  character: to("characters", false, column("int32")),
  step: column("int32"),
  drop: column("float32"),
} as const;

export const ATTACHMENTS = {
  prop: to("props", false, column("int32")),
  start: column("float64"),
  stop: column("float64"),
  character: to("characters", true, column("int32")),
  joint: column("int32"),
  track: to("tracks", true, column("int32")),
  trackStart: column("float64"),
  pose: column("float64", 2, 7),
} as const;

export const GRIPS = {
  character: to("characters", false, column("int32")),
  hand: column("int8"),
  start: column("float64"),
  stop: column("float64"),
  fadeIn: column("float32"),
  fadeOut: column("float32"),
  prop: to("props", true, column("int32")),
  other: to("characters", true, column("int32")),
  joint: column("int32"),
  pose: column("float64", 2, 7),
  swivel: column("float32", 2),
} as const;

export const HAND_SHAPES = {
  character: to("characters", false, column("int32")),
  hand: column("int8"),
  start: column("float64"),
  stop: column("float64"),
  fadeIn: column("float32"),
  fadeOut: column("float32"),
  shape: column("uint8"),
} as const;

export const MARK_TABLE = {
  character: to("characters", false, column("int32")),
  asks: column("uint8"),
  position: column("float64", 2),
  height: column("float64"),
  facing: column("float64"),
  window: column("float64", 2),
  hold: column("float64"),
  met: column("float64"),
} as const;

export const REASONS = {
  character: to("characters", false, column("int32")),
  start: column("float64"),
  stop: column("float64"),
  kind: column("uint8"),
  mark: to("marks", true, column("int32")),
  other: to("characters", true, column("int32")),
  prop: to("props", true, column("int32")),
  note: to("notes", true, column("int32")),
  number: column("float64"),
} as const;

export const CLIP_ROWS = {
  skeleton: to("skeletons", false, column("int32")),
  fps: column("float64"),
  firstFrame: column("int64"),
  frames: column("int32"),
  firstRotation: column("int64"),
  hinges: column("float32", 4, 3),
} as const;

export const CONTACT_RUNS = {
  clip: to("clips", false, column("int32")),
  point: column("int8"),
  start: column("int32"),
  stop: column("int32"),
  height: column("float32"),
} as const;

export const LABEL_RUNS = {
  clip: to("clips", false, column("int32")),
  label: to("labelNames", false, column("int32")),
  start: column("int32"),
  stop: column("int32"),
} as const;

/** Tables of a take by field, with their names in files. */
export const TABLES = {
  characters: { name: "Characters", columns: CHARACTERS },
  segments: { name: "Segments", columns: SEGMENTS },
  warps: { name: "Warps", columns: WARPS },
  blends: { name: "Blends", columns: BLENDS },
  tracks: { name: "Tracks", columns: TRACKS },
  trackKnots: { name: "TrackKnots", columns: TRACK_KNOTS },
  trackTurns: { name: "TrackTurns", columns: TRACK_TURNS },
  references: { name: "References", columns: REFERENCES },
  heights: { name: "Heights", columns: HEIGHTS },
  overrides: { name: "Overrides", columns: OVERRIDES },
  overrideJoints: { name: "OverrideJoints", columns: OVERRIDE_JOINTS },
  overrideFrames: { name: "OverrideFrames", columns: OVERRIDE_FRAMES },
  overrideRoots: { name: "OverrideRoots", columns: OVERRIDE_ROOTS },
  stances: { name: "Stances", columns: STANCES },
  drops: { name: "Drops", columns: DROPS },
  attachments: { name: "Attachments", columns: ATTACHMENTS },
  grips: { name: "Grips", columns: GRIPS },
  handShapes: { name: "HandShapes", columns: HAND_SHAPES },
  marks: { name: "MarkTable", columns: MARK_TABLE },
  reasons: { name: "Reasons", columns: REASONS },
} as const satisfies Record<string, Stored>;

/** Tables of the clips of a take by field, with their names in files. */
export const CLIP_TABLES = {
  rows: { name: "ClipRows", columns: CLIP_ROWS },
  contacts: { name: "ContactRuns", columns: CONTACT_RUNS },
  labels: { name: "LabelRuns", columns: LABEL_RUNS },
} as const satisfies Record<string, Stored>;

/** Kinds of reasons by number: their words, and the unit of their number. */
export const REASON_KINDS = [
  { words: "{note}", unit: "" },
  { words: "on the way to {mark}, {number}", unit: "m" },
  { words: "waits {number} before going to {mark}", unit: "s" },
  { words: "waits {number} for {mark}", unit: "s" },
  { words: "holds {mark}", unit: "" },
  { words: "stays", unit: "" },
  { words: "picks up {prop}", unit: "" },
  { words: "puts down {prop}", unit: "" },
  { words: "on the way out through the door {note}, {number}", unit: "m" },
  { words: "waits {number} before leaving through the door {note}", unit: "s" },
] as const;

/** What stands for a reference of a reason that leads to nothing, or to something without a name. */
export const GENERAL_WORDS = { mark: "a mark", other: "somebody", prop: "something", note: "" } as const;

export type Characters = Table<typeof CHARACTERS>;
export type Segments = Table<typeof SEGMENTS>;
export type Warps = Table<typeof WARPS>;
export type Blends = Table<typeof BLENDS>;
export type Tracks = Table<typeof TRACKS>;
export type TrackKnots = Table<typeof TRACK_KNOTS>;
export type TrackTurns = Table<typeof TRACK_TURNS>;
export type References = Table<typeof REFERENCES>;
export type Heights = Table<typeof HEIGHTS>;
export type Overrides = Table<typeof OVERRIDES>;
export type OverrideJoints = Table<typeof OVERRIDE_JOINTS>;
export type OverrideFrames = Table<typeof OVERRIDE_FRAMES>;
export type OverrideRoots = Table<typeof OVERRIDE_ROOTS>;
export type Stances = Table<typeof STANCES>;
export type Drops = Table<typeof DROPS>;
export type Attachments = Table<typeof ATTACHMENTS>;
export type Grips = Table<typeof GRIPS>;
export type HandShapes = Table<typeof HAND_SHAPES>;
export type MarkTable = Table<typeof MARK_TABLE>;
export type Reasons = Table<typeof REASONS>;
export type ClipRows = Table<typeof CLIP_ROWS>;
export type ContactRuns = Table<typeof CONTACT_RUNS>;
export type LabelRuns = Table<typeof LABEL_RUNS>;
