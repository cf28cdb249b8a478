"""Running a paper's experiments by name."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from walkon._base.errors import UnknownName
from walkon.reproduce.recordings import Motion
from walkon.reproduce.table import Reproduction, Row

__all__ = ["PAPERS", "Progress", "reproduce"]

PAPERS = {
    "gleicher2003": "walkon.reproduce.gleicher2003",
    "kovar2002": "walkon.reproduce.kovar2002",
    "sung2005": "walkon.reproduce.sung2005",
}
"""Paper → module with its TITLE and EXPERIMENTS."""

Progress = Callable[[int, int, str], None]


def reproduce(
    paper: str, experiment: str | None = None, *, pictures: bool = True, progress: Progress | None = None
) -> Reproduction:
    """Run one experiment of a paper, or all; `progress(done, total, name)` is called before each."""
    if paper not in PAPERS:
        raise UnknownName.among("paper", paper, PAPERS)
    module: Any = import_module(PAPERS[paper])
    if experiment is not None and experiment not in module.EXPERIMENTS:
        raise UnknownName.among(f"experiment of {paper}", experiment, module.EXPERIMENTS)
    names = [experiment] if experiment else list(module.EXPERIMENTS)
    motion = Motion.found()
    rows: list[Row] = []
    drawn: list[tuple[str, Any]] = []
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names), name)
        some, images = module.EXPERIMENTS[name](motion, pictures=pictures)
        rows += some
        drawn += images
    if progress:
        progress(len(names), len(names), "")
    return Reproduction(paper=paper, title=module.TITLE, motion=motion.words, rows=tuple(rows), pictures=tuple(drawn))
