"""What must hold in every take, whoever made it: references that exist, times that run forward, sane numbers.

Posing is compiled and does not look back, so nothing passes here that could lead it outside its arrays.
"""

from typing import TYPE_CHECKING

import numpy as np

from walkon._base.errors import InvalidShape, InvalidValue
from walkon.take.clips import channels
from walkon.take.table import Column

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["MOST_JOINTS", "check_take"]

MOST_JOINTS = 126
"""Joints of a body; overrides name them by bits."""
FASTEST = 16.0
"""Times real speed at which a clip may be played."""
FARTHEST = 1e6
"""Metres from the origin, seconds from zero: beyond that it is a mistake, and numbers lose their millimetres."""


def check_take(take: "Take") -> None:
    """Raise `InvalidValue` with the first rule that a take breaks."""
    if not (np.isfinite(take.fps) and 0 < take.fps <= 10000):
        raise InvalidValue(f"a take is played at 0 to 10000 frames per second, got {take.fps}")
    N = len(take.names)
    if len(take.characters) != N:
        raise InvalidShape(f"there are {len(take.characters)} rows of characters, but {N} names")
    for kind, count in (("mark_names", len(take.marks)), ("mark_poses", len(take.marks))):
        if len(getattr(take, kind)) != count:
            raise InvalidShape(f"there are {count} marks, but {len(getattr(take, kind))} {kind}")
    _check_characters(take)
    _check_clips(take)
    _check_segments(take)
    _check_feet(take, N)
    _check_limbs(take, N)
    _check_things(take, N)


def _refers(values: Column, count: int, what: str, *, none: bool = False) -> None:
    low = -1 if none else 0
    if len(values) and (int(values.min()) < low or int(values.max()) >= count):
        bad = int(values[(values < low) | (values >= count)][0])
        raise InvalidValue(f"{what} must be {low} to {count - 1}, but one is {bad}")


def _within(values: Column, low: float, high: float, what: str) -> None:
    if values.size and not (values.min() >= low and values.max() <= high):
        bad = values[(values < low) | (values > high)].flat[0]
        raise InvalidValue(f"{what} must be from {low:g} to {high:g}, but one is {bad:g}")


def _holds(rule: Column, what: str) -> None:
    if not rule.all():
        raise InvalidValue(f"{what} (row {int(np.argmin(rule))})")


def _check_characters(take: "Take") -> None:
    _refers(take.characters.body, len(take.bodies), "the body of a character")
    _within(take.characters.scale, 0.05, 20.0, "the scale of a character")
    _within(take.characters.stride, 0.05, 20.0, "the stride of a character")
    _within(take.characters.colour, 0.0, 1.0, "the colour of a character")
    for name in ("enter", "leave", "drop_start"):
        _within(getattr(take.characters, name), -FARTHEST, FARTHEST, f"the {name} of a character")
    _holds(take.characters.leave >= take.characters.enter, "a character must not leave before it enters")
    for body in take.bodies:
        if len(body.skeleton) > MOST_JOINTS:
            raise InvalidValue(f"a body in a take has at most {MOST_JOINTS} joints, got {len(body.skeleton)}")


def _check_clips(take: "Take") -> None:
    clips, rows = take.clips, take.clips.rows
    if len(rows) != len(clips.names):
        raise InvalidShape(f"there are {len(rows)} clips, but {len(clips.names)} names of clips")
    _refers(rows.skeleton, len(take.skeletons), "the skeleton of a clip")
    _within(rows.fps, 1e-3, 1e5, "the frames per second of a clip")
    _within(rows.frames, 1, 2**31 - 1, "the number of frames of a clip")
    _within(clips.roots, -FARTHEST, FARTHEST, "the roots of a clip")
    width = np.array([int(channels(skeleton).max()) + 1 for skeleton in take.skeletons], np.int64)
    ends = rows.first_frame + rows.frames
    _holds((rows.first_frame >= 0) & (ends <= len(clips.roots)), "the frames of a clip must be in the take")
    if len(rows):
        ends = rows.first_rotation + rows.frames * width[rows.skeleton]
        _holds(
            (rows.first_rotation >= 0) & (ends <= len(clips.rotations)), "the rotations of a clip must be in the take"
        )
    for runs, what in ((clips.contacts, "a contact"), (clips.labels, "a label")):
        _refers(runs.clip, len(rows), f"the clip of {what}")
        if len(runs):
            _holds(
                (runs.start >= 0) & (runs.start < runs.stop) & (runs.stop <= rows.frames[runs.clip]),
                f"{what} must lie within its clip",
            )
    if len(clips.contacts):
        counts = np.array([len(skeleton.contact_names) for skeleton in take.skeletons])
        _holds(
            (clips.contacts.point >= 0) & (clips.contacts.point < counts[rows.skeleton[clips.contacts.clip]]),
            "a contact must be at one of its skeleton's contact points",
        )
    _refers(clips.labels.label, len(clips.label_names), "the label of a clip")


def _check_segments(take: "Take") -> None:
    s = take.segments
    _refers(s.character, len(take), "the character of a segment")
    for name, count in (
        ("clip", len(take.clips)),
        ("warp", len(take.warps)),
        ("blend", len(take.blends)),
        ("track", len(take.planar_tracks)),
        ("mark", len(take.marks)),
        ("reason", len(take.reasons)),
    ):
        _refers(getattr(s, name), count, f"the {name} of a segment", none=True)
    _within(s.start, -FARTHEST, FARTHEST, "the start of a segment")
    _within(s.stop, -FARTHEST, FARTHEST, "the stop of a segment")
    _holds(s.stop > s.start, "a segment must stop after it starts")
    _within(s.place[:, [0, 1, 3]], -FARTHEST, FARTHEST, "the place of a segment")
    for rate in (s.rate_start, s.rate_stop, take.blends.rate_start, take.blends.rate_stop):
        _within(rate, 0.0, FASTEST, "the rate of a segment")
    _holds((s.clip >= 0) | (s.track >= 0), "a segment needs a clip or a planar track")
    same = s.character[1:] == s.character[:-1]
    _holds(~same | (s.start[1:] >= s.stop[:-1] - 1e-6), "segments of one character must not overlap")
    _refers(take.blends.clip, len(take.clips), "the clip of a blend")
    _within(take.blends.duration, 1e-6, FARTHEST, "the duration of a blend")
    bodies = [body.skeleton for body in take.bodies]
    # Stored frames leave end sites out, so these must be the same as well.
    fits = np.array(
        [[b.same_topology(k) and np.array_equal(b.end_sites, k.end_sites) for k in take.skeletons] for b in bodies],
        bool,
    ).reshape(len(bodies), len(take.skeletons))
    plays = s.clip >= 0
    blended = plays & (s.blend >= 0)
    for rows, clip in ((plays, s.clip[plays]), (blended, take.blends.clip[s.blend[blended]])):
        body = take.characters.body[s.character[rows]]
        if len(body):
            _holds(fits[body, take.clips.rows.skeleton[clip]], "a clip must have the joints of the body that plays it")
    tracks = take.planar_tracks
    _within(tracks.rate, 1e-3, 1e4, "the rate of a planar track")
    _holds(
        (tracks.first >= 0) & (tracks.count > 0) & (tracks.first + tracks.count <= len(take.planar_poses)),
        "a planar track must have samples that exist",
    )


def _check_feet(take: "Take", N: int) -> None:
    stances, drops = take.stances, take.drops
    _refers(stances.character, N, "the character of a stance")
    _refers(stances.foot, 2, "the foot of a stance")
    _holds(stances.stop >= stances.start, "a stance must stop after it starts")
    _within(stances.start, -FARTHEST, FARTHEST, "the start of a stance")
    _refers(drops.character, N, "the character of a drop")
    _within(drops.drop, -2.0, 2.0, "a drop of the root")


def _check_limbs(take: "Take", N: int) -> None:
    o = take.overrides
    _refers(o.character, N, "the character of an override")
    _holds((o.stop > o.start) & (o.frames > 0), "an override must last, and have frames")
    _within(o.rate, 1e-3, 1e5, "the rate of an override")
    counts = _bits(o.joints)
    _holds(
        (o.first >= 0) & (o.first + counts * o.frames <= len(take.override_frames)),
        "an override must have rotations that exist",
    )
    if len(o):
        joints = np.array([len(body.skeleton) for body in take.bodies])[take.characters.body[o.character]]
        _holds(_highest(o.joints) < joints, "an override must name joints that its body has")
    _holds(np.asarray((o.joints >= 0).all(axis=1)), "an override must name its joints by 63 bits at a time")


def _bits(joints: Column) -> Column:
    return ((joints[:, :, None] >> np.arange(63)) & 1).sum(axis=(1, 2))


def _highest(joints: Column) -> Column:
    flags = ((joints[:, :, None] >> np.arange(63)) & 1).reshape(len(joints), -1)
    return np.where(flags.any(axis=1), flags.shape[1] - 1 - np.argmax(flags[:, ::-1], axis=1), -1)


def _check_things(take: "Take", N: int) -> None:
    a = take.attachments
    _refers(a.prop, len(take.props), "the prop of an attachment")
    _refers(a.character, N, "the character of an attachment", none=True)
    _holds(a.stop > a.start, "an attachment must last")
    held = a.character >= 0
    if held.any():
        joints = np.array([len(body.skeleton) for body in take.bodies])[take.characters.body[a.character[held]]]
        _holds((a.joint[held] >= 0) & (a.joint[held] < joints), "an attachment must name a joint that the body has")
    size = np.linalg.norm(a.pose[:, 3:], axis=1)
    _holds(np.abs(size - 1.0) < 1e-3, "the rotation of an attachment must be a unit quaternion")
    _refers(take.marks.character, N, "the character of a mark")
