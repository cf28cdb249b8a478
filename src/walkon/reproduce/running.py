"""Running a paper's experiments by name."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce.recordings import Motion
from walkon.reproduce.table import Reproduction, Row

__all__ = ["PAPERS", "Progress", "reproduce"]

PAPERS = {
    "gleicher2003": "walkon.reproduce.gleicher2003",
    "kovar2002": "walkon.reproduce.kovar2002",
    "sung2005": "walkon.reproduce.sung2005",
}
"""Paper → module with its TITLE and EXPERIMENTS."""

Progress = Callable[[float, int, str], None]


def reproduce(
    paper: str,
    experiment: str | None = None,
    *,
    pictures: bool = True,
    seeds: int | None = None,
    search: str | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run one experiment of a paper, or all; `progress(done, total, name)` is called before each, and in between.

    `seeds` (how many times each is run) and `search` (`default` or `paper`) are for papers that know of them.
    """
    if paper not in PAPERS:
        raise UnknownName.among("paper", paper, PAPERS)
    module: Any = import_module(PAPERS[paper])
    if experiment is not None and experiment not in module.EXPERIMENTS:
        raise UnknownName.among(f"experiment of {paper}", experiment, module.EXPERIMENTS)
    names = [experiment] if experiment else list(module.EXPERIMENTS)
    known = getattr(module, "OPTIONS", ())
    options = {name: value for name, value in (("seeds", seeds), ("search", search)) if value is not None}
    for name in options:
        if name not in known:
            raise InvalidValue(f"the experiments of {paper} have no {name} to choose; leave it out")
    if seeds is not None and seeds < 1:
        raise InvalidValue(f"an experiment is run over at least 1 seed, got {seeds}")
    motion = Motion.found()
    rows: list[Row] = []
    drawn: list[tuple[str, Any]] = []
    for done, name in enumerate(names):
        told: dict[str, Any] = dict(options)
        if progress:
            progress(done, len(names), name)
            if "progress" in known:
                told["progress"] = partial(_within, progress, done, len(names), name)
        some, images = module.EXPERIMENTS[name](motion, pictures=pictures, **told)
        rows += some
        drawn += images
    if progress:
        progress(len(names), len(names), "")
    words = module.MOTION if hasattr(module, "MOTION") else motion.words
    return Reproduction(paper=paper, title=module.TITLE, motion=words, rows=tuple(rows), pictures=tuple(drawn))


def _within(progress: Progress, done: int, total: int, name: str, share: float) -> None:
    progress(done + share, total, name)
