"""Supports: what a stage has to stand on or to put things on, besides its floor, and whether props lie on it.

Tops of obstacles (where they are then, if they move), seats and props. A clip may say that a foot stands on something
40 cm high; whether there is such a thing is for the stage to say (`have_tops`).

What no character holds lies on something, or hangs in the air (`measure_resting`): with z₀ the lowest point of a prop
and [b, h] the underside and top of what its middle is over (or beside, by no more than its own size), the prop hangs by
max(z₀ − h, 0) above whatever has b ≤ z₀; the floor is always below. Looked at when anything about a prop changes and
every `RESTING_STEP_S`.

World frame, metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import AuditClock
from walkon.take.posing.props import prop_poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = [
    "RESTING_STEP_S",
    "SEAT_RADIUS_M",
    "SUPPORT_WITHIN_M",
    "half_heights",
    "half_widths",
    "have_tops",
    "measure_resting",
]

SUPPORT_WITHIN_M = 0.05
"""m up or down, and aside, within which a top is the support that a clip speaks of."""
SEAT_RADIUS_M = 0.3
"""m from the middle of a seat to its edge."""
BATCH_CELL_COUNT = 1 << 18
"""Props times moments that are posed at a time."""
RESTING_STEP_S = 0.25
"""s between two looks at props that rest."""
AFTER_CHANGE_S = 1e-6
"""s after a change at which it is looked at."""
RESTING_BATCH_CELL_COUNT = 1 << 16
"""Props times moments that are looked at at a time."""


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
    batch = max(BATCH_CELL_COUNT // max(len(take.props), 1), 1)
    for first in range(0, len(rest), batch):
        rows = rest[first : first + batch]
        things = prop_poses(take, times[rows])
        top = things.positions[..., 2] + half_heights(take, things.rotations)
        aside = np.linalg.norm(things.positions[..., :2] - places[rows, None], axis=-1)
        close = np.abs(top - heights[rows, None]) <= SUPPORT_WITHIN_M
        found[rows] = (things.present & close & (aside <= half_widths(take) + SUPPORT_WITHIN_M)).any(axis=1)
    return found


def half_heights(take: Take, rotations: Array) -> Array:
    """Return [..., P] m from the middle of props, turned by rotations [..., P, 4], to their highest point."""
    half = 0.5 * np.array([prop.size for prop in take.props]).reshape(-1, 3)
    up = np.abs(quat.rotate(quat.conjugate(rotations), np.array([0.0, 0.0, 1.0])))
    shapes = np.array([prop.shape for prop in take.props])
    box = (up * half).sum(axis=-1)
    tin = np.hypot(up[..., 0], up[..., 1]) * half[:, 0] + up[..., 2] * half[:, 2]
    return np.asarray(np.where(shapes == "sphere", half[:, 0], np.where(shapes == "cylinder", tin, box)))


def half_widths(take: Take) -> Array:
    """Return [P] m from the middle of props to the farthest of their points, along the floor at most."""
    half = 0.5 * np.array([prop.size for prop in take.props]).reshape(-1, 3)
    return np.linalg.norm(half, axis=1)


def measure_resting(take: Take, clock: AuditClock, props: IntArray, findings: Findings) -> None:
    """Measure by how much these props hang above their supports while no character holds them."""
    if not len(props):
        return
    a = take.attachments
    mine = np.isin(a.prop, props)
    changes = np.concatenate([a.start[mine], a.stop[mine]]) + AFTER_CHANGE_S
    looks = np.arange(clock.start, clock.stop, RESTING_STEP_S)
    times = np.unique(np.concatenate([looks, changes[(changes >= clock.start) & (changes <= clock.stop)]]))
    batch = max(RESTING_BATCH_CELL_COUNT // len(take.props), 1)
    for first in range(0, len(times), batch):
        _measure_hanging(take, times[first : first + batch], props, findings)


def _measure_hanging(take: Take, times: Array, props: IntArray, findings: Findings) -> None:
    things = prop_poses(take, times)
    free = things.present & ~_are_held(take, times)
    free[:, np.setdiff1d(np.arange(len(take.props)), props)] = False
    row, prop = np.nonzero(free)
    if not len(row):
        return
    at, wide = things.positions[row, prop], half_widths(take)
    tall = half_heights(take, things.rotations)
    low = at[:, 2] - tall[row, prop]
    gap = low - take.stage.floor(at[:, :2])[0]
    for obstacle in (*take.stage.still, *take.stage.moving):
        seen, base, top = obstacle.seen(at[:, :2], times[row])
        over = shapely.dwithin(shapely.points(seen), polygons.polygon(obstacle.polygon), wide[prop]) & (low >= base)
        gap = np.where(over, np.minimum(gap, low - top), gap)
    for seat in take.stage.seats:
        over = np.hypot(*(at[:, :2] - seat.place[:2]).T) <= SEAT_RADIUS_M + wide[prop]
        gap = np.where(over, np.minimum(gap, low - seat.height), gap)
    for other in range(len(take.props)):
        there = things.positions[row, other]
        bottom, top = there[:, 2] - tall[row, other], there[:, 2] + tall[row, other]
        over = np.hypot(*(at[:, :2] - there[:, :2]).T) <= wide[prop] + wide[other]
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


def _are_held(take: Take, times: Array) -> BoolArray:
    """Return [T, P] where a character holds a prop."""
    a = take.attachments
    held = np.flatnonzero(a.character >= 0)
    count = np.zeros((len(times) + 1, len(take.props)), np.int64)
    np.add.at(count, (np.searchsorted(times, a.start[held]), a.prop[held]), 1)
    np.add.at(count, (np.searchsorted(times, a.stop[held]), a.prop[held]), -1)
    return np.asarray(np.cumsum(count, axis=0)[:-1] > 0)
