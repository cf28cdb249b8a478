"""Snap-together motion (Gleicher 2003): a few hub poses, and clips cut so that any may follow any other at a hub."""

from walkon.graphs.snap_together.build import build_connected_graph, build_snap_graph, compared
from walkon.graphs.snap_together.builtin import builtin_snap_graph
from walkon.graphs.snap_together.file import load_snap_graph, save_snap_graph
from walkon.graphs.snap_together.matching.match_sets import MatchSet, grow, largest, picked
from walkon.graphs.snap_together.matching.suggestions import suggest_hubs
from walkon.graphs.snap_together.playing.player import SnapPlayer
from walkon.graphs.snap_together.playing.random_policy import RandomPolicy
from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = [
    "MatchSet",
    "RandomPolicy",
    "SnapGraph",
    "SnapPlayer",
    "build_connected_graph",
    "build_snap_graph",
    "builtin_snap_graph",
    "compared",
    "grow",
    "largest",
    "load_snap_graph",
    "picked",
    "save_snap_graph",
    "suggest_hubs",
]
