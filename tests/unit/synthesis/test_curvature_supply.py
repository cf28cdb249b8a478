import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon.geometry.path import Path
from walkon.graphs.motion_graph import PIECE
from walkon.synthesis.path_result import CURVATURE_STEP_M, clip_curvatures, sustained


def test_arcs_have_their_curvature_and_length():
    graph = arc_graph([glide("left", 0.7, seconds=6.0), glide("right", -0.3, seconds=6.0)])
    found = clip_curvatures(graph, np.ones(len(graph.edges), bool))
    pieces = graph.edges.duration[graph.edges.kind == PIECE].sum()  # at 1 m/s
    assert len(found) * CURVATURE_STEP_M == pytest.approx(pieces, abs=0.3)
    assert np.quantile(found, 0.25) == pytest.approx(-0.3, abs=0.03)
    assert np.quantile(found, 0.75) == pytest.approx(0.7, abs=0.05)


def test_three_metres_within_a_third_to_the_same_side_sustain_a_path():
    enough, too_little = np.full(61, 0.8), np.full(59, 0.8)  # 5 cm each
    for radius, yes in ((1 / 0.8, True), (1 / 1.1, True), (1 / 1.4, False)):
        path = Path.circle(radius, turns=0.5)
        middle = np.array([0.5 * path.length])
        assert sustained(enough, path, at=middle).all() == yes
        assert not sustained(too_little, path, at=middle).any()
        assert not sustained(enough, Path.circle(radius, turns=-0.5), at=middle).any()


def test_turning_on_the_spot_sustains_nothing():
    graph = arc_graph([glide("spin", 40.0, speed=0.05, seconds=20.0), glide("straight", 0.0)])
    found = clip_curvatures(graph, np.ones(len(graph.edges), bool))
    assert not sustained(found, Path.circle(0.5, turns=2.0), at=np.linspace(1, 5, 9)).any()
