/** Files of named arrays in checksummed blocks, as walkon._base.array_file writes them: the reader of that one format.

    file  = file head, block, block, …          block = block head, payload
    file head  = magic 8 · kind 16 · layout 4 · version 4 · flags 4 · zeros 4 · sealed length 8 · zeros 12 · CRC 4
    block head = magic 8 · position 8 · payload length 8 · JSON length 8 · type 4 · payload CRC 4 · zeros 20 · CRC 4
    payload    = JSON, zeros to 64, array, zeros to 64, array, …

Little-endian. A file that grows ends in a mark; what is not finished behind its last whole block is left out. */

import { crc32 } from "./crc32";
import type { Column, Columns, Kind, Numbers, Table } from "./columns";
import { UnreadableTake } from "./unreadable";

const HEAD = 64;
const LAYOUT = 1;
const SEALED = 1;
const DATA = 1;
const END = 2;
const FILE_MAGIC = "\x89WALKON\n";
const BLOCK_MAGIC = "\x89BLOCK\r\n";
const BYTES: Readonly<Record<string, number>> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
};

export type Header = Readonly<Record<string, unknown>>;

interface StoredArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export interface Container {
  /** The header of each block. */
  readonly headers: readonly Header[];
  /** The version of the format that was written. */
  readonly version: number;
  /** Whether its writer finished. */
  readonly complete: boolean;
  /** The rows of all blocks of one array, flat; a sentence where it is missing or of another type. */
  array(name: string, column: Column): Numbers;
}

/** Read and check a file of this kind, of at most this version. */
export function readContainer(given: Uint8Array, kind: string, version: number): Container {
  if (given.length === 0) throw new UnreadableTake(`The ${kind} is empty.`);
  // Arrays are aligned to 64 bytes in the file; so they are in memory if the file is.
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  const sealed = checkFileHead(bytes, kind, version);
  const headers: Header[] = [];
  const arrays = new Map<string, StoredArray[]>();
  let complete = sealed;
  let position = HEAD;
  while (position < bytes.length) {
    const block = blockAt(bytes, position, sealed);
    if (block === null) break;
    position = block.stop;
    if (block.end) {
      complete = true;
      if (position < bytes.length) throw damaged("there are bytes behind its end");
      break;
    }
    headers.push(readPayload(bytes, block, arrays));
  }
  if (headers.length === 0) {
    throw new UnreadableTake(`This ${kind} is truncated: not one whole block; its writer was stopped or a copy cut off.`);
  }
  const written = new DataView(bytes.buffer, bytes.byteOffset, HEAD).getUint32(28, true);
  return { headers, version: written, complete, array: (name, column) => joined(name, arrays.get(name), column) };
}

function checkFileHead(bytes: Uint8Array, kind: string, version: number): boolean {
  if (text(bytes, 0, Math.min(8, bytes.length)) !== FILE_MAGIC.slice(0, bytes.length)) {
    throw new UnreadableTake(`This is not a Walkon ${kind}.`);
  }
  if (bytes.length < HEAD) throw new UnreadableTake(`This ${kind} is truncated: it has ${bytes.length} bytes.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD);
  if (!matches(bytes.subarray(0, HEAD))) throw damaged("the head of the file does not match its checksum");
  newer(view.getUint32(24, true), LAYOUT, kind);
  const own = text(bytes, 8, 24).replace(/\0+$/, "");
  if (own !== kind) throw new UnreadableTake(`This is a Walkon ${own}, not a Walkon ${kind}.`);
  newer(view.getUint32(28, true), version, kind);
  const sealed = (view.getUint32(32, true) & SEALED) !== 0;
  const length = Number(view.getBigUint64(40, true));
  if (sealed && length !== bytes.length) {
    const what = bytes.length < length ? "truncated" : "damaged";
    throw new UnreadableTake(`This ${kind} is ${what}: ${bytes.length} of ${length} bytes.`);
  }
  return sealed;
}

function newer(written: number, known: number, kind: string): void {
  if (written > known) {
    throw new UnreadableTake(
      `This ${kind} was written by a newer Walkon (format ${written}, this page reads up to ${known}): update walkon.`,
    );
  }
}

interface Block {
  readonly start: number;
  readonly stop: number;
  readonly jsonLength: number;
  readonly end: boolean;
}

/** The block at this byte, or null where the rest of a growing file is not finished. */
function blockAt(bytes: Uint8Array, position: number, sealed: boolean): Block | null {
  const head = bytes.subarray(position, position + HEAD);
  if (head.length < HEAD || head.every((byte) => byte === 0)) {
    if (sealed) throw damaged(`there should be a block at byte ${position}`);
    return null;
  }
  const view = new DataView(head.buffer, head.byteOffset, HEAD);
  const length = Number(view.getBigUint64(16, true));
  const jsonLength = Number(view.getBigUint64(24, true));
  const type = view.getUint32(32, true);
  const fits = type === END ? length === 0 && jsonLength === 0 : type === DATA && jsonLength <= length;
  const sound = matches(head) && text(head, 0, 8) === BLOCK_MAGIC && Number(view.getBigUint64(8, true)) === position;
  if (!sound || !fits || length % HEAD !== 0) throw damaged(`there should be a block at byte ${position}`);
  const start = position + HEAD;
  const stop = start + length;
  const last = stop >= bytes.length;
  if (stop > bytes.length || crc32(bytes.subarray(start, stop)) !== view.getUint32(36, true)) {
    if (!sealed && last) return null;
    throw damaged(`the block at byte ${position} fails its checksum`);
  }
  return { start, stop, jsonLength, end: type === END };
}

function readPayload(bytes: Uint8Array, block: Block, arrays: Map<string, StoredArray[]>): Header {
  const json = new TextDecoder("utf-8", { fatal: true }).decode(
    bytes.subarray(block.start, block.start + block.jsonLength),
  );
  const { extra, arrays: entries } = JSON.parse(json) as { extra: Header; arrays: unknown };
  if (typeof extra !== "object" || extra === null || !Array.isArray(entries)) throw damaged("a block has no header");
  const first = block.start + padded(block.jsonLength);
  let at = first;
  const seen = new Set<string>();
  for (const entry of entries as { name: string; dtype: string; shape: number[]; offset: number }[]) {
    const size = BYTES[entry.dtype];
    if (size === undefined) throw damaged(`array ${entry.name} has the unknown type ${entry.dtype}`);
    const count = entry.shape.reduce((product, length) => product * length, 1);
    const whole = entry.shape.every((length) => Number.isSafeInteger(length) && length >= 0);
    if (!whole || seen.has(entry.name) || first + entry.offset !== at || !(at + count * size <= block.stop)) {
      throw damaged(`array ${entry.name} lies where it cannot be`);
    }
    seen.add(entry.name);
    const stored = { dtype: entry.dtype, shape: entry.shape, bytes: bytes.subarray(at, at + count * size) };
    const parts = arrays.get(entry.name);
    if (parts === undefined) arrays.set(entry.name, [stored]);
    else parts.push(stored);
    at += padded(count * size);
  }
  if (at !== block.stop) throw damaged("the arrays of a block do not fill it");
  return extra;
}

function joined(name: string, parts: readonly StoredArray[] | undefined, column: Column): Numbers {
  if (parts === undefined) {
    throw new UnreadableTake(`This take was written by another version of Walkon (${name} is missing): write it again.`);
  }
  const dtype = column.kind;
  for (const part of parts) {
    const fits = part.shape.length === column.shape.length + 1 && column.shape.every((n, i) => part.shape[i + 1] === n);
    if (part.dtype !== dtype || !fits) throw damaged(`${name} must be rows of ${dtype} [${column.shape.join(", ")}]`);
  }
  let bytes = parts[0].bytes;
  if (parts.length > 1) {
    bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part.bytes, at);
      at += part.bytes.length;
    }
  }
  return viewed(bytes, column.kind);
}

function viewed(bytes: Uint8Array, kind: Kind): Numbers {
  const { buffer, byteOffset: at, length } = bytes;
  switch (kind) {
    case "int8":
      return new Int8Array(buffer, at, length);
    case "uint8":
      return bytes;
    case "int16":
      return new Int16Array(buffer, at, length / 2);
    case "uint16":
      return new Uint16Array(buffer, at, length / 2);
    case "int32":
      return new Int32Array(buffer, at, length / 4);
    case "float32":
      return new Float32Array(buffer, at, length / 4);
    case "float64":
      return new Float64Array(buffer, at, length / 8);
    case "int64":
      return Float64Array.from(new BigInt64Array(buffer, at, length / 8), Number);
  }
}

/** Read a table: every column, all of the same number of rows. */
export function readTable<C extends Columns>(file: Container, name: string, columns: C): Table<C> {
  const found: Record<string, Numbers | number> = {};
  let rows: number | null = null;
  for (const [key, column] of Object.entries(columns)) {
    const values = file.array(`${name}.${snaked(key)}`, column);
    const count = values.length / column.shape.reduce((product, length) => product * length, 1);
    if (rows !== null && rows !== count) throw damaged(`the columns of ${name} have ${rows} and ${count} rows`);
    rows = count;
    found[key] = values;
  }
  found.rows = rows ?? 0;
  return found as unknown as Table<C>;
}

/** Return a value of a header with the names of its fields in camelCase; what is under `kept` keeps its names. */
export function camelled(value: unknown, kept: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => camelled(item, kept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      kept.includes(key) ? item : camelled(item, kept),
    ]),
  );
}

function snaked(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function matches(head: Uint8Array): boolean {
  return new DataView(head.buffer, head.byteOffset).getUint32(HEAD - 4, true) === crc32(head.subarray(0, HEAD - 4));
}

function padded(length: number): number {
  return Math.ceil(length / HEAD) * HEAD;
}

function text(bytes: Uint8Array, start: number, stop: number): string {
  return String.fromCharCode(...bytes.subarray(start, stop));
}

function damaged(reason: string): UnreadableTake {
  return new UnreadableTake(`This take is damaged: ${reason}.`);
}
