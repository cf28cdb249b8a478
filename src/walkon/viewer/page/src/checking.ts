/** What a take must fulfil before it is posed: lists as long as their tables, references to rows that exist.

Checksums find damage; this finds files that were written wrongly, so that posing never reads past an end. */

import type { StageFloor } from "./floor_heights";
import type { Columns } from "./columns";
import { frameSize } from "./pose_frame";
import { CLIP_TABLES, REASON_KINDS, TABLES } from "./tables";
import type { Skeleton, StageTrack, Take } from "./take";
import { UnreadableTake } from "./unreadable";

/** More bytes than this for one frame of poses are refused: browsers would give up without a word. */
const MOST_FRAME_BYTES = 512e6;

export function checkTake(take: Take): void {
  const { clips } = take;
  const N = take.names.length;
  same("names", N, take.characters.rows);
  same("clips", clips.names.length, clips.rows.rows);
  same("marks", take.markNames.length, take.marks.rows);
  same("marks", take.markPoses.length, take.marks.rows);
  for (const body of take.bodies) checkSkeleton(body.skeleton);
  for (const skeleton of take.skeletons) checkSkeleton(skeleton);
  checkReferences(take);
  within("foot", take.stances.foot, 0, 2);
  within("hand", take.grips.hand, 0, 2);
  within("hand", take.handShapes.hand, 0, 2);
  within("kind of reason", take.reasons.kind, 0, REASON_KINDS.length);
  for (const { track } of [...take.stage.obstacles, ...take.stage.doors]) if (track !== null) checkTrack(track);
  checkFloor(take.stage.floor);
  within("hinge", take.stage.doors.map((door) => door.hinge), 0, 2);
  checkRanges(take);
  const joints = frameSize(take).joints;
  if (N * joints * 28 > MOST_FRAME_BYTES) {
    throw new UnreadableTake(`This take has ${N} characters of up to ${joints} joints, more than a page can show.`);
  }
}

/** Every column that is declared to refer to something refers to rows that are there. */
function checkReferences(take: Take): void {
  const counts: Record<string, number> = {
    bodies: take.bodies.length,
    skeletons: take.skeletons.length,
    clips: take.clips.names.length,
    props: take.props.length,
    notes: take.notes.length,
    labelNames: take.clips.labelNames.length,
  };
  for (const field of Object.keys(TABLES)) counts[field] = take[field as keyof typeof TABLES].rows;
  const look = (table: Readonly<Record<string, unknown>>, columns: Columns): void => {
    for (const [name, { reference }] of Object.entries(columns)) {
      if (reference === undefined) continue;
      const values = table[name] as ArrayLike<number>;
      const count = counts[reference.to];
      if (!reference.span) within(name, values, reference.none ? -1 : 0, count);
      for (let row = 0; reference.span && row < values.length; row += 2) {
        const fits = values[row] >= 0 && values[row] <= values[row + 1] && values[row + 1] <= count;
        if (!fits) throw wrong(`${name} ${row / 2} has no end`);
      }
    }
  };
  for (const [field, { columns }] of Object.entries(TABLES)) look(take[field as keyof typeof TABLES], columns);
  for (const [field, { columns }] of Object.entries(CLIP_TABLES)) {
    look(take.clips[field as keyof typeof CLIP_TABLES], columns);
  }
}

function checkRanges(take: Take): void {
  const { clips, segments, tracks, overrides, attachments, grips } = take;
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
    const knots = tracks.knots[2 * q + 1] - tracks.knots[2 * q];
    const turns = tracks.turns[2 * q + 1] - tracks.turns[2 * q];
    if (knots < 1 || !(tracks.tick[q] > 0)) throw wrong(`track ${q} has no knots`);
    if (turns !== 0 && turns !== knots) throw wrong(`track ${q} has ${turns} rotations for ${knots} knots`);
  }
  for (let row = 0; row < attachments.rows; row++) {
    const who = attachments.character[row];
    if (who >= 0) hasJoint(take, who, attachments.joint[row], `attachment ${row}`);
  }
  for (let row = 0; row < grips.rows; row++) {
    const other = grips.other[row];
    if (other >= 0) hasJoint(take, other, grips.joint[row], `grip ${row}`);
  }
  for (let o = 0; o < overrides.rows; o++) {
    const joints = overrides.joints[2 * o + 1] - overrides.joints[2 * o];
    const turns = overrides.rotations[2 * o + 1] - overrides.rotations[2 * o];
    const roots = overrides.roots[2 * o + 1] - overrides.roots[2 * o];
    const frames = overrides.frames[o];
    if (frames < 1 || turns !== joints * frames || (roots !== 0 && roots !== frames)) {
      throw wrong(`override ${o} has not as many rotations as frames`);
    }
    for (let i = overrides.joints[2 * o]; i < overrides.joints[2 * o + 1]; i++) {
      hasJoint(take, overrides.character[o], take.overrideJoints.joint[i], `override ${o}`);
    }
  }
}

function hasJoint(take: Take, who: number, joint: number, whose: string): void {
  const joints = take.bodies[take.characters.body[who]].skeleton.names.length;
  if (!(joint >= 0 && joint < joints)) throw wrong(`${whose} names joint ${joint}, which is none`);
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

function checkTrack({ times, places, headings, velocities }: StageTrack): void {
  same("knots", places.length, times.length);
  same("knots", headings.length, times.length);
  if (velocities !== null) same("knots", velocities.length, times.length);
  if (times.length < 2) throw wrong("the track of something on the stage has no two knots");
  if (times.some((time, k) => k > 0 && !(time > times[k - 1]))) throw wrong("the times of a track do not rise");
}

function checkFloor(floor: StageFloor): void {
  const known = ["flat", "ramp", "terrain"].includes(floor.kind);
  if (!known) throw wrong(`its floor is of an unknown kind, ${JSON.stringify((floor as { kind: unknown }).kind)}`);
  const numbers = floor.kind === "flat" ? [floor.height] : floor.kind === "ramp" ? [...floor.start, ...floor.stop] : floor.corners;
  if (floor.kind === "ramp") same("numbers of a ramp", numbers.length, 6);
  if (floor.kind === "terrain" && numbers.length === 0) throw wrong("its terrain has no triangles");
  for (let k = 0; k < numbers.length; k++) if (!Number.isFinite(numbers[k])) throw wrong("its floor has no height");
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
