"""Houses: rooms in a grid, with doors in the walls between neighbours. Metres.

Room (c, f) is column c along x and floor f along y of the plan, counted from the lower left one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.reproduce.sung2005.building import WALL, rectangle, wall
from walkon.stage import Door, Obstacle, Stage

__all__ = ["Doorway", "House"]

Room = tuple[int, int]


class Doorway(NamedTuple):
    """A gap in the wall between two neighbouring rooms."""

    a: Room
    b: Room
    part: float = 0.5
    """Where its middle is along the wall, from 0 to 1."""
    width: float = 1.2


@dataclass(frozen=True, kw_only=True)
class House:
    """A grid of rooms of one size."""

    columns: int
    floors: int
    size: tuple[float, float]
    """m along x and y from wall to wall, their middles."""
    doorways: tuple[Doorway, ...]

    def __post_init__(self) -> None:
        for door in self.doorways:
            apart = abs(door.a[0] - door.b[0]) + abs(door.a[1] - door.b[1])
            inside = all(0 <= c < self.columns and 0 <= f < self.floors for c, f in (door.a, door.b))
            if apart != 1 or not inside:
                raise InvalidValue(f"a door joins two neighbouring rooms of the house, got {door.a} and {door.b}")

    @property
    def bounds(self) -> Array:
        """[4, 2] the outer walls' inner faces."""
        far = np.array([self.columns, self.floors]) * self.size - WALL / 2
        return rectangle((WALL / 2, WALL / 2), far)

    def room(self, room: Room, *, margin: float = 0.0) -> Array:
        """Return the corners [4, 2] of a room's floor, less a margin."""
        low = np.array(room) * self.size + WALL / 2 + margin
        return rectangle(low, low + np.array(self.size) - WALL - 2 * margin)

    def middle(self, room: Room) -> Array:
        """Return the middle [2] of a room."""
        return np.asarray((np.array(room) + 0.5) * self.size)

    def door_place(self, door: Doorway) -> Array:
        """Return the middle [2] of a doorway."""
        axis = 0 if door.a[0] != door.b[0] else 1
        place = np.array(self.middle(door.a))
        place[axis] = max(door.a[axis], door.b[axis]) * self.size[axis]
        place[1 - axis] = (door.a[1 - axis] + door.part) * self.size[1 - axis]
        return place

    def walls(self) -> list[Obstacle]:
        """Return all walls, the outer ones too."""
        gaps: dict[tuple[str, int], list[tuple[float, float]]] = {}
        for door in self.doorways:
            upright = door.a[0] != door.b[0]
            line = max(door.a[0], door.b[0]) if upright else max(door.a[1], door.b[1])
            along = float(self.door_place(door)[1 if upright else 0])
            gaps.setdefault(("y" if upright else "x", line), []).append(
                (along - door.width / 2, along + door.width / 2)
            )
        far = (self.columns * self.size[0], self.floors * self.size[1])
        pieces = []
        lines: tuple[tuple[str, int, float, float], ...] = (
            ("y", self.columns, self.size[0], far[1]),
            ("x", self.floors, self.size[1], far[0]),
        )
        for direction, count, step, length in lines:
            for line in range(count + 1):
                name = f"wall {direction}{line}"
                span = (-WALL / 2, length + WALL / 2)
                pieces += wall(
                    name, at=line * step, along=direction, span=span, openings=gaps.get((direction, line), ())
                )
        return pieces

    def doors(self) -> list[Door]:
        """Return the doorways as doors."""
        found = []
        for k, door in enumerate(self.doorways):
            aside = (0.0, door.width / 2) if door.a[0] != door.b[0] else (door.width / 2, 0.0)
            middle = self.door_place(door)
            found.append(Door(name=f"door {k + 1}", ends=np.array([middle - aside, middle + aside])))
        return found

    def stage(self, furniture: Sequence[Obstacle] = ()) -> Stage:
        """Return the house as a stage, with things in it."""
        return Stage(bounds=self.bounds, obstacles=(*self.walls(), *furniture), doors=tuple(self.doors()))
