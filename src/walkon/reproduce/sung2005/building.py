"""Walls, furniture, houses and pairings that several of the paper's scenes are made of. Metres, radians.

A house has rooms in a grid, with doors in the walls between neighbours. Room (c, f) is column c along x and floor f
along y of the plan, counted from the lower left one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.stage import Door, Obstacle, Stage

__all__ = [
    "WALL_THICKNESS_M",
    "Doorway",
    "House",
    "block",
    "column",
    "pair_goals",
    "rectangle",
    "towards",
    "wall",
    "wall_openings",
]

WALL_THICKNESS_M, WALL_HEIGHT_M = 0.2, 2.6
"""Thickness and height of a wall."""


def rectangle(low: Sequence[float] | Array, high: Sequence[float] | Array) -> Array:
    """Return the corners [4, 2] of a rectangle along the axes, counter-clockwise."""
    return np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])


def block(name: str, *, low: Sequence[float], high: Sequence[float], height: float) -> Obstacle:
    """Return a box that stands on the floor, its sides along the axes."""
    return Obstacle(name=name, polygon=rectangle(low, high), height=height)


def column(name: str, middle: Sequence[float], *, radius: float, height: float = WALL_HEIGHT_M) -> Obstacle:
    """Return a round pillar or table, as a polygon around it."""
    turns = 2 * np.pi * np.arange(16) / 16
    rim = radius / np.cos(np.pi / 16) * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    return Obstacle(name=name, polygon=np.asarray(middle) + rim, height=height)


def wall(
    name: str, *, at: float, along: str, span: tuple[float, float], openings: Iterable[tuple[float, float]] = ()
) -> list[Obstacle]:
    """Return the pieces of a wall at x = `at` along y (or at y, along x) over a span, with gaps (from, to) in it."""
    edges = [span[0], *(edge for gap in sorted(openings) for edge in gap), span[1]]
    pieces = []
    for k, (low, high) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        if high - low < 1e-6:
            continue
        corners = ((at - WALL_THICKNESS_M / 2, low), (at + WALL_THICKNESS_M / 2, high))
        if along == "x":
            corners = ((low, at - WALL_THICKNESS_M / 2), (high, at + WALL_THICKNESS_M / 2))
        pieces.append(block(f"{name} {k + 1}", low=corners[0], high=corners[1], height=WALL_HEIGHT_M))
    return pieces


def wall_openings(
    names: Iterable[str], *, at: float, along: str, openings: Iterable[tuple[float, float]]
) -> Iterator[Door]:
    """Return the openings of a wall as doors."""
    for name, (low, high) in zip(names, openings, strict=True):
        ends = np.array([[at, low], [at, high]])
        yield Door(name=name, ends=ends if along == "y" else ends[:, ::-1])


def towards(starts: Array, goals: Array) -> Array:
    """Return headings [N] from places [N, 2] to others."""
    way = goals - starts
    return np.arctan2(way[:, 1], way[:, 0])


def pair_goals(starts: Array, goals: Array, *, far: float, spread: float, rng: np.random.Generator) -> IntArray:
    """Return [N] a goal for each start, each used once, by chance among those whose ways are about `far` long.

    Ways within `spread` metres of `far` cost a random number; others more the farther they are off.
    """
    off = np.maximum(np.abs(cdist(starts, goals) - far) - spread, 0.0)
    return np.asarray(linear_sum_assignment(rng.random(off.shape) + 20.0 * off**2 + 3.0 * off)[1])


Room = tuple[int, int]


class Doorway(NamedTuple):
    """A gap in the wall between two neighbouring rooms."""

    a: Room
    b: Room
    part: float = 0.5
    """Where its middle is along the wall, from 0 to 1."""
    width: float = 1.2

    @property
    def wall(self) -> tuple[int, int]:
        """The wall that it is in: across x (0) or y (1), and the wall's number in that direction."""
        axis = 0 if self.a[0] != self.b[0] else 1
        return axis, max(self.a[axis], self.b[axis])


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
    def rooms(self) -> list[Room]:
        """All rooms, floor by floor."""
        return [(c, f) for f in range(self.floors) for c in range(self.columns)]

    @property
    def bounds(self) -> Array:
        """[4, 2] the outer walls' inner faces."""
        return rectangle(
            (WALL_THICKNESS_M / 2, WALL_THICKNESS_M / 2),
            np.array([self.columns, self.floors]) * self.size - WALL_THICKNESS_M / 2,
        )

    def room(self, room: Room, *, margin: float = 0.0) -> Array:
        """Return the corners [4, 2] of a room's floor, less a margin."""
        low = np.array(room) * self.size + WALL_THICKNESS_M / 2 + margin
        return rectangle(low, low + np.array(self.size) - WALL_THICKNESS_M - 2 * margin)

    def middle(self, room: Room) -> Array:
        """Return the middle [2] of a room."""
        return np.asarray((np.array(room) + 0.5) * self.size)

    def door_place(self, door: Doorway) -> Array:
        """Return the middle [2] of a doorway."""
        axis, line = door.wall
        place = np.array(self.middle(door.a))
        place[axis] = line * self.size[axis]
        place[1 - axis] = (door.a[1 - axis] + door.part) * self.size[1 - axis]
        return place

    def walls(self) -> Iterator[Obstacle]:
        """Return all walls, the outer ones too."""
        counts = (self.columns, self.floors)
        for axis, along in enumerate("yx"):
            span = (-WALL_THICKNESS_M / 2, counts[1 - axis] * self.size[1 - axis] + WALL_THICKNESS_M / 2)
            for line in range(counts[axis] + 1):
                doors = [door for door in self.doorways if door.wall == (axis, line)]
                openings = [tuple(self.ends(door)[:, 1 - axis].tolist()) for door in doors]
                at = line * self.size[axis]
                yield from wall(f"wall {along}{line}", at=at, along=along, span=span, openings=openings)

    def ends(self, door: Doorway) -> Array:
        """Return the ends [2, 2] of a doorway."""
        aside = (0.0, door.width / 2) if door.wall[0] == 0 else (door.width / 2, 0.0)
        return np.array([self.door_place(door) - aside, self.door_place(door) + aside])

    def stage(self, furniture: Sequence[Obstacle] = ()) -> Stage:
        """Return the house as a stage, with things in it."""
        doors = tuple(Door(name=f"door {k + 1}", ends=self.ends(door)) for k, door in enumerate(self.doorways))
        return Stage(bounds=self.bounds, obstacles=(*self.walls(), *furniture), doors=doors)
