"""Where props and palms are, as one asks for it: at times, by name; and the poses with which a hold moves nothing.

The rule is in `holding`. World frame, metres, seconds, rigid poses [7] = (x, y, z, qw, qx, qy, qz).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, lock_array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion.skeleton import SIDES
from walkon.take.posing.holding import prop_pose_pairs
from walkon.take.posing.posing import Poses, check_times, pose_pairs
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["PropPoses", "grip_pose", "hold_pose", "palm_poses", "prop_poses", "prop_row"]


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


def prop_poses(take: "Take", times: ArrayLike) -> PropPoses:
    """Return the poses of all props at times [T] in seconds."""
    when = check_times(times)
    T, P = len(when), len(take.props)
    placed = prop_pose_pairs(take, np.tile(np.arange(P), T), np.repeat(when, P)).reshape(T, P, 7)
    return PropPoses(placed[..., :3].copy(), placed[..., 3:].copy(), np.isfinite(placed[..., 0]))


def palm_poses(take: "Take", who: ArrayLike, poses: Poses) -> Array:
    """Return the poses [..., 2, 7] of left and right palms of characters [N], posed [..., N]; NaN without an arm."""
    rows = np.asarray(who)
    arms, body = take.holds.arms, take.characters.body[rows]
    wrist = arms.joints[body, :, 2]
    column = np.arange(len(rows))[:, None]
    places, turns = (values[..., column, wrist, :] for values in (poses.positions, poses.rotations))
    size = take.characters.scale[rows].astype(np.float64)[:, None, None]
    hands = np.concatenate([places, turns], axis=-1)
    palms = rigid.compose(hands, np.concatenate([size * arms.palm_places[body], arms.palm_turns[body]], axis=-1))
    return np.where((wrist >= 0)[..., None], palms, np.nan)


def hold_pose(
    take: "Take",
    character: str | int,
    *,
    joint: str | int,
    time: float,
    prop: str | int | None = None,
    pose: ArrayLike | None = None,
) -> Array:
    """Return the attachment pose [7] with which a joint holds a prop at a time without moving it.

    The prop is one of the take's, where it is then, or anything with a world pose: with the joint at (p, R) and the
    prop at (x, X) it is (Rᵀ (x − p), Rᵀ X).
    """
    row = take.character(character)
    skeleton = take.bodies[int(take.characters.body[row])].skeleton
    index = skeleton.index(joint) if isinstance(joint, str) else int(joint)
    if not 0 <= index < len(skeleton):
        raise InvalidValue(f"{take.names[row]!r} has joints 0 to {len(skeleton) - 1}; got {joint}")
    holder = _pose_one(take, row, time)
    return rigid.relative(
        np.concatenate([holder.positions[0, index], holder.rotations[0, index]]),
        _thing_pose(take, time, prop=prop, pose=pose),
    )


def grip_pose(
    take: "Take",
    character: str | int,
    *,
    hand: str,
    time: float,
    prop: str | int | None = None,
    pose: ArrayLike | None = None,
) -> Array:
    """Return the pose [7] of a palm ("left" or "right") in the frame of a prop at a time: a grip that moves nothing.

    The prop is one of the take's, where it is then, or anything with a world pose.
    """
    UnknownName.check("hand", hand, SIDES)
    row = take.character(character)
    palm = palm_poses(take, [row], _pose_one(take, row, time))[0, SIDES.index(hand)]
    if np.isnan(palm).any():
        raise InvalidValue(f"{take.names[row]!r} has no {hand} arm at {time:g} s: it cannot grip anything with it")
    return rigid.relative(_thing_pose(take, time, prop=prop, pose=pose), palm)


def _pose_one(take: "Take", row: int, time: float) -> Poses:
    found = pose_pairs(take, [row], [time])
    if not found.present[0]:
        raise InvalidValue(f"{take.names[row]!r} is not there at {time:g} s and cannot grip anything")
    return found


def _thing_pose(take: "Take", time: float, *, prop: str | int | None, pose: ArrayLike | None) -> Array:
    """Return where something is that is gripped: a prop of the take, or a pose in the world."""
    if (prop is None) == (pose is None):
        raise InvalidValue("say what is gripped: either a prop of the take or a pose in the world")
    if prop is not None:
        found, which = prop_poses(take, [time]), prop_row(take, prop)
        if not found.present[0, which]:
            raise InvalidValue(f"prop {take.props[which].name!r} is nowhere at {time:g} s; rest or attach it first")
        pose = np.concatenate([found.positions[0, which], found.rotations[0, which]])
    world: Array = lock_array(pose, (7,), name="the pose of what is gripped")
    return np.concatenate([world[:3], quat.normalize(world[3:])])
