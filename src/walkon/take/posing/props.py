"""Where props are: at rest on the stage, or held by joints of characters. World frame, metres, seconds.

While one joint with world pose (p, R) holds a prop by the attachment pose (a, A), the prop's pose is

    (p, R) ∘ (a, A) = (p + R a, R A)                                                                (1)

and a resting prop has (a, A) itself. Several attachments of one prop at the same time (two hands, two people) are
averaged: the mean of places, the normalised sum of rotations with signs made equal. While a character holds a prop,
where it would rest does not count. Which attachments count at time t:

- those with start ≤ t < stop, so where one begins as another ends the later one counts;
- in a gap, and after the last, the prop stays where it was left: those that ended last, posed at the time they ended;
- before the first, it is where the first puts it at its start.

A prop is absent where it was never attached, and while all characters that hold it are absent; if only some of its
holders are there, they alone count.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock_array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.take.posing.posing import Poses, check_times, pose_pairs
from walkon.take.tables import flat_ranges
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["PropPoses", "grip", "prop_poses", "prop_row"]

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
    cell, row, posed = _find_holds(take, when)
    if len(cell):
        cells, means = _average(cell, _pose_held(take, row, posed, when, cell // P, poses))
        found[cells] = means
    placed = found.reshape(T, P, 7)
    return PropPoses(placed[..., :3].copy(), placed[..., 3:].copy(), np.isfinite(placed[..., 0]))


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


def _find_holds(take: "Take", when: Array) -> tuple[IntArray, IntArray, Array]:
    """Find which attachments count for each prop at each time, and at what time each is posed.

    Returns H cells (time · P + prop), those of one side by side, rows of `Attachments`, and seconds: the asked time, or
    when the attachment began or ended.

    Starts and stops of a prop's attachments cut its time into intervals; within one, the same attachments count. An
    empty interval takes those of the last one before it that is not, the time before the first those of the first.
    """
    a, P = take.attachments, len(take.props)
    if not len(a) or not len(when):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    prop, edge = np.tile(a.prop, 2).astype(np.int64), np.concatenate([a.start, a.stop])
    order = np.lexsort((edge, prop))
    fresh = (np.diff(prop[order], prepend=-1) > 0) | (np.diff(edge[order], prepend=-np.inf) > 0)
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh) - 1
    edges, of_prop = edge[order][fresh], prop[order][fresh]

    # Attachments of each interval [edges[i], edges[i + 1]), flat; after a prop's last edge there are none.
    first, last = number[: len(a)], number[len(a) :]
    row = np.repeat(np.arange(len(a)), last - first)
    interval = flat_ranges(first, last - first)
    held = a.character[row] >= 0
    counts_held = np.bincount(interval, held, minlength=len(edges))
    kept = held | (counts_held[interval] == 0)
    row, interval = row[kept], interval[kept]
    row = row[np.argsort(interval, kind="stable")]
    counts = np.bincount(interval, minlength=len(edges))
    begin = np.cumsum(counts) - counts
    source = np.maximum.accumulate(np.where(counts > 0, np.arange(len(edges)), -1))

    low = np.flatnonzero(np.diff(of_prop, prepend=-1))
    high = np.append(low[1:], len(edges))
    props = of_prop[low]
    found = [i + np.searchsorted(edges[i:j], when, side="right") - 1 for i, j in zip(low, high, strict=True)]
    at = source[np.maximum(np.stack(found, axis=1), low)]
    repeats = counts[at.ravel()]
    cell = np.repeat((np.arange(len(when))[:, None] * P + props).ravel(), repeats)
    posed = np.clip(when[:, None], edges[at], edges[at + 1]).ravel()
    return cell, row[flat_ranges(begin[at.ravel()], repeats)], np.repeat(posed, repeats)


def _pose_held(take: "Take", row: IntArray, posed: Array, when: Array, sample: IntArray, poses: Poses | None) -> Array:
    """Return the poses [H, 7] of attachments at times `posed` [H], by eq. (1); NaN where the holder is absent.

    `poses`, if there are any, are those at times when [T], of which `sample` [H] were asked for.
    """
    a = take.attachments.rows(row)
    # Where nobody plays a clip bodies are posed as one joint, and the others are there too.
    joints = np.minimum(a.joint, take.score.rigs.parents.shape[1] - 1)
    places, turns = np.zeros((len(a), 3)), np.tile(quat.IDENTITY, (len(a), 1))
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
    return rigid.compose(np.concatenate([places, turns], axis=1), a.pose)


def _average(cell: IntArray, poses: Array) -> tuple[IntArray, Array]:
    """Return the cells with a holder that is there, and the mean pose [7] in each."""
    there = np.isfinite(poses[:, 0])
    cell, places, turns = cell[there], poses[there, :3], poses[there, 3:]
    heads = np.flatnonzero(np.diff(cell, prepend=-1))
    counts = np.diff(np.append(heads, len(cell)))
    one = np.repeat(turns[heads], counts, axis=0)
    turns = np.where(np.sum(one * turns, axis=1, keepdims=True) < 0, -turns, turns)
    means = np.add.reduceat(places, heads, axis=0) / counts[:, None]
    return cell[heads], np.concatenate([means, quat.normalize(np.add.reduceat(turns, heads, axis=0))], axis=1)
