"""Posing in plain NumPy: the rule of `walkon.take.posing.posing` as one reads it, and what the kernel is held equal to.

It reads the take's tables themselves, not the kernel's score, unpacks clips with `ClipStore.clip`, and shares with
the kernel only the rule. Pairs (character, time) of one segment are posed together; feet find their stance one by one.
Slow by design: for those who want to read the rule as formulas, and for tests. Other kernels have their plain twins in
tests/twins; this one stays here, because the page and other players must follow the same rule.
"""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.motion.clip import Clip
from walkon.motion.kinematics import WorldPose, forward_numpy, points_on_joints
from walkon.motion.legs import Leg
from walkon.motion.limb import Limb, limb_reach, solve_limb
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.take.clips import foot_columns, stands
from walkon.take.posing.posing import Poses
from walkon.take.posing.posing_rule import DROP_STEP_S
from walkon.take.posing.rigs import size_of
from walkon.take.posing.stepping_numpy import foot_goal
from walkon.take.posing.toes import Feet
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
    """[M, 2, 3] axes of the knees in the frames of the hips."""


def pose_numpy(take: Take, who: IntArray, when: Array, *, legs: bool = True) -> Poses:
    """Pose characters who [K] at when [K] seconds; the same as `walkon.take.posing.posing.pose_pairs`."""
    who, when = np.asarray(who, np.int64), np.asarray(when, np.float64)
    K, J = len(who), max((len(body.skeleton) for body in take.bodies), default=1)
    answer = Poses(
        positions=np.full((K, J, 3), np.nan),
        rotations=np.full((K, J, 4), np.nan),
        presence=np.zeros(K, np.int64),
        contacts=np.zeros((K, 4), bool),
        missed=np.zeros((K, 2)),
        segments=np.array([_segment_at(take, n, t) for n, t in zip(who, when, strict=True)], np.int64).reshape(K),
        bodies=take.characters.body[who],
        rigs=take.score.rigs,
    )
    for segment in np.unique(answer.segments[answer.segments >= 0]):
        _pose_segment(take, int(segment), np.flatnonzero(answer.segments == segment), when, legs, answer)
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
        roots, rotations = _read_track(take, s, skeleton, t)
        pose = forward_numpy(skeleton, roots, rotations)
        answer.presence[rows] = 2
    else:
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


def _read_track(take: Take, s: int, skeleton: Skeleton, t: Array) -> tuple[Array, Array]:
    track = int(take.segments.track[s])
    first, count = int(take.planar_tracks.first[track]), int(take.planar_tracks.count[track])
    samples = take.planar_poses.pose[first : first + count].astype(np.float64)
    x = (t - take.segments.start[s]) * float(take.planar_tracks.rate[track])
    poses = np.stack([np.interp(x, np.arange(count), samples[:, i]) for i in range(3)], axis=-1)
    lowest = skeleton.rest_positions[:, 2].min()
    if stands(skeleton):
        lowest = (skeleton.rest_positions[skeleton.contact_joints] + skeleton.contact_offsets)[:, 2].min()
    height = skeleton.rest_positions[0, 2] - lowest + take.segments.place[s, 3]
    rotations = np.broadcast_to(quat.IDENTITY, (len(t), len(skeleton), 4)).copy()
    rotations[:, 0] = quat.turn(poses[:, 2])
    return np.column_stack([poses[:, :2], np.full(len(t), height)]), rotations


def _read_motion(take: Take, s: int, n: int, body: Skeleton, t: Array) -> _Motion:
    """Take steps 1 to 4 of the rule: clip, blend, warp, overrides."""
    seg = take.segments.rows([s])
    tau, length = t - seg.start[0], float(seg.stop[0] - seg.start[0])
    motion = _read(take, n, body, seg, tau, length)
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
    _override(take, n, body, t, motion.rotations)
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
    placed = planar.apply_3d(row["place"][:3], roots * [stride, stride, high])
    placed[:, 2] += row["place"][3]
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


def _override(take: Take, n: int, body: Skeleton, t: Array, rotations: Array) -> None:
    from walkon.take.storing.rotations48 import unpack

    o = take.overrides
    mine = np.flatnonzero(o.character == n)
    for row in mine[np.argsort(o.start[mine], kind="stable")]:
        joints = [j for j in range(len(body)) if int(o.joints[row, j // 63]) >> (j % 63) & 1]
        frames, first = int(o.frames[row]), int(o.first[row])
        track = unpack(take.override_frames.rotation[first : first + frames * len(joints)])
        track = track.reshape(frames, len(joints), 4)
        now = np.flatnonzero((t >= o.start[row]) & (t <= o.stop[row]))
        since, left = t[now] - o.start[row], o.stop[row] - t[now]
        weight = np.ones(len(now))
        for seconds, fade in ((since, float(o.fade_in[row])), (left, float(o.fade_out[row]))):
            if fade > 0:
                weight = np.minimum(weight, smoothstep(seconds / fade))
        x = np.clip(since * float(o.rate[row]), 0.0, frames - 1.0)
        before = np.floor(x).astype(np.int64)
        after = np.minimum(before + 1, frames - 1)
        wanted = _mix(track[before], track[after], (x - before)[:, None, None])
        where = np.ix_(now, np.array(joints))
        rotations[where] = quat.slerp(rotations[where], wanted, np.broadcast_to(weight[:, None], wanted.shape[:2]))


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
            targets[i], turns[i], toes[i], held[i, [heel, ball]] = foot_goal(stances.columns, clip_foot, float(t[i]))
        hinges = motion.hinges[:, foot] / np.linalg.norm(motion.hinges[:, foot], axis=1, keepdims=True)
        legs = Limb(
            pose.positions[:, leg.hip],
            pose.positions[:, leg.knee] - pose.positions[:, leg.hip],
            pose.positions[:, leg.ankle] - pose.positions[:, leg.knee],
            quat.rotate(R[:, leg.hip], hinges),
        )
        hip, knee = solve_limb(legs, legs.roots, targets)
        missed[:, foot] = np.maximum(np.linalg.norm(targets - legs.roots, axis=1) - limb_reach(legs), 0.0)
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
