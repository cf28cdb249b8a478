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
| captured | 1, 2, 4 and 6a on CMU subject 143, where its clips are here |
| grid_10k | 10,000 on a grid of 2 m; not in the paper |

All but `captured` are on the built-in library. A plain call leaves out what takes long. The paper prints figures 11 and
12 as curves without numbers. What the text says of them is checked and reported: time per character rises at small
spacings, and falls with ε, less and less.

The paper's scenes on captured motion are those of CMU subject 143, everyday clips of one person and their mirror
images. What the clips allow: a stroll at 0.65 m/s between two hubs, some 10 edges each way, nearly all straight on or
an about-face; two short ways into standing and two out of it, one long rest, sitting down and rising. So the scenes are
asked for with twice the time. Nobody of 143 lifts or carries in an edge: the clips with a box and a basket (143_11,
143_13) neither begin nor end like the others, so experiments 3 and 5 are not run, and 6b would be 6a again. His clips
have no label for standing, so that marks are asked for without that pose; people stand all the same. Metres, seconds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from walkon.capture.recordings import find_recordings
from walkon.graphs.snap_together import SnapGraph, build_connected_graph, builtin_snap_graph
from walkon.reproduce.experiment import Experiment, Paper, Trial
from walkon.reproduce.recordings import MotionSource
from walkon.reproduce.results import ResultRow
from walkon.reproduce.sung2005 import boxes, open_floor, rooms, theatre
from walkon.reproduce.sung2005.columns import COLUMNS
from walkon.reproduce.sung2005.performing import Run, ensure_compiled, perform_scene, row_of
from walkon.reproduce.sung2005.pictures import draw_curve, draw_moment, draw_ways
from walkon.script import Mark, Scene
from walkon.synthesis.goal_directed.search_rule import SearchRule

__all__ = [
    "CAPTURED_EXPERIMENTS",
    "PAPER",
    "SCENES",
    "SUBJECT",
    "TOLERANCES_CM_S",
    "captured_graph",
    "search_with_tolerance",
    "slow_down",
]

SUBJECT = "143"
CAPTURED_EXPERIMENTS = ("1", "2", "4", "6a")
"""Experiments for which the graph has motion."""
STROLL_TIME_RATIO = 2.0
"""Times as long."""
STROLL_SPEED_M_S = 0.62
"""m/s that he walks."""


@lru_cache(maxsize=1)
def captured_graph(folder: Path) -> SnapGraph:
    """Return the graph of subject 143 with mirror images."""
    names = [entry.name for entry in find_recordings(folder) if entry.name.split("_")[0] == SUBJECT]
    return build_connected_graph(MotionSource(folder=folder).clips(names))


def slow_down(scene: Scene) -> Scene:
    """Return a scene for people who stroll: all windows later and longer."""

    def later(mark: Mark) -> Mark:
        window = (
            None if mark.window is None else (STROLL_TIME_RATIO * mark.window[0], STROLL_TIME_RATIO * mark.window[1])
        )
        return replace(mark, window=window, pose=None if mark.pose == "stand" else mark.pose)

    people = [
        replace(one, speed=STROLL_SPEED_M_S, marks=tuple(later(mark) for mark in one.marks)) for one in scene.characters
    ]
    return replace(scene, characters=tuple(people))


TABLE_SEED_COUNT = 5
"""Seeds of Table 1's experiments in a full run."""
TOLERANCES_CM_S = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
"""ε of figure 12 in cm/s, which is degrees/s and 1/30 s per s; the paper's experiments have 2."""

SCENES: dict[str, tuple[str, Callable[..., Scene]]] = {
    "1": ("20 people arrive at one instant in given configurations", open_floor.experiment_1),
    "2": ("70 people spell SCA", open_floor.experiment_2),
    "3": ("one goes through 12 rooms among others to lift a box", rooms.experiment_3),
    "4": ("40 people take their seats in a theatre", theatre.experiment_4),
    "5": ("20 people fetch a box each and return to their seats", boxes.experiment_5),
    "6a": ("300 people on a grid of 2 m", partial(open_floor.experiment_6, 300)),
    "6b": ("500 people on a grid of 2 m", partial(open_floor.experiment_6, 500)),
    "rooms": ("40 people sent at once through 1 m doors", rooms.rooms_crowd),
    "grid_10k": ("10,000 people on a grid of 2 m", partial(open_floor.experiment_6, 10_000)),
}
"""Experiment → what it is, and the function of a seed that builds its scene."""


def search_with_tolerance(search: str, epsilon: float) -> SearchRule:
    """Return a rule with another tolerance, in cm/s = degrees/s = 1/30 s per s."""
    return replace(
        SearchRule.named(search), position=0.01 * epsilon, facing=float(np.deg2rad(epsilon)), time=epsilon / 30
    )


def _perform(name: str, trial: Trial) -> Iterator[ResultRow]:
    """Run one of `SCENES` over some seeds."""
    what, build = SCENES[name]
    ensure_compiled()
    runs = []
    for seed in range(trial.seeds):
        first = seed == 0
        runs.append(_run(build(seed=seed), seed=seed, search=trial.search, source=first, keep=trial.pictures and first))
        trial.progress((seed + 1) / trial.seeds)
    row = row_of(name, runs, what=what + _search_words(trial.search), published=name)
    if (take := runs[0].take) is not None:
        ways, moment = draw_ways(runs[0].scene, take), draw_moment(take, name)
        row = replace(row, pictures=((f"sung2005-{name}-ways", ways), (f"sung2005-{name}", moment)))
    yield row


def _perform_captured(trial: Trial) -> Iterator[ResultRow]:
    """Run on captured motion what it has motion for, over one seed."""
    graph = None if trial.motion.folder is None else captured_graph(trial.motion.folder)
    ensure_compiled()
    for done, name in enumerate(CAPTURED_EXPERIMENTS, 1):
        run = perform_scene(slow_down(SCENES[name][1](seed=0)), seed=0, graph=graph, search=trial.search, source=True)
        trial.progress(done / len(CAPTURED_EXPERIMENTS))
        what = f"experiment {name} on CMU subject {SUBJECT}, with twice the time"
        yield row_of("captured", [run], part=name, what=what + _search_words(trial.search))


def _figure_11(trial: Trial) -> Iterator[ResultRow]:
    """Run 300 people on grids of every spacing."""
    return _vary(
        trial,
        "fig11",
        open_floor.GRID_SPACINGS_M,
        scene=lambda spacing, seed: open_floor.experiment_6(300, spacing=spacing, seed=seed),
        search=lambda _: trial.search,
        part="{:g} m",
        what="300 people on a grid of {:g} m",
        claim="at smaller spacings it takes longer",
        label="m between people",
        title="Figure 11: 300 people on a grid",
    )


def _figure_12(trial: Trial) -> Iterator[ResultRow]:
    """Run scene 2 with every tolerance."""
    return _vary(
        trial,
        "fig12",
        TOLERANCES_CM_S,
        scene=lambda _, seed: open_floor.experiment_2(seed=seed),
        search=lambda epsilon: search_with_tolerance(trial.search, epsilon),
        part="ε {:g}",
        what="70 people spell SCA, ε = {:g} cm/s",
        claim="the larger ε, the sooner it is found, with less and less to gain",
        label="ε, cm/s = degrees/s = 1/30 s per s",
        title="Figure 12: 70 people spell SCA",
    )


def _vary(
    trial: Trial,
    name: str,
    points: Sequence[float],
    *,
    scene: Callable[[float, int], Scene],
    search: Callable[[float], str | SearchRule],
    part: str,
    what: str,
    claim: str,
    label: str,
    title: str,
) -> Iterator[ResultRow]:
    """Run a scene at every point of a curve; the last row tells whether the curve is as the text says, and draws it."""
    ensure_compiled()
    rows: list[ResultRow] = []
    for point in points:
        runs = [_run(scene(point, seed), seed=seed, search=search(point), audit=False) for seed in range(trial.seeds)]
        words = what.format(point) + _search_words(trial.search)
        rows.append(row_of(name, runs, part=part.format(point), what=words))
        trial.progress(len(rows) / len(points))
        if len(rows) < len(points):
            yield rows[-1]
    curve = ((f"sung2005-{name}", draw_curve(rows, points, label=label, title=title)),) if trial.pictures else ()
    yield replace(rows[-1], notes=(*rows[-1].notes, _judge_curve(rows, claim)), pictures=curve)


def _run(scene: Scene, *, seed: int, search: str | SearchRule, **options: bool) -> Run:
    return perform_scene(scene, seed=seed, graph=builtin_snap_graph(), search=search, **options)


def _search_words(search: str) -> str:
    return "" if search == "default" else f", search as in the {search}"


def _judge_curve(rows: Sequence[ResultRow], claim: str) -> str:
    """Tell whether time per character falls from the first row to the last, and most of it early."""
    first, middle, last = (rows[k].ours("mean_synthesis_s") or 0.0 for k in (0, len(rows) // 2, -1))
    falls = first > middle and first - middle > abs(middle - last)
    return f"the text says: {claim}; our curve {'shows' if falls else 'does not show'} it"


def _scene_experiment(
    name: str, cost_s: float, *, quick: bool = True, full_seeds: int = TABLE_SEED_COUNT
) -> Experiment:
    """Declare one of `SCENES` as an experiment."""
    run, title = partial(_perform, name), SCENES[name][0]
    return Experiment(key=name, title=title, run=run, cost_s=cost_s, quick=quick, full_seeds=full_seeds)


PAPER = Paper(
    key="sung2005",
    title="Fast and accurate goal-directed motion synthesis for crowds (Sung, Kovar, Gleicher 2005)",
    columns=COLUMNS,
    motion="the built-in library unless a row says otherwise",
    options=("seeds", "search"),
    experiments=(
        _scene_experiment("1", 6.0),
        _scene_experiment("2", 6.0),
        _scene_experiment("3", 9.0),
        _scene_experiment("4", 12.0),
        _scene_experiment("5", 8.0),
        _scene_experiment("6a", 15.0),
        _scene_experiment("6b", 20.0),
        Experiment(key="fig11", title="300 people at seven spacings", run=_figure_11, cost_s=220.0, quick=False),
        Experiment(key="fig12", title="70 people at seven tolerances", run=_figure_12, cost_s=20.0, quick=False),
        _scene_experiment("rooms", 15.0),
        Experiment(
            key="captured",
            title=f"{', '.join(CAPTURED_EXPERIMENTS)} on CMU subject {SUBJECT}",
            run=_perform_captured,
            cost_s=250.0,
            quick=False,
            captured=True,
        ),
        _scene_experiment("grid_10k", 300.0, quick=False, full_seeds=1),
    ),
)
