"""Supports: what a stage has to stand on or to put things on, besides its floor.

Tops of obstacles, seats and props. A clip may say that a foot stands on something 40 cm high; whether there is such a
thing is for the stage to say. World frame, metres.
"""

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, BoolArray
from walkon.geometry import polygons
from walkon.take.posing.props import prop_poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["SEAT", "WITHIN", "Supports", "half_heights", "half_widths"]

WITHIN = 0.05
"""m up or down, and aside, within which a top is the support that a clip speaks of."""
SEAT = 0.3
"""m from the middle of a seat to its edge."""
CELLS = 1 << 18
"""Props times moments that are posed at a time."""


class Supports:
    """The tops of one take."""

    def __init__(self, take: Take) -> None:
        self.take = take
        self._areas = [polygons.polygon(obstacle.polygon) for obstacle in take.stage.obstacles]

    def have(self, places: Array, heights: Array, times: Array) -> BoolArray:
        """Return [M] whether there is a top at places [M, 2] of about these heights [M] m at times [M] s."""
        found = np.zeros(len(places), bool)
        if not len(places):
            return found
        points = shapely.points(places)
        for obstacle, area in zip(self.take.stage.obstacles, self._areas, strict=True):
            close = np.abs(obstacle.height - heights) <= WITHIN
            found[close] |= shapely.dwithin(points[close], area, WITHIN)
        for seat in self.take.stage.seats:
            aside = np.hypot(*(places - seat.place[:2]).T)
            found |= (np.abs(seat.height - heights) <= WITHIN) & (aside <= SEAT + WITHIN)
        rest = np.flatnonzero(~found) if self.take.props else np.zeros(0, np.int64)
        batch = max(CELLS // max(len(self.take.props), 1), 1)
        for first in range(0, len(rest), batch):
            rows = rest[first : first + batch]
            things = prop_poses(self.take, times[rows])
            top = things.positions[..., 2] + half_heights(self.take, things.rotations)
            aside = np.linalg.norm(things.positions[..., :2] - places[rows, None], axis=-1)
            close = np.abs(top - heights[rows, None]) <= WITHIN
            found[rows] = (things.present & close & (aside <= half_widths(self.take) + WITHIN)).any(axis=1)
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
