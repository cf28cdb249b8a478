"""Resting props: whether what nobody holds lies on something, or hangs in the air.

With z₀ the lowest point of a prop and [b, h] the underside and top of what its middle is over (or beside, by no more
than its own size), the prop hangs by max(z₀ − h, 0) above whatever has b ≤ z₀; the floor is always below. Counted are
obstacles, seats and other props. Looked at when anything about a prop changes and every `LOOK` seconds. Metres.
"""

from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.geometry import polygons
from walkon.take.auditing.findings import Findings
from walkon.take.auditing.reposing import Clock
from walkon.take.auditing.supports import SEAT, half_heights, half_widths
from walkon.take.posing.props import prop_poses
from walkon.take.take import Take

__all__ = ["LOOK", "measure_resting"]

LOOK = 0.25
"""s between two looks at props that rest."""
SINCE = 1e-6
"""s after a change at which it is looked at."""
CELLS = 1 << 16
"""Props times moments that are looked at at a time."""


def measure_resting(take: Take, clock: Clock, props: IntArray, findings: Findings) -> None:
    """Measure by how much these props hang above their supports while nobody holds them."""
    if not len(props):
        return
    a = take.attachments
    mine = np.isin(a.prop, props)
    changes = np.concatenate([a.start[mine], a.stop[mine]]) + SINCE
    looks = np.arange(clock.start, clock.stop, LOOK)
    times = np.unique(np.concatenate([looks, changes[(changes >= clock.start) & (changes <= clock.stop)]]))
    batch = max(CELLS // len(take.props), 1)
    for first in range(0, len(times), batch):
        _hanging(take, times[first : first + batch], props, findings)


def _hanging(take: Take, times: Array, props: IntArray, findings: Findings) -> None:
    things = prop_poses(take, times)
    free = things.present & ~_in_hands(take, times)
    free[:, np.setdiff1d(np.arange(len(take.props)), props)] = False
    row, prop = np.nonzero(free)
    if not len(row):
        return
    at, wide = things.positions[row, prop], half_widths(take)
    tall = half_heights(take, things.rotations)
    low = at[:, 2] - tall[row, prop]
    gap = low - take.stage.floor(at[:, :2])[0]
    points = shapely.points(at[:, :2])
    for obstacle in take.stage.obstacles:
        over = shapely.dwithin(points, polygons.polygon(obstacle.polygon), wide[prop]) & (low >= obstacle.base)
        gap = np.where(over, np.minimum(gap, low - obstacle.height), gap)
    for seat in take.stage.seats:
        over = np.hypot(*(at[:, :2] - seat.place[:2]).T) <= SEAT + wide[prop]
        gap = np.where(over, np.minimum(gap, low - seat.height), gap)
    for other in range(len(take.props)):
        there = things.positions[row, other]
        bottom, top = there[:, 2] - tall[row, other], there[:, 2] + tall[row, other]
        over = np.hypot(*(at[:, :2] - there[:, :2]).T) <= wide[prop] + wide[other]
        over &= (prop != other) & things.present[row, other] & (bottom < low)
        gap = np.where(over, np.minimum(gap, low - top), gap)
    gap = np.maximum(gap, 0.0)

    def words(i: int) -> tuple[str, str]:
        name = take.props[prop[i]].name
        return name, f"{name!r} hangs in the air, {gap[i] * 100:.1f} cm above what is under it"

    findings.offer(
        "props.max_unsupported_m",
        gap,
        who=np.full(len(row), -1),
        times=times[row],
        places=at,
        least=1e-3,
        words=words,
    )


def _in_hands(take: Take, times: Array) -> BoolArray:
    """Return [T, P] where somebody holds a prop."""
    a = take.attachments
    held = np.flatnonzero(a.character >= 0)
    count = np.zeros((len(times) + 1, len(take.props)), np.int64)
    np.add.at(count, (np.searchsorted(times, a.start[held]), a.prop[held]), 1)
    np.add.at(count, (np.searchsorted(times, a.stop[held]), a.prop[held]), -1)
    flags: Any = np.cumsum(count, axis=0)[:-1] > 0
    return np.asarray(flags)
