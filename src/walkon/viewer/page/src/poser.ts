/** Posing: every character's joints in the world at any time, from the take alone, by the rule of walkon.take.posing.posing.

    segment → clip between frames → blend → warp → height or track → overrides → drop → joints → planted feet

Arithmetic in float64, answers in float32. Nothing depends on what was asked before, and posing allocates nothing. */

import { readSegment, Workspace } from "./clip_reading";
import { dropAt } from "./drops";
import { solveLeg } from "./legs";
import { overrideLimbs } from "./overrides";
import { ABSENT, frameSize, newFrame, PLANAR, WHOLE, type PoseFrame } from "./pose_frame";
import { PropPoser } from "./props";
import { heightAt } from "./heights";
import { copy4, lastNotAfter, times, turn } from "./quaternions";
import { makeScore, type Rig, type Score } from "./score";
import { findGoal, FootGoal } from "./stances";
import type { Take } from "./take";
import { readSegmentTrack } from "./tracks";
import { WalkPhases } from "./walk_phases";

export { newFrame, type PoseFrame };

const carried = new Float64Array(3);
const carriedTurn = new Float64Array(4);

export class Poser {
  private readonly score: Score;
  private readonly space: Workspace;
  private readonly foot = new FootGoal();
  private readonly joints: number;
  private readonly props: PropPoser;
  private readonly walks: WalkPhases;
  /** What the last call of `poseOne` found: presence, segment, and bits of the contacts that bear. */
  private presence = ABSENT;
  private segment = -1;
  private bits = 0;

  constructor(readonly take: Take) {
    this.score = makeScore(take);
    this.joints = frameSize(take).joints;
    this.space = new Workspace(this.joints);
    this.props = new PropPoser(take);
    this.walks = new WalkPhases(take, this.score.firstSegment);
  }

  /** Pose everyone, and all props, at a time in seconds. */
  pose(time: number, frame: PoseFrame): void {
    frame.time = time;
    for (let who = 0; who < frame.size.characters; who++) {
      this.poseOne(who, time);
      this.store(who, frame);
      if (this.presence === PLANAR && this.score.rigs[this.take.characters.body[who]].stands) {
        this.walks.put(who, this.segment, time, frame.walks, 2 * who);
      } else {
        frame.walks.fill(0, 2 * who, 2 * who + 2);
      }
    }
    this.propPoses(time, frame);
  }

  /** Place the props of a frame at a time in seconds; `pose` has done so already. */
  propPoses(time: number, frame: PoseFrame): void {
    this.props.pose(time, frame, (who, joint, t, out) => this.jointAt(who, joint, t, out));
  }

  /** Put place and rotation [7] of one joint of a character at a time into `out`; false where it is absent. */
  jointAt(who: number, joint: number, time: number, out: Float64Array): boolean {
    this.poseOne(who, time);
    const { positions, rotations } = this.space;
    const at = this.presence === PLANAR ? 0 : joint;
    for (let i = 0; i < 3; i++) out[i] = positions[3 * at + i];
    for (let i = 0; i < 4; i++) out[3 + i] = rotations[4 * at + i];
    return this.presence !== ABSENT;
  }

  private poseOne(who: number, t: number): void {
    const { take, score, space } = this;
    const { segments, characters } = take;
    this.presence = ABSENT;
    this.segment = -1;
    this.bits = 0;
    const first = score.firstSegment[who];
    const s = lastNotAfter(segments.start, first, score.firstSegment[who + 1], t);
    const enter = characters.enter[who];
    const leave = characters.leave[who];
    if ((leave > enter && !(enter <= t && t <= leave)) || s < first || t > segments.stop[s]) return;
    this.segment = s;
    const rig = score.rigs[characters.body[who]];
    const scale = characters.scale[who];
    const { locals, positions, rotations, root } = space;
    let drop = 0;
    if (segments.clip[s] < 0) {
      // No joints are posed: all of them are where the root is.
      this.presence = PLANAR;
      readSegmentTrack(take, s, t, root, rotations);
      for (let i = 0; i < 3; i++) positions[i] = root[i];
      positions[2] += scale * rig.restHeight;
      return;
    }
    this.presence = WHOLE;
    const frame = readSegment(take, score, rig, who, s, t, space);
    if (segments.track[s] >= 0) this.carry(s, t);
    else root[2] += heightAt(score, who, t);
    overrideLimbs(take, score, who, t, locals, root);
    this.bits = score.contacts[frame];
    drop = dropAt(take, score, who, t);
    positions[0] = root[0];
    positions[1] = root[1];
    positions[2] = root[2] - drop;
    copy4(locals, 0, rotations, 0);
    for (let j = 1; j < rig.joints; j++) placeJoint(rig, scale, j, space);
    if (rig.stands) this.plantFeet(rig, who, t, scale, drop);
  }

  /** A clip along a track: the track carries the root, and the clip plays in its frame. */
  private carry(s: number, t: number): void {
    const { locals, root } = this.space;
    readSegmentTrack(this.take, s, t, carried, carriedTurn);
    turn(carriedTurn, 0, root[0], root[1], root[2], root, 0);
    for (let i = 0; i < 3; i++) root[i] += carried[i];
    times(carriedTurn, 0, locals, 0, locals, 0);
  }

  private plantFeet(rig: Rig, who: number, t: number, scale: number, drop: number): void {
    const { score, space, foot } = this;
    const { firstStance, stances } = score;
    if (firstStance[2 * who] === firstStance[2 * who + 2]) return;
    this.bits = 0;
    for (let side = 0; side < 2; side++) {
      const first = firstStance[2 * who + side];
      const stop = firstStance[2 * who + side + 1];
      if (first === stop) continue;
      ownFoot(rig, side, scale, drop, space, foot);
      findGoal(stances, first, stop, t, foot);
      this.bits |= foot.held << (2 * side);
      solveLeg(rig, side, foot, space);
    }
    const { onLegs } = rig;
    for (let i = 0; i < onLegs.length; i++) placeJoint(rig, scale, onLegs[i], space);
  }

  /** Write the character that was posed last into a frame. */
  private store(who: number, frame: PoseFrame): void {
    const J = this.joints;
    const { positions, rotations } = this.space;
    const p = who * J * 3;
    const r = who * J * 4;
    frame.present[who] = this.presence;
    frame.segments[who] = this.segment;
    for (let c = 0; c < 4; c++) frame.contacts[4 * who + c] = (this.bits >> c) & 1;
    if (this.presence === ABSENT) {
      frame.positions.fill(0, p, p + J * 3);
      frame.rotations.fill(0, r, r + J * 4);
      frame.planar.fill(0, 3 * who, 3 * who + 3);
      return;
    }
    const rig = this.score.rigs[this.take.characters.body[who]];
    const n = this.presence === PLANAR ? 1 : rig.joints;
    for (let i = 0; i < 3 * n; i++) frame.positions[p + i] = positions[i];
    for (let i = 0; i < 4 * n; i++) frame.rotations[r + i] = rotations[i];
    for (let j = n; j < J; j++) {
      for (let i = 0; i < 3; i++) frame.positions[p + 3 * j + i] = positions[i];
      for (let i = 0; i < 4; i++) frame.rotations[r + 4 * j + i] = rotations[i];
    }
    frame.planar[3 * who] = positions[0];
    frame.planar[3 * who + 1] = positions[1];
    frame.planar[3 * who + 2] = this.heading(rig);
  }

  /** Where the body faces: across its hips, or along its root's x where it has no legs. */
  private heading(rig: Rig): number {
    const { positions, rotations } = this.space;
    if (rig.stands && this.presence === WHOLE) {
      const left = 3 * rig.legs[0];
      const right = 3 * rig.legs[4];
      return Math.atan2(positions[right] - positions[left], positions[left + 1] - positions[right + 1]);
    }
    const [w, x, y, z] = rotations;
    return Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
  }
}

/** Place one joint below its parent. */
function placeJoint(rig: Rig, scale: number, j: number, space: Workspace): void {
  const { positions, rotations, locals } = space;
  const { offsets } = rig;
  const above = rig.parents[j];
  times(rotations, 4 * above, locals, 4 * j, rotations, 4 * j);
  turn(
    rotations,
    4 * above,
    scale * offsets[3 * j],
    scale * offsets[3 * j + 1],
    scale * offsets[3 * j + 2],
    positions,
    3 * j,
  );
  positions[3 * j] += positions[3 * above];
  positions[3 * j + 1] += positions[3 * above + 1];
  positions[3 * j + 2] += positions[3 * above + 2];
}

/** The clip's own foot, which does not come down with the root. */
function ownFoot(rig: Rig, side: number, scale: number, drop: number, space: Workspace, foot: FootGoal): void {
  const { positions, rotations } = space;
  const ankle = rig.legs[4 * side + 2];
  const joint = rig.legs[4 * side + 3];
  const { heels, balls } = rig;
  const h = 3 * side;
  turn(rotations, 4 * ankle, scale * heels[h], scale * heels[h + 1], scale * heels[h + 2], foot.heel, 0);
  turn(rotations, 4 * joint, scale * balls[h], scale * balls[h + 1], scale * balls[h + 2], foot.ball, 0);
  for (let i = 0; i < 3; i++) {
    const up = i === 2 ? drop : 0;
    foot.ankle[i] = positions[3 * ankle + i] + up;
    foot.joint[i] = positions[3 * joint + i] + up;
    foot.heel[i] += foot.ankle[i];
    foot.ball[i] += foot.joint[i];
  }
}
