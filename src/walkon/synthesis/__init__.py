"""From goals to motion: which walk on a graph does what is asked.

Takes a motion graph and a purpose (a path to follow, a clip to play somewhere, a heading to go, any function of a walk)
and gives walks: edges of the graph, with the planar pose at which they begin. It plans on the floor only; bodies are
posed from the take that a walk becomes (`walkon.graphs`), and files and pictures are left to others.
"""

from walkon.geometry.path import Path
from walkon.synthesis.graph_search import Goal, PartialWalk, SearchResult, play_clip_at, search
from walkon.synthesis.heading_tables import SteeringTable, steer, steering_table
from walkon.synthesis.path_following import PathFollower, follow_path
from walkon.synthesis.path_result import PathResult
from walkon.synthesis.shortest_walks import ShortestWalks, shortest_walks

__all__ = [
    "Goal",
    "PartialWalk",
    "Path",
    "PathFollower",
    "PathResult",
    "SearchResult",
    "ShortestWalks",
    "SteeringTable",
    "follow_path",
    "play_clip_at",
    "search",
    "shortest_walks",
    "steer",
    "steering_table",
]
