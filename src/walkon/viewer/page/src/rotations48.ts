/** Rotations in 48 bits, as walkon.take.storing.rotations48 packs them: the three smallest parts of a unit quaternion, 15 bits
each, and (the top bits of the first two words, low bit first) which part is left out. */

const SPAN = Math.sqrt(0.5);
const STEP = (2 * SPAN) / 32767;

/** Put the rotation of a row of words [R × 3] at out[o…o + 3], w first. */
export function unpack(words: Uint16Array, row: number, out: Float64Array, o: number): void {
  const a = words[3 * row];
  const b = words[3 * row + 1];
  const x = (a & 32767) * STEP - SPAN;
  const y = (b & 32767) * STEP - SPAN;
  const z = (words[3 * row + 2] & 32767) * STEP - SPAN;
  const rest = Math.sqrt(Math.max(1 - x * x - y * y - z * z, 0));
  switch ((a >> 15) | ((b >> 15) << 1)) {
    case 0:
      (out[o] = rest), (out[o + 1] = x), (out[o + 2] = y), (out[o + 3] = z);
      break;
    case 1:
      (out[o] = x), (out[o + 1] = rest), (out[o + 2] = y), (out[o + 3] = z);
      break;
    case 2:
      (out[o] = x), (out[o + 1] = y), (out[o + 2] = rest), (out[o + 3] = z);
      break;
    default:
      (out[o] = x), (out[o + 1] = y), (out[o + 2] = z), (out[o + 3] = rest);
  }
}

const second = new Float64Array(4);

/** Put the normalised mix of two rows, w of the way from the first to the second, at out[o…o + 3]. */
export function unpackMixed(
  words: Uint16Array,
  before: number,
  after: number,
  w: number,
  out: Float64Array,
  o: number,
): void {
  unpack(words, before, out, o);
  if (w === 0) return;
  unpack(words, after, second, 0);
  const dot = out[o] * second[0] + out[o + 1] * second[1] + out[o + 2] * second[2] + out[o + 3] * second[3];
  const u = 1 - w;
  const v = dot < 0 ? -w : w;
  const a = u * out[o] + v * second[0];
  const b = u * out[o + 1] + v * second[1];
  const c = u * out[o + 2] + v * second[2];
  const d = u * out[o + 3] + v * second[3];
  const k = 1 / Math.sqrt(a * a + b * b + c * c + d * d);
  out[o] = k * a;
  out[o + 1] = k * b;
  out[o + 2] = k * c;
  out[o + 3] = k * d;
}
