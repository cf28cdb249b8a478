"""Where paths begin and end when a start or a goal is not in free space: seats, places by a wall, doors on the rim.

Such a place is left by the shortest way into free space (or straight ahead, where a facing is given). If the other end
is in another part of free space, the way into that part is taken where it is short enough. Where the next way point
can be gone to directly, nearing no wall further and out in the open after half a metre, the place of entry is left
out again: nobody makes a side step first. Metres.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.stage.free_parts import MAX_EXIT_M, FreeParts
from walkon.stage.walls import Walls, are_clear

__all__ = ["Ends", "ends_of", "with_ends"]

IN_THE_OPEN_M = 0.5
"""m after which a way that leaves a place by a wall is in the open."""


class Ends(NamedTuple):
    """Pairs of places, and where their ways enter free space."""

    places: tuple[Array, Array]
    """[N, 2] each: the starts and goals as they were given."""
    starts: Array
    """[N, 2] in free space; NaN where there is no way to it."""
    goals: Array
    off: tuple[BoolArray, BoolArray]
    """[N] each: which starts and goals are outside free space."""
    turned: tuple[BoolArray, BoolArray]
    """[N] each: which of these are left straight ahead."""
    room: tuple[Array, Array]
    """[N] each: m from walls of places outside free space, negative inside obstacles; 0 of others."""
    reasons: tuple[str, ...]
    """[N] why a pair has no way; empty where it has one."""


def ends_of(
    space: FreeParts | None,
    starts: Array,
    goals: Array,
    *,
    walls: Walls,
    facing: tuple[Array | None, Array | None],
    radius: float,
    named: Callable[[Array], Array],
) -> Ends:
    """Find where the ways of pairs of places enter free space, and which pairs have none.

    `named` gives the places that sentences speak of.
    """
    n = len(starts)
    no, zero = np.zeros(n, np.bool_), np.zeros(n)
    places = (starts, goals)
    if space is None or n == 0:
        return Ends(places, starts, goals, (no, no), (no, no), (zero, zero), ("",) * n)
    if not len(space.parts):
        nowhere = np.full((n, 2), np.nan)
        reason = f"a body of radius {radius:g} m fits nowhere on this stage; move obstacles apart"
        return Ends(places, nowhere, nowhere, (no, no), (no, no), (zero, zero), (reason,) * n)
    parts = [space.part_of(side) for side in places]
    off = [~space.holds(side, part) for side, part in zip(places, parts, strict=True)]
    for mine, other in ((0, 1), (1, 0)):
        astray = np.flatnonzero(off[mine] & (parts[0] != parts[1]))
        near = space.away(places[mine][astray], parts[other][astray]) <= MAX_EXIT_M
        parts[mine][astray[near]] = parts[other][astray[near]]
    entries = [starts.copy(), goals.copy()]
    turned, room = [no.copy(), no.copy()], [zero.copy(), zero.copy()]
    for side in (0, 1):
        at = np.flatnonzero(off[side])
        given = facing[side]
        heading = None if given is None else given[at]
        entries[side][at] = space.leave(places[side][at], parts[side][at], walls=walls, facing=heading)
        room[side][at] = -polygons.distances(space.area, places[side][at])
        if heading is not None:
            turned[side][at] = np.isfinite(heading)
    return Ends(
        places,
        entries[0],
        entries[1],
        (off[0], off[1]),
        (turned[0], turned[1]),
        (room[0], room[1]),
        _reasons(places, entries, parts, radius, named),
    )


def with_ends(points: Array, offsets: IntArray, ends: Ends, *, walls: Walls, need: float) -> tuple[Array, IntArray]:
    """Put starts and goals outside free space to the ends of paths (all points end to end, where each begins)."""
    points = points.copy()
    there = np.diff(offsets) > 0
    added: list[tuple[IntArray, IntArray, Array]] = []
    for side in (0, 1):
        at = np.flatnonzero(ends.off[side] & there)
        if not len(at):
            continue
        end, next_one = (offsets[at], offsets[at] + 1) if side == 0 else (offsets[at + 1] - 1, offsets[at + 1] - 2)
        place = ends.places[side][at]
        direct = ~ends.turned[side][at] & _direct(place, points[next_one], ends.room[side][at], walls, need)
        points[end[direct]] = place[direct]
        added.append((at[~direct], end[~direct] + side, place[~direct]))
    if not added:
        return points, offsets
    paths, rows, new = (np.concatenate(column) for column in zip(*added, strict=True))
    counts = np.diff(offsets) + np.bincount(paths, minlength=len(offsets) - 1)
    # At one row, the goal of a path comes before the start of the next.
    order = np.lexsort((paths, rows))
    return np.insert(points, rows[order], new[order], axis=0), np.concatenate([[0], np.cumsum(counts)])


def _direct(places: Array, targets: Array, room: Array, walls: Walls, need: float) -> BoolArray:
    """Return [N] whether targets can be gone to from places outside free space without a step aside."""
    away = np.linalg.norm(targets - places, axis=1)
    out = places + np.minimum(IN_THE_OPEN_M / np.maximum(away, 1e-9), 1.0)[:, None] * (targets - places)
    nearing = ~are_clear(walls, places, ends=out, radius=np.clip(room - 1e-3, 0.0, need))
    scraping = ~are_clear(walls, out, ends=targets, radius=need)
    return np.asarray((room > 0.01) & ~nearing & ~scraping)


def _reasons(
    places: tuple[Array, Array],
    entries: list[Array],
    parts: list[IntArray],
    radius: float,
    named: Callable[[Array], Array],
) -> tuple[str, ...]:
    """Return [N] why pairs have no way."""
    reasons = np.full(len(places[0]), "", dtype=object)
    for side, name in ((1, "goal"), (0, "start")):
        away = np.linalg.norm(entries[side] - places[side], axis=1)
        for i in np.flatnonzero(~(away <= MAX_EXIT_M)):
            x, y = named(places[side][i])
            reasons[i] = (
                f"the {name} ({x:.2f}, {y:.2f}) is not where a body of radius {radius:g} m fits, and no such place is "
                f"within {MAX_EXIT_M:g} m of it without a wall between"
            )
    for i in np.flatnonzero((parts[0] != parts[1]) & (reasons == "")):
        (ax, ay), (bx, by) = named(places[0][i]), named(places[1][i])
        reasons[i] = (
            f"walled off: no passage from ({ax:.2f}, {ay:.2f}) to ({bx:.2f}, {by:.2f}) is wide enough for a body of "
            f"radius {radius:g} m"
        )
    return tuple(reasons.tolist())
