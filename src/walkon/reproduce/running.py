"""Running a paper's experiments: all papers in the same way, row by row.

A plain call runs what a paper declares as quick, over one seed; a full one everything, over all seeds. One that is
named is run in any case.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module

from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce.experiment import Experiment, Paper, Trial
from walkon.reproduce.recordings import MotionSource
from walkon.reproduce.results import Reproduction, ResultRow

__all__ = ["PAPERS", "Progress", "Selection", "load_paper", "reproduce", "select_experiments"]

PAPERS = {
    "gleicher2003": "walkon.reproduce.gleicher2003",
    "kovar2002": "walkon.reproduce.kovar2002",
    "sung2005": "walkon.reproduce.sung2005",
}
"""Paper → module with its `PAPER`."""

Progress = Callable[[Experiment, float], None]
"""Is told the experiment that is run, and the share of it that is done: 0 before, 1 after, and in between."""


def load_paper(key: str) -> Paper:
    """Return the declaration of a paper."""
    if key not in PAPERS:
        raise UnknownName.among("paper", key, PAPERS)
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

    def run(self, progress: Progress | None = None) -> Iterator[ResultRow]:
        """Run the experiments one after the other; give each row as soon as it is there."""
        for experiment in self.experiments:
            trial = replace(self.trial, seeds=self.seeds_of(experiment))
            if progress:
                progress(experiment, 0.0)
                trial = replace(trial, progress=partial(progress, experiment))
            yield from experiment.run(trial)
            if progress:
                progress(experiment, 1.0)

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
    motion = MotionSource.find()
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
    progress: Progress | None = None,
) -> Reproduction:
    """Run one experiment of a paper, those of a plain call, or all (`full`), and return what came of them.

    For each row as it comes: `select_experiments(…).run()`.
    """
    selection = select_experiments(paper, experiment, full=full, pictures=pictures, seeds=seeds, search=search)
    return selection.gather(tuple(selection.run(progress)))
