/** What a take must fulfil before it is posed: lists as long as their tables, references to rows that exist.

Checksums find damage; this finds files that were written wrongly, so that posing never reads past an end. */

import type { Skeleton, Take } from "./take";
import { UnreadableTake } from "./unreadable";

/** More bytes than this for one frame of poses are refused: browsers would give up without a word. */
const MOST_FRAME_BYTES = 512e6;

export function checkTake(take: Take): void {
  const { clips, segments, stances, attachments } = take;
  const N = take.names.length;
  const K = clips.names.length;
  same("names", N, take.characters.rows);
  same("clips", K, clips.rows.rows);
  same("marks", take.markNames.length, take.marks.rows);
  same("marks", take.markPoses.length, take.marks.rows);
  for (const body of take.bodies) checkSkeleton(body.skeleton);
  for (const skeleton of take.skeletons) checkSkeleton(skeleton);
  within("body", take.characters.body, 0, take.bodies.length);
  within("skeleton", clips.rows.skeleton, 0, take.skeletons.length);
  within("character", segments.character, 0, N);
  within("clip", segments.clip, -1, K);
  within("warp", segments.warp, -1, take.warps.rows);
  within("blend", segments.blend, -1, take.blends.rows);
  within("track", segments.track, -1, take.planarTracks.rows);
  within("mark", segments.mark, -1, take.marks.rows);
  within("reason", segments.reason, -1, take.reasons.length);
  within("clip", take.blends.clip, 0, K);
  within("character", stances.character, 0, N);
  within("foot", stances.foot, 0, 2);
  within("character", take.drops.character, 0, N);
  within("character", take.overrides.character, 0, N);
  within("character", take.marks.character, 0, N);
  within("prop", attachments.prop, 0, take.props.length);
  within("character", attachments.character, -1, N);
  within("clip", clips.contacts.clip, 0, K);
  within("clip", clips.labels.clip, 0, K);
  within("label", clips.labels.label, 0, clips.labelNames.length);
  checkRanges(take);
  const joints = Math.max(1, ...take.bodies.map((body) => body.skeleton.names.length));
  if (N * joints * 28 > MOST_FRAME_BYTES) {
    throw new UnreadableTake(`This take has ${N} characters of up to ${joints} joints, more than a page can show.`);
  }
}

function checkRanges(take: Take): void {
  const { clips, segments, planarTracks: tracks, overrides, attachments } = take;
  for (let k = 0; k < clips.rows.rows; k++) {
    const moving = take.skeletons[clips.rows.skeleton[k]].endSites.filter((end) => !end).length;
    const frames = clips.rows.frames[k];
    const first = clips.rows.firstFrame[k];
    const turn = clips.rows.firstRotation[k];
    if (frames < 1 || first < 0 || turn < 0) throw wrong(`clip ${k} has no frames`);
    if ((first + frames) * 3 > clips.roots.length || (turn + frames * moving) * 3 > clips.rotations.length) {
      throw wrong(`clip ${k} is longer than its frames`);
    }
  }
  for (let s = 0; s < segments.rows; s++) {
    if (segments.clip[s] < 0 && segments.track[s] < 0) throw wrong(`segment ${s} has neither a clip nor a track`);
  }
  for (let q = 0; q < tracks.rows; q++) {
    const fits = tracks.count[q] >= 1 && tracks.first[q] >= 0;
    if (!fits || tracks.first[q] + tracks.count[q] > take.planarPoses.rows) throw wrong(`planar track ${q} has no end`);
  }
  for (let row = 0; row < attachments.rows; row++) {
    const who = attachments.character[row];
    const joints = who < 0 ? Infinity : take.bodies[take.characters.body[who]].skeleton.names.length;
    if (who >= 0 && !(attachments.joint[row] >= 0 && attachments.joint[row] < joints)) {
      throw wrong(`attachment ${row} holds by joint ${attachments.joint[row]}, which is none`);
    }
  }
  for (let o = 0; o < overrides.rows; o++) {
    if (overrides.frames[o] < 1 || overrides.first[o] < 0) throw wrong(`override ${o} has no frames`);
  }
}

function checkSkeleton(skeleton: Skeleton): void {
  const J = skeleton.names.length;
  same("joints", skeleton.parents.length, J);
  same("joints", skeleton.offsets.length, J);
  same("joints", skeleton.endSites.length, J);
  same("contact points", skeleton.contactJoints.length, skeleton.contactNames.length);
  same("contact points", skeleton.contactOffsets.length, skeleton.contactNames.length);
  within("joint", skeleton.contactJoints, 0, J);
  within("joint", Object.values(skeleton.roles), 0, J);
  if (J === 0) throw wrong("a skeleton has no joints");
  for (let j = 1; j < J; j++) {
    if (!(skeleton.parents[j] >= 0 && skeleton.parents[j] < j)) throw wrong(`joint ${j} comes before its parent`);
  }
}

function same(what: string, one: number, other: number): void {
  if (one !== other) throw wrong(`there are ${one} and ${other} ${what}`);
}

function within(what: string, values: ArrayLike<number>, least: number, stop: number): void {
  for (let row = 0; row < values.length; row++) {
    if (!(values[row] >= least && values[row] < stop)) throw wrong(`there is no ${what} ${values[row]}`);
  }
}

function wrong(reason: string): UnreadableTake {
  return new UnreadableTake(`This take is damaged: ${reason}.`);
}
