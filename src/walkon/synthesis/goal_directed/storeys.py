"""Who is on another floor: of all who are where when, those that somebody on its way cannot meet.

Planning is in the ground plane; heights follow from the floor. Somebody who walks along a way would be at the place of
a disc of another on the floor that is nearest to its way's height there. Two who would then be more than
`MAX_MEETING_RISE_M` apart in height do not meet, and the disc is left out before anything is planned. Where no floors
lie above each other nobody is left out, and nothing is looked at. World frame, metres, seconds.
"""

import numpy as np
from scipy.spatial import cKDTree

from walkon._base.arrays import Array, IntArray
from walkon.graphs.walk import Walk
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.planning.occupancy import BIN_S, Occupancy, Occupants
from walkon.stage.floor import Floor
from walkon.synthesis.goal_directed.plan_graph import PlanGraph
from walkon.synthesis.goal_directed.reservations import places_at
from walkon.synthesis.goal_directed.route import Route

__all__ = ["MEETING_RISE_SPARE_M", "heights_at", "others_on_the_way", "route_places"]

MEETING_RISE_SPARE_M = 1e-6
"""m more than `MAX_MEETING_RISE_M` from which on two do not meet: heights are differences."""


def others_on_the_way(occupancy: Occupancy, floor: Floor, way: Array | None, *, since: float) -> Occupants:
    """Return those who may be met from a second on by somebody along a way [K, 3]; None: floors lie side by side."""
    if way is None:
        return occupancy
    rows, heights = occupancy.heights(first=int(np.floor(since / BIN_S)) - 1)
    if not len(rows):
        return occupancy
    entries = occupancy.entries
    places = np.column_stack([entries.x[rows], entries.y[rows]]).astype(np.float64)
    _, nearest = cKDTree(way[:, :2]).query(places)
    mine = floor(places, near=way[nearest, 2]).heights
    mine = np.where(np.isfinite(mine), mine, way[nearest, 2])
    apart = np.abs(mine - heights) > MAX_MEETING_RISE_M + MEETING_RISE_SPARE_M
    return occupancy.without(rows[apart]) if apart.any() else occupancy


def route_places(graph: PlanGraph, route: Route, floor: Floor, *, near: float, until: float) -> tuple[Array, Array]:
    """Return times [n], every bin, and places [n, 3] of a route's root with its floor's height.

    It begins on the floor nearest to a height (m; NaN: the highest) and stays at its end `until` some second.
    """
    walk = Walk.joined(route.walks) if route.walks else None
    last = route.time if route.gone else max(until, route.time)
    times = np.append(BIN_S * np.arange(np.ceil(route.enters / BIN_S), np.floor(last / BIN_S) + 1), last)
    points = np.broadcast_to(route.pose[:2], (len(times), 2)).copy()
    if walk is not None:
        walked = times < walk.stop[-1]
        points[walked] = places_at(graph, walk, times[walked])[0][:, :2]
    return times, np.column_stack([points, floor.follow(points, np.zeros(1, np.int64), np.array([near]))])


def heights_at(times: Array, places: Array, bins: Array | IntArray) -> Array:
    """Return the heights [n] at bins [n] of places [T, 3] at times [T]."""
    at = np.searchsorted(times, BIN_S * bins - 1e-6)
    return np.asarray(places[np.minimum(at, len(times) - 1), 2])
