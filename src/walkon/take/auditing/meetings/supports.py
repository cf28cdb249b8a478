"""Supports: what a stage has to stand on or to put things on, besides its floor, and whether props lie on it.

Tops of obstacles (where they are then, if they move), seats and props. A clip may say that a foot stands on something
40 cm high; whether there is such a thing is for the stage to say (`have_tops`).

What no character holds lies on something, or hangs in the air (`measure_resting`): with z₀ the lowest point of a prop
and [b, h] the underside and top of what its middle is over (or beside, by no more than its reach), the prop hangs by
max(z₀ − h, 0) above whatever has b ≤ z₀; the floor is always below. Looked at when anything about a prop changes and
every `RESTING_STEP_S`.

World frame, metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.geometry.solids import SolidParts, part_supports
from walkon.stage import Prop
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import AuditClock
from walkon.take.posing.props import PropPoses, prop_poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = [
    "RESTING_STEP_S",
    "SEAT_RADIUS_M",
    "SUPPORT_WITHIN_M",
    "have_tops",
    "measure_resting",
    "prop_extents",
    "prop_middles",
]

SUPPORT_WITHIN_M = 0.05
"""m up or down, and aside, within which a top is the support that a clip speaks of."""
SEAT_RADIUS_M = 0.3
"""m from the middle of a seat to its edge."""
BATCH_CELL_COUNT = 1 << 18
"""Parts of props times moments that are posed at a time."""
RESTING_STEP_S = 0.25
"""s between two looks at props that rest."""
AFTER_CHANGE_S = 1e-6
"""s after a change at which it is looked at."""
RESTING_BATCH_CELL_COUNT = 1 << 16
"""Parts of props times moments that are looked at at a time."""


def have_tops(take: Take, places: Array, heights: Array, times: Array) -> BoolArray:
    """Return [M] whether there is a top at places [M, 2] of about these heights [M] m at times [M] s."""
    found = np.zeros(len(places), bool)
    for obstacle in (*take.stage.still, *take.stage.moving):
        seen, _, top = obstacle.seen(places, times)
        close = np.abs(top - heights) <= SUPPORT_WITHIN_M
        area = polygons.polygon(obstacle.polygon)
        found[close] |= shapely.dwithin(shapely.points(seen[close]), area, SUPPORT_WITHIN_M)
    for seat in take.stage.seats:
        aside = np.hypot(*(places - seat.place[:2]).T)
        found |= (np.abs(seat.height - heights) <= SUPPORT_WITHIN_M) & (aside <= SEAT_RADIUS_M + SUPPORT_WITHIN_M)
    rest = np.flatnonzero(~found) if take.props else np.zeros(0, np.int64)
    batch = max(BATCH_CELL_COUNT // max(_count_parts(take.props), 1), 1)
    for first in range(0, len(rest), batch):
        rows = rest[first : first + batch]
        things = prop_poses(take, times[rows])
        top = things.positions[..., 2] + prop_extents(take.props, things.rotations)[1]
        middle, reach = prop_middles(take.props, things)
        aside = np.linalg.norm(middle - places[rows, None], axis=-1)
        close = np.abs(top - heights[rows, None]) <= SUPPORT_WITHIN_M
        found[rows] = (things.present & close & (aside <= reach + SUPPORT_WITHIN_M)).any(axis=1)
    return found


def prop_extents(props: tuple[Prop, ...], rotations: Array) -> tuple[Array, Array]:
    """Return how high the lowest and the highest points of props are above their origins, [..., P] m each.

    They are turned by rotations [..., P, 4]. Exact: the support functions of their parts, or of the corners of a mesh.
    """
    up = quat.rotate(quat.conjugate(rotations), np.array([0.0, 0.0, 1.0]))
    return -_extents(props, -up), _extents(props, up)


def _extents(props: tuple[Prop, ...], ways: Array) -> Array:
    """Return how far [..., P] m each prop reaches along a way [..., P, 3] of its own frame."""
    found = np.zeros(ways.shape[:-1])
    made = [(k, prop.solid_parts) for k, prop in enumerate(props) if prop.shape != "mesh"]
    counts = np.array([len(parts.shapes) for _, parts in made], np.int64)
    if made:
        every = SolidParts(
            shapes=tuple(shape for _, parts in made for shape in parts.shapes),
            sizes=np.concatenate([parts.sizes for _, parts in made]),
            poses=np.concatenate([parts.poses for _, parts in made]),
        )
        whose = np.array([k for k, _ in made])
        along = part_supports(every, ways[..., np.repeat(whose, counts), :])
        found[..., whose] = np.maximum.reduceat(along, np.cumsum(counts) - counts, axis=-1)
    for k, prop in enumerate(props):
        if prop.shape == "mesh":
            mine = ways[..., k, :].reshape(-1, 3)
            step = max(BATCH_CELL_COUNT // len(prop.hull_corners), 1)
            tops = [(mine[i : i + step] @ prop.hull_corners.T).max(axis=1) for i in range(0, len(mine), step)]
            found[..., k] = np.concatenate([np.zeros(0), *tops]).reshape(ways.shape[:-2])
    return found


def prop_middles(props: tuple[Prop, ...], placed: PropPoses) -> tuple[Array, Array]:
    """Return where the middles of props are on the floor, [T, P, 2] m, and how far from there they reach, [P] m."""
    middles = np.array([prop.middle for prop in props]).reshape(-1, 3)
    places = placed.positions + quat.rotate(placed.rotations, middles)
    return places[..., :2], np.array([prop.reach for prop in props])


def measure_resting(take: Take, clock: AuditClock, props: IntArray, findings: Findings) -> None:
    """Measure by how much these props hang above their supports while no character holds them."""
    if not len(props):
        return
    a = take.attachments
    mine = np.isin(a.prop, props)
    changes = np.concatenate([a.start[mine], a.stop[mine]]) + AFTER_CHANGE_S
    looks = np.arange(clock.start, clock.stop, RESTING_STEP_S)
    times = np.unique(np.concatenate([looks, changes[(changes >= clock.start) & (changes <= clock.stop)]]))
    batch = max(RESTING_BATCH_CELL_COUNT // _count_parts(take.props), 1)
    for first in range(0, len(times), batch):
        _measure_hanging(take, times[first : first + batch], props, findings)


def _measure_hanging(take: Take, times: Array, props: IntArray, findings: Findings) -> None:
    things = prop_poses(take, times)
    free = things.present & ~_are_held(take, times)
    free[:, np.setdiff1d(np.arange(len(take.props)), props)] = False
    row, prop = np.nonzero(free)
    if not len(row):
        return
    at, (middle, reach) = things.positions[row, prop], prop_middles(take.props, things)
    below, above = prop_extents(take.props, things.rotations)
    low, spot = at[:, 2] + below[row, prop], middle[row, prop]
    gap = low - take.stage.floor(spot)[0]
    for obstacle in (*take.stage.still, *take.stage.moving):
        seen, base, top = obstacle.seen(spot, times[row])
        over = shapely.dwithin(shapely.points(seen), polygons.polygon(obstacle.polygon), reach[prop]) & (low >= base)
        gap = np.where(over, np.minimum(gap, low - top), gap)
    for seat in take.stage.seats:
        over = np.hypot(*(spot - seat.place[:2]).T) <= SEAT_RADIUS_M + reach[prop]
        gap = np.where(over, np.minimum(gap, low - seat.height), gap)
    for other in range(len(take.props)):
        height = things.positions[row, other, 2]
        bottom, top = height + below[row, other], height + above[row, other]
        over = np.hypot(*(spot - middle[row, other]).T) <= reach[prop] + reach[other]
        over &= (prop != other) & things.present[row, other] & (bottom < low)
        gap = np.where(over, np.minimum(gap, low - top), gap)
    gap = np.maximum(gap, 0.0)
    findings.offer(
        "props.max_unsupported_m",
        gap,
        who=np.full(len(row), -1),
        times=times[row],
        places=at,
        least=1e-3,
        words=lambda i: (
            take.props[prop[i]].name,
            f"{take.props[prop[i]].name!r} hangs in the air, {gap[i] * 100:.1f} cm above what is under it",
        ),
    )


def _count_parts(props: tuple[Prop, ...]) -> int:
    return sum(max(len(prop.parts), 1) for prop in props)


def _are_held(take: Take, times: Array) -> BoolArray:
    """Return [T, P] where a character carries or grips a prop."""
    count = np.zeros((len(times) + 1, len(take.props)), np.int64)
    a, g = take.attachments, take.grips
    for rows in (a.rows(a.character >= 0), g.rows(g.prop >= 0)):
        np.add.at(count, (np.searchsorted(times, rows.start), rows.prop), 1)
        np.add.at(count, (np.searchsorted(times, rows.stop), rows.prop), -1)
    return np.asarray(np.cumsum(count, axis=0)[:-1] > 0)
