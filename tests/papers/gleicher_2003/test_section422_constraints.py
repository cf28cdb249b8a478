"""Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.2: footplants at hubs, in edges and across cuts."""

import numpy as np
import pytest

from snap_walks import walks
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.cutting.constraints import majority
from walkon.graphs.snap_together.matching import match_sets
from walkon.motion.contacts.runs import find_runs
from walkon.motion.kinematics import forward, points_on_joints
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def graph():
    library = walks(0.95, 1.1, 1.25)
    frames = compared(library)
    return build_snap_graph(library, {"hub": match_sets.largest(frames, threshold=0.05)}, frames=frames)


def test_a_constraint_exists_at_a_hub_where_most_match_frames_have_it():
    flags = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1], [0, 1, 1]], bool)
    hubs = np.array([0, 0, 0, 1, 1])
    assert majority(flags, hubs, 2).tolist() == [[True, False, False], [False, True, True]]


def test_a_match_frame_gains_and_loses_constraints_with_its_hub(graph):
    at = graph.source.starts[graph.matches.clip] + graph.matches.frame
    share = graph.source.contacts[at].mean(axis=0)
    assert np.array_equal(graph.contacts[0], share > 0.5)
    for edge in range(len(graph.edges)):
        clip = graph.clip(edge)
        assert np.array_equal(clip.contacts[0], graph.contacts[graph.edges.start[edge]])
        assert np.array_equal(clip.contacts[-1], graph.contacts[graph.edges.stop[edge]])


def test_the_common_pose_stands_on_the_ground(graph):
    body = graph.source.skeleton
    assert graph.contacts.any()
    world = forward(body, graph.roots, graph.rotations)
    points = points_on_joints(world, body.contact_joints, body.contact_offsets)
    assert np.abs(points[graph.contacts][:, 2]).max() < MILLIMETRE


def test_planted_feet_are_planted_in_every_edge(graph):
    planted = 0
    for edge in range(len(graph.edges)):
        clip = graph.clip(edge)
        points = clip.contact_positions
        for column in range(points.shape[1]):
            for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
                part = points[start:stop, column]
                assert np.linalg.norm(part - np.median(part, axis=0), axis=1).max() < 3 * MILLIMETRE
                assert np.abs(part[:, 2]).max() < MILLIMETRE
                planted += stop - start
    assert planted > 0.4 * len(graph.planar)


def test_planted_feet_do_not_move_across_any_cut(graph):
    body = graph.source.skeleton
    for first in range(len(graph.edges)):
        end = graph.clip(first)
        for second in graph.out_edges(int(graph.edges.stop[first])).tolist():
            begin = graph.clip(second)
            moved = planar.apply_3d(graph.edges.displacement[first], begin.contact_positions[:3])
            held = end.contacts[-1] & begin.contacts[1]
            assert np.linalg.norm(moved[0] - end.contact_positions[-1], axis=1).max() < 1e-6
            assert np.linalg.norm(moved[1] - end.contact_positions[-1], axis=1)[held].max(initial=0.0) < MILLIMETRE
    assert len(body.contact_names) == 4


def test_rounds_move_a_foot_that_lands_next_and_leave_contacts():
    """The paper's example: a heel that is up at the hub, and comes down a few frames later."""
    library = walks(0.9, 1.3, seconds=4.0)
    frames = compared(library)
    heel = library.contacts[:, library.skeleton.contact("left_heel")]
    near = (
        np.minimum(np.rint(frames.times * library.fps).astype(int), 240)
        + library.starts[frames.clips_of(np.arange(len(frames)))]
    )
    seed = np.flatnonzero(~heel[near] & heel[np.minimum(near + 4, len(heel) - 1)] & match_sets.has_window(frames))[1]
    found = {"hub": match_sets.grow(frames, int(seed), threshold=0.2, spacing=0.5)}
    plain, worked = (build_snap_graph(library, found, frames=frames, rounds=rounds) for rounds in (0, 4))
    turned = np.degrees(quat.angle_between(plain.rotations, worked.rotations))
    assert 0.05 < turned.max() < 5.0
    assert np.array_equal(plain.contacts, worked.contacts)
