"""Agents: the running crowd as one table, a disc with a velocity per row: what ways and steering read and return.

Rows are in no order that means anything: `ids` say who is who and are never used again after an agent has left,
and permuting rows permutes every result. World frame, metres, seconds, radians.
"""

from dataclasses import dataclass

import numpy as np

from walkon._base.errors import InvalidValue
from walkon._base.table import Column, Table, column

__all__ = ["NOBODY", "Agents"]

NOBODY = -1
"""A goal or group that an agent does not have."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Agents(Table):
    """N agents at one moment."""

    ids: Column = column("int64")
    """Unique, and never given to another agent."""
    places: Column = column("float64", 3)
    """m, on the floor under the root; z distinguishes storeys."""
    velocities: Column = column("float64", 2)
    """m/s along the floor."""
    headings: Column = column("float64")
    """rad, the way the body faces, which need not be the way it goes."""
    radii: Column = column("float64")
    """m, of the disc that the body needs (`motion.footprint`)."""
    speeds: Column = column("float64")
    """m/s at which it likes to go."""
    top_speeds: Column = column("float64")
    """m/s that it can go at most."""
    goals: Column = column("int64")
    """Row of a table of goals; −1 for none."""
    groups: Column = column("int64")
    """Number of the group to which it belongs; −1 for none."""
    levels: Column = column("int8")
    """Level of detail, 0 the finest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        known, counts = np.unique(self.ids, return_counts=True)
        if (counts > 1).any():
            raise InvalidValue(f"agent {known[counts > 1][0]} is there twice; every id belongs to one agent")
        for name in ("radii", "speeds", "top_speeds"):
            if (getattr(self, name) < 0).any():
                raise InvalidValue(f"{name} of agents must be 0 or more, got {getattr(self, name).min():g}")

    def rows_of(self, ids: Column) -> Column:
        """Return the rows [K] of agents with these ids [K], −1 for those that are not there."""
        order = np.argsort(self.ids)
        at = np.searchsorted(self.ids, ids, sorter=order)
        found = np.append(order, NOBODY)[at]
        return np.where(np.append(self.ids, NOBODY)[found] == ids, found, NOBODY)
