"""Snap-together motion (Gleicher 2003): a few hub poses, and clips cut so that any may follow any other at a hub."""

from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.match_sets import MatchSet, grow, largest, picked
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.snap_together.suggestions import suggest_hubs

__all__ = ["MatchSet", "SnapGraph", "build_snap_graph", "compared", "grow", "largest", "picked", "suggest_hubs"]
