"""Performing a scene of the paper over some seeds, and what comes of it as a row beside Table 1.

Times are per character of the experiment: seeds, search and collisions, one worker. The first performance is run once
before, unmeasured, so that nothing is compiled or loaded within the times. Durations run from when somebody enters to
when the last mark is met. Seconds, metres.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.reproduce.sung2005.published import TABLE_1
from walkon.reproduce.table import Row
from walkon.script import Scene
from walkon.take.tables import MEANT

__all__ = ["Run", "perform_scene", "row_of", "warmed_up"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """One performance, as far as the experiment's own people go."""

    durations: Array
    """[N] s; of those who met all their marks."""
    planning: Array
    """[N] s for each character."""
    met: int
    """How many met all their marks."""
    unmet: tuple[str, ...]
    """Who did not, and why."""
    replanned: int
    roadmap_s: float
    elapsed_s: float
    """From scene to take: posing and writing too."""
    audit: Any
    """Figures of the posed take; None if it was not asked for."""


def perform_scene(scene: Scene, *, seed: int, audit: bool = True, **options: Any) -> Run:
    """Perform a scene; `options` go to `walkon.crowd.perform`. Left out: who has no marks or is of "others"."""
    perform = import_module("walkon.crowd").perform
    begun = time.perf_counter()
    made = perform(scene, seed=seed, **options)
    elapsed = time.perf_counter() - begun
    own = np.array([bool(c.marks) and c.group != "others" for c in scene.characters])
    names = [c.name for c in scene.characters]
    missed = {name: reason for name, _, reason in made.unmet if own[names.index(name)]}
    marks = made.take.marks
    meant = (marks.asks & MEANT) > 0
    last = np.full(len(names), np.nan)
    np.fmax.at(last, marks.character[meant], marks.met[meant])
    enters = np.array([c.enters for c in scene.characters])
    good = own & np.array([name not in missed for name in names])
    return Run(
        durations=(last - enters)[good],
        planning=np.asarray(made.planning_s)[own],
        met=int(good.sum()),
        unmet=tuple(f"{name}: {reason}" for name, reason in missed.items()),
        replanned=int(made.replanned),
        roadmap_s=float(made.roadmap_s),
        elapsed_s=elapsed,
        audit=made.take.audit().figures if audit else None,
    )


def warmed_up(build: Callable[..., Scene]) -> None:
    """Perform a scene once, unmeasured."""
    import_module("walkon.crowd").perform(build(seed=99), seed=99)


def row_of(experiment: str, runs: Sequence[Run], *, what: str, published: str = "", notes: Sequence[str] = ()) -> Row:
    """Return the row of some runs of one experiment; `published` names a row of Table 1 to print beside it."""
    paper = TABLE_1.get(published)
    planning = np.concatenate([run.planning for run in runs])
    durations = np.concatenate([run.durations for run in runs])
    agents = len(runs[0].planning)
    told = list(notes)
    if paper and paper.printed_total_s is not None:
        told.append(
            f"the paper prints {paper.printed_total_s:g} s in all, which is average × duration; "
            f"{paper.total_s:g} s, average × people, is meant"
        )
    if paper and len(durations) and not paper.fits(float(durations.mean())):
        told.append(f"the mean duration is not within 15 % of the paper's {paper.duration_s:g} s")
    told += [f"seed {k + 1}: {words}" for k, run in enumerate(runs) for words in run.unmet[:5]]
    return Row(
        experiment=experiment,
        what=what,
        agents=agents,
        mean_duration_s=float(durations.mean()) if len(durations) else None,
        mean_synthesis_s=float(planning.mean()),
        median_synthesis_s=float(np.median(planning)),
        worst_synthesis_s=float(planning.max()),
        total_s=float(np.mean([run.planning.sum() for run in runs])),
        roadmap_s=float(np.mean([run.roadmap_s for run in runs])),
        elapsed_s=float(np.mean([run.elapsed_s for run in runs])),
        runs=len(runs),
        success_share=sum(run.met for run in runs) / (agents * len(runs)),
        replanned_share=sum(run.replanned for run in runs) / (agents * len(runs)),
        paper_duration_s=paper.duration_s if paper else None,
        paper_synthesis_s=paper.mean_s if paper else None,
        paper_total_s=paper.total_s if paper else None,
        notes=tuple(told),
        **_audited([run.audit for run in runs if run.audit is not None]),
    )


def _audited(audits: Sequence[Any]) -> dict[str, Any]:
    """Return the worst of the audits' figures."""
    if not audits:
        return {}

    def worst(part: str, name: str) -> float:
        return float(max(audit[part][name] or 0.0 for audit in audits))

    return {
        "mark_error_m": worst("marks", "max_position_error_m"),
        "mark_error_deg": worst("marks", "max_facing_error_deg"),
        "mark_error_s": worst("marks", "max_time_error_s"),
        "pose_error_deg": worst("marks", "max_pose_error_deg"),
        "collision_frames": int(worst("collisions", "pair_frames") + worst("collisions", "obstacle_frames")),
        "body_overlap_m": worst("bodies", "max_penetration_m"),
        "slide_p95_m_s": worst("foot_slide", "p95_m_s"),
        "slide_max_m_s": worst("foot_slide", "max_m_s"),
    }
