/** Posing: every character's joints in the world at any time, from the take alone, by the rule of walkon.take.posing.posing.

    segment → clip between frames → blend → warp → overrides → drop → joints → planted feet → joints of the legs

Arithmetic in float64, answers in float32. Nothing depends on what was asked before, and posing allocates nothing. */

import { readSegment, Workspace } from "./clip_reading";
import { dropAt } from "./drops";
import { solveLeg } from "./legs";
import { overrideLimbs } from "./overrides";
import { ABSENT, frameSize, newFrame, PLANAR, WHOLE, type PoseFrame } from "./pose_frame";
import { PropPoser } from "./props";
import { clamp, copy4, lastNotAfter, put, times, turn } from "./quaternions";
import { makeScore, type Rig, type Score } from "./score";
import { findGoal, FootGoal } from "./stances";
import type { Take } from "./take";

export { newFrame, type PoseFrame };

export class Poser {
  private readonly score: Score;
  private readonly space: Workspace;
  private readonly foot = new FootGoal();
  private readonly joints: number;
  private readonly props: PropPoser;
  /** What the last call of `poseOne` found: presence, segment, and bits of the contacts that bear. */
  private presence = ABSENT;
  private segment = -1;
  private bits = 0;

  constructor(readonly take: Take) {
    this.score = makeScore(take);
    this.joints = frameSize(take).joints;
    this.space = new Workspace(this.joints);
    this.props = new PropPoser(take);
  }

  /** Pose everyone, and all props, at a time in seconds. */
  pose(time: number, frame: PoseFrame): void {
    frame.time = time;
    for (let who = 0; who < frame.size.characters; who++) {
      this.poseOne(who, time);
      this.store(who, frame);
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
    for (let i = 0; i < 3; i++) out[i] = positions[3 * joint + i];
    for (let i = 0; i < 4; i++) out[3 + i] = rotations[4 * joint + i];
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
      this.presence = PLANAR;
      this.standOnTrack(rig, s, t, scale);
    } else {
      this.presence = WHOLE;
      const frame = readSegment(take, score, rig, who, s, t, space);
      overrideLimbs(take, score, who, t, locals);
      this.bits = score.contacts[frame];
      drop = dropAt(take, score, who, t);
    }
    positions[0] = root[0];
    positions[1] = root[1];
    positions[2] = root[2] - drop;
    copy4(locals, 0, rotations, 0);
    for (let j = 1; j < rig.joints; j++) placeJoint(rig, scale, j, space);
    if (this.presence === WHOLE && rig.stands) this.plantFeet(rig, who, t, scale, drop);
  }

  /** A planar stretch: the rest pose, standing at its place of the track. */
  private standOnTrack(rig: Rig, s: number, t: number, scale: number): void {
    const { segments, planarTracks: tracks, planarPoses } = this.take;
    const { locals, root } = this.space;
    const track = segments.track[s];
    const last = tracks.count[track] - 1;
    const x = clamp((t - segments.start[s]) * tracks.rate[track], 0, last);
    const before = Math.floor(x);
    const part = x - before;
    const a = 3 * (tracks.first[track] + before);
    const b = before < last ? a + 3 : a;
    const { pose } = planarPoses;
    root[0] = (1 - part) * pose[a] + part * pose[b];
    root[1] = (1 - part) * pose[a + 1] + part * pose[b + 1];
    root[2] = scale * rig.restHeight + segments.place[4 * s + 3];
    const heading = (1 - part) * pose[a + 2] + part * pose[b + 2];
    put(locals, 0, Math.cos(0.5 * heading), 0, 0, Math.sin(0.5 * heading));
    for (let j = 1; j < rig.joints; j++) put(locals, 4 * j, 1, 0, 0, 0);
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
    const n = rig.joints;
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
    if (rig.stands) {
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
