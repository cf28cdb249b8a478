"""Runs of an experiment as a row beside Table 1: means over all people of all seeds, worst figures of all audits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from walkon.reproduce.results import ResultRow
from walkon.reproduce.sung2005.columns import COLUMNS
from walkon.reproduce.sung2005.performing import Run
from walkon.reproduce.sung2005.published import TABLE_1, Published

__all__ = ["row_of"]

TOLD = 3
"""Failures of a seed that are told one by one."""


def row_of(
    experiment: str, runs: Sequence[Run], *, what: str, part: str = "", published: str = "", notes: Sequence[str] = ()
) -> ResultRow:
    """Return the row of some runs of one experiment; `published` names a row of Table 1 to print beside it."""
    paper = TABLE_1.get(published)
    planning = np.concatenate([run.planning for run in runs])
    durations = np.concatenate([run.durations for run in runs])
    agents = len(runs[0].planning)
    everybody = sum(len(run.scene.characters) for run in runs)
    told = list(notes)
    if paper and paper.printed_total_s is not None:
        told.append(
            f"the paper prints {paper.printed_total_s:g} s in all, which is average × duration; "
            f"{paper.total_s:g} s, average × people, is meant"
        )
    if paper and len(durations) and not paper.fits(float(durations.mean())):
        told.append(f"the mean duration is not within 15 % of the paper's {paper.duration_s:g} s")
    for k, run in enumerate(runs):
        told += [f"seed {k}: {words}" for words in run.unmet[:TOLD]]
        if len(run.unmet) > TOLD:
            told.append(f"seed {k}: and {len(run.unmet) - TOLD} others")
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
            "success_share": sum(run.met for run in runs) / (agents * len(runs)),
            "replanned_share": sum(run.replanned for run in runs) / everybody,
            **_audited(runs),
        },
        printed=_printed(paper) if paper else {},
        notes=tuple(told),
    )


def _printed(paper: Published) -> dict[str, float]:
    return {
        "agents": paper.agents,
        "mean_duration_s": paper.duration_s,
        "mean_synthesis_s": paper.mean_s,
        "total_s": paper.total_s,
    }


def _audited(runs: Sequence[Run]) -> dict[str, float]:
    """Return the worst of the audits' figures, and the library's own beside what has one."""
    audits = [run.audit for run in runs if run.audit is not None]
    sources = [run.source for run in runs if run.source is not None]
    if not audits:
        return {}

    def worst(part: str, name: str, among: Sequence[Any] = audits) -> float:
        # A figure that could not be measured must not look like one that is fine.
        values = [audit[part][name] for audit in among]
        return float(max(np.nan if value is None else value for value in values))

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
        found["library_slide_p95_m_s"] = worst("foot_slide", "unlabelled_p95_m_s", sources)
        found["library_slide_max_m_s"] = worst("foot_slide", "unlabelled_max_m_s", sources)
    return found
