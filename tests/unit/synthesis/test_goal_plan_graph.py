"""The graph as planning reads it: edges as recorded, sorted, in any size, and who may go where."""

import numpy as np
import pytest

from crowd_worlds import builtin, hub, plan_graph_of
from snap_toys import loops, with_dead_end
from walkon.graphs.snap_together.edge_tracks import LEGROOM_M, SLOW_MARGIN_CUT_M, carried_disc
from walkon.planning.occupancy import BIN_S
from walkon.synthesis.goal_directed.plan_graph import (
    BRANCH_COUNT,
    IDLE_DRIFT_TOLERANCE,
    MORE_BRANCH_COUNT,
    placed_discs,
    plan_graph,
)
from walkon.transforms import angles

FLOAT32 = 1e-5
"""m and rad: samples have 32 bits."""
EXACT = 1e-12
"""m, s and rad: products of exact numbers."""


@pytest.fixture(scope="module")
def whole():
    return plan_graph(builtin())


# Edges


def test_all_edges_between_hubs_that_reach_each_other_are_there_but_gestures(whole):
    graph = builtin()
    assert graph.core.all()
    gestures = graph.edges_with("gesture")
    assert gestures.any()
    np.testing.assert_array_equal(np.sort(whole.edges), np.flatnonzero(~gestures))
    np.testing.assert_array_equal(whole.rows[whole.edges], np.arange(len(whole.edges)))
    assert (whole.rows[gestures] == -1).all()


def test_edges_into_a_dead_end_are_left_out():
    graph = with_dead_end()
    plain = plan_graph(graph)
    kept = {graph.hub_names[int(k)] for k in {*plain.steps.start.tolist(), *plain.steps.stop.tolist()}}
    assert kept == {"a", "b"}
    assert len(plain.edges) == 2


def test_an_edge_goes_as_far_and_lasts_as_long_as_its_clip(whole):
    table = builtin().edges.rows(whole.edges)
    np.testing.assert_array_equal(whole.steps.move, table.planar_displacement)
    np.testing.assert_array_equal(whole.steps.seconds, table.duration)
    np.testing.assert_array_equal(whole.steps.start, table.start)
    np.testing.assert_array_equal(whole.steps.stop, table.stop)


def test_edges_that_can_replace_each_other_are_consecutive(whole):
    H = len(builtin().hubs)
    for a, b in (
        (hub("stand"), hub("stand")),
        (hub("walk_left_1.24"), hub("walk_right_1.24")),
        (hub("sit"), hub("back")),
    ):
        rows = whole.between(a, b)
        expected = np.flatnonzero((whole.steps.start == a) & (whole.steps.stop == b))
        np.testing.assert_array_equal(rows, expected)
    assert whole.steps.pair_first[-1] == len(whole.edges)
    assert len(whole.steps.pair_first) == H * H + 1


def test_samples_are_the_clips_own_planar_path_every_bin(whole):
    graph, steps = builtin(), whole.steps
    rng = np.random.default_rng(1)
    for row in rng.integers(len(whole.edges), size=40):
        edge = int(whole.edges[row])
        a, b = int(graph.clips.starts[edge]), int(graph.clips.stops[edge])
        mine = steps.places[steps.sample_first[row] : steps.sample_first[row + 1]]
        recorded = graph.planar[a:b].copy()
        recorded[:, 2] = np.unwrap(recorded[:, 2])
        times = np.append(BIN_S * np.arange(int(steps.seconds[row] / BIN_S + 1e-9) + 1), steps.seconds[row])
        frames = np.arange(b - a) / graph.clips.fps
        expected = np.column_stack([np.interp(times, frames, recorded[:, k]) for k in range(3)])
        np.testing.assert_allclose(mine, expected, atol=FLOAT32)
        # The first one is the start hub's place, the last one the displacement.
        np.testing.assert_allclose(mine[0], 0.0, atol=FLOAT32)
        np.testing.assert_allclose(mine[-1, :2], steps.move[row, :2], atol=FLOAT32)
        assert angles.difference(float(mine[-1, 2]), steps.move[row, 2]) == pytest.approx(0.0, abs=FLOAT32)


def test_rests_may_not_be_displaced_and_walks_and_turns_may(whole):
    steps = whole.steps
    for rests in whole.idle_edges:
        assert (steps.moving[rests] == 0).all()
    walking = names_start(whole, "walk") & names_stop(whole, "walk")
    assert (steps.moving[walking] == 1).all()
    turns = np.abs(builtin().edges.turn[whole.edges]) > np.deg2rad(21)
    assert (steps.moving[turns] == 1).all()


def names_start(graph, name):
    return np.array([builtin().hub_names[k].startswith(name) for k in graph.steps.start])


def names_stop(graph, name):
    return np.array([builtin().hub_names[k].startswith(name) for k in graph.steps.stop])


def test_seats_and_tables_are_not_in_the_way_of_sitting_and_lifting(whole):
    sits = names_start(whole, "sit") | names_stop(whole, "sit")
    lifts = names_start(whole, "carry") != names_stop(whole, "carry")
    np.testing.assert_array_equal(whole.steps.excused > 0, sits | lifts)


# Rests


def test_one_can_rest_standing_seated_and_standing_with_a_load_only(whole):
    assert {builtin().hub_names[k] for k, rests in enumerate(whole.idle_edges) if len(rests)} == {
        "stand",
        "sit",
        "carry_stand",
    }


def test_a_rest_leads_back_to_where_it_began(whole):
    steps = whole.steps
    for k, rests in enumerate(whole.idle_edges):
        assert (steps.start[rests] == k).all()
        assert (steps.stop[rests] == k).all()
        assert (np.abs(steps.move[rests]) < IDLE_DRIFT_TOLERANCE).all()


# Sizes


@pytest.mark.parametrize("scale", [0.85, 1.15])
def test_a_body_of_another_size_goes_as_much_further_and_takes_the_root_of_it_longer(whole, scale):
    one, two = whole.steps, whole.scaled(scale).steps
    sized = np.array([scale, scale, 1.0])
    np.testing.assert_allclose(two.move, one.move * sized, atol=EXACT)
    np.testing.assert_allclose(two.seconds, one.seconds * np.sqrt(scale), atol=EXACT)
    np.testing.assert_allclose(two.tick, one.tick * np.sqrt(scale), atol=EXACT)
    np.testing.assert_allclose(two.path, one.path * scale, atol=EXACT)
    np.testing.assert_allclose(two.trunk, one.trunk * scale, atol=EXACT)
    np.testing.assert_allclose(two.places, one.places * sized, atol=FLOAT32)
    there = one.discs[..., 2] > 0
    np.testing.assert_allclose(two.discs[there], one.discs[there] * scale, atol=FLOAT32)
    assert (two.discs[~there][:, 2] < 0).all()
    for name in ("start", "stop", "moving", "sample_first", "pair_first", "excused"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert whole.scaled(scale).scale == scale
    assert not two.move.flags.writeable


def test_scaled_twice_is_scaled_once(whole):
    twice = whole.scaled(0.9).scaled(1.1)
    np.testing.assert_allclose(twice.steps.move, whole.scaled(1.1).steps.move, atol=EXACT)
    np.testing.assert_allclose(twice.steps.seconds, whole.scaled(1.1).steps.seconds, atol=EXACT)


# Who may go where


def reached(graph, start):
    """Hubs that lead edges reach from one."""
    steps, found, todo = graph.steps, {start}, [start]
    while todo:
        here = todo.pop()
        for edge in steps.branch_edges[0, steps.branch_first[0, here] : steps.branch_first[0, here + 1]]:
            assert steps.start[edge] == here
            if int(steps.stop[edge]) not in found:
                found.add(int(steps.stop[edge]))
                todo.append(int(steps.stop[edge]))
    return found


def on_foot():
    return np.array([not name.startswith(("sit", "carry")) for name in builtin().hub_names])


def test_before_anybody_chose_there_are_no_choices(whole):
    assert whole.hubs is None
    assert whole.steps.branch_edges.shape == (2, 0)
    assert whole.with_more_branches is whole


def test_choices_lead_to_all_allowed_hubs_and_to_no_other(whole):
    allowed = on_foot()
    graph = whole.restricted_to(allowed)
    for start in np.flatnonzero(allowed):
        assert reached(graph, int(start)) == set(np.flatnonzero(allowed).tolist())
    assert reached(graph, hub("sit")) == {hub("sit")}
    # All edges stay for the search to exchange; only choices are fewer.
    np.testing.assert_array_equal(graph.edges, whole.edges)
    assert graph.hubs is allowed


def test_edges_that_enter_a_hub_are_the_same_that_leave_the_others(whole):
    steps = whole.restricted_to(on_foot()).steps
    assert sorted(steps.branch_edges[0].tolist()) == sorted(steps.branch_edges[1].tolist())
    for k in range(len(builtin().hubs)):
        entering = steps.branch_edges[1, steps.branch_first[1, k] : steps.branch_first[1, k + 1]]
        assert (steps.stop[entering] == k).all()


def test_between_two_hubs_are_a_few_choices_that_are_unlike_and_later_many_more(whole):
    few = whole.restricted_to(on_foot())
    for graph, most in ((few, BRANCH_COUNT), (few.with_more_branches, MORE_BRANCH_COUNT)):
        branch_edges = graph.steps.branch_edges[0]
        pairs = graph.steps.start[branch_edges].astype(int) * 100 + graph.steps.stop[branch_edges]
        counts = np.unique(pairs, return_counts=True)[1]
        assert counts.max() == most
    assert len(few.with_more_branches.steps.branch_edges[0]) > 1.5 * len(few.steps.branch_edges[0])
    # Pairs of hubs with few edges keep them all.
    pair = few.between(hub("stand"), hub("side_left"))
    assert 0 < len(pair) <= BRANCH_COUNT
    assert set(pair.tolist()) <= set(few.steps.branch_edges[0].tolist())


# Discs


def test_discs_of_a_hub_are_those_of_the_last_sample_of_edges_into_it(whole):
    steps = whole.steps
    for k in range(len(builtin().hubs)):
        into = np.flatnonzero(steps.stop == k)
        found = whole.hub_discs[k]
        assert any(np.array_equal(found, steps.discs[steps.sample_first[e + 1] - 1]) for e in into)
        assert found[:, 2].max() > 0.15


def test_a_hub_that_nothing_enters_has_no_discs():
    graph = plan_graph(with_dead_end())
    assert (graph.hub_discs[2, :, 2] < 0).all()
    assert len(placed_discs(graph.hub_discs[2], np.zeros(3))) == 0


def test_discs_placed_are_turned_and_moved_with_the_body():
    discs = np.array([[1.0, 0.0, 0.2], [0.0, 0.5, 0.1], [9.0, 9.0, -1000.0]])
    placed = placed_discs(discs, np.array([10.0, 20.0, np.pi / 2]))
    np.testing.assert_allclose(placed, [[10.0, 21.0, 0.2], [9.5, 20.0, 0.1]], atol=EXACT)


def test_who_is_slow_has_a_slimmer_disc_than_who_walks(whole):
    steps = whole.steps
    walks = names_start(whole, "walk") & names_stop(whole, "walk")
    rests = np.zeros(len(whole.edges), bool)
    rests[whole.idle_edges[hub("stand")]] = True
    radius = {}
    for name, edges in (("walks", walks), ("rests", rests)):
        rows = np.concatenate(
            [np.arange(steps.sample_first[e], steps.sample_first[e + 1]) for e in np.flatnonzero(edges)]
        )
        radius[name] = float(np.median(steps.discs[rows, 0, 2]))
    assert radius["rests"] < radius["walks"] - SLOW_MARGIN_CUT_M


def test_who_carries_has_a_disc_for_what_it_carries_and_one_for_both_legs():
    graph = builtin()
    disc = carried_disc(graph, graph.lifts)
    shared = plan_graph_of()
    loaded = names_start(shared, "carry") & names_stop(shared, "carry")
    for edge in np.flatnonzero(loaded)[:20]:
        for discs in shared.steps.discs[shared.steps.sample_first[edge] : shared.steps.sample_first[edge + 1]]:
            np.testing.assert_allclose(discs[2], disc, atol=FLOAT32)
            np.testing.assert_allclose(discs[1], (0.0, 0.0, LEGROOM_M), atol=FLOAT32)


def test_a_graph_without_bodies_that_matter_can_be_read_too():
    graph = plan_graph(loops())
    assert (graph.steps.excused == 0).all()
    assert len(graph.edges) == len(loops().edges)
    assert all(len(rests) == 0 for rests in graph.idle_edges)  # its poles always glide
