/** What the page and the designer's server say to each other, with the names that the wire has.

Questions are JSON, {id, do, …}; answers carry the same id; the server also pushes its state after every change. Binary
answers are a 4-byte little-endian length, a JSON header of that length, and raw bytes. Seconds, metres, radians, unless
a name ends in _cm or _deg. Clips, hubs and edges are numbers. */

/** A frame of the library: a time of a clip. */
export interface Moment {
  readonly clip: number;
  readonly time: number;
}

export interface Match extends Moment {
  /** From the hub's seed. */
  readonly distance_cm: number;
  /** Median over joints of what the frame is turned by to become the hub's pose. */
  readonly displacement_deg?: number;
  readonly edges?: number;
  /** Put in by hand. */
  readonly hand?: boolean;
}

export interface Hub {
  readonly name: string;
  readonly colour: string;
  readonly threshold_cm: number;
  readonly spacing_s: number;
  /** What it grew from; null where its frames were all picked by hand. */
  readonly seed: Moment | null;
  readonly picked: boolean;
  readonly matches: readonly Match[];
  readonly stance: string;
  readonly labels: readonly string[];
  readonly median_deg: number;
  readonly p95_deg: number;
}

export interface Edge {
  readonly start: number;
  readonly stop: number;
  readonly clip: number;
  readonly from: number;
  readonly to: number;
  /** Where the stop hub lies, seen from the start hub: (x, y, heading). */
  readonly displacement: readonly number[];
  readonly duration: number;
}

export interface Quality {
  readonly edges: number;
  readonly median_deg: number;
  readonly p95_deg: number;
}

export interface State {
  readonly hubs: readonly Hub[];
  readonly edges: readonly Edge[];
  /** [start][stop] */
  readonly counts: readonly (readonly number[])[];
  readonly dead_ends: readonly number[];
  readonly notes: readonly string[];
  readonly quality: Quality;
  /** Whether the exact graph of these hubs has been built. */
  readonly built: boolean;
  readonly undo: number;
  readonly redo: number;
  readonly saved: boolean;
  readonly file: string;
}

export interface ClipFacts {
  readonly name: string;
  readonly seconds: number;
  readonly labels: readonly string[];
}

/** What never changes. */
export interface LibraryFacts {
  readonly clips: readonly ClipFacts[];
  /** Compared frames a second. */
  readonly rate: number;
  /** [clips + 1] the first compared frame of each clip, and the count of all. */
  readonly starts: readonly number[];
  /** Frames a second of the clips themselves. */
  readonly fps: number;
  readonly skeleton: { readonly parents: readonly number[]; readonly offsets: readonly (readonly number[])[] };
  /** What a new hub begins with. */
  readonly threshold_cm: number;
  /** Seconds from the ends of a clip within which nothing can be matched. */
  readonly lead_s: number;
}

export interface Hello extends LibraryFacts {
  readonly state: State;
}

/** What a threshold would do. */
export interface Trial {
  readonly counts?: readonly (readonly number[])[];
  /** Edges that would begin or end in the hub. */
  readonly hub_edges?: number;
  /** Why it cannot be, null where it can. */
  readonly refused?: string | null;
  readonly matches: readonly Match[];
  readonly edges: number;
  readonly median_deg: number;
  readonly p95_deg: number;
}

export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  /** Distance of level 255. */
  readonly metres_max: number;
}

export interface Progress {
  readonly of: string;
  /** Steps done of so many; all of them when the job is over. */
  readonly done: number;
  readonly total: number;
  readonly what: string;
}

/** Where the arrays of the edges lie in the bytes that follow. */
export interface EdgesHeader {
  readonly fps: number;
  readonly joints: number;
  readonly hubs: readonly string[];
  readonly arrays: Readonly<
    Record<string, { readonly offset: number; readonly type: string; readonly shape: readonly number[] }>
  >;
}

export type Push = { readonly push: "state"; readonly state: State } | ({ readonly push: "progress" } & Progress);

export interface Binary<H> {
  readonly header: H;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Split a binary answer. */
export function readBinary<H>(buffer: ArrayBuffer): Binary<H & { readonly id: number }> {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as H & { readonly id: number };
  return { header, bytes: new Uint8Array(buffer.slice(4 + length)) };
}
