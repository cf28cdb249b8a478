"""The clips of a graph's edges as the playing kernel reads them. Metres, seconds."""

from typing import NamedTuple

from walkon._base.arrays import Array, IntArray

__all__ = ["EdgeMotion"]


class EdgeMotion(NamedTuple):
    """The clips of E edges, end to end."""

    starts: IntArray
    stops: IntArray
    roots: Array
    rotations: Array
    fps: float
