"""Walls, furniture and pairings that several of the paper's scenes are made of. Metres, radians."""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from walkon._base.arrays import Array, IntArray
from walkon.stage import Door, Obstacle

__all__ = ["WALL", "block", "column", "paired", "rectangle", "towards", "wall", "wall_openings"]

WALL, HIGH = 0.2, 2.6
"""Thickness and height of a wall."""


def rectangle(low: Sequence[float] | Array, high: Sequence[float] | Array) -> Array:
    """Return the corners [4, 2] of a rectangle along the axes, counter-clockwise."""
    return np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])


def block(name: str, *, low: Sequence[float], high: Sequence[float], height: float) -> Obstacle:
    """Return a box that stands on the floor, its sides along the axes."""
    return Obstacle(name=name, polygon=rectangle(low, high), height=height)


def column(name: str, middle: Sequence[float], *, radius: float, height: float = HIGH) -> Obstacle:
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
        corners = ((at - WALL / 2, low), (at + WALL / 2, high))
        if along == "x":
            corners = ((low, at - WALL / 2), (high, at + WALL / 2))
        pieces.append(block(f"{name} {k + 1}", low=corners[0], high=corners[1], height=HIGH))
    return pieces


def wall_openings(
    names: Iterable[str], *, at: float, along: str, openings: Iterable[tuple[float, float]]
) -> list[Door]:
    """Return the openings of a wall as doors."""
    found = []
    for name, (low, high) in zip(names, openings, strict=True):
        ends = np.array([[at, low], [at, high]])
        found.append(Door(name=name, ends=ends if along == "y" else ends[:, ::-1]))
    return found


def towards(starts: Array, goals: Array) -> Array:
    """Return headings [N] from places [N, 2] to others."""
    way = goals - starts
    return np.arctan2(way[:, 1], way[:, 0])


def paired(starts: Array, goals: Array, *, far: float, spread: float, rng: np.random.Generator) -> IntArray:
    """Return [N] a goal for each start, each used once, by chance among those whose ways are about `far` long.

    Ways within `spread` metres of `far` cost a random number; others more the farther they are off.
    """
    off = np.maximum(np.abs(cdist(starts, goals) - far) - spread, 0.0)
    cost = rng.random(off.shape) + 20.0 * off**2 + 3.0 * off
    return np.asarray(linear_sum_assignment(cost)[1])
