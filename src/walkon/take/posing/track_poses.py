"""Tracks read, any number of them at once: compiled, and in plain NumPy as one reads it. Metres, seconds."""

from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Column
from walkon.take.storing.rotations48 import unpack
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["read_tracks", "track_poses"]


def read_tracks(take: "Take", rows: Column, clock: Array) -> Array:
    """Return the poses [n, 7] of tracks [n] at seconds [n] of their clocks, in their own worlds; compiled."""
    from walkon.take.posing import _track_kernels

    poses = np.empty((len(rows), 7))
    if len(rows):
        tables = take.tracks.group, take.track_knots.group, take.track_turns.group
        _track_kernels.read_tracks(*tables, rows.astype(np.int64), np.ascontiguousarray(clock), poses)
    return poses


def track_poses(take: "Take", rows: IntArray, clock: Array) -> tuple[Array, Array]:
    """Return places [n, 3] and rotations [n, 4] of tracks [n] at seconds [n] of their clocks, in their own worlds."""
    tracks, knots = take.tracks.rows(rows), take.track_knots
    x = clock / tracks.tick
    low = np.empty(len(tracks), np.int64)
    for row in np.unique(rows).tolist():
        mine, (first, stop) = rows == row, take.tracks.knots[row].tolist()
        low[mine] = np.maximum(first + np.searchsorted(knots.step[first:stop], x[mine], side="right") - 1, first)
    high = np.minimum(low + 1, tracks.knots[:, 1] - 1)
    span = knots.step[high].astype(np.float64) - knots.step[low]
    u = np.clip((x - knots.step[low]) / np.where(span > 0, span, 1.0), 0.0, 1.0) * (span > 0)
    w, grain = u[:, None], tracks.grain.astype(np.float64)[:, None]
    a, b = grain * knots.place[low], grain * knots.place[high]
    speed = tracks.speed_grain.astype(np.float64)[:, None]
    pace = (span * tracks.tick)[:, None] * speed
    curved = (1 + 2 * w) * (1 - w) ** 2 * a + w**2 * (3 - 2 * w) * b
    curved = curved + pace * (w * (1 - w) ** 2 * knots.velocity[low] - w**2 * (1 - w) * knots.velocity[high])
    places = tracks.origin + np.where(speed > 0, curved, (1 - w) * a + w * b)
    heading = knots.heading * (np.pi / 32768)
    rotations = quat.turn(heading[low] + u * angles.wrap(heading[high] - heading[low]))
    turned = np.flatnonzero(tracks.turns[:, 1] > tracks.turns[:, 0])
    shift = tracks.turns[turned, 0] - tracks.knots[turned, 0]
    one, two = (unpack(take.track_turns.rotation[knot[turned] + shift]) for knot in (low, high))
    two = np.where(np.sum(one * two, axis=1, keepdims=True) < 0, -two, two)
    rotations[turned] = quat.normalize((1 - w[turned]) * one + w[turned] * two)
    return places, rotations
