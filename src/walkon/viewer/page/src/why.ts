/** Why a character does what is seen: what walkon.take.why tells, read off the take and the frame that is shown.

Seconds, metres; a side is told in eighths of a turn from where the character faces. */

import { clipSpan } from "./clip_span";
import { ABSENT, PLANAR, type PoseFrame } from "./pose_frame";
import { reasonAt, reasonWords } from "./reasons";
import { rangeOf } from "./table_rows";
import { ASKS } from "./tables";
import type { Take } from "./take";

const NEAR = 3;
const MOST = 6;
const SIDES = ["ahead", "ahead to the left", "to the left", "behind to the left", "behind"];
const CONTACTS = ["left heel", "left ball", "right heel", "right ball"];

export interface Playing {
  readonly clip: string;
  readonly clipTime: number;
  readonly clipDuration: number;
  readonly rate: number;
  readonly labels: readonly string[];
  /** The clip that is fading out, and how much of it is left (0 to 1). */
  readonly fadingFrom: { readonly clip: string; readonly share: number } | null;
}

export interface MarkState {
  readonly row: number;
  readonly name: string;
  /** When the take means to meet it; null where it does not. */
  readonly met: number | null;
  readonly window: readonly [number, number] | null;
  readonly hold: number;
  readonly pose: string;
  /** Whether the segment that plays now was chosen for it. */
  readonly current: boolean;
}

export interface Neighbour {
  readonly row: number;
  readonly name: string;
  readonly distance: number;
  readonly side: string;
}

export interface Why {
  readonly row: number;
  readonly name: string;
  readonly present: boolean;
  readonly planar: boolean;
  readonly segment: {
    readonly number: number; readonly count: number; readonly start: number; readonly stop: number,
  } | null;
  readonly edge: number | null;
  readonly playing: Playing | null;
  readonly reason: string;
  readonly marks: readonly MarkState[];
  readonly contacts: readonly string[];
  readonly holds: readonly string[];
  readonly neighbours: readonly Neighbour[];
}

export function why(take: Take, row: number, frame: PoseFrame): Why {
  const present = frame.present[row] !== ABSENT;
  const s = present ? frame.segments[row] : -1;
  const { segments } = take;
  const [first, count] = segmentsOf(take, row);
  const told = present ? reasonAt(take, row, frame.time) : -1;
  return {
    row,
    name: take.names[row],
    present,
    planar: frame.present[row] === PLANAR,
    segment: s < 0 ? null : { number: s - first + 1, count, start: segments.start[s], stop: segments.stop[s] },
    edge: s >= 0 && segments.edge[s] >= 0 ? segments.edge[s] : null,
    playing: s >= 0 && segments.clip[s] >= 0 ? playing(take, s, frame.time) : null,
    reason: told >= 0 ? reasonWords(take, told) : "",
    marks: marksOf(take, row, s >= 0 ? segments.mark[s] : -1),
    contacts: present ? CONTACTS.filter((_, k) => frame.contacts[4 * row + k] !== 0) : [],
    holds: holdsOf(take, row, frame.time),
    neighbours: present ? neighbours(take, row, frame) : [],
  };
}

/** First row and number of a character's segments, which are sorted by character and start. */
export function segmentsOf(take: Take, row: number): readonly [number, number] {
  const [first, stop] = rangeOf(take.segments.character, row);
  return [first, stop - first];
}

function playing(take: Take, s: number, time: number): Playing {
  const { segments, clips, blends } = take;
  const clip = segments.clip[s];
  const tau = time - segments.start[s];
  const growth = (segments.rateStop[s] - segments.rateStart[s]) / Math.max(segments.stop[s] - segments.start[s], 1e-9);
  const fps = clips.rows.fps[clip];
  const stored = (clips.rows.frames[clip] - 1) / fps;
  const read = Math.min(
    Math.max(segments.clipStart[s] + (segments.rateStart[s] + 0.5 * growth * tau) * tau, 0),
    stored,
  );
  const frame = Math.round(read * fps);
  const span = clipSpan(take, clip);
  const labels: string[] = [];
  for (let k = 0; k < clips.labels.rows; k++) {
    if (clips.labels.clip[k] === clip && clips.labels.start[k] <= frame && frame < clips.labels.stop[k]) {
      labels.push(clips.labelNames[clips.labels.label[k]]);
    }
  }
  const blend = segments.blend[s];
  let fadingFrom: Playing["fadingFrom"] = null;
  if (blend >= 0 && tau < blends.duration[blend]) {
    const p = Math.max(tau / blends.duration[blend], 0);
    fadingFrom = { clip: clips.names[blends.clip[blend]], share: 2 * p ** 3 - 3 * p ** 2 + 1 };
  }
  const rate = segments.rateStart[s] + growth * tau;
  return {
    clip: clips.names[clip],
    clipTime: span.start + read,
    clipDuration: span.duration,
    rate,
    labels,
    fadingFrom,
  };
}

function marksOf(take: Take, row: number, current: number): MarkState[] {
  const { marks } = take;
  const found: MarkState[] = [];
  for (let k = 0; k < marks.rows; k++) {
    if (marks.character[k] !== row) continue;
    found.push({
      row: k,
      name: take.markNames[k] || `number ${k}`,
      met: marks.asks[k] & ASKS.meant ? marks.met[k] : null,
      window: marks.asks[k] & ASKS.window ? [marks.window[2 * k], marks.window[2 * k + 1]] : null,
      hold: marks.hold[k],
      pose: take.markPoses[k] ?? "",
      current: k === current,
    });
  }
  return found.sort((a, b) => (a.met ?? a.window?.[0] ?? Infinity) - (b.met ?? b.window?.[0] ?? Infinity));
}

function holdsOf(take: Take, row: number, time: number): string[] {
  const { attachments, grips } = take;
  const names = new Set<string>();
  for (let k = 0; k < attachments.rows; k++) {
    if (attachments.character[k] === row && attachments.start[k] <= time && time < attachments.stop[k]) {
      names.add(take.props[attachments.prop[k]].name);
    }
  }
  for (let k = 0; k < grips.rows; k++) {
    if (grips.character[k] === row && grips.prop[k] >= 0 && grips.start[k] <= time && time < grips.stop[k]) {
      names.add(take.props[grips.prop[k]].name);
    }
  }
  return [...names];
}

function neighbours(take: Take, row: number, frame: PoseFrame): Neighbour[] {
  const [x, y, heading] = frame.planar.subarray(3 * row, 3 * row + 3);
  const near: Neighbour[] = [];
  for (let other = 0; other < take.names.length; other++) {
    if (other === row || frame.present[other] === ABSENT) continue;
    const dx = frame.planar[3 * other] - x;
    const dy = frame.planar[3 * other + 1] - y;
    const distance = Math.hypot(dx, dy);
    if (distance > NEAR) continue;
    const turn = Math.atan2(dy, dx) - heading;
    const bearing = Math.atan2(Math.sin(turn), Math.cos(turn));
    const side = SIDES[Math.round(Math.abs(bearing) / (Math.PI / 4))];
    near.push(
      { row: other, name: take.names[other], distance, side: bearing >= 0 ? side : side.replace("left", "right") },
    );
  }
  return near.sort((a, b) => a.distance - b.distance).slice(0, MOST);
}
