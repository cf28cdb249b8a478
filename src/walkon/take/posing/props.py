"""Where props are: at rest on the stage, on a track, or held by a joint of a character. World frame, metres, seconds.

At any moment a prop has one source of its pose, the attachment with start ≤ t < stop. Its own pose (a, A) goes evenly
from that at its start to that at its stop, places straight and rotations by normalised mixing, and the prop is at

    (a, A)                                    at rest
    T(t) ∘ (a, A)                             on a track, with the track's pose T
    (p, R) ∘ (a, A) = (p + R a, R A)          held by a joint with world pose (p, R)                               (1)

- in a gap, and after the last attachment, it stays where it was left: the one before, posed at the time it ended;
- before the first, it is where the first puts it at its start.

A prop that is to be kept level is turned about the vertical only. It is absent where it was never attached, and while
the character that holds it is absent.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock_array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.take.posing.posing import Poses, check_times, pose_pairs
from walkon.take.posing.track_poses import track_poses
from walkon.take.tables import Attachments, in_order
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["PropPoses", "attachment_poses", "grip", "prop_poses", "prop_row"]

POSED_AT_ONCE_COUNT = 8192
"""Bodies that are posed at once to find their holding joints: some ten megabytes."""


class PropPoses(NamedTuple):
    """P props at T times; NaN where a prop is not there."""

    positions: Array
    """[T, P, 3] metres."""
    rotations: Array
    """[T, P, 4] prop → world."""
    present: BoolArray
    """[T, P]."""


def prop_row(take: "Take", prop: str | int) -> int:
    """Return the row of a prop, by name or number."""
    names = [known.name for known in take.props]
    if isinstance(prop, str):
        if prop not in names:
            raise UnknownName.among("prop", prop, names)
        return names.index(prop)
    if not -len(names) <= prop < len(names):
        raise InvalidValue(f"there are {len(names)} props, 0 to {len(names) - 1}; got {prop}")
    return int(prop) % len(names)


def prop_poses(take: "Take", times: ArrayLike, *, poses: Poses | None = None) -> PropPoses:
    """Return the poses of all props at times [T] in seconds.

    `poses` are all characters posed at these times, `take.sample(times)`, for those who have them already; without
    them only the holders are posed.
    """
    when = check_times(times)
    T, P = len(when), len(take.props)
    if poses is not None and poses.presence.shape != (T, len(take)):
        raise InvalidValue(
            f"poses must be of all {len(take)} characters at the {T} times, got {poses.presence.shape}; "
            "give take.sample(times)"
        )
    found = np.full((T * P, 7), np.nan)
    a = in_order(take.attachments, take.attachments.prop, take.attachments.start)
    cell, row = _find_sources(a, when, P)
    if len(cell):
        posed = np.clip(when[cell // P], a.start[row], a.stop[row])
        found[cell] = _pose_sources(take, a.rows(row), posed, when, cell // P, poses)
        level = np.flatnonzero([take.props[k].keep_level for k in (cell % P).tolist()])
        up = np.array([0.0, 0.0, 1.0])
        found[cell[level], 3:] = quat.swing_twist(found[cell[level], 3:], up)[1]
    placed = found.reshape(T, P, 7)
    return PropPoses(placed[..., :3].copy(), placed[..., 3:].copy(), np.isfinite(placed[..., 0]))


def attachment_poses(a: Attachments, times: Array) -> Array:
    """Return the poses [n, 7] of attachments [n] at times [n], each in the frame of what holds it."""
    share = np.clip((times - a.start) / np.maximum(a.stop - a.start, 1e-9), 0.0, 1.0)[:, None]
    first, last = a.pose[:, 0], a.pose[:, 1]
    sign = np.where(np.sum(first[:, 3:] * last[:, 3:], axis=1, keepdims=True) < 0, -1.0, 1.0)
    turn = quat.normalize((1 - share) * first[:, 3:] + share * sign * last[:, 3:])
    mixed = np.concatenate([(1 - share) * first[:, :3] + share * last[:, :3], turn], axis=1)
    # What does not change is the same to the last bit.
    return np.where((first == last).all(axis=1, keepdims=True), first, mixed)


def grip(
    take: "Take",
    character: str | int,
    *,
    joint: str | int,
    time: float,
    prop: str | int | None = None,
    pose: ArrayLike | None = None,
) -> Array:
    """Return the attachment pose [7] with which a joint grips a prop at a time without moving it.

    The prop is one of the take's, where it is then, or anything with a world pose (x, y, z, qw, qx, qy, qz):
    the inverse of eq. (1), (Rᵀ (x − p), Rᵀ X).
    """
    if (prop is None) == (pose is None):
        raise InvalidValue("say what is gripped: either a prop of the take or a pose in the world")
    row = take.character(character)
    skeleton = take.bodies[int(take.characters.body[row])].skeleton
    index = skeleton.index(joint) if isinstance(joint, str) else int(joint)
    if not 0 <= index < len(skeleton):
        raise InvalidValue(f"{take.names[row]!r} has joints 0 to {len(skeleton) - 1}; got {joint}")
    holder = take.pose(time, characters=[row])
    if not holder.present[0]:
        raise InvalidValue(f"{take.names[row]!r} is not there at {time:g} s and cannot grip anything")
    if prop is not None:
        found = prop_poses(take, [time])
        which = prop_row(take, prop)
        if not found.present[0, which]:
            raise InvalidValue(f"prop {take.props[which].name!r} is nowhere at {time:g} s; rest or attach it first")
        pose = np.concatenate([found.positions[0, which], found.rotations[0, which]])
    world = lock_array(pose, (7,), name="the pose of what is gripped")
    return rigid.relative(np.concatenate([holder.positions[0, index], holder.rotations[0, index]]), world)


def _find_sources(a: Attachments, when: Array, count: int) -> tuple[IntArray, IntArray]:
    """Return cells (time · P + prop) of props that have attachments (sorted), and which row counts in each."""
    props, first = np.unique(a.prop, return_index=True)
    stop = np.append(first[1:], len(a))[: len(first)]
    cells, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for prop, low, high in zip(props.tolist(), first.tolist(), stop.tolist(), strict=True):
        cells.append(np.arange(len(when)) * count + prop)
        rows.append(low + np.maximum(np.searchsorted(a.start[low:high], when, side="right") - 1, 0))
    return np.concatenate(cells), np.concatenate(rows)


def _pose_sources(
    take: "Take", a: Attachments, posed: Array, when: Array, sample: IntArray, poses: Poses | None
) -> Array:
    """Return the world poses [H, 7] of what attachments [H] hold at times `posed` [H]; NaN where the holder is absent.

    `poses`, if there are any, are those at times when [T], of which `sample` [H] were asked for.
    """
    places, turns = np.zeros((len(a), 3)), np.tile(quat.IDENTITY, (len(a), 1))
    riding = np.flatnonzero(a.track >= 0)
    clock = a.track_start[riding] + posed[riding] - a.start[riding]
    places[riding], turns[riding] = track_poses(take, a.track[riding], clock)
    # Where nobody plays a clip bodies are posed as one joint, and the others are there too.
    joints = np.minimum(a.joint, take.score.rigs.parents.shape[1] - 1)
    todo = a.character >= 0
    if poses is not None:
        ready = np.flatnonzero(todo & (posed == when[sample]))
        key = sample[ready], a.character[ready], joints[ready]
        places[ready], turns[ready] = poses.positions[key], poses.rotations[key]
        todo[ready] = False
    rows = np.flatnonzero(todo)
    rows = rows[np.lexsort((posed[rows], a.character[rows]))]
    who, at = a.character[rows], posed[rows]
    fresh = (np.diff(who, prepend=-1) != 0) | (np.diff(at, prepend=-np.inf) != 0)
    body, heads = np.cumsum(fresh) - 1, np.flatnonzero(fresh)
    for k in range(0, len(heads), POSED_AT_ONCE_COUNT):
        bodies = pose_pairs(take.score, who[heads[k : k + POSED_AT_ONCE_COUNT]], at[heads[k : k + POSED_AT_ONCE_COUNT]])
        mine = (body >= k) & (body < k + POSED_AT_ONCE_COUNT)
        near, joint = body[mine] - k, joints[rows[mine]]
        places[rows[mine]], turns[rows[mine]] = bodies.positions[near, joint], bodies.rotations[near, joint]
    return rigid.compose(np.concatenate([places, turns], axis=1), attachment_poses(a, posed))
