"""Experiment 6 of Sung 2005: people on a grid who go to the same grid, moved on; with figure 11's spacings.

Each goes to a place a little off its own on the moved grid (figure 10). Targets are a permutation, and near enough to
one's own that all ways are about equally long, and cross. The grid is moved by 30 m, 25.9 s of a usual walk, whatever
its spacing: in figure 11 only the spacing changes.
"""

from math import inf

import numpy as np

from walkon._base.arrays import BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.reproduce.sung2005.building import towards
from walkon.reproduce.sung2005.open_floor import crowd_of
from walkon.reproduce.sung2005.published import TABLE_1
from walkon.script import Mark, Scene

__all__ = ["SHAPES", "SPACINGS", "experiment_6", "grid_targets"]

AHEAD = 30.0
"""m by which the grid is moved on."""
SHAPES = {300: (15, 20), 500: (10, 50), 10_000: (50, 200)}
"""People → rows along the way, and across it. The first two end before the moved grid begins."""
SPACINGS = (1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
"""m between people in figure 11."""
ASIDE, ONWARDS = 2, 3.0
"""Cells aside, and metres ahead or back, by which a target is off at most."""
EARLY, LATE = 0.87, 1.13
"""Shares of Table 1's duration between which people arrive."""
ROUNDS = 6


def experiment_6(count: int = 300, *, spacing: float = 2.0, seed: int = 0) -> Scene:
    """Return 300, 500 or 10,000 people on a grid who go to a grid 30 m on."""
    if count not in SHAPES:
        raise InvalidValue(f"there are grids of {', '.join(map(str, SHAPES))} people, got {count}")
    if not spacing > 0:
        raise InvalidValue(f"people of a grid stand over 0 m apart, got {spacing} m")
    rng = np.random.default_rng([seed, 6])
    deep, wide = SHAPES[count]
    cell = np.stack(np.meshgrid(np.arange(deep), np.arange(wide), indexing="ij"), axis=-1).reshape(-1, 2)
    starts = spacing * (cell - (np.array([deep, wide]) - 1) / 2)
    goals = starts[grid_targets(deep, wide, ahead=int(ONWARDS / spacing), aside=ASIDE, rng=rng)] + (AHEAD, 0.0)
    usual = TABLE_1["6b" if count == 500 else "6a"].duration_s
    window = (EARLY * usual, LATE * usual)
    marks = [Mark(name="place", position=(x, y), pose="stand", window=window, hold=inf) for x, y in goals.tolist()]
    title = f"{count} people on a grid of {spacing:g} m go on by {AHEAD:g} m"
    return crowd_of(title, starts=starts, headings=towards(starts, goals), marks=marks, seed=seed)


def grid_targets(deep: int, wide: int, *, ahead: int, aside: int, rng: np.random.Generator) -> IntArray:
    """Return a permutation [deep · wide] of a grid's cells, row by row, that moves none farther than asked, in cells.

    Neighbours change places by lot, every other pair and then the pairs between, along both ways, for some rounds; a
    change that would take somebody too far from home is left out.
    """
    home = np.arange(deep * wide).reshape(deep, wide)
    who = home.copy()
    row, place = np.indices(who.shape)
    for _ in range(ROUNDS):
        for axis, first in ((0, 0), (1, 0), (0, 1), (1, 1)):
            low = np.arange(first, who.shape[axis] - 1, 2)
            here, there = np.take(who, low, axis), np.take(who, low + 1, axis)
            cells = [tuple(np.take(index, low + k, axis) for index in (row, place)) for k in (0, 1)]
            fine = _within(here, cells[1], wide, ahead, aside) & _within(there, cells[0], wide, ahead, aside)
            swaps = fine & (rng.random(here.shape) < 0.5)
            who[cells[0]], who[cells[1]] = np.where(swaps, there, here), np.where(swaps, here, there)
    goals = np.empty(deep * wide, np.int64)
    goals[who.ravel()] = home.ravel()
    return goals


def _within(who: IntArray, cell: tuple[IntArray, ...], wide: int, ahead: int, aside: int) -> BoolArray:
    return np.asarray((np.abs(who // wide - cell[0]) <= ahead) & (np.abs(who % wide - cell[1]) <= aside))
