"""Shifts of roots at match frames, and of stop hubs where feet stay planted; turns that are not wrapped."""

import numpy as np
import pytest

from snap_libraries import performer_graph
from snap_toys import pole_graph
from snap_walks import swaying
from walkon.graphs.snap_together.build import build_snap_graph
from walkon.graphs.snap_together.cutting.common_pose import move_frames
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.cutting.edges import _turns
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.library import Library
from walkon.transforms import angles, planar


def root_shifts(graph: SnapGraph) -> np.ndarray:
    """Return [M] metres from each match frame's root to that of the common pose in its place."""
    hub = graph.matches.hub
    target = move_frames(graph.matches.pose, Frames(graph.roots[hub], graph.rotations[hub]))
    source = graph.source.root_positions[graph.source.starts[graph.matches.clip] + graph.matches.frame]
    return np.asarray(np.linalg.norm(target.roots - source, axis=1))


def link_shifts(graph: SnapGraph) -> np.ndarray:
    """Return [E, 2] metres and radians from where each edge's last match frame has the stop hub to where it lies."""
    places = graph.matches.pose
    stops = planar.compose(places[graph.edges.first_match], graph.edges.displacement)
    apart = planar.relative(places[graph.edges.last_match], stops)
    return np.column_stack([np.linalg.norm(apart[:, :2], axis=1), np.abs(apart[:, 2])])


def test_root_shifts_are_those_of_a_plain_loop():
    graph = performer_graph()
    found = root_shifts(graph)
    for row in range(len(graph.matches)):
        there = planar.apply_3d(graph.matches.pose[row], graph.roots[graph.matches.hub[row]])
        clip = graph.source[graph.source.names[graph.matches.clip[row]]]
        wanted = np.linalg.norm(there - clip.root_positions[graph.matches.frame[row]])
        assert found[row] == pytest.approx(wanted, abs=1e-9)
    assert 0.0 < found.max() < 0.2


def test_edges_without_links_end_where_their_match_frames_are():
    graph = performer_graph()
    shifts = link_shifts(graph)
    moving = graph.hubs.speed[graph.edges.start] > 0.5
    assert moving.any()
    assert shifts[moving].max() < 1e-6


def test_linked_feet_shift_the_stop_hub():
    graph = build_snap_graph(Library.of([swaying(apart=0.1), swaying(apart=0.14, name="wide")]), threshold=0.05)
    shifts = link_shifts(graph)
    assert shifts.max() > 1e-6
    assert shifts[:, 0].max() < 0.1


def test_turns_are_not_wrapped():
    headings = np.concatenate([np.linspace(0.0, -3.3, 40), np.linspace(0.0, 7.0, 60), np.linspace(0.0, 0.2, 5)])
    starts = np.array([0, 40, 100])
    ends = np.array([-3.3, 7.0, 0.2])
    assert _turns(angles.wrap(headings), angles.wrap(ends), starts) == pytest.approx(ends, abs=1e-9)


def test_turns_agree_with_displacements_up_to_whole_turns():
    for graph in (performer_graph(), pole_graph([(0, 1, 3.0, -1.5, 0), (1, 0, 0.5, 0.2, 0)])):
        apart = angles.wrap(graph.edges.turn - graph.edges.displacement[:, 2])
        assert np.abs(apart).max() < 1e-5
        for edge, (a, b) in enumerate(zip(graph.clips.starts, graph.clips.stops, strict=True)):
            heading = np.unwrap(graph.planar[a:b, 2])
            assert graph.edges.turn[edge] == pytest.approx(heading[-1] - heading[0], abs=1e-5)
