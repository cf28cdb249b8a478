"""Edges of a graph of motion: what every kind of graph says of the motion between two of its nodes.

An edge starts at a node, stops at a node, lasts some seconds and displaces the body. That is all that walks, planning
and searches need; kinds of graphs add what they are made from. Metres, seconds, radians.
"""

from dataclasses import dataclass

from walkon._base.arrays import Array
from walkon._base.table import Column, Table, column

__all__ = ["Edges"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Edges(Table):
    """E edges, sorted by start."""

    start: Column = column("int32")
    stop: Column = column("int32")
    """Nodes."""
    duration: Column = column("float64")
    """s."""
    displacement: Column = column("float64", 4)
    """(Δx, Δy, Δheading, Δz): the pose at the stop as seen from the pose at the start; Δheading is wrapped to ±π."""
    labels: Column = column("int64")
    """Labels that some of its frames have: bit b is label b of the graph's library."""
    common: Column = column("int64")
    """Labels that all of its frames have: what decides whether an edge is "walk"."""

    @property
    def planar_displacement(self) -> Array:
        """[E, 3] (Δx, Δy, Δheading)."""
        moves: Array = self.displacement[:, :3]
        return moves
