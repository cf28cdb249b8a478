"""What a paper declares (its columns, its experiments, what each costs), and running its experiments, row by row.

An experiment is a generator of rows, so that each is shown as soon as it is there. It gets a `Trial`: with which
motion, over how many seeds, by which search. A plain call runs what a paper declares as quick, over one seed; a full
one everything, over all seeds. One that is named is run in any case. Its seconds are measured by `time_call`.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import ParamSpec, TypeVar

from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce.recordings import MotionSource, mocap_folder
from walkon.reproduce.results import Reproduction, ResultColumns, ResultRow

__all__ = [
    "PAPERS",
    "QUICK_BUDGET_S",
    "Experiment",
    "Paper",
    "Progress",
    "Selection",
    "Trial",
    "load_paper",
    "reproduce",
    "select_experiments",
    "time_call",
]

P = ParamSpec("P")
T = TypeVar("T")
QUICK_BUDGET_S = 120.0
"""Within which a plain call answers on a quiet machine with two processors."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How an experiment is run."""

    motion: MotionSource
    pictures: bool = True
    """Whether rows are drawn."""
    seeds: int = 1
    """Over how many seeds, where chance is in it."""
    search: str = "default"
    """Whose search: `default`, or `paper` for the paper's own values."""
    progress: Callable[[float], None] = lambda share: None
    """Called with the share of the experiment that is done, 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One experiment of a paper."""

    key: str
    title: str
    """What is done, in a few words."""
    run: Callable[[Trial], Iterator[ResultRow]]
    """Gives its rows one by one."""
    cost_s: float
    """Seconds that it takes over one seed, on a quiet machine with two processors and kernels compiled."""
    quick: bool = True
    """Run by a plain call; the others are left to a full one."""
    full_seeds: int = 1
    """Seeds of a full run; a plain one has one."""
    captured: bool = False
    """Nothing but captured motion serves."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper whose experiments are run again; keys of experiments are unique."""

    key: str
    title: str
    columns: ResultColumns
    experiments: tuple[Experiment, ...]
    options: tuple[str, ...] = ()
    """What may be chosen: seeds, search."""
    motion: str = ""
    """Which motion serves, where that does not depend on what is here."""

    def __post_init__(self) -> None:
        if len(set(self.keys)) < len(self.keys):
            raise InvalidValue(f"experiments of {self.key} have a key of their own each, got {', '.join(self.keys)}")
        if (needed := self.quick_s) > QUICK_BUDGET_S:
            raise InvalidValue(
                f"a plain call of {self.key} takes {needed:g} s; at most {QUICK_BUDGET_S:g} s are allowed"
            )

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its experiments, in order."""
        return tuple(experiment.key for experiment in self.experiments)

    @property
    def quick_s(self) -> float:
        """Seconds that a plain call takes, by what experiments declare."""
        return sum(experiment.cost_s for experiment in self.experiments if experiment.quick)

    def __getitem__(self, key: str) -> Experiment:
        """Return the experiment of this key."""
        UnknownName.check(f"experiment of {self.key}", key, self.keys)
        return self.experiments[self.keys.index(key)]


PAPERS = {
    "gleicher2003": "walkon.reproduce.gleicher2003",
    "kovar2002": "walkon.reproduce.kovar2002",
    "sung2005": "walkon.reproduce.sung2005",
}
"""Paper → module with its `PAPER`."""

Progress = Callable[[Experiment, float], None]
"""Called with the experiment that is run, and the share of it that is done: 0 before, 1 after, and in between."""


def load_paper(key: str) -> Paper:
    """Return the declaration of a paper."""
    UnknownName.check("paper", key, PAPERS)
    paper: Paper = import_module(PAPERS[key]).PAPER
    return paper


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which experiments of a paper are run, and how."""

    paper: Paper
    experiments: tuple[Experiment, ...]
    not_run: tuple[Experiment, ...]
    """Left to a full run, because they take long."""
    trial: Trial
    full: bool = False
    seeds: int | None = None
    """Over how many seeds; None: as each experiment declares."""

    @property
    def motion(self) -> str:
        """Which motion is used."""
        return self.paper.motion or self.trial.motion.words

    def seeds_of(self, experiment: Experiment) -> int:
        """Return over how many seeds an experiment is run."""
        return self.seeds or (experiment.full_seeds if self.full else 1)

    def cost_s(self, experiment: Experiment) -> float:
        """Return about how many seconds an experiment takes on a quiet machine with two processors."""
        return experiment.cost_s * self.seeds_of(experiment)

    def run(self, progress: Progress = lambda experiment, share: None) -> Iterator[ResultRow]:
        """Run the experiments one after the other; give each row as soon as it is there."""
        for experiment in self.experiments:
            report = partial(progress, experiment)
            report(0.0)
            yield from experiment.run(replace(self.trial, seeds=self.seeds_of(experiment), progress=report))
            report(1.0)

    def gather(self, rows: tuple[ResultRow, ...]) -> Reproduction:
        """Return the rows with what belongs to all of them."""
        return Reproduction(
            paper=self.paper.key,
            title=self.paper.title,
            motion=self.motion,
            columns=self.paper.columns,
            rows=rows,
            not_run=tuple(experiment.key for experiment in self.not_run),
        )


def select_experiments(
    paper: str,
    experiment: str | None = None,
    *,
    full: bool = False,
    pictures: bool = True,
    seeds: int | None = None,
    search: str | None = None,
) -> Selection:
    """Choose one experiment of a paper, those of a plain call, or all (`full`); nothing is run yet.

    `seeds` (how many times each is run) and `search` (`default` or `paper`) are for papers that know of them.
    """
    declared = load_paper(paper)
    motion = MotionSource(folder=mocap_folder())
    for name, value in (("seeds", seeds), ("search", search)):
        if value is not None and name not in declared.options:
            raise InvalidValue(f"the experiments of {paper} have no {name} to choose; leave it out")
    if seeds is not None and seeds < 1:
        raise InvalidValue(f"an experiment is run over at least 1 seed, got {seeds}")
    if experiment is not None:
        chosen = [declared[experiment]]
        if chosen[0].captured and motion.folder is None:
            raise InvalidValue(f"{experiment} needs the CMU clips: set WALKON_MOCAP to the folder with manifest.csv")
    else:
        chosen = [one for one in declared.experiments if motion.folder is not None or not one.captured]
    left = () if experiment or full else tuple(one for one in chosen if not one.quick)
    return Selection(
        paper=declared,
        experiments=tuple(one for one in chosen if one not in left),
        not_run=left,
        trial=Trial(motion=motion, pictures=pictures, search=search or "default"),
        full=full,
        seeds=seeds,
    )


def reproduce(
    paper: str,
    experiment: str | None = None,
    *,
    full: bool = False,
    pictures: bool = True,
    seeds: int | None = None,
    search: str | None = None,
    progress: Progress = lambda experiment, share: None,
) -> Reproduction:
    """Run one experiment of a paper, those of a plain call, or all (`full`), and return what came of them.

    For each row as it comes: `select_experiments(…).run()`.
    """
    selection = select_experiments(paper, experiment, full=full, pictures=pictures, seeds=seeds, search=search)
    return selection.gather(tuple(selection.run(progress)))


def time_call(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, float]:
    """Return what a function gives for these arguments, and the seconds that it took.

    Nothing that graphs are built, searched, played and posed with is compiled or loaded within them.
    """
    from walkon.geometry import _path_kernels as _progress  # noqa: F401
    from walkon.graphs import _distance_kernels  # noqa: F401
    from walkon.graphs.snap_together.playing import _play_kernels  # noqa: F401
    from walkon.synthesis import _path_kernels  # noqa: F401
    from walkon.take.posing import _kernels  # noqa: F401

    begun = time.perf_counter()
    made = work(*args, **kwargs)
    return made, time.perf_counter() - begun
