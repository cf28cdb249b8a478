"""Kovar, Gleicher, Pighin 2002, section 5: path synthesis."""

import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon.graphs.motion_graph import TRANSITION
from walkon.synthesis import Path, PathFollower, follow_path
from walkon.synthesis.planar_steps import TRACK_SAMPLES_HZ, smooth_roots, walk_track

CLIPS = (
    glide("straight", 0.0, labels=("walk",)),
    glide("left", 0.6, labels=("walk",)),
    glide("right", -0.6, labels=("walk",)),
    glide("stand", 0.0, speed=0.001, labels=("stand",)),
    glide("sneak", 0.05, speed=0.4, labels=("sneak",)),
    glide("sneak right", -0.4, speed=0.4, labels=("sneak",)),
)
PATH = Path.through([(0, 0), (3, 0.8), (6, 0.2), (9, 1.5)], rounding=0.6)


@pytest.fixture(scope="module")
def graph():
    return arc_graph(list(CLIPS))


def test_eq9_the_error_is_the_squared_distance_to_the_point_at_the_same_arc_length(graph):
    cost = 0.003
    result = follow_path(graph, PATH, labels="walk", transition_cost=cost)
    fine = np.linspace(0.0, result.duration, 4000)
    track = walk_track(graph, result.walk, times=fine, roots=smooth_roots(graph.library))
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(track, axis=0), axis=1))])
    off = np.sum((track - PATH.at(along)) ** 2, axis=1)
    within = along <= PATH.length
    expected = np.trapezoid(off[within], fine[within])
    expected += cost * np.count_nonzero(graph.edges.kind[result.walk.edge] == TRANSITION)
    # The search samples tracks about so many times a second, at the end of each span.
    assert result.error == pytest.approx(expected, rel=0.12, abs=2.0 / TRACK_SAMPLES_HZ * 0.01)


def test_the_walk_halts_when_it_is_as_long_as_the_path(graph):
    result = follow_path(graph, PATH, labels="walk")
    track = walk_track(graph, result.walk, times=result.times, roots=smooth_roots(graph.library))
    walked = np.linalg.norm(np.diff(track, axis=0), axis=1).sum()
    assert PATH.length - 0.1 < walked < PATH.length + 0.5


def test_progress_keeps_a_character_that_could_stand_still_going(graph):
    # Standing accrues no error by itself: only γ moves the point that it should be at.
    standing_or_walking = follow_path(graph, PATH)
    assert standing_or_walking.along[-1] > PATH.length - 0.3
    assert standing_or_walking.duration < 2.5 * PATH.length


def test_confined_to_labels_the_search_stays_in_their_subgraph(graph):
    for label in ("walk", "sneak"):
        result = follow_path(graph, PATH, labels=label)
        assert graph.edges_with(label)[result.walk.edge].all()


@pytest.mark.parametrize("within", [0.4, 1.0])
def test_figure8_motion_changes_once_per_border_and_close_to_it(graph, within):
    result = follow_path(graph, PATH, labels=[("walk", 3.0), ("sneak", 6.0), ("walk", None)], switch_within=within)
    walks, sneaks = graph.edges_with("walk")[result.walk.edge], graph.edges_with("sneak")[result.walk.edge]
    assert not (walks & sneaks).any()
    kinds = np.where(walks, 1, np.where(sneaks, 2, 0))
    order = kinds[kinds > 0]
    assert order[np.flatnonzero(np.diff(order, prepend=0))].tolist() == [1, 2, 1]
    for switch in result.switches:
        assert switch.distance <= within + 0.25


def test_the_best_start_anywhere_is_no_worse_than_a_given_one(graph):
    ready = PathFollower.of(graph, labels="walk")
    free = ready.follow(PATH, width=400)
    for node in ready.choices.nodes[[0, 7, 20]]:
        assert free.error <= ready.follow(PATH, start=int(node), width=400).error * 1.05


@pytest.mark.mocap
def test_figure7_a_captured_walk_spells_hello(mocap):
    from walkon.capture.build import planted_drift
    from walkon.graphs.build import build_graph
    from walkon.reproduce.lettering import hello
    from walkon.reproduce.recordings import FORWARD, MotionSource

    graph = build_graph(MotionSource(folder=mocap).clips(FORWARD))
    result = follow_path(graph, hello(length=60.0))
    assert result.mean <= 0.06
    assert result.worst <= 0.35
    assert result.transitions_per_second <= 1.3
    assert result.warnings == ()
    assert planted_drift(result.clip()) <= 3e-3
