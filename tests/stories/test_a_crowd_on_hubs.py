"""Forty people wander on the built-in graph for half a minute, each by cuts alone: feet stay, nothing pops."""

import numpy as np
import pytest

from walkon.graphs.snap_together import RandomPolicy, SnapPlayer, builtin_snap_graph
from walkon.graphs.walk_segments import add_walk
from walkon.motion.body import Body
from walkon.motion.editing import move
from walkon.take import TakeWriter
from walkon.take.auditing.limits import GOOD, SOURCE_MARGIN_RATIO
from walkon.transforms import planar

pytestmark = pytest.mark.slow  # the graph is built on first use

PEOPLE, SECONDS = 40, 30.0
MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def graph():
    return builtin_snap_graph()


def crowd(graph, *, seed=3, labels=()):
    """A take in which everybody plays edges chosen at random, far enough apart to be alone."""
    writer = TakeWriter(fps=graph.clips.fps)
    body = writer.add_body(Body.of(graph.source.skeleton))
    who = writer.add_characters([f"walker {k}" for k in range(PEOPLE)], body=body)
    places = np.column_stack([100.0 * (np.arange(PEOPLE) % 8), 100.0 * (np.arange(PEOPLE) // 8), np.arange(PEOPLE)])
    core = np.flatnonzero(graph.core)
    hubs = core[np.arange(PEOPLE) % len(core)] if not labels else [graph.hub("carry")] * PEOPLE
    policy = RandomPolicy(graph, np.random.default_rng(seed), labels=labels)
    player = SnapPlayer(graph, policy, poses=places, hubs=hubs, characters=who)
    segments = player.advance(SECONDS)
    add_walk(writer, segments, graph=graph)
    return writer.close(), segments, player


@pytest.fixture(scope="module")
def played(graph):
    return crowd(graph)


def test_nobody_runs_out_of_motion_and_everybody_does_something_else(graph, played):
    take, segments, _ = played
    assert len(take) == PEOPLE
    assert (take.leaves >= SECONDS).all()
    ways = {tuple(segments.edge[segments.character == k].tolist()) for k in range(PEOPLE)}
    assert len(ways) == PEOPLE
    assert len(np.unique(graph.edges.stop[segments.edge])) >= 0.7 * graph.core.sum()


def test_feet_stay(played):
    take, _, _ = played
    figures = take.audit(stop=SECONDS).to_json()
    feet, floor, smooth = figures["foot_slide"], figures["floor"], figures["smoothness"]
    assert feet["max_drift_m"] < MILLIMETRE
    assert feet["max_m_s"] < MILLIMETRE
    assert feet["unlabelled_mean_m_s"] < 0.01
    assert feet["planted_share"] > 0.99  # at any time some foot of everybody is down
    assert feet["max_skating_s"] == 0.0
    assert floor["max_penetration_m"] < MILLIMETRE
    assert floor["max_swing_penetration_m"] < 0.02
    assert figures["legs"]["max_missed_m"] < 5 * MILLIMETRE
    assert smooth["max_root_jump_m"] < 0.01
    assert figures["adjustment"]["max_m_s"] < MILLIMETRE  # edges are played as they are
    assert figures["stuck"] == []


def test_nothing_pops_that_did_not_in_the_recordings(played):
    """The limits of a good take, beside the library that the edges were cut from, played as it was recorded."""
    take, _, player = played
    made = take.audit(stop=SECONDS).to_json()["smoothness"]
    own = recorded(player.graph.source).audit().to_json()["smoothness"]
    for name in ("max_joint_speed_deg_s", "max_pop_deg", "max_root_acceleration_m_s2", "max_root_jump_m"):
        assert made[name] <= max(GOOD[f"smoothness.{name}"], SOURCE_MARGIN_RATIO * own[name]), name
    assert made["p99_joint_jerk_deg_s3"] <= SOURCE_MARGIN_RATIO * own["p99_joint_jerk_deg_s3"]


def recorded(source):
    """Every clip of the source as it is, by one character each."""
    writer = TakeWriter(fps=source.fps)
    body = writer.add_body(Body.of(source.skeleton))
    for number, clip in enumerate(source):
        who = writer.add_character(clip.name, body=body)
        writer.perform(who, clip, start=0.0, place=(100.0 * number, -200.0, 0.0))
    return writer.close()


def test_cuts_cannot_be_told_from_what_the_source_does(graph, played):
    """Velocities of joints change less at a cut than in one frame of a hundred of the source."""
    _, segments, _ = played
    fps = graph.clips.fps
    own = np.concatenate(
        [np.linalg.norm(np.diff(clip.world.positions, 2, axis=0), axis=-1).ravel() for clip in graph.source]
    )
    limit = np.percentile(own, 99) * fps
    for k in range(0, PEOPLE, 4):
        edges = segments.edge[segments.character == k]
        places = np.zeros(3)
        last = None
        for edge in edges.tolist():
            now = move(graph.clip(edge), places).world.positions
            if last is not None:
                assert now[0] == pytest.approx(last[-1], abs=1e-6)
                jump = (now[1] - now[0]) - (last[-1] - last[-2])
                assert np.linalg.norm(jump, axis=-1).max() * fps < limit
            places, last = planar.compose(places, graph.edges.displacement[edge]), now


def test_whoever_carries_a_box_uses_carrying_edges_only(graph):
    take, segments, _ = crowd(graph, labels="carry")
    assert graph.edges_with("carry")[segments.edge].all()
    assert (take.leaves >= SECONDS).all()


def test_the_same_seed_gives_the_same_crowd(graph, played):
    _, again, _ = crowd(graph)
    assert np.array_equal(again.edge, played[1].edge)
    assert np.array_equal(again.place, played[1].place)
    _, other, _ = crowd(graph, seed=4)
    assert not np.array_equal(other.edge[:PEOPLE], played[1].edge[:PEOPLE])
