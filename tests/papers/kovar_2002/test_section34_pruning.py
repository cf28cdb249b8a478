"""Kovar, Gleicher, Pighin 2002, section 3.4 and figure 4: what is kept, and what sinks and dead ends are."""

import numpy as np
import pytest

from walkon.graphs.motion_graph import DEAD_END, PIECE, SINK, TRANSITION, MotionEdges, MotionGraph, Nodes
from walkon.graphs.pruning import prune
from walkon.motion import Clip, Skeleton
from walkon.motion.library import Library


@pytest.fixture(scope="module")
def figure4():
    """A graph as in figure 4: [1, 2, 3, 6, 7, 8] are the largest component, 4 is a sink, 5 a dead end.

    Two clips: 1 → 2 → 3 → 4 → 5 and 6 → 7 → 8, with transitions 3 → 6, 8 → 1, 7 → 2, and 4 onto itself.
    """
    skeleton = Skeleton(names=("root", "tip"), parents=[-1, 0], offsets=[[0, 0, 0], [0, 0, 1]])
    still = np.zeros((60, 2, 4))
    still[..., 0] = 1.0
    clips = [
        Clip(skeleton=skeleton, fps=10.0, root_positions=np.zeros((60, 3)), local_rotations=still, name=name)
        for name in ("upper", "lower")
    ]
    nodes = Nodes(clip=[0] * 5 + [1] * 3, time=[0, 1, 2, 3, 4, 0, 1, 2], pose=np.zeros((8, 3)))
    links = [(1, 2, PIECE), (2, 3, PIECE), (3, 4, PIECE), (3, 6, TRANSITION), (4, 5, PIECE), (4, 4, TRANSITION)]
    links += [(6, 7, PIECE), (7, 8, PIECE), (7, 2, TRANSITION), (8, 1, TRANSITION)]
    links.sort(key=lambda link: (link[0], link[2], link[1]))
    edges = MotionEdges.filled(
        len(links),
        start=[a - 1 for a, _, _ in links],
        stop=[b - 1 for _, b, _ in links],
        kind=[kind for _, _, kind in links],
        duration=1.0,
    )
    return MotionGraph(library=Library.of(clips), nodes=nodes, edges=edges)


def test_the_largest_component_is_kept(figure4):
    pruned = prune(figure4)
    kept = {(int(clip), float(time)) for clip, time in zip(pruned.nodes.clip, pruned.nodes.time, strict=True)}
    assert kept == {(0, 0.0), (0, 1.0), (0, 2.0), (1, 0.0), (1, 1.0), (1, 2.0)}


def test_the_sink_and_the_dead_end_are_named(figure4):
    cuts = prune(figure4).cuts
    named = {(int(c), float(a), float(b)): int(why) for c, a, b, why in zip(*cuts.columns.values(), strict=True)}
    assert named == {(0, 2.0, 3.0): SINK, (0, 3.0, 4.0): DEAD_END}


def test_from_every_edge_left_motion_goes_on(figure4):
    edges = prune(figure4).edges
    assert set(edges.stop.tolist()) <= set(edges.start.tolist())
