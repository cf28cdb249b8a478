"""Prisms on tracks: where what moves on a stage is at given times, and the world as it is seen from there.

What moves is a polygon with an underside and a top, all in the frame of its track. With the pose (x, y, heading, z) of
that frame, turned about the vertical only,

    world point = R(heading) p + (x, y),     underside and top = base + z, height + z                               (1)

Before its first and after its last knot it stays. How far a point is from it is asked in its own frame, where the
polygon stands still: any number of points, each at a time of its own, at once. World frame, metres, seconds, radians.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.transforms import planar

__all__ = ["PlacedPrism", "frames_at", "place_prism", "require_track", "seen_from"]


class PlacedPrism(NamedTuple):
    """A prism at T times."""

    polygons: Array
    """[T, K, 2] metres."""
    bases: Array
    """[T] metres of its underside."""
    heights: Array
    """[T] metres of its top."""


def require_track(track: Track, whose: str) -> Track:
    """Return the track of something on a stage, with headings; those of its way where it has none."""
    if len(track) < 2:
        raise InvalidValue(
            f"the track of {whose} has one knot and needs at least two; leave it out for what stands still"
        )
    if track.rotations is not None:
        raise InvalidValue(f"the track of {whose} turns it about the vertical only; give headings, not quaternions")
    return track.with_headings()


def frames_at(track: Track | None, times: ArrayLike) -> Array:
    """Return the poses [..., 4] = (x, y, heading, z) of a track's frame at times [...]; the world's own without one."""
    if track is None:
        return np.zeros((*np.shape(times), 4))
    poses = track.at(times)
    return poses if poses.shape[-1] == 4 else planar.with_height(poses)


def place_prism(polygon: Array, *, base: float, height: float, frames: Array) -> PlacedPrism:
    """Return a prism over a polygon [K, 2] in frames [T, 4], eq. (1)."""
    return PlacedPrism(planar.apply(frames[:, None], polygon), base + frames[:, 3], height + frames[:, 3])


def seen_from(frames: Array, points: ArrayLike) -> Array:
    """Return ground points [..., 2] of the world as they are in frames [..., 4]: what undoes eq. (1)."""
    turn = np.zeros((*frames.shape[:-1], 3))
    turn[..., 2] = -frames[..., 2]
    return planar.apply(turn, np.asarray(points, dtype=np.float64) - frames[..., :2])
