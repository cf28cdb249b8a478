"""`walkon.perform`: from a scene to its take in one call.

A take carries everything that a director asks about afterwards: marks with the times at which they were met, reasons,
and in its provenance the scene, the seeds and what was not met. What it cost to make is for `walkon.crowd.perform`.
"""

from collections.abc import Callable
from pathlib import Path

from walkon.crowd.performing import perform as perform_and_tell
from walkon.graphs.snap_together import SnapGraph
from walkon.motion.library import Library
from walkon.script import Scene
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.take.take import Take

__all__ = ["perform"]


def perform(
    scene: Scene,
    *,
    library: Library | str | Path | None = None,
    graph: SnapGraph | str | Path | None = None,
    seed: int | None = None,
    search: str | SearchRule = "default",
    workers: int | None = None,
    staged: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Take:
    """Return the take of a scene, everybody on their marks; see `walkon.crowd.perform`.

    Marks that cannot be met among the others are in `take.provenance["unmet"]`, as (character, mark, reason).
    """
    return perform_and_tell(
        scene,
        library=library,
        graph=graph,
        seed=seed,
        search=search,
        workers=workers,
        staged=staged,
        progress=progress,
    ).take
