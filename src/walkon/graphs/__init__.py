"""How clips join: which moments of motion are alike, how one goes over into another, and graphs of all such ways.

Takes a library and gives motion graphs: a `FrameSet` samples its clips as point clouds, `find_minima` names the pairs
of frames at which one clip can go over into another, `build_graph` chooses among them, checks the seams and cuts dead
ends; a walk on a graph becomes segments of a take or a clip. Searching for walks is `walkon.synthesis`, pictures are
`walkon.drawing`.
"""

from walkon.graphs.build import add_clips, build_graph
from walkon.graphs.file import load_graph, load_motion_graph, save_graph
from walkon.graphs.frame_distance import Alignment, align, default_threshold, distance_matrix, typical_distance
from walkon.graphs.inspection import inspect_graph
from walkon.graphs.minima import Minima, find_minima
from walkon.graphs.motion_graph import MotionGraph
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.random_walks import random_walk, random_walks
from walkon.graphs.walk import Walk, walk_along
from walkon.graphs.walk_segments import add_walk, segments_of, walk_clip, walk_take

__all__ = [
    "Alignment",
    "FrameSet",
    "Minima",
    "MotionGraph",
    "Walk",
    "add_clips",
    "add_walk",
    "align",
    "build_graph",
    "default_threshold",
    "distance_matrix",
    "find_minima",
    "inspect_graph",
    "load_graph",
    "load_motion_graph",
    "random_walk",
    "random_walks",
    "save_graph",
    "segments_of",
    "typical_distance",
    "walk_along",
    "walk_clip",
    "walk_take",
]
