"""Invariants of every take: references that exist, times that run forward, sane numbers.

Posing is compiled and does not look back, so nothing passes here that could lead it outside its arrays. Rules that
concern single rows are functions of their own: a writer asks them as soon as it is given the rows.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.table import Column, Table
from walkon.motion.skeleton import Skeleton
from walkon.take.clips import channel_counts
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.reasons import check_reason_rows
from walkon.take.tables import (
    CLIP_TABLES,
    TABLES,
    Blends,
    Characters,
    MarkTable,
    Overrides,
    References,
    Segments,
    flat_spans,
)

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = [
    "can_play",
    "check_apart",
    "check_character_rows",
    "check_mark_rows",
    "check_names",
    "check_override_rows",
    "check_own_marks",
    "check_reference_rows",
    "check_references",
    "check_rows",
    "check_rule",
    "check_segment_rows",
    "check_take",
    "played_clips",
]

MAX_SPEED_RATIO = 16.0
"""Times real speed at which a clip may be played."""
NOUNS = {
    "Attachments": "an attachment",
    "Blends": "a blend",
    "Characters": "a character",
    "ClipRows": "a clip",
    "ContactRuns": "a contact",
    "Drops": "a drop",
    "Grips": "a grip",
    "HandShapes": "the shape of a hand",
    "Heights": "a height",
    "LabelRuns": "a label",
    "MarkTable": "a mark",
    "Overrides": "an override",
    "References": "a reference",
    "Reasons": "a reason",
    "Segments": "a segment",
    "Stances": "a stance",
    "Tracks": "a track",
}
"""What a row of a table is called."""
MAX_COORDINATE = 1e6
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
    check_names(take.names)
    counts = {field: len(getattr(take, field)) for field in (*TABLES, "bodies", "skeletons", "clips", "props", "notes")}
    counts["label_names"] = len(take.clips.label_names)
    for table in [*(getattr(take, field) for field in TABLES), *(getattr(take.clips, field) for field in CLIP_TABLES)]:
        check_rows(table, counts)
    check_character_rows(take.characters, bodies=len(take.bodies))
    _check_clips(take)
    _check_segments(take, counts)
    _check_feet(take)
    _check_limbs(take)
    _check_things(take)


def check_references(values: Column, count: int, what: str, *, none: bool = False) -> None:
    """Raise `InvalidValue` unless all values are rows 0 to count − 1; with `none` also −1."""
    low = -1 if none else 0
    if len(values) and (int(values.min()) < low or int(values.max()) >= count):
        bad = int(values[(values < low) | (values >= count)][0])
        if count == 0:
            raise InvalidValue(f"{what} is {bad}, but there are none yet; add one first")
        raise InvalidValue(f"{what} must be {low} to {count - 1}, but one is {bad}")


def check_rows(table: Table, counts: Mapping[str, int]) -> None:
    """Raise `InvalidValue` unless all references of a table are to rows that exist; `counts` by what is referred to."""
    for ref in table.references():
        noun = NOUNS[type(table).__name__]
        values = table.columns[ref.name]
        if ref.span:
            first, stop = values[:, 0], values[:, 1]
            fine = (first >= 0) & (first <= stop) & (stop <= counts[ref.to])
            check_rule(fine, f"the {ref.name} of {noun} must be rows that exist")
        else:
            check_references(values, counts[ref.to], f"the {ref.name} of {noun}", none=ref.none)


def _check_range(values: Column, low: float, high: float, what: str) -> None:
    if values.size and not (values.min() >= low and values.max() <= high):
        bad = values[(values < low) | (values > high)].flat[0]
        raise InvalidValue(f"{what} must be from {low:g} to {high:g}, but one is {bad:g}")


def check_rule(rule: Column, what: str) -> None:
    """Raise `InvalidValue` with the first row that breaks a rule."""
    if not rule.all():
        raise InvalidValue(f"{what} (row {int(np.argmin(rule))})")


def _inside(first: Column, count: Column, length: int) -> Column:
    """Say which ranges lie within 0 to length; `first` may be any number that a damaged file can hold."""
    return np.asarray((first >= 0) & (first <= length - count.astype(np.int64)))  # first + count could wrap


def check_names(names: Sequence[str]) -> None:
    """Let names tell characters apart."""
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise InvalidValue(f"two characters are called {twice!r}; give each a name of its own")


def check_character_rows(rows: Characters, *, bodies: int) -> None:
    """Let characters have bodies, sizes and colours that can be."""
    check_rows(rows, {"bodies": bodies})
    limits = {"scale": (0.05, 20.0), "stride": (0.05, 20.0), "colour": (0.0, 1.0)}
    limits |= dict.fromkeys(("enter", "leave", "drop_start"), (-MAX_COORDINATE, MAX_COORDINATE))
    for name, (low, high) in limits.items():
        _check_range(getattr(rows, name), low, high, f"the {name} of a character")
    check_rule(rows.leave >= rows.enter, "a character must not leave before it enters")
    _check_range(rows.near, -MAX_COORDINATE, MAX_COORDINATE, "the height near which a character enters")


def _check_clips(take: "Take") -> None:
    clips, rows = take.clips, take.clips.rows
    if len(rows) != len(clips.names):
        raise InvalidShape(f"there are {len(rows)} clips, but {len(clips.names)} names of clips")
    _check_range(rows.fps, 1e-3, 1e5, "the frames per second of a clip")
    _check_range(rows.frames, 1, 2**31 - 1, "the number of frames of a clip")
    _check_range(clips.roots, -MAX_COORDINATE, MAX_COORDINATE, "the roots of a clip")
    counts = rows.frames * channel_counts(take.skeletons)[rows.skeleton]
    check_rule(_inside(rows.first_frame, rows.frames, len(clips.roots)), "the frames of a clip must be in the take")
    check_rule(
        _inside(rows.first_rotation, counts, len(clips.rotations)), "the rotations of a clip must be in the take"
    )
    for runs, what in ((clips.contacts, "a contact"), (clips.labels, "a label")):
        check_rule(
            (runs.start >= 0) & (runs.start < runs.stop) & (runs.stop <= rows.frames[runs.clip]),
            f"{what} must lie within its clip",
        )
    points = np.array([len(skeleton.contact_names) for skeleton in take.skeletons])
    check_rule(
        (clips.contacts.point >= 0) & (clips.contacts.point < points[rows.skeleton[clips.contacts.clip]]),
        "a contact must be at one of its skeleton's contact points",
    )


def check_segment_rows(s: Segments, blends: Blends, *, counts: Mapping[str, int]) -> None:
    """Let segments refer to rows that exist (`counts` by what is referred to), last, and run forward."""
    check_rows(s, counts)
    check_rows(blends, counts)
    for end in ("start", "stop"):
        _check_range(getattr(s, end), -MAX_COORDINATE, MAX_COORDINATE, f"the {end} of a segment")
    check_rule(s.stop > s.start, "a segment must stop after it starts")
    _check_range(s.place[:, :2], -MAX_COORDINATE, MAX_COORDINATE, "the place of a segment")
    for rate in (s.rate_start, s.rate_stop, blends.rate_start, blends.rate_stop):
        _check_range(rate, 0.0, MAX_SPEED_RATIO, "the rate of a segment")
    check_rule((s.clip >= 0) | (s.track >= 0), "a segment needs a clip or a track")
    check_rule((s.warp < 0) | (s.track < 0), "a segment on a track cannot be warped; change the track")
    _check_range(blends.duration, 1e-6, MAX_COORDINATE, "the duration of a blend")


def check_reference_rows(r: References) -> None:
    """Let reference trajectories last, on the stage."""
    check_rule(r.stop > r.start, "a reference must stop after it starts")
    _check_range(r.start, -MAX_COORDINATE, MAX_COORDINATE, "the start of a reference")
    _check_range(r.place[:, :2], -MAX_COORDINATE, MAX_COORDINATE, "the place of a reference")


def check_own_marks(segments: Segments, owners: Column, names: Sequence[str]) -> None:
    """Let characters be on their way to marks of their own; `owners` [M] are the characters of the marks."""
    on_way = segments.mark >= 0
    who, whose = segments.character[on_way], owners[segments.mark[on_way]]
    if (who != whose).any():
        k = int(np.argmax(who != whose))
        raise InvalidValue(
            f"a segment of {names[who[k]]!r} names mark {segments.mark[on_way][k]}, which belongs to "
            f"{names[whose[k]]!r}; give it a mark of its own"
        )


def check_apart(names: Sequence[str], s: Segments | References, what: str = "segments") -> None:
    """Let segments or references of one character, sorted by character and start, follow each other."""
    over = (s.character[1:] == s.character[:-1]) & (s.start[1:] < s.stop[:-1] - SEAM_TOLERANCE_S)
    if over.any():
        k = int(np.argmax(over))
        raise InvalidValue(
            f"{what} of one character must not overlap, but {names[s.character[k]]!r} has one from {s.start[k]:g} to "
            f"{s.stop[k]:g} s and one from {s.start[k + 1]:g} to {s.stop[k + 1]:g} s"
        )


def played_clips(s: Segments, blends: Blends) -> tuple[Column, Column]:
    """Return who plays which clip: those of all segments, then those that segments fade in from."""
    whole = s.rows(s.clip >= 0)
    faded = whole.rows(whole.blend >= 0)
    who = np.concatenate([whole.character, faded.character])
    return who, np.concatenate([whole.clip, blends.clip[faded.blend]])


def can_play(body: Skeleton, clip: Skeleton) -> bool:
    """Say whether a body can play clips of this skeleton."""
    # Stored frames leave end sites out, so these must be the same as well.
    return body is clip or (body.same_topology(clip) and np.array_equal(body.end_sites, clip.end_sites))


def _check_segments(take: "Take", counts: Mapping[str, int]) -> None:
    s = take.segments
    check_segment_rows(s, take.blends, counts=counts)
    check_apart(take.names, s)
    check_reference_rows(take.references)
    check_apart(take.names, take.references, "references")
    fits = np.array([[can_play(b.skeleton, k) for k in take.skeletons] for b in take.bodies], bool)
    fits = fits.reshape(len(take.bodies), len(take.skeletons))
    who, clip = played_clips(s, take.blends)
    fit = fits[take.characters.body[who], take.clips.rows.skeleton[clip]]
    check_rule(fit, "a clip must have the joints of the body that plays it")
    _check_tracks(take)
    _check_range(take.heights.height, -MAX_COORDINATE, MAX_COORDINATE, "a height of the floor")
    _check_range(take.heights.time, -MAX_COORDINATE, MAX_COORDINATE, "the time of a height")


def _check_tracks(take: "Take") -> None:
    """Let tracks have knots at rising times, and lie on the stage."""
    tracks, knots = take.tracks, take.track_knots
    _check_range(tracks.tick, 1e-9, MAX_COORDINATE, "the tick of a track")
    _check_range(tracks.origin, -MAX_COORDINATE, MAX_COORDINATE, "the origin of a track")
    _check_range(tracks.grain, 0.0, 1e3, "the grain of a track")
    _check_range(tracks.speed_grain, 0.0, 1e3, "the speed grain of a track")
    counts = tracks.knots[:, 1] - tracks.knots[:, 0]
    check_rule(counts > 0, "a track must have knots")
    turned = tracks.turns[:, 1] - tracks.turns[:, 0]
    check_rule((turned == 0) | (turned == counts), "a track must have a rotation for each of its knots, or none")
    rises = np.append(np.diff(knots.step.astype(np.int64)) > 0, True)
    last = np.zeros(len(knots) + 1, bool)
    last[tracks.knots[:, 1] - 1] = True
    # Whose knots do not rise is looked for only where some do not.
    if not (rises | last[:-1]).all():
        for k, (first, stop) in enumerate(tracks.knots.tolist()):
            if not rises[first : stop - 1].all():
                raise InvalidValue(f"the knots of a track must be at rising times, but those of track {k} are not")


def _check_feet(take: "Take") -> None:
    stances, drops = take.stances, take.drops
    check_references(stances.foot, 2, "the foot of a stance")
    check_rule(stances.stop >= stances.start, "a stance must stop after it starts")
    _check_range(stances.start, -MAX_COORDINATE, MAX_COORDINATE, "the start of a stance")
    _check_range(drops.drop, -2.0, 2.0, "a drop of the root")


def _check_limbs(take: "Take") -> None:
    o = take.overrides
    check_override_rows(o)
    owner = np.repeat(o.character, o.joints[:, 1] - o.joints[:, 0])
    joint = take.override_joints.joint[flat_spans(o.joints)]
    has = (joint >= 0) & (joint < _joints_of(take, owner))
    check_rule(has, "an override must name joints that its body has")


def check_override_rows(o: Overrides) -> None:
    """Let overrides last, and have as many rotations and offsets as they have frames."""
    check_rule((o.stop > o.start) & (o.frames > 0), "an override must last, and have frames")
    _check_range(o.start, -MAX_COORDINATE, MAX_COORDINATE, "the start of an override")
    _check_range(o.rate, 1e-3, 1e5, "the rate of an override")
    joints, turns, roots = (np.diff(span, axis=1)[:, 0] for span in (o.joints, o.rotations, o.roots))
    check_rule(turns == joints * o.frames, "an override must have a rotation for each joint and frame")
    check_rule((roots == 0) | (roots == o.frames), "an override must have a root offset for each frame, or none")


def _joints_of(take: "Take", characters: Column) -> Column:
    """Return how many joints the bodies of these characters have."""
    return np.array([len(body.skeleton) for body in take.bodies])[take.characters.body[characters]]


def _check_things(take: "Take") -> None:
    from walkon.take.hold_checking import check_holds

    check_holds(take)
    check_mark_rows(take.marks)
    check_own_marks(take.segments, take.marks.character, take.names)
    check_reason_rows(take.reasons, take.names)


def check_mark_rows(marks: MarkTable) -> None:
    """Let marks be met at a time that can be."""
    _check_range(marks.height, -MAX_COORDINATE, MAX_COORDINATE, "the height of a mark's floor")
    _check_range(marks.met, -MAX_COORDINATE, MAX_COORDINATE, "the time at which a mark is met")
