"""What a plan takes up: where the body is at any time, without jumps, and its discs at every bin."""

import numpy as np
import pytest

from crowd_worlds import Planned, ask_for, hub, plan_graph_of
from walkon.planning.occupancy import BIN_S, Occupancy
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.plan_graph import placed_discs
from walkon.synthesis.goal_directed.planner import Planner
from walkon.synthesis.goal_directed.reservations import places_at, reservations
from walkon.transforms import angles

FLOAT32 = 1e-5
"""m and rad: samples have 32 bits."""
FASTEST = 2.5
"""m/s: nobody's root is faster, sway and all."""


@pytest.fixture(scope="module", params=[1.0, 0.9])
def planned(request):
    """A graph, and a plan on it that is displaced and stretched."""
    planner = Planner(plan_graph_of(request.param), Occupancy(), FreeSpace.of(Stage()))
    ask = ask_for((1, 2, 0.5), (5, 4, -1.0), 9.0, 9.03, time=1.23)
    plan = Planned(planner.plan(ask, me=0, rng=np.random.default_rng(2)).walk, planner.graph)
    assert np.abs(plan.slopes).max() > 0
    assert plan.rate != 1.0
    return planner.graph, plan


def test_a_plan_begins_and_ends_where_it_was_asked_to_and_stays_there(planned):
    graph, plan = planned
    places, _ = places_at(graph, plan.walk, np.array([-9.0, 1.23, plan.starts[-1], 99.0]))
    np.testing.assert_allclose(places[:2], [(1, 2, 0.5)] * 2, atol=FLOAT32)
    np.testing.assert_allclose(places[2:, :2], [(5, 4)] * 2, atol=FLOAT32)
    assert np.abs(angles.difference(places[2:, 2], -1.0)).max() < FLOAT32


def test_places_follow_each_other_without_a_jump(planned):
    graph, plan = planned
    times = np.arange(1.0, 9.5, 0.002)
    places, _ = places_at(graph, plan.walk, times)
    assert np.hypot(*np.diff(places[:, :2], axis=0).T).max() < FASTEST * 0.002
    turn = np.abs(angles.difference(places[1:, 2], places[:-1, 2]))
    assert turn.max() < 0.02
    # Nor where one edge ends and the next one begins.
    seams = plan.starts[1:-1]
    before, after = (places_at(graph, plan.walk, seams + by)[0] for by in (-1e-7, 1e-7))
    assert np.hypot(*(after - before)[:, :2].T).max() < FLOAT32


def test_samples_are_those_of_the_edge_that_plays(planned):
    graph, plan = planned
    times = np.arange(plan.starts[0] + 0.01, plan.starts[-1], 0.05)
    _, rows = places_at(graph, plan.walk, times)
    edges = plan.edges[np.searchsorted(plan.starts, times, side="right") - 1]
    first, last = graph.steps.sample_first[edges], graph.steps.sample_first[edges + 1]
    assert ((rows >= first) & (rows < last)).all()


def test_discs_are_those_of_the_sample_placed_where_the_body_is(planned):
    graph, plan = planned
    bins, discs = reservations(graph, plan.walk, until=9.0)
    places, rows = places_at(graph, plan.walk, BIN_S * np.unique(bins))
    expected = [placed_discs(graph.steps.discs[row], place) for row, place in zip(rows, places, strict=True)]
    np.testing.assert_allclose(discs, np.concatenate(expected), atol=FLOAT32)
    assert bins.tolist() == np.repeat(np.unique(bins), [len(e) for e in expected]).tolist()


def test_bins_go_from_the_first_whole_one_to_the_last(planned):
    graph, plan = planned
    bins, discs = reservations(graph, plan.walk, until=12.34)
    assert np.unique(bins).tolist() == list(range(13, 124))
    assert (discs[:, 2] > 0).all()
    # Afterwards it stays as it is.
    late = discs[bins == 123]
    np.testing.assert_allclose(discs[bins == 100], late)
    there = placed_discs(graph.hub_discs[hub("stand")], np.array([5.0, 4.0, -1.0]))
    assert len(late) == len(there)
    np.testing.assert_allclose(late[:, :2], there[:, :2], atol=0.05)  # hub discs are those of some edge into it


def test_a_bin_on_which_a_plan_begins_is_its_own():
    planner = Planner(plan_graph_of(), Occupancy(), FreeSpace.of(Stage()))
    plan = Planned(
        planner.plan(ask_for((0, 0, 0), (3, 0, 0), 0, 20, time=0.3), me=0, rng=np.random.default_rng(0)).walk,
        planner.graph,
    )
    assert reservations(planner.graph, plan.walk, until=1.0)[0].min() == 3
