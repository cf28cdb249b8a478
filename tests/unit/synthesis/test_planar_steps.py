import numpy as np
import pytest

from arc_graphs import arc_graph
from walkon.graphs.walk import walk_along
from walkon.graphs.walk_segments import walk_take
from walkon.synthesis.choices import make_choices, strong_part
from walkon.synthesis.planar_steps import planar_steps, smooth_roots, walk_track
from walkon.transforms import planar


@pytest.fixture(scope="module")
def graph():
    return arc_graph()


def test_the_track_of_a_step_is_that_of_its_edges(graph):
    choices = make_choices(graph, [strong_part(graph, np.ones(len(graph.edges), bool))])
    steps = planar_steps(graph, choices, transition_cost=0.5)
    roots = smooth_roots(graph.library)
    for step in range(0, len(choices.stops), 7):
        edges = choices.edges_of(graph, np.array([step]))
        part = slice(steps.sample_first[step], steps.sample_first[step + 1])
        times = steps.spans[step] * np.arange(part.stop - part.start + 1)
        track = walk_track(graph, walk_along(graph, [edges]), times=times, roots=roots)
        assert steps.points[part] == pytest.approx(track[1:], abs=1e-9)
        assert steps.arcs[part] == pytest.approx(np.linalg.norm(np.diff(track, axis=0), axis=1), abs=1e-9)
        assert steps.durations[step] == pytest.approx(graph.edges.duration[edges].sum())
        end = planar.compose(walk_along(graph, [edges]).place[-1], graph.edges.displacement[edges[-1]])
        assert steps.moves[step] == pytest.approx(end, abs=1e-9)
        assert steps.fees[step] == 0.5 * (choices.transitions[step] >= 0)


def test_smoothing_leaves_straight_lines_and_ends_alone(graph):
    smooth, raw = smooth_roots(graph.library), graph.library.root_positions[:, :2]
    straight = slice(graph.library.starts[0], graph.library.stops[0])
    assert smooth[straight] == pytest.approx(raw[straight], abs=1e-9)
    ends = np.concatenate([graph.library.starts, graph.library.stops - 1])
    assert smooth[ends] == pytest.approx(raw[ends], abs=1e-9)


def test_a_walk_is_where_its_posed_body_is(graph, rng):
    from walkon.graphs.random_walks import random_walk

    walk = random_walk(graph, rng, duration=8.0, every=0.7)
    pose = (3.0, -1.0, 2.0)
    times = np.linspace(0.0, 7.9, 80)
    posed = walk_take(graph, [walk], poses=pose).sample(times).positions[:, 0, 0, :2]
    assert walk_track(graph, walk_along(graph, [walk], poses=pose), times=times) == pytest.approx(posed, abs=2e-5)
