"""Posing in plain NumPy: the rule of `walkon.take.posing.posing` as one reads it, and what the kernel is held equal to.

It reads the take's tables themselves, not the kernel's score, unpacks clips with `ClipStore.clip`, and shares with
the kernel only the rule. Pairs (character, time) of one segment are posed together; feet find their stance one by one.
Slow by design: for those who want to read the rule as formulas, and for tests. Other kernels have their plain twins in
tests/twins; this one stays here, because the page and other players must follow the same rule.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.clip import Clip
from walkon.motion.kinematics import WorldPose, forward_numpy, points_on_joints
from walkon.motion.limbs.arms import has_arm
from walkon.motion.limbs.legs import Leg
from walkon.motion.limbs.limb import Limb, limb_misses, solve_limb
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.take.clips import foot_columns, stands
from walkon.take.posing.heel_rise import raise_heel, shorten_leg
from walkon.take.posing.height_curve import heights_at
from walkon.take.posing.holding_numpy import holding_rows, solve_arm
from walkon.take.posing.posing import BOTH_HANDS, Poses
from walkon.take.posing.posing_rule import DROP_STEP_S, GRIP_FADE_SHARE, MAX_HOLD_DEPTH, SHAPE_FADE_SHARE
from walkon.take.posing.rigs import size_of
from walkon.take.posing.stepping_numpy import foot_goal
from walkon.take.posing.toes import Feet
from walkon.take.posing.track_poses import track_poses
from walkon.take.storing.rotations48 import unpack
from walkon.take.take import Take
from walkon.transforms import planar
from walkon.transforms import quaternions as quat
from walkon.transforms.easing import smoothstep

__all__ = ["pose_numpy"]


class _Motion(NamedTuple):
    """A body at M times before its feet are solved."""

    roots: Array
    """[M, 3] m."""
    rotations: Array
    """[M, J, 4] joint → parent, root → world."""
    contacts: BoolArray
    """[M, 4] the clip's own."""
    hinges: Array
    """[M, 4, 3] axes of knees and elbows in the frames of hips and shoulders."""


def pose_numpy(
    take: Take, who: IntArray, when: Array, *, legs: bool = True, hands: int = BOTH_HANDS, depth: int = 0
) -> Poses:
    """Pose characters who [K] at when [K] seconds; the same as `walkon.take.posing.posing.pose_pairs`."""
    who, when = np.asarray(who, np.int64), np.asarray(when, np.float64)
    K, J = len(who), take.score.rigs.parents.shape[1]
    answer = Poses(
        positions=np.full((K, J, 3), np.nan),
        rotations=np.full((K, J, 4), np.nan),
        presence=np.zeros(K, np.int64),
        contacts=np.zeros((K, 4), bool),
        missed=np.zeros((K, 2)),
        hands_missed=np.zeros((K, 2)),
        hand_shapes=np.zeros((K, 2), np.int64),
        hand_weights=np.zeros((K, 2)),
        segments=np.array([_segment_at(take, n, t) for n, t in zip(who, when, strict=True)], np.int64).reshape(K),
        bodies=take.characters.body[who],
        rigs=take.score.rigs,
    )
    for segment in np.unique(answer.segments[answer.segments >= 0]):
        _pose_segment(take, int(segment), np.flatnonzero(answer.segments == segment), when, legs, answer)
    for k in range(K):
        _pose_hands(take, k, int(who[k]), float(when[k]), hands, answer, depth)
    return answer


def _segment_at(take: Take, who: int, t: float) -> int:
    enter, leave = take.characters.enter[who], take.characters.leave[who]
    if leave > enter and not enter <= t <= leave:
        return -1
    begun = np.flatnonzero((take.segments.character == who) & (take.segments.start <= t))
    return int(begun[-1]) if len(begun) and t <= take.segments.stop[begun[-1]] else -1


def _pose_segment(take: Take, s: int, rows: IntArray, when: Array, legs: bool, answer: Poses) -> None:
    """Pose the pairs `rows` of the answer, which all lie in segment s."""
    n, t = int(take.segments.character[s]), when[rows]
    body = take.bodies[int(take.characters.body[n])].skeleton
    skeleton = body.scaled(float(take.characters.scale[n]))
    if take.segments.clip[s] < 0:
        roots, rotations = _read_track(take, s, t)
        if stands(body):
            contacts = skeleton.contact_joints[foot_columns(skeleton)]
            lowest = (skeleton.rest_positions[contacts] + skeleton.contact_offsets[foot_columns(skeleton)])[:, 2].min()
            roots = roots + (skeleton.rest_positions[0, 2] - lowest) * np.array([0.0, 0.0, 1.0])
        answer.presence[rows] = 2
        answer.positions[rows], answer.rotations[rows] = roots[:, None], rotations[:, None]
        return
    motion = _read_motion(take, s, n, body, t)
    drops = _drops(take, n, t) if legs else np.zeros(len(t))
    down = motion.roots - drops[:, None] * [0.0, 0.0, 1.0]
    pose = forward_numpy(skeleton, down, motion.rotations)
    answer.presence[rows], answer.contacts[rows] = 1, motion.contacts
    if legs and stands(body) and (take.stances.character == n).any():
        pose, answer.contacts[rows], answer.missed[rows] = _solve_feet(take, n, skeleton, t, motion, drops, pose)
    # Joints that this body lacks are at its root.
    answer.positions[rows], answer.rotations[rows] = pose.positions[:, :1], pose.rotations[:, :1]
    answer.positions[rows, : len(body)], answer.rotations[rows, : len(body)] = pose


def _pose_hands(take: Take, k: int, n: int, t: float, hands: int, answer: Poses, depth: int) -> None:
    """Take step 7 of the rule for pair k of the answer, character n at time t."""
    body = take.bodies[int(take.characters.body[n])].skeleton.scaled(float(take.characters.scale[n]))
    for hand in range(2):
        for row, weight in holding_rows(take.hand_shapes, n, hand, t, share=SHAPE_FADE_SHARE):
            if weight > answer.hand_weights[k, hand]:
                answer.hand_shapes[k, hand], answer.hand_weights[k, hand] = take.hand_shapes.shape[row], weight
        if answer.presence[k] != 1 or not hands >> hand & 1:
            continue
        for held in holding_rows(take.grips, n, hand, t, share=GRIP_FADE_SHARE):
            pose = WorldPose(answer.positions[k, : len(body)], answer.rotations[k, : len(body)])
            hinge = _hinges(take, int(answer.segments[k]), t)[2 + hand]
            solved, short = solve_arm(take, body, hand, held, t, hinge, pose, partial(_joint_at, take, depth + 1))
            answer.positions[k, : len(body)], answer.rotations[k, : len(body)] = solved
            answer.hands_missed[k, hand] = max(short, answer.hands_missed[k, hand])


def _hinges(take: Take, s: int, t: float) -> Array:
    """Return [4, 3] the axes of knees and elbows in segment s at time t, mixed while it fades in."""
    axes, clip, blend = take.clips.rows.hinges.astype(np.float64), take.segments.clip[s], take.segments.blend[s]
    if blend < 0:
        return axes[clip]
    w = float(smoothstep((t - take.segments.start[s]) / float(take.blends.duration[blend])))
    return (1 - w) * axes[take.blends.clip[blend]] + w * axes[clip]


def _joint_at(take: Take, depth: int, who: int, joint: int, t: float) -> Array:
    """Return the pose [7] of a joint, with the arm solved that it hangs on."""
    if depth > MAX_HOLD_DEPTH:
        return np.full(7, np.nan)
    skeleton = take.bodies[int(take.characters.body[who])].skeleton
    line, hands = skeleton.line_up(joint), 0
    for hand, side in enumerate(SIDES):
        if has_arm(skeleton, side) and skeleton.role(f"{side}_shoulder") in line:
            hands |= 1 << hand
    pose = pose_numpy(take, np.array([who]), np.array([t]), hands=hands, depth=depth)
    joint = min(joint, pose.positions.shape[1] - 1)
    return np.concatenate([pose.positions[0, joint], pose.rotations[0, joint]])


def _read_track(take: Take, s: int, t: Array) -> tuple[Array, Array]:
    """Return places [M, 3] and rotations [M, 4] of a segment's track, placed on the stage."""
    seg = take.segments
    clock = seg.track_start[s] + t - seg.start[s]
    places, rotations = track_poses(take, np.full(len(t), seg.track[s]), clock)
    return planar.apply_3d(seg.place[s], places), quat.multiply(quat.turn(seg.place[s, 2]), rotations)


def _read_motion(take: Take, s: int, n: int, body: Skeleton, t: Array) -> _Motion:
    """Take steps 1 to 4 of the rule: clip, blend, warp, overrides."""
    seg = take.segments.rows([s])
    tau, length = t - seg.start[0], float(seg.stop[0] - seg.start[0])
    tracked = bool(seg.track[0] >= 0)
    motion = _read(take, n, body, seg.with_columns(place=np.zeros((1, 3))) if tracked else seg, tau, length)
    if seg.blend[0] >= 0:
        fade = take.blends.rows([seg.blend[0]])
        span = float(fade.duration[0])
        old = _read(take, n, body, fade, tau, span)
        w = smoothstep(tau / span)
        motion = _Motion(
            (1 - w)[:, None] * old.roots + w[:, None] * motion.roots,
            quat.slerp(old.rotations, motion.rotations, np.broadcast_to(w[:, None], motion.rotations.shape[:2])),
            np.where((w < 0.5)[:, None], old.contacts, motion.contacts),
            (1 - w)[:, None, None] * old.hinges + w[:, None, None] * motion.hinges,
        )
    if seg.warp[0] >= 0:
        p = (tau / length)[:, None]
        (d0, d1), (v0, v1) = (x.astype(np.float64)[seg.warp[0]] for x in (take.warps.offsets, take.warps.slopes))
        h = p * p * (3 - 2 * p)
        ramp = (1 - h) * d0 + h * d1 + length * (p * (1 - p) ** 2 * v0 - p * p * (1 - p) * v1)
        motion.roots[:, :2] += ramp[:, :2]
        motion.rotations[:, 0] = quat.multiply(quat.turn(ramp[:, 2]), motion.rotations[:, 0])
    if tracked:
        places, turns = _read_track(take, s, t)
        motion = motion._replace(roots=places + quat.rotate(turns, motion.roots))
        motion.rotations[:, 0] = quat.multiply(turns, motion.rotations[:, 0])
    else:
        motion.roots[:, 2] += heights_at(take.heights, np.full(len(t), n), t)
    motion.roots[:] += _override(take, n, t, motion.rotations)
    return motion


def _read(take: Take, n: int, body: Skeleton, source: object, tau: Array, length: float) -> _Motion:
    """Read a clip as a segment or a blend says, `tau` seconds after its start, and place it."""
    row: dict[str, Array] = {name: values[0] for name, values in source.columns.items()}  # type: ignore[attr-defined]
    clip = take.clip(int(row["clip"]))
    first, last = float(row["rate_start"]), float(row["rate_stop"])
    u = float(row["clip_start"]) + first * tau + (last - first) * tau**2 / (2 * length)
    x = np.clip(u * clip.fps, 0.0, len(clip) - 1.0)
    before = np.floor(x).astype(np.int64)
    after, part = np.minimum(before + 1, len(clip) - 1), x - before
    roots = (1 - part)[:, None] * clip.root_positions[before] + part[:, None] * clip.root_positions[after]
    high = float(take.characters.scale[n]) * size_of(body) / size_of(clip.skeleton)
    stride = float(take.characters.stride[n])
    placed = planar.apply_3d(row["place"], roots * [stride, stride, high])
    rotations = _mix(clip.local_rotations[before], clip.local_rotations[after], part[:, None, None])
    rotations[:, 0] = quat.multiply(quat.turn(row["place"][2]), rotations[:, 0])
    hinges = np.tile(take.clips.rows.hinges[int(row["clip"])].astype(np.float64), (len(tau), 1, 1))
    return _Motion(placed, rotations, _contacts(clip, np.where(part < 0.5, before, after)), hinges)


def _contacts(clip: Clip, frames: IntArray) -> BoolArray:
    if not stands(clip.skeleton):
        return np.zeros((len(frames), 4), bool)
    return clip.contacts[frames][:, foot_columns(clip.skeleton)]


def _mix(a: Array, b: Array, w: Array) -> Array:
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
    return quat.normalize((1 - w) * a + w * b)


def _override(take: Take, n: int, t: Array, rotations: Array) -> Array:
    """Turn joints as overrides say, in place, and return the root's offsets [M, 3]."""
    o, moved = take.overrides, np.zeros((len(t), 3))
    mine = np.flatnonzero(o.character == n)
    for row in mine[np.argsort(o.start[mine], kind="stable")]:
        joints = take.override_joints.joint[slice(*o.joints[row])]
        frames = int(o.frames[row])
        track = unpack(take.override_frames.rotation[slice(*o.rotations[row])]).reshape(frames, len(joints), 4)
        now = np.flatnonzero((t >= o.start[row]) & (t <= o.stop[row]))
        since, left = t[now] - o.start[row], o.stop[row] - t[now]
        weight = np.ones(len(now))
        for seconds, fade in ((since, float(o.fade_in[row])), (left, float(o.fade_out[row]))):
            if fade > 0:
                weight = np.minimum(weight, smoothstep(seconds / fade))
        x = np.clip(since * float(o.rate[row]), 0.0, frames - 1.0)
        before = np.floor(x).astype(np.int64)
        after, part = np.minimum(before + 1, frames - 1), x - before
        wanted = _mix(track[before], track[after], part[:, None, None])
        where, weights = np.ix_(now, joints), np.broadcast_to(weight[:, None], wanted.shape[:2])
        if o.added[row]:
            turns = quat.slerp(np.broadcast_to(quat.IDENTITY, wanted.shape), wanted, weights)
            rotations[where] = quat.multiply(rotations[where], turns)
        else:
            rotations[where] = quat.slerp(rotations[where], wanted, weights)
        offsets = take.override_roots.offset[slice(*o.roots[row])].astype(np.float64)
        if len(offsets):
            moved[now] += weight[:, None] * ((1 - part)[:, None] * offsets[before] + part[:, None] * offsets[after])
    return moved


def _drops(take: Take, n: int, t: Array) -> Array:
    """Sum the cubic B-splines of all control points; the largest of several at one step counts."""
    mine = take.drops.rows(take.drops.character == n)
    total, x = np.zeros(len(t)), (t - take.characters.drop_start[n]) / DROP_STEP_S
    for step in dict.fromkeys(mine.step.tolist()):
        d, drop = np.abs(x - step), float(mine.drop[mine.step == step].max())
        total += drop * np.where(d < 1, 2 / 3 - d**2 + d**3 / 2, np.maximum(2 - d, 0.0) ** 3 / 6)
    return total


def _solve_feet(
    take: Take, n: int, skeleton: Skeleton, t: Array, motion: _Motion, drops: Array, pose: WorldPose
) -> tuple[WorldPose, BoolArray, Array]:
    """Take step 6 of the rule: solve both legs; returns the pose, which contacts bear, and what legs lack."""
    held, missed = np.zeros((len(t), 4), bool), np.zeros((len(t), 2))
    rotations = motion.rotations.copy()
    own = points_on_joints(pose, skeleton.contact_joints, skeleton.contact_offsets)
    up = drops[:, None] * [0.0, 0.0, 1.0]
    parents, R = skeleton.parents, pose.rotations
    for foot, side in enumerate(SIDES):
        stances = take.stances.rows((take.stances.character == n) & (take.stances.foot == foot))
        if not len(stances):
            continue
        stances = stances.rows(np.argsort(stances.start, kind="stable"))
        leg = Leg.of(skeleton, side)
        heel, ball = (FOOT_CONTACTS.index(f"{side}_{point}") for point in ("heel", "ball"))
        targets, turns, toes = np.zeros((len(t), 3)), np.zeros((len(t), 4)), np.zeros((len(t), 4))
        for i in range(len(t)):
            p = pose.positions[i] + up[i]
            clip_foot = Feet(p[leg.ankle], own[i, heel] + up[i], p[leg.ball], own[i, ball] + up[i])
            goal = foot_goal(stances.columns, clip_foot, float(t[i]))
            targets[i], turns[i], toes[i], held[i, [heel, ball]], highest = goal
            hip, knee_place, ankle = (pose.positions[i, joint] for joint in (leg.hip, leg.knee, leg.ankle))
            lengths = {
                "own": float(np.linalg.norm(ankle - hip)),
                "longest": float(np.linalg.norm(knee_place - hip) + np.linalg.norm(ankle - knee_place)),
            }
            if not any(goal[3]):
                targets[i] = shorten_leg(hip, **lengths, ankle=targets[i])
            elif highest > 0:
                across = np.cross(clip_foot.joints - clip_foot.heels, clip_foot.balls - clip_foot.joints)
                across = quat.rotate(turns[i], across / max(float(np.linalg.norm(across)), 1e-9))
                rise, targets[i] = raise_heel(
                    hip,
                    **lengths,
                    ankle=targets[i],
                    joint=targets[i] + quat.rotate(turns[i], clip_foot.joints - clip_foot.ankles),
                    axis=across,
                    highest=highest,
                )
                # Toes stay where they are.
                stay = quat.multiply(quat.conjugate(turns[i]), quat.multiply(quat.conjugate(rise), turns[i]))
                toes[i], turns[i] = quat.multiply(stay, toes[i]), quat.multiply(rise, turns[i])
        hinges = motion.hinges[:, foot] / np.linalg.norm(motion.hinges[:, foot], axis=1, keepdims=True)
        legs = Limb(
            pose.positions[:, leg.hip],
            pose.positions[:, leg.knee] - pose.positions[:, leg.hip],
            pose.positions[:, leg.ankle] - pose.positions[:, leg.knee],
            quat.rotate(R[:, leg.hip], hinges),
        )
        hip, knee = solve_limb(legs, legs.roots, targets)
        missed[:, foot] = limb_misses(legs, targets - legs.roots)
        # What a joint's parent does in the world, and what the joint itself does.
        for joint, above, here in (
            (leg.hip, quat.IDENTITY, hip),
            (leg.knee, hip, quat.multiply(hip, knee)),
            (leg.ankle, quat.multiply(hip, knee), turns),
            (leg.ball, turns, quat.multiply(turns, toes)),
        ):
            parent = quat.multiply(above, R[:, parents[joint]])
            rotations[:, joint] = quat.multiply(quat.conjugate(parent), quat.multiply(here, R[:, joint]))
    return forward_numpy(skeleton, pose.positions[:, 0], rotations), held, missed
