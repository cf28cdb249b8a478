/** A take: the score of a crowd, as it comes from a `.take` file. Who plays which clip, when, placed where.

`readTake` reads the container that walkon._base.array_file writes, checks every checksum, and refuses what it cannot
play with a sentence. Nothing is posed here (see poser.ts). z up, metres, radians, seconds of the take's own clock. */

import { camelled, readContainer, readTable, type Container, type Header } from "./container";
import { checkTake } from "./checking";
import { LEVEL_GROUND, type StageFloor } from "./floor_heights";
import { inOrder } from "./table_rows";
import type { Columns, Stored, Table, Tables } from "./columns";
import { CLIP_TABLES, REASONS, SEGMENTS, TABLES } from "./tables";
import type * as tables from "./tables";
import { UnreadableTake } from "./unreadable";

export { UnreadableTake } from "./unreadable";

/** Joints in a tree: parents come before their children, joint 0 is the root. */
export interface Skeleton {
  readonly names: readonly string[];
  readonly parents: readonly number[];
  /** [J][3] metres, joint in its parent's frame. */
  readonly offsets: readonly (readonly number[])[];
  readonly endSites: readonly boolean[];
  /** Role (hips, left_knee …) → joint. */
  readonly roles: Readonly<Record<string, number>>;
  readonly contactNames: readonly string[];
  readonly contactJoints: readonly number[];
  readonly contactOffsets: readonly (readonly number[])[];
}

/** A body: a skeleton clothed in capsules, in metres; a character's `scale` multiplies all of it. */
export interface Body {
  readonly skeleton: Skeleton;
  /** [K] joint that the capsule moves with; starts and ends are in its frame, radii at both ends. */
  readonly capsuleJoints: readonly number[];
  readonly capsuleStarts: readonly (readonly number[])[];
  readonly capsuleEnds: readonly (readonly number[])[];
  readonly capsuleRadii: readonly (readonly number[])[];
  readonly capsuleParts: readonly string[];
  /** [J] kilograms per joint. */
  readonly masses: readonly number[];
  readonly height: number;
  readonly colour: readonly number[];
  readonly scale: number;
  /** Poses [7] of the left and the right palm in the frames of their wrists; null without an arm. */
  readonly palms: readonly [readonly number[] | null, readonly number[] | null];
}

/** Knots of what moves on the stage, exact (stage_motion.ts): [K] seconds, [K][2 or 3] metres, [K] radians, [K][2 or 3]
m/s or null where places go straight. */
export interface StageTrack {
  readonly times: readonly number[];
  readonly places: readonly (readonly number[])[];
  readonly headings: readonly number[];
  readonly velocities: readonly (readonly number[])[] | null;
}

export interface Obstacle {
  readonly polygon: readonly (readonly number[])[];
  readonly height: number;
  readonly base: number;
  readonly name: string;
  /** In whose frame polygon, base and height are; null for what stands still. */
  readonly track: StageTrack | null;
}

export interface Seat {
  /** (x, y, heading) */
  readonly place: readonly number[];
  readonly height: number;
  readonly name: string;
}

export interface Door {
  /** Two points (x, y). */
  readonly ends: readonly (readonly number[])[];
  readonly name: string;
  /** The end, 0 or 1, at which its leaf hangs. */
  readonly hinge: number;
  readonly leafHeight: number;
  /** Metres: the height of its sill. */
  readonly z: number;
  /** How its leaf turns, in the frame of the hinge; null where it has none. */
  readonly track: StageTrack | null;
}

export interface Stage {
  readonly floor: StageFloor;
  /** A polygon [K][2], or null for an endless floor. */
  readonly bounds: readonly (readonly number[])[] | null;
  readonly obstacles: readonly Obstacle[];
  readonly seats: readonly Seat[];
  readonly doors: readonly Door[];
}

/** A box, sphere or cylinder of a compound. */
export interface PropPart {
  readonly shape: string;
  readonly size: readonly number[];
  /** (x, y, z, qw, qx, qy, qz) in the prop's frame. */
  readonly pose: readonly number[];
  /** null: the prop's. */
  readonly colour: readonly number[] | null;
}

/** Where and how a hand holds a prop. */
export interface PropGrip {
  /** (x, y, z, qw, qx, qy, qz) of the palm in the prop's frame: x to the fingers, z out of the palm. */
  readonly pose: readonly number[];
  readonly hand: "left" | "right" | "either";
  readonly shape: string;
}

export interface Prop {
  readonly name: string;
  /** "box", "sphere", "cylinder", "compound" or "mesh". */
  readonly shape: string;
  readonly size: readonly number[];
  readonly colour: readonly number[];
  readonly keepLevel: boolean;
  /** Kilograms. */
  readonly mass: number;
  /** Of a compound. */
  readonly parts?: readonly PropPart[];
  /** Of a mesh: [V][3] metres, and [F][3] rows of them, counter-clockwise seen from outside. */
  readonly vertices?: readonly (readonly number[])[];
  readonly triangles?: readonly (readonly number[])[];
  readonly grips?: Readonly<Record<string, PropGrip>>;
}

export interface ClipEvent {
  readonly time: number;
  readonly kind: string;
  readonly joints: readonly string[];
}

export interface Clips {
  readonly names: readonly string[];
  readonly labelNames: readonly string[];
  readonly rows: tables.ClipRows;
  /** [F × 3] metres, in each clip's own world. */
  readonly roots: Float32Array;
  /** [R × 3] rotations in 48 bits (rotations48.ts). */
  readonly rotations: Uint16Array;
  readonly contacts: tables.ContactRuns;
  readonly labels: tables.LabelRuns;
  readonly events: Readonly<Record<string, readonly ClipEvent[]>>;
}

export interface Take extends Tables<typeof TABLES> {
  readonly fps: number;
  /** Seconds at which the first character enters and the last one leaves; 0 in an empty take. */
  readonly start: number;
  readonly stop: number;
  /** False while its writer is still at work, or where it was stopped. */
  readonly complete: boolean;
  readonly provenance: Readonly<Record<string, unknown>>;
  /** [N] names of characters. */
  readonly names: readonly string[];
  /** [N] seconds, NaN for one that is never there. */
  readonly enters: Float64Array;
  readonly leaves: Float64Array;
  readonly bodies: readonly Body[];
  /** Skeletons of the clips. */
  readonly skeletons: readonly Skeleton[];
  readonly clips: Clips;
  readonly stage: Stage;
  readonly props: readonly Prop[];
  readonly markNames: readonly string[];
  /** Per mark the label that the motion must have then, "" for none. */
  readonly markPoses: readonly string[];
  /** Free words that reasons refer to. */
  readonly notes: readonly string[];
}

const VERSION = 2;

/** Read a take; what is damaged, truncated, newer or no take at all is refused with `UnreadableTake`. */
export function readTake(bytes: Uint8Array): Take {
  try {
    const take = parsed(bytes);
    checkTake(take);
    return take;
  } catch (error) {
    if (error instanceof UnreadableTake) throw error;
    // The bytes are whole, but they are not what a take's writer writes.
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableTake(`This take is damaged: its header does not fit (${reason}).`);
  }
}

function parsed(bytes: Uint8Array): Take {
  const file = readContainer(bytes, "take", VERSION);
  if (file.version < VERSION) {
    throw new UnreadableTake(`This take has format ${file.version}, which was never released: make it again.`);
  }
  const first = file.headers[0];
  const joined = <T>(name: string): T[] => file.headers.flatMap((header) => list<T>(header, name));
  const names = joined<string>("names");
  const stored = readTables(file, TABLES);
  const segments = inOrder(stored.segments, SEGMENTS, stored.segments.character, stored.segments.start);
  const { enters, leaves } = spans(stored.characters, segments, names.length);
  const there = Array.from(enters.keys()).filter((row) => !Number.isNaN(enters[row]));
  return {
    ...stored,
    segments,
    reasons: inOrder(stored.reasons, REASONS, stored.reasons.character, stored.reasons.start),
    fps: number(first, "fps"),
    start: there.reduce((least, row) => Math.min(least, enters[row]), there.length ? Infinity : 0),
    stop: there.reduce((most, row) => Math.max(most, leaves[row]), there.length ? -Infinity : 0),
    complete: file.complete && first.complete !== false,
    provenance: first.provenance as Readonly<Record<string, unknown>>,
    names,
    enters,
    leaves,
    bodies: joined<Header>("bodies").map((body) => camelled(body, ["roles"]) as Body),
    skeletons: joined<Header>("skeletons").map((skeleton) => camelled(skeleton, ["roles"]) as Skeleton),
    clips: {
      names: joined("clip_names"),
      labelNames: joined("label_names"),
      ...readTables(file, CLIP_TABLES),
      roots: file.array("roots", { kind: "float32", shape: [3] }) as Float32Array,
      rotations: file.array("rotations", { kind: "uint16", shape: [3] }) as Uint16Array,
      events: Object.assign({}, ...file.headers.map((header) => header.events)) as Clips["events"],
    },
    stage: stageFrom(file, first),
    props: joined<Header>("props").map((prop) => camelled(prop, ["grips"]) as Prop),
    markNames: joined("mark_names"),
    markPoses: joined("mark_poses"),
    notes: joined("notes"),
  };
}

/** The stage of a header, with the triangles of its terrain if it is on one. */
function stageFrom(file: Container, header: Header): Stage {
  const stage = camelled(header.stage, []) as Stage;
  const doors = stage.doors.map((door) => ({ ...door, z: door.z ?? 0 }));
  const floor = stage.floor ?? LEVEL_GROUND;
  if (floor.kind !== "terrain") return { ...stage, doors, floor };
  const corners = file.array("terrain", { kind: "float64", shape: [3, 3] }) as Float64Array;
  return { ...stage, doors, floor: { kind: "terrain", corners } };
}

/** Read all tables of a list. */
function readTables<T extends Record<string, Stored>>(file: Container, stored: T): Tables<T> {
  const found: Record<string, Table<Columns>> = {};
  for (const [field, { name, columns }] of Object.entries(stored)) found[field] = readTable(file, name, columns);
  return found as Tables<T>;
}

function list<T>(header: Header, name: string): T[] {
  const found = header[name];
  if (!Array.isArray(found)) throw new Error(`${name} is missing`);
  return found as T[];
}

function number(header: Header, name: string): number {
  const found = header[name];
  if (typeof found !== "number" || !(found > 0)) throw new Error(`${name} is not a positive number`);
  return found;
}

/** When each character enters and leaves: its segments, within its own `enter` and `leave` where these differ. */
function spans(
  characters: tables.Characters,
  segments: tables.Segments,
  count: number,
): { enters: Float64Array; leaves: Float64Array } {
  const enters = new Float64Array(count).fill(Number.NaN);
  const leaves = new Float64Array(count).fill(Number.NaN);
  for (let s = 0; s < segments.rows; s++) {
    const who = segments.character[s];
    if (!(enters[who] <= segments.start[s])) enters[who] = segments.start[s];
    if (!(leaves[who] >= segments.stop[s])) leaves[who] = segments.stop[s];
  }
  for (let who = 0; who < count; who++) {
    if (characters.leave[who] > characters.enter[who]) {
      enters[who] = Math.max(enters[who], characters.enter[who]);
      leaves[who] = Math.min(leaves[who], characters.leave[who]);
    }
  }
  return { enters, leaves };
}
