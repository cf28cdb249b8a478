"""A table of results, ours beside a paper's: rows of numbers, None where there is no number."""

from dataclasses import asdict, dataclass
from typing import Any

from walkon.drawing.picture import Image

__all__ = ["Reproduction", "Row"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One experiment. Seconds, metres."""

    experiment: str
    what: str
    """What was done, with which motion."""
    agents: int = 1
    mean_duration_s: float | None = None
    """Length of the animation, mean over agents."""
    mean_synthesis_s: float | None = None
    """Time to plan it."""
    total_s: float | None = None
    """Time to plan it, pose all bodies at the library's rate and hold their feet; of a crowd, to plan all of them."""
    median_synthesis_s: float | None = None
    worst_synthesis_s: float | None = None
    """Time to plan one of a crowd: median, and longest."""
    times_as_fast: float | None = None
    """The paper's mean over ours; the paper's machine was one of 2005."""
    roadmap_s: float | None = None
    """Time for what is planned once for a stage."""
    writing_s: float | None = None
    """Time to plant feet and write the take."""
    elapsed_s: float | None = None
    """Time from a scene to its finished take, with posing and writing."""
    runs: int | None = None
    """Over how many seeds."""
    success_share: float | None = None
    """Share of the people, over all runs, who met all their marks."""
    replanned_share: float | None = None
    marks_off: int | None = None
    """Marks that the audit finds off by over 1 mm, 0.1 degrees, 1 ms or a pose by 0.5 degrees, in the worst run."""
    mark_error_m: float | None = None
    """Largest errors of marks in the posed takes: position, facing, time, pose."""
    mark_error_deg: float | None = None
    mark_error_s: float | None = None
    pose_error_deg: float | None = None
    collision_frames: int | None = None
    """Frames at which footprints of people overlap each other or obstacles, in the worst run."""
    body_overlap_m: float | None = None
    """Deepest overlap of limbs of two people."""
    slide_p95_m_s: float | None = None
    """Speed of planted feet: 95th percentile, and largest."""
    slide_max_m_s: float | None = None
    unlabelled_slide_p95_m_s: float | None = None
    """The same of feet near their support whatever their labels, and of the library's own clips."""
    library_slide_p95_m_s: float | None = None
    unlabelled_slide_max_m_s: float | None = None
    library_slide_max_m_s: float | None = None
    adjusted_m_s: float | None = None
    """By how much motion is adjusted at most: displaced, turned, and stretched (share)."""
    adjusted_deg_s: float | None = None
    adjusted_time: float | None = None
    in_step: int | None = None
    """Neighbours who play the same clip at the same time."""
    graph_frames: int | None = None
    """Frames of motion in the graph, at 30 per second."""
    graph_s: float | None = None
    """Time to build the graph."""
    path_m: float | None = None
    mean_error_m: float | None = None
    worst_error_m: float | None = None
    transitions_per_s: float | None = None
    sustained_share: float | None = None
    """Share of the path whose curvature the clips sustain."""
    switch_error_m: float | None = None
    """Largest distance between a border of the path's parts and the change of motion."""
    foot_drift_m: float | None = None
    """Largest distance of a planted point from the middle of its contact, in the posed result."""
    hubs: int | None = None
    """Nodes of a snap-together graph."""
    match_frames: int | None = None
    edges: int | None = None
    """Clips from hub to hub."""
    edges_across: int | None = None
    """Clips between hubs of walking and hubs of rest, either way."""
    bend_median_deg: float | None = None
    """Angle by which joints of match frames are turned into the common pose: median, and 95th percentile."""
    bend_p95_deg: float | None = None
    turn_right_deg: float | None = None
    """Largest turn that one clip makes, to either side."""
    turn_left_deg: float | None = None
    curvature_right_1_m: float | None = None
    """Largest turn of a clip over the metres that it goes, 1/m, to either side."""
    curvature_left_1_m: float | None = None
    curvature_error_1_m: float | None = None
    """Mean difference between a wished curvature and that walked while it was wished, 1/m."""
    curvature_error_edge_1_m: float | None = None
    """The same clip by clip: mean difference between the curvature of each and the wish that it was chosen for, 1/m."""
    heading_error_deg: float | None = None
    """Mean angle between the heading at the end of a clip and the one wished for."""
    switch_s: float | None = None
    """Least time from one kind of motion into another, and back."""
    switch_back_s: float | None = None
    paper_duration_s: float | None = None
    paper_synthesis_s: float | None = None
    paper_total_s: float | None = None
    paper_graph_s: float | None = None
    paper_graph_frames: int | None = None
    paper_hubs: int | None = None
    paper_match_frames: int | None = None
    paper_edges: int | None = None
    paper_designer_s: float | None = None
    """From raw data to a character under control, with a designer's time."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Reproduction:
    """What became of a paper's experiments."""

    paper: str
    title: str
    motion: str
    """Which motion was used."""
    rows: tuple[Row, ...]
    pictures: tuple[tuple[str, Image], ...] = ()
    """(name of the file without its ending, picture)."""

    def to_json(self) -> dict[str, Any]:
        """Return what `walkon reproduce --json` prints."""
        return {
            "paper": self.paper,
            "title": self.title,
            "motion": self.motion,
            "rows": [asdict(row) for row in self.rows],
        }
