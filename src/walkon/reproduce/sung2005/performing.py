"""Performing a scene of the paper over some seeds, and what comes of it.

Times are per character of the experiment: seeds, search and collisions, on one worker. A small scene is performed
before, unmeasured, so that nothing is compiled or loaded within the times. Durations run from when somebody enters to
when the last mark is met. Seconds, metres.
"""

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.crowd import perform
from walkon.graphs.snap_together import SnapGraph
from walkon.reproduce.sung2005.rooms import rooms_crowd
from walkon.script import Scene
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.take.tables import MEANT
from walkon.take.take import Take

__all__ = ["Run", "ensure_compiled", "perform_scene"]

AUDITED = 30.0
"""Frames per second at which crowds of more than `LARGE` are audited; others at their own 60."""
LARGE = 150


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """One performance, as far as the experiment's own people go."""

    scene: Scene
    take: Take | None
    """None where it was not kept."""
    durations: Array
    """[N] s; of those who met all their marks."""
    planning: Array
    """[N] s for each character."""
    met: int
    """How many met all their marks."""
    unmet: tuple[str, ...]
    """Who did not, which mark and why: the first of each."""
    replanned: int
    roadmap_s: float
    writing_s: float
    elapsed_s: float
    """From scene to take: posing and writing too."""
    stretched: float
    """s per s by which motion is hurried or slowed at most."""
    tried: int
    """Pairs of motions that searches looked at."""
    audit: Any
    """Figures of the posed take; None if it was not asked for."""
    source: Any
    """The same figures of the library's clips; None if they were not asked for."""


def perform_scene(
    scene: Scene,
    *,
    seed: int,
    graph: SnapGraph | None = None,
    search: str | SearchRule = "default",
    workers: int = 1,
    audit: bool = True,
    source: bool = False,
    keep: bool = False,
) -> Run:
    """Perform a scene. Left out of the figures: who has no marks, or is of the group "others".

    `source` audits the library's clips as well, `keep` keeps the take.
    """
    begun = time.perf_counter()
    made = perform(scene, seed=seed, graph=graph, search=search, workers=workers)
    elapsed = time.perf_counter() - begun
    own = np.array([bool(c.marks) and c.group != "others" for c in scene.characters])
    row = {c.name: k for k, c in enumerate(scene.characters)}
    missed: dict[str, str] = {}
    for name, mark, reason in made.unmet:
        if own[row[name]]:
            missed.setdefault(name, f"{mark}: {reason}")
    marks = made.take.marks
    meant = (marks.asks & MEANT) > 0
    last = np.full(len(row), np.nan)
    np.fmax.at(last, marks.character[meant], marks.met[meant])
    enters = np.array([c.enters for c in scene.characters])
    good = own & np.array([name not in missed for name in row])
    fps = AUDITED if len(row) > LARGE else None
    found = made.take.audit(fps=fps, source=source) if audit else None
    return Run(
        scene=scene,
        take=made.take if keep else None,
        durations=(last - enters)[good],
        planning=np.asarray(made.planning_s)[own],
        met=int(good.sum()),
        unmet=tuple(f"{name}, {why}" for name, why in missed.items()),
        replanned=int(made.replanned),
        roadmap_s=float(made.roadmap_s),
        writing_s=float(made.writing_s),
        elapsed_s=elapsed,
        stretched=float(made.adjustment[2]),
        tried=int(made.tried),
        audit=None if found is None else found.figures,
        source=None if found is None or not source else found.source,
    )


@lru_cache(maxsize=1)
def ensure_compiled() -> None:
    """Perform a small scene once in a process, unmeasured."""
    perform(rooms_crowd(people=6, seed=99), seed=99, workers=1).take.audit(source=False)
