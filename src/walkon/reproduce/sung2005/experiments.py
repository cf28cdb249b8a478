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

On the built-in library; some are also run on CMU subject 143 where its clips are here (`captured`). The paper prints
figures 11 and 12 as curves without numbers. What the text says of them is checked and told: time per character rises at
small spacings, and falls with ε, less and less.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from walkon.drawing.picture import Image
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.reproduce.recordings import Motion
from walkon.reproduce.sung2005 import boxes, captured, grids, open_floor, rooms, theatre
from walkon.reproduce.sung2005.performing import Run, perform_scene, warmed_up
from walkon.reproduce.sung2005.pictures import draw_curve, draw_moment, draw_ways
from walkon.reproduce.sung2005.rows import row_of
from walkon.reproduce.table import Row
from walkon.script import Scene
from walkon.synthesis.goal_directed.search_rule import SearchRule

__all__ = ["EXPERIMENTS", "MOTION", "OPTIONS", "SCENES", "TITLE", "TOLERANCES", "tolerant"]

TITLE = "Fast and accurate goal-directed motion synthesis for crowds (Sung, Kovar, Gleicher 2005)"
MOTION = "the built-in library unless a row says otherwise"
OPTIONS = ("seeds", "search", "progress")
"""What `walkon.reproduce.reproduce` may pass on."""
SEEDS, CURVE_SEEDS, CAPTURED_SEEDS, LARGE_SEEDS = 5, 1, 1, 1
"""Seeds: of Table 1's experiments, of a point of a curve, on captured motion (at most), of 10,000 people."""
TOLERANCES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
"""ε of figure 12 in cm/s, which is degrees/s and 1/30 s per s; the paper's experiments have 2."""
Results = tuple[list[Row], list[tuple[str, Image]]]
Progress = Callable[[float], None]

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


def tolerant(search: str, epsilon: float) -> SearchRule:
    """Return a rule with another tolerance, in cm/s = degrees/s = 1/30 s per s."""
    return replace(
        SearchRule.named(search), position=0.01 * epsilon, facing=float(np.deg2rad(epsilon)), time=epsilon / 30
    )


def _table_1(
    name: str,
    motion: Motion,
    *,
    pictures: bool = True,
    seeds: int | None = None,
    search: str = "default",
    progress: Progress | None = None,
) -> Results:
    """Run one of `SCENES` over some seeds."""
    what, build = SCENES[name]
    count = seeds or (LARGE_SEEDS if name == "grid_10k" else SEEDS)
    warmed_up()
    runs = []
    for seed in range(count):
        runs.append(_run(build(seed=seed), seed=seed, search=search, source=seed == 0, keep=pictures and seed == 0))
        if progress:
            progress((seed + 1) / count)
    rows = [row_of(name, runs, what=what + _searched(search), published=name)]
    images = _drawn(name, runs[0]) if pictures else []
    graph = captured.captured_graph(motion) if name in captured.ALLOWED else None
    if graph is not None:
        more = [
            perform_scene(captured.slowed(build(seed=seed)), seed=seed, graph=graph, search=search, source=seed == 0)
            for seed in range(min(count, CAPTURED_SEEDS))
        ]
        rows.append(row_of(f"{name} CMU", more, what=captured.WORDS + _searched(search)))
    return rows, images


def _figure_11(
    motion: Motion,
    *,
    pictures: bool = True,
    seeds: int | None = None,
    search: str = "default",
    progress: Progress | None = None,
) -> Results:
    """Run 300 people on grids of every spacing."""
    del motion
    warmed_up()
    rows: list[Row] = []
    for spacing in grids.SPACINGS:
        runs = [
            _run(grids.experiment_6(300, spacing=spacing, seed=seed), seed=seed, search=search, audit=False)
            for seed in range(seeds or CURVE_SEEDS)
        ]
        rows.append(row_of("fig11", runs, what=f"300 people on a grid of {spacing:g} m" + _searched(search)))
        if progress:
            progress(len(rows) / len(grids.SPACINGS))
    rows = _with_note(rows, "at smaller spacings it takes longer")
    if not pictures:
        return rows, []
    curve = draw_curve(rows, grids.SPACINGS, label="m between people", title="Figure 11: 300 people on a grid")
    return rows, [("sung2005-fig11", curve)]


def _figure_12(
    motion: Motion,
    *,
    pictures: bool = True,
    seeds: int | None = None,
    search: str = "default",
    progress: Progress | None = None,
) -> Results:
    """Run scene 2 with every tolerance."""
    del motion
    warmed_up()
    rows: list[Row] = []
    for epsilon in TOLERANCES:
        rule = tolerant(search, epsilon)
        runs = [
            _run(open_floor.experiment_2(seed=seed), seed=seed, search=rule, audit=False)
            for seed in range(seeds or CURVE_SEEDS)
        ]
        rows.append(row_of("fig12", runs, what=f"70 people spell SCA, ε = {epsilon:g} cm/s" + _searched(search)))
        if progress:
            progress(len(rows) / len(TOLERANCES))
    rows = _with_note(rows, "the larger ε, the sooner it is found, with less and less to gain")
    if not pictures:
        return rows, []
    curve = draw_curve(
        rows, TOLERANCES, label="ε, cm/s = degrees/s = 1/30 s per s", title="Figure 12: 70 people spell SCA"
    )
    return rows, [("sung2005-fig12", curve)]


def _run(scene: Scene, *, seed: int, search: str | SearchRule, **options: bool) -> Run:
    return perform_scene(scene, seed=seed, graph=builtin_snap_graph(), search=search, **options)


def _drawn(name: str, run: Run) -> list[tuple[str, Image]]:
    assert run.take is not None
    return [
        (f"sung2005-{name}-ways", draw_ways(run.scene, run.take)),
        (f"sung2005-{name}", draw_moment(run.take, name)),
    ]


def _searched(search: str) -> str:
    return "" if search == "default" else f", search as in the {search}"


def _falls(rows: Sequence[Row]) -> bool:
    """Say whether time per character falls from the first row to the last, and most of it early."""
    first, middle, last = (rows[k].mean_synthesis_s or 0.0 for k in (0, len(rows) // 2, -1))
    return first > middle and first - middle > abs(middle - last)


def _with_note(rows: list[Row], claim: str) -> list[Row]:
    note = f"the text says: {claim}; our curve {'shows' if _falls(rows) else 'does not show'} it"
    return [*rows[:-1], replace(rows[-1], notes=(*rows[-1].notes, note))]


EXPERIMENTS: dict[str, Callable[..., Results]] = {
    **{name: partial(_table_1, name) for name in ("1", "2", "3", "4", "5", "6a", "6b")},
    "fig11": _figure_11,
    "fig12": _figure_12,
    **{name: partial(_table_1, name) for name in ("rooms", "grid_10k")},
}
