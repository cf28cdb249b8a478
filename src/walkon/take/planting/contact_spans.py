"""Contact intervals of heels and balls on the take's clock: the clips' contacts, carried over by the segments.

A segment reads its clip from u₀ on with a rate that runs evenly from r₀ to r₁; the moment of a clip's time u is

    τ = 2 (u − u₀) / (r₀ + √(r₀² + 4 k (u − u₀))),   k = (r₁ − r₀) / 2 D                              (1)

seconds after its start. While one clip fades into another, contacts are those of the old one up to the middle of the
fade and of the new one after it (Kovar 2002, section 3.2). Spans that meet at a seam are one contact, unless the foot
jumps there, or the character is away or only a disc in between: then the contact ends.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.table import Column, Table, column
from walkon.take.clips import foot_runs, stands
from walkon.take.posing.height_curve import heights_at
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.posing.toes import own_feet
from walkon.take.tables import ContactRuns, flat_ranges
from walkon.take.take import Take

__all__ = ["ContactSpans", "contact_spans"]

MAX_SEAM_JUMP_M = 0.1
"""m; a foot that its clips have further apart before and after a seam does not stand through it."""
MAX_FILLED_GAP_S = 0.07
"""s; shorter interruptions of a contact at a seam are filled."""
MIN_CONTACT_S = 0.03
"""s; shorter contacts are dropped: they are left over where a seam cuts a step."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactSpans(Table):
    """One contact each: who, which point (order of `FOOT_CONTACTS`), from when to when, at which height."""

    character: Column = column("int32")
    point: Column = column("int8")
    start: Column = column("float64")
    stop: Column = column("float64")
    height: Column = column("float64")
    """Metres, z of the support in the world, as the height curve has it."""
    raised: Column = column("float64")
    """Metres of that which are the clip's own: how high its support is above the floor of the clip."""
    stretch: Column = column("int64")
    """Number of the foot's unbroken stretch in which it lies: contacts of different stretches are never one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Pieces(Table):
    """Stretches in which one clip says what the feet do."""

    segment: Column = column("int64")
    clip: Column = column("int32")
    begin: Column = column("float64")
    """Start of the law u(τ)."""
    length: Column = column("float64")
    u: Column = column("float64")
    rate_start: Column = column("float64")
    rate_stop: Column = column("float64")
    start: Column = column("float64")
    stop: Column = column("float64")


def contact_spans(take: Take) -> ContactSpans:
    """Return all contacts of feet, sorted by character, point and start."""
    pieces = _pieces(take)
    runs = foot_runs(take.clips, take.skeletons)
    if not len(pieces) or not len(runs):
        return ContactSpans()
    fps, frames = take.clips.rows.fps, take.clips.rows.frames
    which, run = _overlaps(pieces, runs, fps, frames)
    piece = pieces.rows(which)
    clip = piece.clip
    # Contacts at the ends of a clip go on beyond it: the pose is held there.
    begin = np.where(runs.start[run] == 0, -np.inf, runs.start[run] / fps[clip])
    end = np.where(runs.stop[run] == frames[clip], np.inf, (runs.stop[run] - 1) / fps[clip])
    u_start, u_stop = _clip_time(piece, piece.start), _clip_time(piece, piece.stop)
    low, high = np.maximum(begin, u_start), np.minimum(end, u_stop)
    start = np.where(begin <= u_start, piece.start, _take_time(piece, low))
    stop = np.where(end >= u_stop, piece.stop, _take_time(piece, high))
    keep = (low <= high) & (stop > start)
    who = take.segments.character[piece.segment]
    ratio = take.score.rigs.heights[take.characters.body[who], take.clips.rows.skeleton[clip]]
    raised = take.characters.scale[who] * ratio * runs.height[run]
    spans = ContactSpans(
        character=who,
        point=runs.point[run],
        start=start,
        stop=stop,
        height=heights_at(take.heights, who, 0.5 * (start + stop)) + raised,
        raised=raised,
        stretch=_stretches(take)[piece.segment, runs.point[run] // 2],
    )
    return _merge(spans.rows(keep))


def _stretches(take: Take) -> IntArray:
    """Return [S, 2] numbers of stretches: a new one where the segment before is no clip that abuts, or a foot jumps."""
    s = take.segments
    fresh = np.ones((len(s), 2), bool)
    apart = (s.character[1:] != s.character[:-1]) | (s.start[1:] > s.stop[:-1] + SEAM_TOLERANCE_S)
    fresh[1:] = (apart | (s.clip[1:] < 0) | (s.clip[:-1] < 0))[:, None]
    seam = np.flatnonzero(~fresh[:, 0] & _standing(take))
    seam = seam[~_goes_on(take, seam)]
    for foot in range(2):
        which = np.full(len(seam), foot)
        # At the time of a seam the later segment is posed, so the earlier one is looked at just before.
        before = own_feet(
            take, s.character[seam], which, np.maximum(s.stop[seam - 1] - SEAM_TOLERANCE_S, s.start[seam - 1])
        )
        after = own_feet(take, s.character[seam], which, s.start[seam])
        away = [np.linalg.norm(b - a, axis=1) for a, b in zip(before, after, strict=True)]
        fresh[seam, foot] = np.max(away, axis=0, initial=0.0) > MAX_SEAM_JUMP_M
    return np.cumsum(fresh, axis=0)


def _goes_on(take: Take, seam: IntArray) -> BoolArray:
    """Return [K] where a segment goes on exactly as the one before it ended: then no foot can jump."""
    s, w = take.segments, take.warps
    a, b = s.rows(seam - 1), s.rows(seam)
    read = a.clip_start + 0.5 * (a.rate_start.astype(np.float64) + a.rate_stop) * (a.stop - a.start)
    same = (a.clip == b.clip) & (np.abs(read - b.clip_start) < SEAM_TOLERANCE_S) & (b.blend < 0) & (a.blend < 0)
    same &= (a.place == b.place).all(axis=1) & (a.track == b.track)
    ends = [np.zeros((len(seam), 3)), np.zeros((len(seam), 3))]
    for offsets, rows, side in zip(ends, (a, b), (1, 0), strict=True):
        warped = rows.warp >= 0
        offsets[warped] = w.offsets[rows.warp[warped], side]
    return np.asarray(same & (ends[0] == ends[1]).all(axis=1))


def _overlaps(pieces: _Pieces, runs: ContactRuns, fps: Column, frames: Column) -> tuple[Column, Column]:
    """Return pairs (piece, run of its clip) that share time, found by halving: clips may be long and pieces many."""
    points = np.unique(runs.point).astype(np.int64)
    far = np.int64(1) << 32
    order = np.lexsort((runs.start, runs.point, runs.clip))
    key = (runs.clip[order].astype(np.int64) * 128 + runs.point[order]) * far
    starts, lasts = key + runs.start[order], key + runs.stop[order] - 1
    most = frames[pieces.clip] - 1
    begin = np.clip(np.floor(_clip_time(pieces, pieces.start) * fps[pieces.clip]), 0, most).astype(np.int64)
    end = np.clip(np.ceil(_clip_time(pieces, pieces.stop) * fps[pieces.clip]), 0, most).astype(np.int64)
    base = (pieces.clip.astype(np.int64)[:, None] * 128 + points) * far
    first = np.searchsorted(lasts, base + begin[:, None])
    counts = np.maximum(np.searchsorted(starts, base + end[:, None], side="right") - first, 0).ravel()
    return np.repeat(np.arange(counts.size) // len(points), counts), order[flat_ranges(first.ravel(), counts)]


def _standing(take: Take) -> BoolArray:
    """Return [S] which segments are of characters whose feet can be planted."""
    feet = np.array([stands(body.skeleton) for body in take.bodies], bool)
    return feet[take.characters.body[take.segments.character]]


def _pieces(take: Take) -> _Pieces:
    s, b = take.segments, take.blends
    own = np.flatnonzero((s.clip >= 0) & (s.track < 0) & _standing(take))
    fading = own[s.blend[own] >= 0]
    half = np.zeros(len(s))
    half[fading] = np.minimum(0.5 * b.duration[s.blend[fading]], s.stop[fading] - s.start[fading])
    main = _Pieces(
        segment=own,
        clip=s.clip[own],
        begin=s.start[own],
        length=s.stop[own] - s.start[own],
        u=s.clip_start[own],
        rate_start=s.rate_start[own],
        rate_stop=s.rate_stop[own],
        start=(s.start + half)[own],
        stop=s.stop[own],
    )
    row = s.blend[fading]
    old = _Pieces(
        segment=fading,
        clip=b.clip[row],
        begin=s.start[fading],
        length=b.duration[row],
        u=b.clip_start[row],
        rate_start=b.rate_start[row],
        rate_stop=b.rate_stop[row],
        start=s.start[fading],
        stop=(s.start + half)[fading],
    )
    pieces = _Pieces.joined([main, old])
    walks = np.array([stands(skeleton) for skeleton in take.skeletons], bool)
    return pieces.rows((pieces.stop > pieces.start) & walks[take.clips.rows.skeleton[pieces.clip]])


def _clip_time(piece: _Pieces, t: Array) -> Array:
    tau = t - piece.begin
    k = (piece.rate_stop - piece.rate_start) / (2 * piece.length)
    u: Array = piece.u + (piece.rate_start + k * tau) * tau
    return u


def _take_time(piece: _Pieces, u: Array) -> Array:
    """Invert the time law, eq. (1); where the clip stands still, the start of the law."""
    k = (piece.rate_stop - piece.rate_start) / (2 * piece.length)
    away = np.where(np.isfinite(u), u - piece.u, 0.0)
    below = piece.rate_start + np.sqrt(np.maximum(piece.rate_start**2 + 4 * k * away, 0.0))
    tau = np.where(below > 1e-9, 2 * away / np.maximum(below, 1e-9), 0.0)
    return np.clip(piece.begin + tau, piece.start, piece.stop)


def _merge(spans: ContactSpans) -> ContactSpans:
    """Join spans of one point that meet, take the height of the longest, drop what is too short to be a step."""
    spans = spans.rows(np.lexsort((spans.start, spans.point, spans.character)))
    key = spans.character.astype(np.int64) * 128 + spans.point
    fresh = np.ones(len(spans), bool)
    other = (key[1:] != key[:-1]) | (spans.stretch[1:] != spans.stretch[:-1])
    fresh[1:] = other | (spans.start[1:] > spans.stop[:-1] + MAX_FILLED_GAP_S)
    heads = np.flatnonzero(fresh)
    if not len(heads):
        return spans
    group = np.cumsum(fresh) - 1
    # The height of the longest part: sort by group and length, and look at the last of each group.
    order = np.lexsort((spans.stop - spans.start, group))
    longest = order[np.append(heads[1:], len(spans)) - 1]
    merged = spans.rows(heads).with_columns(
        stop=np.maximum.reduceat(spans.stop, heads), height=spans.height[longest], raised=spans.raised[longest]
    )
    return merged.rows(merged.stop - merged.start >= MIN_CONTACT_S)
