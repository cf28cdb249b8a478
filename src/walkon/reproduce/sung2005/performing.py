"""Performing a scene of the paper over some seeds, and what comes of it.

Times are per character of the experiment: seeds, search and collisions, on one worker. A small scene is performed
before, unmeasured, so that nothing is compiled or loaded within the times. Durations run from when a character enters
to when the last mark is met. Seconds, metres.

`row_of` makes a row of the runs over all seeds: their means, and the worst of what the audits found.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.crowd import perform_with_report
from walkon.graphs.snap_together import SnapGraph
from walkon.reproduce.results import ResultRow
from walkon.reproduce.sung2005.columns import COLUMNS, TABLE_1
from walkon.reproduce.sung2005.rooms import rooms_crowd
from walkon.script import Scene
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.take.tables import MEANT
from walkon.take.take import Take

__all__ = ["Run", "ensure_compiled", "perform_scene", "row_of"]

LARGE_CROWD_FPS = 30.0
"""Frames per second at which crowds of more than `LARGE_CROWD_COUNT` are audited; others at their own 60."""
LARGE_CROWD_COUNT = 150


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
    made = perform_with_report(scene, seed=seed, graph=graph, search=search, workers=workers)
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
    good = own & np.array([name not in missed for name in row])
    found = (
        made.take.audit(fps=LARGE_CROWD_FPS if len(row) > LARGE_CROWD_COUNT else None, source=source) if audit else None
    )
    return Run(
        scene=scene,
        take=made.take if keep else None,
        durations=(last - np.array([c.enters for c in scene.characters]))[good],
        planning=np.asarray(made.planning_s)[own],
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
    perform_with_report(rooms_crowd(people=6, seed=99), seed=99, workers=1).take.audit(source=False)


MAX_LISTED_FAILURES = 3
"""Failures of a seed that are listed one by one."""


def row_of(
    experiment: str, runs: Sequence[Run], *, what: str, part: str = "", published: str = "", notes: Sequence[str] = ()
) -> ResultRow:
    """Return the row of some runs of one experiment; `published` names a row of Table 1 to print beside it."""
    paper = TABLE_1.get(published)
    planning = np.concatenate([run.planning for run in runs])
    durations = np.concatenate([run.durations for run in runs])
    agents = len(runs[0].planning)
    remarks = list(notes)
    if paper and paper.printed_total_s is not None:
        remarks.append(
            f"the paper prints {paper.printed_total_s:g} s in all, which is average × duration; "
            f"{paper.total_s:g} s, average × people, is meant"
        )
    if paper and len(durations) and not paper.fits(float(durations.mean())):
        remarks.append(f"the mean duration is not within 15 % of the paper's {paper.duration_s:g} s")
    for k, run in enumerate(runs):
        remarks += [f"seed {k}: {words}" for words in run.unmet[:MAX_LISTED_FAILURES]]
        if len(run.unmet) > MAX_LISTED_FAILURES:
            remarks.append(f"seed {k}: and {len(run.unmet) - MAX_LISTED_FAILURES} others")
    mean = float(planning.mean())
    return ResultRow(
        columns=COLUMNS,
        experiment=experiment,
        part=part,
        what=what,
        values={
            "agents": agents,
            "mean_duration_s": float(durations.mean()) if len(durations) else None,
            "mean_synthesis_s": mean,
            "median_synthesis_s": float(np.median(planning)),
            "worst_synthesis_s": float(planning.max()),
            "total_s": float(np.mean([run.planning.sum() for run in runs])),
            "times_as_fast": paper.mean_s / mean if paper and mean > 0 else None,
            "roadmap_s": float(np.mean([run.roadmap_s for run in runs])),
            "writing_s": float(np.mean([run.writing_s for run in runs])),
            "elapsed_s": float(np.mean([run.elapsed_s for run in runs])),
            "runs": len(runs),
            "success_share": len(durations) / (agents * len(runs)),
            "replanned_share": sum(run.replanned for run in runs) / sum(len(run.scene.characters) for run in runs),
            **_worst_figures(runs),
        },
        printed={
            "agents": paper.agents,
            "mean_duration_s": paper.duration_s,
            "mean_synthesis_s": paper.mean_s,
            "total_s": paper.total_s,
        }
        if paper
        else {},
        notes=tuple(remarks),
    )


def _worst_figures(runs: Sequence[Run]) -> dict[str, float]:
    """Return the worst of the audits' figures, and the library's own beside what has one."""
    audits = [run.audit for run in runs if run.audit is not None]
    sources = [run.source for run in runs if run.source is not None]
    if not audits:
        return {}

    def worst(part: str, name: str, among: Sequence[Any] = audits) -> float:
        # A figure that could not be measured must not look like one that is fine.
        return float(max(np.nan if value is None else value for value in [audit[part][name] for audit in among]))

    found: dict[str, float] = {
        "marks_off": int(max(len(audit["marks"]["unmet"]) for audit in audits)),
        "mark_error_m": worst("marks", "max_position_error_m"),
        "mark_error_deg": worst("marks", "max_facing_error_deg"),
        "mark_error_s": worst("marks", "max_time_error_s"),
        "pose_error_deg": worst("marks", "max_pose_error_deg"),
        "collision_frames": int(worst("collisions", "pair_frames") + worst("collisions", "obstacle_frames")),
        "body_overlap_m": worst("bodies", "max_penetration_m"),
        "adjusted_m_s": worst("adjustment", "max_m_s"),
        "adjusted_deg_s": worst("adjustment", "max_deg_s"),
        "adjusted_time": max(run.stretched for run in runs),
        "slide_p95_m_s": worst("foot_slide", "p95_m_s"),
        "slide_max_m_s": worst("foot_slide", "max_m_s"),
        "unlabelled_slide_p95_m_s": worst("foot_slide", "unlabelled_p95_m_s"),
        "unlabelled_slide_max_m_s": worst("foot_slide", "unlabelled_max_m_s"),
        "in_step": int(worst("variety", "identical_neighbours")),
    }
    if sources:
        for which in ("p95", "max"):
            found[f"library_slide_{which}_m_s"] = worst("foot_slide", f"unlabelled_{which}_m_s", sources)
    return found
