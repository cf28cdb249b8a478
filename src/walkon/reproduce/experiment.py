"""What a paper declares: its columns, its experiments, what each costs, and which of them a plain call runs.

An experiment is a generator of rows, so that each is told as soon as it is there. It gets a `Trial`: with which motion,
over how many seeds, by which search.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce.recordings import MotionSource
from walkon.reproduce.results import ResultColumns, ResultRow

__all__ = ["QUICK_BUDGET_S", "Experiment", "Paper", "Trial"]

QUICK_BUDGET_S = 120.0
"""Within which a plain call answers on a quiet machine with two processors."""


def _ignore(share: float) -> None:
    del share


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
    progress: Callable[[float], None] = _ignore
    """Is told the share of the experiment that is done, 0 to 1."""


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
        if key not in self.keys:
            raise UnknownName.among(f"experiment of {self.key}", key, self.keys)
        return self.experiments[self.keys.index(key)]
