"""Gleicher, Shin, Kovar, Jepsen 2003, sections 4.3 and 5: whole graphs, played for ever, and dead ends."""

from dataclasses import replace

import numpy as np
import pytest

from snap_walks import FPS, swaying, walks
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.matching import match_sets
from walkon.motion.editing import cut
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def looping():
    """A graph of one clip of 13 s whose slow cycle comes back every 1.67 s, by the largest set of match frames."""
    library = walks(0.5, seconds=13.0, cadence=72.0)
    frames = compared(library)
    return build_snap_graph(library, {"hub": match_sets.largest(frames, threshold=0.02)}, frames=frames)


def test_a_looping_clip_gives_one_node_and_seven_clips(looping):
    assert len(looping.hubs) == 1
    assert len(looping.matches) == 8
    assert len(looping.edges) == 7
    assert np.allclose(looping.edges.duration, 120 / 72, atol=1.5 / 30)
    # What repeats exactly needs no displacement; frames lie between the cycle's, so a little remains.
    assert np.degrees(np.median(looping.displacements)) < 1.0


def test_any_clip_follows_any_other_for_ever(looping):
    rng = np.random.default_rng(0)
    place, roots, joints = np.zeros(3), [], []
    for edge in rng.integers(0, len(looping.edges), 40).tolist():
        clip = looping.clip(edge)
        roots.append(planar.apply_3d(place, clip.root_positions)[:-1])
        joints.append(clip.local_rotations[:-1, 1:])
        place = planar.compose(place, looping.edges.displacement[edge])
    path, local = np.concatenate(roots), np.concatenate(joints)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1) * FPS
    assert steps.max() < 1.3 * np.linalg.norm(np.diff(looping.source.root_positions, axis=0), axis=1).max() * FPS
    turns = quat.angle_between(local[1:], local[:-1]).max(axis=1) * FPS
    own = (
        quat.angle_between(looping.source.local_rotations[1:, 1:], looping.source.local_rotations[:-1, 1:]).max() * FPS
    )
    assert turns.max() < 1.3 * own
    assert np.linalg.norm(place[:2]) > 25.0


def test_dead_ends_are_the_nodes_outside_the_largest_strongly_connected_component():
    """Somebody walks up and then stands: motion that leads into standing never leads out again."""
    walking = walks(1.1, seconds=5.0)["walk0"]
    standing = swaying(apart=0.0, name="stand")
    library = Library.of([walking, standing, replace(cut(walking, 0.0, 4.0), name="again")])
    frames = compared(library)
    stride = match_sets.largest(frames, threshold=0.02)
    first = match_sets.picked(frames, frames.starts[1] + np.array([15, 75]))
    graph = build_snap_graph(library, {"walk": stride, "stand": first}, frames=frames)
    assert graph.counts.tolist()[0][1] == 0
    assert graph.core.tolist() == [True, False]
    assert any("stand is on its own" in note for note in graph.notes)


def test_a_graph_whose_nodes_all_lie_on_loops_has_no_dead_end(looping):
    assert looping.core.all()
    assert not any("dead end" in note for note in looping.notes)


def test_left_and_right_are_two_nodes_that_lead_to_each_other():
    library = walks(0.95, 1.1, 1.25)
    frames = compared(library)
    one = match_sets.largest(frames, threshold=0.05)
    later = one.frames + round(0.5 * 120 / 108 * frames.rate)
    later = later[later < len(frames)]
    half = later[match_sets.has_window(frames)[later]]
    graph = build_snap_graph(library, {"a": one, "b": match_sets.picked(frames, half)}, frames=frames)
    assert graph.counts[0, 0] == 0
    assert min(graph.counts[0, 1], graph.counts[1, 0]) >= 6
    assert graph.core.all()
