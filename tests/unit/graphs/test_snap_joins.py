"""Joins are measured over all pairs of edges; what a plain loop finds, and every fault planted by hand, is found."""

from dataclasses import replace

import numpy as np
import pytest

from walkon.graphs.snap_together import build_snap_graph
from walkon.graphs.snap_together.judging import joins
from walkon.graphs.snap_together.judging.joins import measure_feet, measure_joins
from walkon.graphs.transitions import velocity_changes
from walkon.motion.clip import Clip
from walkon.motion.kinematics import forward
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

NAMES = ("walk_1.10", "walk_1.35", "arc_left_1.20_50", "arc_right_1.20_50")


@pytest.fixture(scope="module")
def hubs(performer):
    return build_snap_graph(Library.of([performer[name] for name in NAMES]))


def placed(graph, edge, frame, place):
    """World positions and rotations of one frame of an edge, played from a planar pose."""
    clip = graph.clip(edge)
    rotations = np.array(clip.local_rotations[[frame]])
    rotations[:, 0] = quat.multiply(quat.turn(place[2]), rotations[:, 0])
    roots = planar.apply_3d(place, clip.root_positions[[frame]])
    return forward(graph.source.skeleton, roots, rotations).positions[0], rotations[0]


def by_loops(graph):
    """The slow way: play every edge after every other at the place where it leads."""
    position, rotation, jump, pairs = 0.0, 0.0, 0.0, 0
    for a in range(len(graph.edges)):
        for b in graph.out_edges(int(graph.edges.stop[a])).tolist():
            stop = graph.edges.displacement[a]
            last, last_turns = placed(graph, a, -1, planar.IDENTITY)
            first, first_turns = placed(graph, b, 0, stop)
            before, after = placed(graph, a, -2, planar.IDENTITY)[0], placed(graph, b, 1, stop)[0]
            position = max(position, np.linalg.norm(last - first, axis=1).max())
            rotation = max(rotation, quat.angle_between(last_turns, first_turns).max())
            change = np.linalg.norm((after - first) - (last - before), axis=1) * graph.clips.fps
            jump, pairs = max(jump, change.max()), pairs + 1
    return position, rotation, jump, pairs


def with_frames(graph, frames, *, roots=None, rotations=None, contacts=None):
    """The graph with some frames of its edges changed."""
    clips = graph.clips
    made = [np.array(clips.root_positions), np.array(clips.local_rotations), np.array(clips.contacts)]
    for array, change in zip(made, (roots, rotations, contacts), strict=True):
        if change is not None:
            array[frames] = change(array[frames])
    return replace(graph, clips=replace(clips, root_positions=made[0], local_rotations=made[1], contacts=made[2]))


def by(x, y, z):
    """A slide of roots."""
    return lambda root: root + np.array([x, y, z])


def test_a_plain_loop_over_pairs_finds_the_same(hubs):
    found = measure_joins(hubs)
    position, rotation, jump, pairs = by_loops(hubs)
    assert found["pairs"] == pairs > 50
    assert found["position_m"] == pytest.approx(position, abs=1e-12)
    assert found["rotation_rad"] == pytest.approx(rotation, abs=1e-12)
    assert found["jump_worst_m_s"] == pytest.approx(jump, rel=1e-9)
    assert max(hub["jump_worst_m_s"] for hub in found["hubs"]) == found["jump_worst_m_s"]
    before, after = (hubs.clips.names.index(found["worst"][which]) for which in ("before", "after"))
    assert hubs.edges.stop[before] == hubs.edges.start[after]


def test_blocks_do_not_matter(hubs, monkeypatch):
    whole, feet = measure_joins(hubs), measure_feet(hubs)
    monkeypatch.setattr(joins, "BLOCK_NUMBERS_COUNT", 100)
    parts, feet_of_parts = measure_joins(hubs), measure_feet(hubs)
    assert whole == parts
    assert feet == feet_of_parts


def test_the_joins_of_a_built_graph_are_exact_and_no_rougher_than_its_source(hubs):
    found = measure_joins(hubs)
    assert found["position_m"] < 1e-6
    assert found["rotation_rad"] < 1e-6
    assert found["jump_worst_m_s"] <= found["limit_m_s"]
    assert found["over_limit"] == 0.0
    assert found["jump_median_m_s"] <= found["jump_p99_m_s"] <= found["jump_worst_m_s"] + joins.JUMP_STEP_M_S


def test_an_edge_that_ends_beside_its_hub_is_found(hubs):
    edge = 3
    last = hubs.clips.stops[edge] - 1
    found = measure_joins(with_frames(hubs, last, roots=by(0.0, 0.003, 0.0)))
    assert found["position_m"] == pytest.approx(0.003, rel=1e-6)
    assert found["rotation_rad"] < 1e-9


def test_an_edge_that_begins_turned_is_found(hubs):
    first, elbow = hubs.clips.starts[2], hubs.source.skeleton.role("left_elbow")

    def bent(rotations):
        rotations[elbow] = quat.multiply(rotations[elbow], quat.about([0.0, 0.0, 1.0], 0.02))
        return rotations

    assert measure_joins(with_frames(hubs, first, rotations=bent))["rotation_rad"] == pytest.approx(0.02, rel=1e-9)
    # The sign of a quaternion is no turn.
    assert measure_joins(with_frames(hubs, first, rotations=lambda q: -q))["rotation_rad"] < 1e-9


def test_a_jerk_after_a_hub_is_a_jump_of_that_edge(hubs):
    edge = 5
    second = hubs.clips.starts[edge] + 1
    found = measure_joins(with_frames(hubs, second, roots=by(0.0, 0.0, 0.05)))
    assert found["jump_worst_m_s"] == pytest.approx(0.05 * hubs.clips.fps, rel=0.2)
    assert found["worst"]["after"] == hubs.clips.names[edge]
    assert found["over_limit"] > 0
    assert found["jump_worst_m_s"] > found["limit_m_s"]
    assert all(joint["over_its_limit"] > 0 for joint in found["joints"].values())


def test_changes_are_the_acceleration_over_a_frame(stick):
    times = np.arange(40) / 50.0
    roots = np.column_stack([times, 1.5 * times**2, np.ones(40)])
    still = np.zeros((40, 5, 4))
    still[..., 0] = 1.0
    clip = Clip(skeleton=stick, fps=50.0, root_positions=roots, local_rotations=still, name="push")
    places = np.concatenate([clip.world.positions] * 2)
    change = velocity_changes(places, np.array([0, 40]), np.array([40, 80]), rate=50.0)
    assert np.isnan(change[[0, 39, 40, 79]]).all()
    inside = np.delete(change, [0, 39, 40, 79], axis=0)
    assert inside == pytest.approx(3.0 / 50.0)  # 3 m/s² for a fiftieth of a second


def test_planted_feet_of_a_built_graph_stay(hubs):
    feet = measure_feet(hubs)
    assert feet["across_m"] < 1e-3
    assert feet["within_m"] < 3e-3
    assert feet["within_p99_m"] <= feet["within_m"]
    assert feet["sunk_m"] < 1e-3
    assert feet["lifted_m"] < 1e-3
    assert 0.9 < feet["planted_share"] <= 1.0
    assert feet["stretches"] > len(hubs.edges)


def test_a_foot_that_slides_is_found(hubs):
    edge = 7
    start, stop = int(hubs.clips.starts[edge]), int(hubs.clips.stops[edge])
    frames = np.arange(start + 1, start + 4)
    assert stop - start > 10
    feet = measure_feet(with_frames(hubs, frames, roots=by(0.02, 0.0, 0.0)))
    assert feet["within_m"] == pytest.approx(0.02, abs=1e-3)
    assert feet["within"]["edge"] == hubs.clips.names[edge]
    assert feet["within"]["point"].endswith(("heel", "ball"))


def test_a_foot_that_slides_from_edge_to_edge_is_found(hubs):
    edge = 7
    frames = np.arange(int(hubs.clips.starts[edge]), int(hubs.clips.stops[edge]))
    feet = measure_feet(with_frames(hubs, frames, roots=by(0.0, 0.015, 0.0)))
    assert feet["across_m"] == pytest.approx(0.015, abs=1e-3)
    assert hubs.clips.names[edge] in (feet["across"]["before"], feet["across"]["after"])
    assert feet["within_m"] < 3e-3


def test_planted_points_off_the_floor_are_found(hubs):
    every = np.arange(len(hubs.clips.root_positions))
    assert measure_feet(with_frames(hubs, every, roots=by(0, 0, -0.01)))["sunk_m"] == pytest.approx(0.01, abs=1e-3)
    assert measure_feet(with_frames(hubs, every, roots=by(0, 0, 0.01)))["lifted_m"] == pytest.approx(0.01, abs=1e-3)


def test_without_contacts_there_is_nothing_to_drift(hubs):
    every = np.arange(len(hubs.clips.root_positions))
    feet = measure_feet(with_frames(hubs, every, contacts=lambda contacts: contacts & False))
    assert (feet["across_m"], feet["across"], feet["within_m"], feet["within"]) == (0.0, None, 0.0, None)
    assert (feet["planted_share"], feet["stretches"]) == (0.0, 0)
