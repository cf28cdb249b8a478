"""Tracks of a scene file: knots of what moves, and of doors that open. Metres, seconds, radians."""

from collections.abc import Sequence

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.io.scenes.floor_reading import height_at
from walkon.io.scenes.records import Fields
from walkon.stage import Floor

__all__ = ["read_opening", "read_track"]


def read_track(knots: Sequence[Fields], *, floor: Floor, z: float | None = None, above: float = 0.0) -> Track:
    """Return the track of knots {at, place, facing, velocity}; without z, places are `above` m over the floor there.

    Of several floors it is the one nearest to `z`.

    Facings, velocities and z are given at all knots or at none.
    """
    places = _all_or_none(knots, "place")
    assert places is not None  # the key is needed
    if places.shape[1] == 2 and (above or floor.level != 0.0):
        heights = [above + height_at(floor, tuple(place), z, "a knot of the track", within=np.inf) for place in places]
        places = np.column_stack([places, heights])
    velocities = _all_or_none(knots, "velocity")
    if velocities is not None and velocities.shape[1] < places.shape[1]:
        velocities = np.column_stack([velocities, np.zeros(len(velocities))])
    if velocities is not None and velocities.shape[1] > places.shape[1]:
        raise InvalidValue("velocities of a track have z where its places have none; give places as [x, y, z]")
    facings = _all_or_none(knots, "facing")
    times = np.array([knot["at"] for knot in knots])
    return Track(times=times, places=places, headings=facings, velocities=velocities)


def read_opening(knots: Sequence[Fields]) -> Track:
    """Return the track of a door from knots {at, open}: angles about its hinge."""
    angles, times = np.array([knot["open"] for knot in knots]), np.array([knot["at"] for knot in knots])
    for turn, since, until in zip(np.diff(angles), times, times[1:], strict=False):
        if abs(turn) >= np.pi:
            raise InvalidValue(
                f"a door turns by less than half a turn from knot to knot, got {np.rad2deg(turn):g} degrees from "
                f"{since:g} to {until:g} s; add a knot between them"
            )
    return Track(times=times, places=np.zeros((len(knots), 2)), headings=angles)


def _all_or_none(knots: Sequence[Fields], key: str) -> Array | None:
    given = [knot[key] for knot in knots if key in knot]
    if not given:
        return None
    if len(given) < len(knots):
        raise InvalidValue(
            f"{len(given)} of {len(knots)} knots of a track have the key {key!r}; give it at all or none"
        )
    if len({np.size(value) for value in given}) > 1:
        raise InvalidValue(f"some knots of a track have a {key} with z and some without; give it at all or none")
    return np.array(given, dtype=np.float64)
