"""Sung 2005, section 3.2: the greedy planner goes through way points, in the state's subgraph, to the asked pose."""

import numpy as np
import pytest

from goal_worlds import NOBODY, locked, toy_pool, toy_world
from twins.collisions import edge_depth
from twins.greedy import played
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.synthesis.goal_directed._greedy_kernels import SeedGoal, grow
from walkon.synthesis.goal_directed.greedy_seeds import FACING_M_PER_RAD, GreedySeeds
from walkon.synthesis.goal_directed.plan_graph import plan_graph
from walkon.synthesis.goal_directed.planner import LegRequest

ON_FOOT, CARRYING, SITTING = "walk stand side back", "carry", "sit"


@pytest.fixture(scope="module")
def whole():
    return plan_graph(builtin_snap_graph())


def state(whole, words):
    """The graph of a state, and its hubs."""
    names = whole.graph.hub_names
    hubs = np.array([any(name.startswith(word) for word in words.split()) for name in names])
    return whole.restricted_to(hubs), hubs


def laid(graph, edges, pose, *, backward=False):
    """Planar poses [n + 1, 3] along a motion."""
    poses = [np.asarray(pose, float)]
    for edge in edges:
        poses.append(played(graph.steps.move[[edge]], poses[-1], backward=backward)[0])
    return np.array(poses)


def grown(graph, way, target, *, hub, wanted, world=None, pose=(0.0, 0.0, 0.0), time=0.0, backward=False):
    seeds = GreedySeeds(graph)
    edges = np.zeros(100, np.int32)
    itinerary = SeedGoal(locked(way), locked(target), seeds.hops(wanted, backward=backward), seeds._open)
    world = world or toy_world()
    count = grow(graph.steps, world, itinerary, hub, np.array(pose), time, backward, FACING_M_PER_RAD, NOBODY, edges)
    return edges[:count]


def test_the_planner_goes_from_way_point_to_way_point_and_ends_in_the_required_pose(whole):
    graph, _ = state(whole, ON_FOOT)
    stand = whole.graph.hub_names.index("stand")
    way = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)]
    edges = grown(graph, way, (5.0, 5.0, np.pi / 2), hub=stand, wanted=stand)
    poses = laid(graph, edges, (0.0, 0.0, 0.0))
    assert graph.steps.stop[edges[-1]] == stand
    assert np.linalg.norm(poses[:, :2] - way[1], axis=1).min() < 1.0
    assert np.linalg.norm(poses[-1, :2] - way[2]) < 1.5


def test_the_backward_motion_runs_from_the_goal_into_the_past(whole):
    graph, _ = state(whole, ON_FOOT)
    stand = whole.graph.hub_names.index("stand")
    goal = (6.0, 1.0, 0.2)
    edges = grown(graph, [goal[:2], (0.0, 0.0)], (0.0, 0.0, 0.0), hub=stand, wanted=stand, pose=goal, backward=True)
    assert graph.steps.stop[edges[0]] == stand
    assert (graph.steps.stop[edges[1:]] == graph.steps.start[edges[:-1]]).all()
    assert graph.steps.start[edges[-1]] == stand
    assert np.linalg.norm(laid(graph, edges, goal, backward=True)[-1, :2]) < 1.5


@pytest.mark.parametrize(("words", "hub"), [(ON_FOOT, "stand"), (CARRYING, "carry_stand")])
def test_only_edges_of_the_characters_state_are_used(whole, words, hub):
    graph, hubs = state(whole, words)
    hub = whole.graph.hub_names.index(hub)
    edges = grown(graph, [(0.0, 0.0), (5.0, 1.0)], (5.0, 1.0, 0.0), hub=hub, wanted=hub)
    assert len(edges) > 3
    assert hubs[graph.steps.start[edges]].all()
    assert hubs[graph.steps.stop[edges]].all()


def test_nobody_sits_down_before_the_end(whole):
    graph, _ = state(whole, f"{ON_FOOT} {SITTING}")
    stand, sit = (whole.graph.hub_names.index(name) for name in ("stand", "sit"))
    edges = grown(graph, [(0.0, 0.0), (4.0, 0.0)], (4.0, 0.0, np.pi), hub=stand, wanted=sit)
    stops = graph.steps.stop[edges]
    first = int(np.flatnonzero(stops == sit)[0])
    assert (stops[first:] == sit).all()
    assert (graph.steps.start[edges[:first]] != sit).all()
    assert np.linalg.norm(laid(graph, edges, (0.0, 0.0, 0.0))[-1, :2] - (4.0, 0.0)) < 1.5


@pytest.mark.parametrize("facing", [0.3, np.nan], ids=["facing", "any facing"])
def test_without_a_pose_edges_are_added_until_the_error_stops_falling(whole, facing):
    graph, hubs = state(whole, ON_FOOT)
    stand = whole.graph.hub_names.index("stand")
    target = np.array([4.0, 0.5, facing])
    edges = grown(graph, [(0.0, 0.0), target[:2]], target, hub=stand, wanted=-1)
    poses = laid(graph, edges, (0.0, 0.0, 0.0))

    def error(pose):
        far = np.linalg.norm(pose[..., :2] - target[:2], axis=-1)
        turn = np.mod(pose[..., 2] - target[2] + np.pi, 2 * np.pi) - np.pi
        # With a free facing only the place counts.
        return far if np.isnan(facing) else far + FACING_M_PER_RAD * np.abs(turn)

    following = np.flatnonzero((graph.steps.start == graph.steps.stop[edges[-1]]) & hubs[graph.steps.stop])
    assert error(played(graph.steps.move[following], poses[-1], backward=False)).min() >= error(poses[-1])
    near = np.linalg.norm(poses[:, :2] - target[:2], axis=1) < 2.0
    assert near.sum() > 1
    assert (np.diff(error(poses[near])) < 0).all()


def test_the_fewest_edges_lead_to_the_required_hub(whole):
    graph, _ = state(whole, f"{ON_FOOT} {SITTING}")
    seeds, H = GreedySeeds(graph), len(whole.graph.hubs)
    linked = np.zeros((H, H), int)
    linked[graph.steps.start, graph.steps.stop] = 1
    used = seeds._open > 0
    linked[~used], linked[:, ~used] = 0, 0
    sit = whole.graph.hub_names.index("sit")
    for backward, ways in ((False, linked), (True, linked.T)):
        hops = seeds.hops(sit, backward=backward)
        assert (hops[~used] == -1).all()
        for far in range(1, hops.max() + 1):
            reached = np.linalg.matrix_power(np.eye(H, dtype=int) + ways, far)[:, sit] > 0
            np.testing.assert_array_equal(reached & used, (hops >= 0) & (hops <= far))


def test_edges_that_meet_people_who_are_planned_already_are_passed_over(whole):
    graph, _ = state(whole, ON_FOOT)
    stand = whole.graph.hub_names.index("stand")
    changed = 0
    for seed in range(8):
        world = toy_world(people=60, seed=seed, size=4.0, seconds=10.0)
        way = [(-5.0, 0.0), (5.0, 0.0)]
        arguments = {"hub": stand, "wanted": -1, "pose": (-5.0, 0.0, 0.0), "time": 2.0}
        edges = grown(graph, way, (5.0, 0.0, 0.0), world=world, **arguments)
        poses, when = laid(graph, edges, (-5.0, 0.0, 0.0)), 2.0
        for edge, pose in zip(edges.tolist(), poses, strict=False):
            assert edge_depth(graph.steps, world, edge, pose, begin=when, me=NOBODY) == 0.0
            when += float(graph.steps.seconds[edge])
        changed += edges.tolist() != grown(graph, way, (5.0, 0.0, 0.0), **arguments).tolist()
    assert changed > 3


def seeded(graph, hub, window):
    """The forward seed to a place 6 m ahead, setting out at 1 s."""
    path = np.array([[0.0, 0.0], [6.0, 0.0]])
    rng, (pool, _) = np.random.default_rng(0), toy_pool(1, longest=100)
    ask = LegRequest(hub, np.zeros(3), 1.0, hub, np.array([6.0, 0.0, 0.0]), window, path)
    assert GreedySeeds(graph).fill(pool, ask=ask, world=toy_world(), rng=rng, me=0, give=1 / 15) == 1
    return pool.edges[0, 0, : pool.counts[0, 0]]


@pytest.mark.parametrize("late", [0.0, 0.4, 6.0, 17.0])
def test_slack_that_the_tolerance_cannot_absorb_is_waited_before_the_search(whole, late):
    graph, _ = state(whole, ON_FOOT)
    stand = whole.graph.hub_names.index("stand")
    going = seeded(graph, stand, (1.0, np.inf))
    arrival = 1.0 + graph.steps.seconds[going].sum() + late
    edges = seeded(graph, stand, (arrival, arrival))
    waits = len(edges) - len(going)
    assert edges[waits:].tolist() == going.tolist()
    assert np.isin(edges[:waits], graph.idle_edges[stand]).all()
    assert (waits > 0) == (late > 1)
    took = graph.steps.seconds[edges].sum()
    assert abs(arrival - 1.0 - took) <= max(took / 15, 0.5 * graph.steps.seconds[graph.idle_edges[stand]].min())
