"""How clips join: which moments of motion are alike, and how one is laid onto another.

Takes a library and gives plain arrays: a `FrameSet` samples its clips as point clouds, `find_minima` names the pairs of
frames at which one clip can go over into another, `align` says by which turn and slide. Blending the transitions,
choosing among them and walking on them come on top; files and pictures are left to others.
"""

from walkon.graphs.frame_distance import Alignment, align, default_threshold, distance_matrix, typical_distance
from walkon.graphs.minima import Minima, find_minima
from walkon.graphs.point_clouds import FrameSet

__all__ = [
    "Alignment",
    "FrameSet",
    "Minima",
    "align",
    "default_threshold",
    "distance_matrix",
    "find_minima",
    "typical_distance",
]
