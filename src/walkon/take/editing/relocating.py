"""Time shifts and rigid planar moves of characters, done to tables: posing follows exactly, or to rounding.

A shift in time adds to starts and stops alone. A move by the planar transform G = (R, d) of the floor changes

    places of clips and blends P → G ∘ P,   warps, shifts and turns of feet v → R v,   plants p → R p + d,           (1)
    grips on the stage g → G ∘ g

and nothing else, since all of posing commutes with turns about the vertical. Warps are stored in float32: they follow
to half a unit of their last place, everything else to rounding. Tracks are moved by their segments' places.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.take.editing.splicing import tidy
from walkon.take.storing.rotations48 import pack, unpack
from walkon.take.tables import (
    MEANT,
    NONE,
    WINDOW,
    Attachments,
    Blends,
    Grips,
    OverrideFrames,
    OverrideRoots,
    Warps,
    flat_spans,
)
from walkon.take.take import Take
from walkon.transforms import angles, planar, rigid
from walkon.transforms import quaternions as quat

__all__ = ["move_characters", "shift_characters"]

VECTORS = ("turn", "shift", "rate")
"""What stances say as vectors in the world, at the landing and at the lift-off."""


def shift_characters(take: Take, rows: IntArray, seconds: float, *, windows: bool, resting: bool = False) -> Take:
    """Return the take with these characters later by some seconds; with `resting`, also what nobody holds.

    That is props that rest or ride a track, and what moves on the stage.

    The times at which marks are met go along; with `windows` so do the times at which they are due, and references.
    """
    mine = np.isin(np.arange(len(take) + 1), rows)
    c, marks = take.characters, take.marks
    met = marks.met + np.where(mine[marks.character] & (marks.asks & MEANT > 0), seconds, 0.0)
    due = mine[marks.character] & (marks.asks & WINDOW > 0) & windows
    limited = mine[:-1] & c.limited
    mine[NONE] = resting

    timed: dict[str, Any] = {}
    for name in ("segments", "stances", "overrides", "attachments", "grips", "hand_shapes", "reasons"):
        table = getattr(take, name)
        later = np.where(mine[table.character], seconds, 0.0)
        timed[name] = table.with_columns(start=table.start + later, stop=table.stop + later)
    timed["attachments"] = _let_rests_give_way(timed["attachments"])
    heights = take.heights
    r = take.references
    asked = np.where(mine[r.character] & windows, seconds, 0.0)
    timed["references"] = r.with_columns(start=r.start + asked, stop=r.stop + asked)
    timed["heights"] = heights.with_columns(time=heights.time + np.where(mine[heights.character], seconds, 0.0))
    return replace(
        take,
        characters=c.with_columns(
            enter=c.enter + np.where(limited, seconds, 0.0),
            leave=c.leave + np.where(limited, seconds, 0.0),
            drop_start=c.drop_start + np.where(mine[:-1], seconds, 0.0),
        ),
        marks=marks.with_columns(met=met, window=marks.window + np.where(due, seconds, 0.0)[:, None]),
        stage=take.stage.shifted(seconds) if resting else take.stage,
        **timed,
    )


def _let_rests_give_way(a: Attachments) -> Attachments:
    """Shorten resting stretches of props where somebody holds them now: a prop has one source of its pose."""
    rests = (a.character < 0) & (a.track < 0)
    kept = [a.rows(~rests)]
    for row in np.flatnonzero(rests).tolist():
        free = [(float(a.start[row]), float(a.stop[row]))]
        for other in np.flatnonzero(~rests & (a.prop == a.prop[row])).tolist():
            low, high = float(a.start[other]), float(a.stop[other])
            parts = [((b, min(e, low)), (max(b, high), e)) for b, e in free]
            free = [part for pair in parts for part in pair if part[1] > part[0]]
        kept += [a.rows([row]).with_columns(start=[begin], stop=[end]) for begin, end in free]
    return Attachments.joined(kept)


def move_characters(take: Take, rows: IntArray, by: Array, *, marks: bool) -> Take:
    """Return the take with these characters moved by planar transforms [rows, 3], eq. (1).

    With `marks` so are their marks and references.
    """
    G = np.zeros((len(take), 3))
    G[rows] = by
    mine = np.isin(np.arange(len(take)), rows)
    s, st, m, r = take.segments, take.stances, take.marks, take.references
    asked = mine[r.character, None] & marks
    their = mine[m.character] & marks
    on_floor = planar.apply(G[m.character], m.position)

    def on(points: Array) -> Array:
        return np.where(mine[st.character, None], planar.apply_3d(G[st.character], points), points)

    def along(vectors: Array) -> Array:
        turned = quat.rotate(quat.turn(G[st.character, 2]), vectors)
        return np.where(mine[st.character, None], turned, vectors)

    changed = replace(
        take,
        segments=s.with_columns(
            place=np.where(mine[s.character, None], planar.compose(G[s.character], s.place), s.place)
        ),
        stances=st.with_columns(
            heel_place=on(st.heel_place),
            ball_place=on(st.ball_place),
            turn_off=along(st.turn_off),
            **{f"{what}_{end}": along(st.columns[f"{what}_{end}"]) for what in VECTORS for end in ("in", "out")},
        ),
        grips=_move_grips(take.grips, mine, G),
        references=r.with_columns(place=np.where(asked, planar.compose(G[r.character], r.place), r.place)),
        marks=m.with_columns(
            position=np.where(their[:, None], on_floor, m.position),
            facing=np.where(their, angles.wrap(m.facing + G[m.character, 2]), m.facing),
        ),
    )
    return tidy(_turn_overrides(_own_tables(changed, mine, G), mine, G))


def _move_grips(g: Grips, mine: BoolArray, G: Array) -> Grips:
    """Move what holds on to the stage; hands on props and on others stay with them."""
    moved = np.flatnonzero(mine[g.character] & (g.prop < 0) & (g.other < 0))
    pose = np.array(g.pose)
    pose[moved] = rigid.compose(rigid.from_planar(G[g.character[moved]])[:, None], pose[moved])
    return g.with_columns(pose=pose)


def _own_tables(take: Take, mine: BoolArray, G: Array) -> Take:
    """Give moved characters warps and blends of their own (rows may be shared), moved. Tracks have places."""
    s = take.segments
    warped, blended = (np.flatnonzero(mine[s.character] & (ref >= 0)) for ref in (s.warp, s.blend))
    warps, blends = take.warps.rows(s.warp[warped]), take.blends.rows(s.blend[blended])
    R = np.zeros((len(take), 3))
    R[:, 2] = G[:, 2]
    R = R[s.character[warped], None]
    warps = warps.with_columns(
        offsets=np.concatenate([planar.apply(R, warps.offsets[..., :2]), warps.offsets[..., 2:]], axis=-1),
        slopes=np.concatenate([planar.apply(R, warps.slopes[..., :2]), warps.slopes[..., 2:]], axis=-1),
    )
    # What fades in along a track lies in the track's frame.
    on_stage = s.track[blended, None] < 0
    place = np.where(on_stage, planar.compose(G[s.character[blended]], blends.place), blends.place)

    def after(ref: IntArray, which: IntArray, count: int) -> IntArray:
        new = ref.astype(np.int64)
        new[which] = count + np.arange(len(which))
        return new

    return replace(
        take,
        segments=s.with_columns(
            warp=after(s.warp, warped, len(take.warps)), blend=after(s.blend, blended, len(take.blends))
        ),
        warps=Warps.joined([take.warps, warps]),
        blends=Blends.joined([take.blends, blends.with_columns(place=place)]),
    )


def _turn_overrides(take: Take, mine: BoolArray, G: Array) -> Take:
    """Turn rotations of overridden roots, which are in the world (all other joints' are local), and root offsets."""
    o = take.overrides
    turned = mine[o.character] & (G[o.character, 2] != 0)
    if not turned.any():
        return take
    counts = np.diff(o.joints, axis=1)[:, 0]
    has_root = np.zeros(len(o), bool)
    has_root[counts > 0] = take.override_joints.joint[o.joints[counts > 0, 0]] == 0  # joints ascend
    # A rotation that is added is in the joint's own frame.
    rooted = np.flatnonzero(turned & has_root & (o.added == 0))
    rows = np.concatenate(
        [np.zeros(0, np.int64), *(np.arange(int(o.rotations[k, 0]), int(o.rotations[k, 1]), counts[k]) for k in rooted)]
    )
    words = np.array(take.override_frames.rotation)
    heading = np.repeat(G[o.character[rooted], 2], o.frames[rooted])
    words[rows] = pack(quat.multiply(quat.turn(heading), unpack(words[rows])))
    moved = flat_spans(o.roots[turned])
    offsets = np.array(take.override_roots.offset)
    heading = np.repeat(G[o.character[turned], 2], np.diff(o.roots[turned], axis=1)[:, 0])
    offsets[moved] = quat.rotate(quat.turn(heading), offsets[moved].astype(np.float64))
    return replace(take, override_frames=OverrideFrames(rotation=words), override_roots=OverrideRoots(offset=offsets))
