"""The experiments of Sung 2005, section 4, run again: Table 1, figures 11 and 12, and two scenes beyond the paper.

| experiment | scene |
|---|---|
| 1 | 20 people arrive at one instant in given configurations |
| 2 | 70 spell SCA |
| 3 | one goes through rooms to lift a box |
| 4 | 40 take their seats in a theatre |
| 5 | 20 fetch a box each and return to their seats |
| 6a, 6b | 300 and 500 on a grid of 2 m |
| fig11 | 300 on grids of 1.25 to 5 m |
| fig12 | scene 2 with other tolerances ε |
| rooms | 40 sent at once through 1 m doors; not in the paper |
| grid_10k | 10,000 on a grid of 2 m; not in the paper |

The paper prints figures 11 and 12 as curves without numbers. What the text says of them is checked and told: time per
character rises at small spacings, and falls with ε, less and less.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from walkon.drawing.picture import Image
from walkon.reproduce.recordings import Motion
from walkon.reproduce.sung2005 import boxes, grids, open_floor, rooms, theatre
from walkon.reproduce.sung2005.performing import perform_scene, row_of, warmed_up
from walkon.reproduce.table import Row
from walkon.script import Scene

__all__ = ["EXPERIMENTS", "SCENES", "TITLE", "TOLERANCES"]

TITLE = "Fast and accurate goal-directed motion synthesis for crowds (Sung, Kovar, Gleicher 2005)"
SEEDS = 5
TOLERANCES = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0)
"""ε of figure 12, in multiples of the paper's 1 cm/s = 1 degree/s = 1/30 s per s."""
Results = tuple[list[Row], list[tuple[str, Image]]]

SCENES: dict[str, tuple[str, Callable[..., Scene]]] = {
    "1": ("20 people arrive at one instant in given configurations", open_floor.experiment_1),
    "2": ("70 people spell SCA", open_floor.experiment_2),
    "3": ("one goes through 12 rooms among others to lift a box", rooms.experiment_3),
    "4": ("40 people take their seats in a theatre", theatre.experiment_4),
    "5": ("20 people fetch a box each and return to their seats", boxes.experiment_5),
    "6a": ("300 people on a grid of 2 m", partial(grids.experiment_6, 300)),
    "6b": ("500 people on a grid of 2 m", partial(grids.experiment_6, 500)),
    "rooms": ("40 people sent at once through 1 m doors", rooms.rooms_crowd),
    "grid_10k": ("10,000 people on a grid of 2 m", partial(grids.experiment_6, 10_000)),
}
"""Experiment → what it is, and the function of a seed that builds its scene."""


def _table_1(name: str, motion: Motion, *, pictures: bool = True, seeds: int = SEEDS, **options: Any) -> Results:
    """Run one of `SCENES` over some seeds."""
    del motion, pictures
    what, build = SCENES[name]
    warmed_up(build)
    runs = [perform_scene(build(seed=seed), seed=seed, **options) for seed in range(seeds)]
    return [row_of(name, runs, what=what, published=name)], []


def _figure_11(motion: Motion, *, pictures: bool = True, seeds: int = 1) -> Results:
    """Run 300 people on grids of every spacing."""
    del motion, pictures
    warmed_up(SCENES["6a"][1])
    rows = []
    for spacing in grids.SPACINGS:
        runs = [
            perform_scene(grids.experiment_6(300, spacing=spacing, seed=seed), seed=seed, audit=False)
            for seed in range(seeds)
        ]
        rows.append(row_of("fig11", runs, what=f"300 people on a grid of {spacing:g} m"))
    return _with_note(rows, "at small spacings it takes longer", _falls(rows)), []


def _figure_12(motion: Motion, *, pictures: bool = True, seeds: int = 1) -> Results:
    """Run scene 2 with every tolerance."""
    del motion, pictures
    warmed_up(open_floor.experiment_2)
    rows = []
    for times in TOLERANCES:
        runs = [
            perform_scene(open_floor.experiment_2(seed=seed), seed=seed, audit=False, tolerance=times)
            for seed in range(seeds)
        ]
        rows.append(row_of("fig12", runs, what=f"70 people spell SCA, ε = {times:g} cm/s"))
    return _with_note(rows, "the larger ε, the sooner it is found, with less and less to gain", _falls(rows)), []


def _falls(rows: Sequence[Row]) -> bool:
    """Say whether time per character falls from the first row to the last, and most of it early."""
    first, middle, last = (rows[k].mean_synthesis_s or 0.0 for k in (0, len(rows) // 2, -1))
    return first > middle and first - middle > abs(middle - last)


def _with_note(rows: list[Row], claim: str, shown: bool) -> list[Row]:
    note = f"the text says: {claim}; our curve {'shows' if shown else 'does not show'} it"
    return [*rows[:-1], replace(rows[-1], notes=(*rows[-1].notes, note))]


EXPERIMENTS: dict[str, Callable[..., Results]] = {
    **{name: partial(_table_1, name) for name in ("1", "2", "3", "4", "5", "6a", "6b")},
    "fig11": _figure_11,
    "fig12": _figure_12,
    **{name: partial(_table_1, name) for name in ("rooms", "grid_10k")},
}
