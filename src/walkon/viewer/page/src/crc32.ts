/** CRC-32 (the one of zlib), eight bytes at a time (as little-endian words, like all that browsers run on), so that a
whole take is checked before it is believed. */

/** Eight tables of 256 numbers: table k is for the byte k places before the last of eight. */
const TABLES = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256); // signed: engines keep these as plain integers
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    tables[n] = c;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256];
    tables[at] = (before >>> 8) ^ tables[before & 255];
  }
  return tables;
}

export function crc32(bytes: Uint8Array): number {
  const t = TABLES;
  const aligned = bytes.byteOffset % 4 === 0;
  const words = aligned ? new Int32Array(bytes.buffer, bytes.byteOffset, (bytes.length >>> 3) << 1) : new Int32Array(0);
  let c = -1;
  for (let at = 0; at < words.length; at += 2) {
    const a = words[at] ^ c;
    const b = words[at + 1];
    c =
      t[1792 + (a & 255)] ^
      t[1536 + ((a >>> 8) & 255)] ^
      t[1280 + ((a >>> 16) & 255)] ^
      t[1024 + (a >>> 24)] ^
      t[768 + (b & 255)] ^
      t[512 + ((b >>> 8) & 255)] ^
      t[256 + ((b >>> 16) & 255)] ^
      t[b >>> 24];
  }
  for (let at = words.length * 4; at < bytes.length; at++) c = (c >>> 8) ^ t[(c ^ bytes[at]) & 255];
  return ~c >>> 0;
}
