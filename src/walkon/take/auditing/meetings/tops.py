"""Clearance of flesh above tops: obstacles (where they are then, if they move), seats and props, besides the floor.

The flesh is spheres. One rests on a top if its centre is above the underside of the thing and, seen from above, within
its own radius of the thing; its clearance is then the height of its lowest point over the top, 0 where it is lower.
Props count as upright round things about their middles, as for feet (`supports`). World frame, metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray
from walkon.geometry import polygons
from walkon.take.auditing.meetings.supports import SEAT_RADIUS_M, prop_extents, prop_middles
from walkon.take.posing.props import prop_poses
from walkon.take.take import Take

__all__ = ["clearance_above_tops"]

BATCH_CELL_COUNT = 1 << 18
"""Moments times props that are posed at a time."""


@polygons.one_thread_at_a_time
def clearance_above_tops(take: Take, spheres: Array, radii: Array, wanted: BoolArray, times: Array) -> Array:
    """Return [R] m from the wanted [R, S] spheres [R, S, 3] to the tops under them; infinite where there is none."""
    stage, clear = take.stage, np.full(len(spheres), np.inf)
    row, k = np.nonzero(wanted)
    if not len(row) or not (stage.obstacles or stage.leaves or stage.seats or take.props):
        return clear
    at, radius, when = spheres[row, k], radii[row, k], times[row]
    low = at[:, 2] - radius
    best = np.full(len(row), np.inf)

    def rest(over: BoolArray, top: Array) -> None:
        np.minimum(best, np.maximum(low - top, 0.0), out=best, where=over)

    for obstacle in (*stage.still, *stage.moving):
        seen, base, top = obstacle.seen(at[:, :2], when)
        corners = obstacle.polygon
        reach = radius[:, None]
        over = ((seen > corners.min(axis=0) - reach) & (seen < corners.max(axis=0) + reach)).all(axis=1)
        over &= at[:, 2] > base
        mine = np.flatnonzero(over)
        over[mine] = shapely.dwithin(shapely.points(seen[mine]), polygons.polygon(corners), radius[mine])
        rest(over, top)
    for seat in stage.seats:
        aside = np.hypot(*(at[:, :2] - seat.place[:2]).T)
        rest(aside <= SEAT_RADIUS_M + radius, np.full(len(row), seat.height))
    if take.props:
        batch = max(BATCH_CELL_COUNT // len(take.props), 1)
        moments, moment = np.unique(when, return_inverse=True)
        for first in range(0, len(moments), batch):
            mine = np.flatnonzero((moment >= first) & (moment < first + batch))
            things = prop_poses(take, moments[first : first + batch])
            below, above = prop_extents(take.props, things.rotations)
            middle, far = prop_middles(take.props, things)
            m = moment[mine] - first
            aside = np.linalg.norm(middle[m] - at[mine, None, :2], axis=-1)
            height = things.positions[m, :, 2]
            over = things.present[m] & (aside <= far + radius[mine, None])
            over &= at[mine, None, 2] > height + below[m]
            gap = np.where(over, np.maximum(low[mine, None] - height - above[m], 0.0), np.inf)
            best[mine] = np.minimum(best[mine], gap.min(axis=1))
    np.minimum.at(clear, row, best)
    return clear
