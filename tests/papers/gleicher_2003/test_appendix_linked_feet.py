"""Gleicher, Shin, Kovar, Jepsen 2003, appendix and figure 11: constraints that link common poses."""

import numpy as np
import pytest

from snap_walks import swaying
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.cutting.linked import foot_poses
from walkon.graphs.snap_together.matching import match_sets
from walkon.motion.library import Library
from walkon.transforms import angles, planar

MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def graph():
    """Two stances, one wider and turned out; the left hub has more of the first, the right one more of the second."""
    library = Library.of([swaying(apart=0.06, name="narrow"), swaying(apart=0.12, turned_out=0.1, name="wide")])
    frames = compared(library)

    def at(*moments):
        return np.array([frames.starts[clip] + round(time * frames.rate) for clip, time in moments])

    hubs = {
        "left": match_sets.picked(frames, at((0, 0.5), (0, 2.5), (0, 4.5), (1, 2.5))),
        "right": match_sets.picked(frames, at((0, 3.5), (1, 1.5), (1, 3.5), (1, 5.5))),
    }
    return build_snap_graph(library, hubs, frames=frames)


def stances(graph):
    """Figure 11: distance of the feet's middles, and each foot's angle to the line between them, [H, 3]."""
    feet = foot_poses(graph.source, Frames(graph.roots, graph.rotations))
    line = feet[:, 0, :2] - feet[:, 1, :2]
    along = np.arctan2(line[:, 1], line[:, 0])
    return np.column_stack(
        [np.linalg.norm(line, axis=1), angles.wrap(feet[:, 0, 2] - along), angles.wrap(feet[:, 1, 2] - along)]
    )


def test_linked_common_poses_have_rigidly_similar_stances(graph):
    assert graph.contacts.all()
    assert np.abs(np.diff(stances(graph), axis=0)).max() < 1e-6


def test_the_shared_stance_lies_between_those_of_the_clips(graph):
    distance = stances(graph)[0, 0]
    widths = [
        np.linalg.norm(clip.contact_positions[0, 0, :2] - clip.contact_positions[0, 2, :2]) for clip in graph.source
    ]
    assert min(widths) - 0.01 < distance < max(widths) + 0.01


def test_both_feet_stay_where_they_are_through_every_edge_and_cut(graph):
    assert len(graph.edges) >= 5
    for edge in range(len(graph.edges)):
        clip = graph.clip(edge)
        if clip.contacts.all():
            assert np.ptp(clip.contact_positions, axis=0).max() < 3 * MILLIMETRE
        end = graph.clip(edge).contact_positions[-1]
        for after in graph.out_edges(int(graph.edges.stop[edge])).tolist():
            begin = planar.apply_3d(graph.edges.displacement[edge], graph.clip(after).contact_positions[0])
            assert np.abs(begin - end).max() < 1e-6


def test_who_stands_still_does_not_creep(graph):
    feet = []
    place, edge = np.zeros(3), 0
    for _ in range(60):
        feet.append(planar.apply_3d(place, graph.clip(edge).contact_positions[0]))
        place = planar.compose(place, graph.edges.displacement[edge])
        edge = int(graph.out_edges(int(graph.edges.stop[edge]))[0])
    assert np.ptp(np.array(feet), axis=0).max() < MILLIMETRE
