"""Joint limits as a kernel reads them; see `walkon.motion.anatomy.limits`."""

from typing import Annotated, NamedTuple

from walkon._base.table import Column

__all__ = ["BALL", "HINGE", "LimitTables"]

HINGE, BALL = 0, 1
"""Kinds of limits."""


class LimitTables(NamedTuple):
    """The L limits of the joints of B bodies, one body after the other. Radians."""

    starts: Annotated[Column, "int64", 1]
    """[B + 1] first limit of each body."""
    joint: Annotated[Column, "int64", 1]
    """[L]."""
    kind: Annotated[Column, "int64", 1]
    """[L] `HINGE` or `BALL`."""
    centre: Annotated[Column, "float64", 2]
    """[L, 4] rotation from which the joint is seen."""
    axis: Annotated[Column, "float64", 2]
    """[L, 3] what the twist is about."""
    twist: Annotated[Column, "float64", 2]
    """[L, 2] low and high."""
    twist_middle: Annotated[Column, "float64", 2]
    """[L, 2] cosine and sine of half the middle of the twist's range."""
    twist_cosine: Annotated[Column, "float64", 1]
    """[L] squared cosine of a quarter of the twist's range."""
    swing_cosine: Annotated[Column, "float64", 1]
    """[L] squared cosine of half the swing that is within the limit whichever way it goes."""
    first: Annotated[Column, "float64", 2]
    """[L, 3] of balls, the first axis of the swing."""
    second: Annotated[Column, "float64", 2]
    """[L, 3] of balls, the second one."""
    first_range: Annotated[Column, "float64", 2]
    """[L, 2] of balls, how far it swings clockwise and counter-clockwise about the first; of hinges, the slack."""
    second_range: Annotated[Column, "float64", 2]
    """[L, 2] the same about the second."""
