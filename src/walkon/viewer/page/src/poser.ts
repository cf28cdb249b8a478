/** Posing: every character's joints in the world at any time, from the take alone, by the rule of walkon.take.posing.posing.

    segment → clip between frames → blend → warp → height or track → overrides → drop → joints → planted feet
    → arms onto what their hands grip, what that depends on first, as deep as it goes

Arithmetic in float64, answers in float32. Nothing depends on what was asked before, and posing allocates nothing. */

import { solveArm } from "./arms";
import { readSegment, Workspace } from "./clip_reading";
import { dropAt } from "./drops";
import { findHold, Hold } from "./holds";
import { placeJoint } from "./joints";
import { solveLeg } from "./legs";
import { overrideLimbs } from "./overrides";
import { ABSENT, frameSize, newFrame, PLANAR, WHOLE, type PoseFrame } from "./pose_frame";
import { PropPoser } from "./props";
import { heightAt } from "./heights";
import { clamp, copy4, lastNotAfter, times, turn } from "./quaternions";
import { compose, identity, mixPoses } from "./rigid_poses";
import { makeScore, type Rig, type Score } from "./score";
import { findGoal, FootGoal } from "./stances";
import type { Take } from "./take";
import { readSegmentTrack } from "./tracks";
import { WalkPhases } from "./walk_phases";

export { newFrame, type PoseFrame };

const carried = new Float64Array(3);
const carriedTurn = new Float64Array(4);
const own = new Float64Array(7);
const BOTH_HANDS = 3;
/** Of the time between two rows that a fade lasts at most (walkon.take.posing.posing_rule). */
const GRIP_FADE_SHARE = 1;
const SHAPE_FADE_SHARE = 0.5;
/** Holds on holds on holds: what goes deeper than this goes round in a circle, and no writer writes it. */
const DEEPEST = 64;

/** One body being posed, and where what its hand grips is; one for each depth of holding. */
class Level {
  readonly space: Workspace;
  readonly hold = new Hold();
  readonly palm = new Float64Array(7);
  /** What was found of who was posed here last: presence, segment, and bits of the contacts that bear. */
  presence = ABSENT;
  segment = -1;
  bits = 0;

  constructor(joints: number) {
    this.space = new Workspace(joints);
  }
}

export class Poser {
  private readonly score: Score;
  private readonly foot = new FootGoal();
  private readonly hold = new Hold();
  private readonly joints: number;
  private readonly props: PropPoser;
  private readonly walks: WalkPhases;
  private readonly levels: Level[] = [];

  constructor(readonly take: Take) {
    this.score = makeScore(take);
    this.joints = frameSize(take).joints;
    this.props = new PropPoser(take);
    this.walks = new WalkPhases(take, this.score.firstSegment);
  }

  /** Pose everyone, and all props, at a time in seconds. */
  pose(time: number, frame: PoseFrame): void {
    frame.time = time;
    for (let who = 0; who < frame.size.characters; who++) {
      const level = this.poseOne(who, time, BOTH_HANDS, 0);
      this.store(who, frame, level);
      this.shapeHands(who, time, frame);
      if (level.presence === PLANAR && this.score.rigs[this.take.characters.body[who]].stands) {
        this.walks.put(who, level.segment, time, frame.walks, 2 * who);
      } else {
        frame.walks.fill(0, 2 * who, 2 * who + 2);
      }
    }
    for (let prop = 0; prop < frame.size.props; prop++) {
      const there = this.props.poseAt(prop, time, (who, joint, t, out) => this.jointAt(who, joint, t, out), own);
      frame.propPresent[prop] = there ? 1 : 0;
      for (let i = 0; i < 3; i++) frame.propPositions[3 * prop + i] = there ? own[i] : 0;
      for (let i = 0; i < 4; i++) frame.propRotations[4 * prop + i] = there ? own[3 + i] : 0;
    }
  }

  /** Put place and rotation [7] of one joint of a character at a time into `out`; false where it is absent. */
  jointAt(who: number, joint: number, time: number, out: Float64Array, depth = 0): boolean {
    if (depth > DEEPEST) return false;
    const arm = this.score.rigs[this.take.characters.body[who]].armOf[joint];
    const { presence, space } = this.poseOne(who, time, arm < 0 ? 0 : 1 << arm, depth);
    const at = presence === PLANAR ? 0 : joint;
    for (let i = 0; i < 3; i++) out[i] = space.positions[3 * at + i];
    for (let i = 0; i < 4; i++) out[3 + i] = space.rotations[4 * at + i];
    return presence !== ABSENT;
  }

  /** Pose a character, and the arms whose bits are in `hands`, in the workspace of a depth. */
  private poseOne(who: number, t: number, hands: number, depth: number): Level {
    const { take, score } = this;
    const level = (this.levels[depth] ??= new Level(this.joints));
    const { space } = level;
    const { segments, characters } = take;
    level.presence = ABSENT;
    level.segment = -1;
    level.bits = 0;
    const first = score.firstSegment[who];
    const s = lastNotAfter(segments.start, first, score.firstSegment[who + 1], t);
    const enter = characters.enter[who];
    const leave = characters.leave[who];
    if ((leave > enter && !(enter <= t && t <= leave)) || s < first || t > segments.stop[s]) return level;
    level.segment = s;
    const rig = score.rigs[characters.body[who]];
    const scale = characters.scale[who];
    const { locals, positions, rotations, root } = space;
    let drop = 0;
    if (segments.clip[s] < 0) {
      // No joints are posed: all of them are where the root is.
      level.presence = PLANAR;
      readSegmentTrack(take, s, t, root, rotations);
      for (let i = 0; i < 3; i++) positions[i] = root[i];
      positions[2] += scale * rig.restHeight;
      return level;
    }
    level.presence = WHOLE;
    const frame = readSegment(take, score, rig, who, s, t, space);
    if (segments.track[s] >= 0) this.carry(s, t, space);
    else root[2] += heightAt(score, who, t);
    overrideLimbs(take, score, who, t, locals, root);
    level.bits = score.contacts[frame];
    drop = dropAt(take, score, who, t);
    positions[0] = root[0];
    positions[1] = root[1];
    positions[2] = root[2] - drop;
    copy4(locals, 0, rotations, 0);
    for (let j = 1; j < rig.joints; j++) placeJoint(rig, scale, j, space);
    if (rig.stands) this.plantFeet(rig, who, t, scale, drop, level);
    if (hands !== 0 && score.grips.rows > 0) this.gripHands(rig, who, t, scale, hands, depth, level);
    return level;
  }

  /** A clip along a track: the track carries the root, and the clip plays in its frame. */
  private carry(s: number, t: number, space: Workspace): void {
    const { locals, root } = space;
    readSegmentTrack(this.take, s, t, carried, carriedTurn);
    turn(carriedTurn, 0, root[0], root[1], root[2], root, 0);
    for (let i = 0; i < 3; i++) root[i] += carried[i];
    times(carriedTurn, 0, locals, 0, locals, 0);
  }

  private plantFeet(rig: Rig, who: number, t: number, scale: number, drop: number, level: Level): void {
    const { score, foot } = this;
    const { space } = level;
    const { firstStance, stances } = score;
    if (firstStance[2 * who] === firstStance[2 * who + 2]) return;
    level.bits = 0;
    for (let side = 0; side < 2; side++) {
      const first = firstStance[2 * who + side];
      const stop = firstStance[2 * who + side + 1];
      if (first === stop) continue;
      ownFoot(rig, side, scale, drop, space, foot);
      findGoal(stances, first, stop, t, foot);
      level.bits |= foot.held << (2 * side);
      solveLeg(rig, side, foot, space);
    }
    const { onLegs } = rig;
    for (let i = 0; i < onLegs.length; i++) placeJoint(rig, scale, onLegs[i], space);
  }

  /** Solve arms onto what their hands grip; what that is in turn is posed in deeper workspaces. */
  private gripHands(
    rig: Rig,
    who: number,
    t: number,
    scale: number,
    hands: number,
    depth: number,
    level: Level,
  ): void {
    const { grips, firstGrip } = this.score;
    const { hold, palm, space } = level;
    for (let hand = 0; hand < 2; hand++) {
      const first = firstGrip[2 * who + hand];
      const stop = firstGrip[2 * who + hand + 1];
      if (((hands >> hand) & 1) === 0 || first === stop) continue;
      findHold(grips, first, stop, GRIP_FADE_SHARE, t, hold);
      for (let i = 0; i < 2; i++) {
        const row = hold.rows[i];
        if (row < 0 || !this.frameOf(row, t, depth + 1, palm)) continue;
        const start = grips.start[row];
        mixPoses(grips.pose, row, start, grips.stop[row], t, own);
        compose(palm, own, palm);
        const u = clamp((t - start) / Math.max(grips.stop[row] - start, 1e-9), 0, 1);
        const swivel = (1 - u) * grips.swivel[2 * row] + u * grips.swivel[2 * row + 1];
        solveArm(rig, hand, scale, palm, swivel, hold.weights[i], space);
      }
    }
  }

  /** Put the pose [7] of what a grip holds on to into `out`; false where it is absent. */
  private frameOf(row: number, t: number, depth: number, out: Float64Array): boolean {
    const { grips } = this.score;
    if (grips.prop[row] >= 0) {
      const at = (who: number, joint: number, time: number, place: Float64Array): boolean =>
        this.jointAt(who, joint, time, place, depth);
      return this.props.poseAt(grips.prop[row], t, at, out);
    }
    if (grips.other[row] >= 0) return this.jointAt(grips.other[row], grips.joint[row], t, out, depth);
    identity(out);
    return true;
  }

  /** Write what the fingers of a character do into a frame: twice the shape plus its weight. */
  private shapeHands(who: number, t: number, frame: PoseFrame): void {
    const { shapes, firstShape } = this.score;
    const { hold } = this;
    for (let hand = 0; hand < 2; hand++) {
      findHold(shapes, firstShape[2 * who + hand], firstShape[2 * who + hand + 1], SHAPE_FADE_SHARE, t, hold);
      const late = hold.weights[1] > hold.weights[0] ? 1 : 0;
      const row = hold.rows[late];
      frame.hands[2 * who + hand] = row < 0 ? 0 : 2 * shapes.shape[row] + hold.weights[late];
    }
  }

  /** Write a character that was posed into a frame. */
  private store(who: number, frame: PoseFrame, level: Level): void {
    const J = this.joints;
    const { positions, rotations } = level.space;
    const p = who * J * 3;
    const r = who * J * 4;
    frame.present[who] = level.presence;
    frame.segments[who] = level.segment;
    for (let c = 0; c < 4; c++) frame.contacts[4 * who + c] = (level.bits >> c) & 1;
    if (level.presence === ABSENT) {
      frame.positions.fill(0, p, p + J * 3);
      frame.rotations.fill(0, r, r + J * 4);
      frame.planar.fill(0, 3 * who, 3 * who + 3);
      return;
    }
    const rig = this.score.rigs[this.take.characters.body[who]];
    const n = level.presence === PLANAR ? 1 : rig.joints;
    for (let i = 0; i < 3 * n; i++) frame.positions[p + i] = positions[i];
    for (let i = 0; i < 4 * n; i++) frame.rotations[r + i] = rotations[i];
    for (let j = n; j < J; j++) {
      for (let i = 0; i < 3; i++) frame.positions[p + 3 * j + i] = positions[i];
      for (let i = 0; i < 4; i++) frame.rotations[r + 4 * j + i] = rotations[i];
    }
    frame.planar[3 * who] = positions[0];
    frame.planar[3 * who + 1] = positions[1];
    frame.planar[3 * who + 2] = heading(rig, level);
  }
}

/** Where a body faces: across its hips, or along its root's x where it has no legs. */
function heading(rig: Rig, level: Level): number {
  const { positions, rotations } = level.space;
  if (rig.stands && level.presence === WHOLE) {
    const left = 3 * rig.legs[0];
    const right = 3 * rig.legs[4];
    return Math.atan2(positions[right] - positions[left], positions[left + 1] - positions[right + 1]);
  }
  const [w, x, y, z] = rotations;
  return Math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z));
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
