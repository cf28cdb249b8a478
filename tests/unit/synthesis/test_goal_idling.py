"""Waiting: long enough and hardly longer, on the spot, and not in step with those beside."""

from dataclasses import replace

import numpy as np
import pytest

from crowd_worlds import Planned, builtin, hub, plan_graph_of, same_plan
from walkon.graphs.walk import Walk
from walkon.synthesis.goal_directed.idling import APART_S, SPARE_S, idle_walk
from walkon.synthesis.goal_directed.plan_graph import IDLE_DRIFT_TOLERANCE
from walkon.synthesis.goal_directed.reservations import places_at
from walkon.transforms import planar

EXACT = 1e-9
"""m, rad and s: sums of exact numbers."""
FLOAT32 = 1e-5
"""m and rad: samples have 32 bits."""
POSE = np.array([3.0, -2.0, 0.7])
HUBS = ("stand", "sit", "carry_stand")


def graph_of(name):
    return plan_graph_of(carrying=name.startswith("carry"), start=hub(name))


def waited(seconds, *, name="stand", seed=0, start=5.0, beside=None, scale=1.0):
    graph = plan_graph_of(scale, carrying=name.startswith("carry"), start=hub(name))
    rng = np.random.default_rng(seed)
    walk = idle_walk(graph, hub(name), pose=POSE, start=start, seconds=seconds, rng=rng, nearby=beside)
    return None if walk is None else Planned(walk, graph)


@pytest.mark.parametrize("name", HUBS)
@pytest.mark.parametrize("seconds", [0.1, 1.4, 2.0, 3.1, 4.7, 9.0, 33.3])
def test_waiting_lasts_long_enough_and_hardly_longer(name, seconds):
    graph = graph_of(name)
    shortest = float(graph.steps.seconds[graph.idle_edges[hub(name)]].min())
    for seed in range(8):
        plan = waited(seconds, name=name, seed=seed)
        lasted = plan.starts[-1] - plan.starts[0]
        # At worst the shortest idle clip begins just before the end, or another one for variety.
        assert seconds - EXACT <= lasted < seconds + shortest + SPARE_S
        assert plan.starts[0] == 5.0
        np.testing.assert_allclose(np.diff(plan.starts), graph.steps.seconds[plan.edges])
        assert set(plan.edges.tolist()) <= set(graph.idle_edges[hub(name)].tolist())


def test_on_average_waiting_is_hardly_longer_than_asked():
    over = [waited(seconds, seed=k).starts[-1] - 5.0 - seconds for k, seconds in enumerate(np.linspace(4.0, 20.0, 60))]
    assert np.mean(over) < 0.5


@pytest.mark.parametrize("name", HUBS)
def test_nobody_drifts_who_waits(name):
    graph, plan = graph_of(name), waited(60.0, name=name)
    np.testing.assert_array_equal(plan.poses, np.tile(POSE, (len(plan.edges), 1)))
    places, _ = places_at(graph, plan.walk, plan.starts)
    np.testing.assert_allclose(places, np.tile(POSE, (len(places), 1)), atol=FLOAT32)


def test_an_idle_clip_that_ends_elsewhere_is_displaced_back_by_as_much_evenly():
    """Those of the built-in graph end where they began; those of recordings may end a few millimetres off."""
    built_in = graph_of("stand")
    move = built_in.steps.move.copy()
    drifts = built_in.idle_edges[hub("stand")]
    move[drifts] += np.random.default_rng(2).uniform(-0.6, 0.6, (len(drifts), 3)) * IDLE_DRIFT_TOLERANCE
    graph = replace(built_in, steps=built_in.steps._replace(move=move))
    assert set(graph.idle_edges[hub("stand")].tolist()) == set(drifts.tolist())
    plan = Planned(
        idle_walk(graph, hub("stand"), pose=POSE, start=5.0, seconds=60.0, rng=np.random.default_rng(0)), graph
    )
    np.testing.assert_array_equal(plan.poses, np.tile(POSE, (len(plan.edges), 1)))
    ends = planar.compose(POSE, graph.steps.move[plan.edges])
    assert np.abs(ends - POSE).max() > 0.2 * IDLE_DRIFT_TOLERANCE
    back = plan.offsets + plan.slopes * np.diff(plan.starts)[:, None]
    np.testing.assert_allclose(ends + back, plan.poses, atol=EXACT)
    assert (plan.offsets == 0).all()


def test_no_time_is_no_rest():
    plan = waited(0.0)
    assert len(plan.edges) == 0


@pytest.mark.parametrize("name", ["walk_left_1.24", "back", "carry"])
def test_nobody_can_wait_in_a_hub_without_idle_clips(name):
    assert waited(3.0, name=name) is None


def test_a_body_of_another_size_waits_as_long():
    plan = waited(10.0, scale=0.85)
    assert 10.0 - EXACT <= plan.starts[-1] - 5.0 < 10.0 + 2.0
    graph = plan_graph_of(0.85, start=hub("stand"))
    np.testing.assert_allclose(np.diff(plan.starts), graph.steps.seconds[plan.edges])


def test_the_same_chance_gives_the_same_rests_and_another_one_others():
    assert same_plan(waited(30.0, seed=1), waited(30.0, seed=1))
    assert waited(30.0, seed=1).edges.tolist() != waited(30.0, seed=2).edges.tolist()


def test_all_idle_clips_have_their_turn():
    seen = {edge for seed in range(10) for edge in waited(60.0, seed=seed).edges.tolist()}
    assert seen == set(plan_graph_of().idle_edges[hub("stand")].tolist())


def together(one, two):
    """How often two begin the same rest at about the same time."""
    near = np.abs(one.starts[:-1, None] - two.starts[None, :-1]) < APART_S
    return int((near & (one.edges[:, None] == two.edges)).sum())


def test_nobody_begins_a_rest_together_with_somebody_beside():
    blind = 0
    for seed in range(20):
        first = waited(40.0, seed=seed)
        second = waited(40.0, seed=seed + 100, beside=first.walk)
        assert together(first, second) == 0
        blind += together(first, waited(40.0, seed=seed + 100))
    assert blind > 0  # not looking, some do


def test_where_all_rests_are_begun_beside_the_least_common_ones_are_taken():
    rests = plan_graph_of().idle_edges[hub("stand")]
    twice = np.concatenate([rests, rests[1:]])
    begun = Walk.filled(len(twice), edge=plan_graph_of().edges[twice], start=5.0)
    plan = waited(0.5, beside=begun)
    assert plan.edges.tolist() == [rests[0]]


def test_seated_people_wait_seated():
    plan = waited(20.0, name="sit")
    clips = {builtin().clip(int(graph_of("sit").edges[edge])).name for edge in plan.edges}
    assert all("sit" in name for name in clips)
