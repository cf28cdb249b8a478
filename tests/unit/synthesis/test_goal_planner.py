"""Planning one leg: the goal is met exactly and in time, nobody is run into, and failures tell the true reason."""

from dataclasses import replace

import numpy as np
import pytest

from crowd_worlds import Planned, ask_for, deepest, hub, plan_graph_of, planned, same_plan, standing, wall
from walkon.planning.occupancy import BIN_S, BODY_MARGIN_M, Occupancy
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.planner import OBSTACLE_MARGIN_M, Failure, Planner
from walkon.synthesis.goal_directed.reservations import places_at, reservations
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.transforms import angles, planar

EXACT = 1e-9
"""m, rad and s: sums of exact numbers."""
ROUNDING = 1e-4
"""m: discs are kept with 32 bits, clearances are mixed between nodes."""
ROOM = np.array([(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0)])
ME = 0


def planner_on(stage=None, occupancy=None, *, rule=None, scale=1.0, goal="stand", start="stand"):
    """A planner for people on foot."""
    graph = plan_graph_of(scale, start=hub(start), goal=hub(goal))
    return Planner(graph, occupancy or Occupancy(), FreeSpace.of(stage or Stage()), rule=rule)


def planned_by(planner, ask, *, me=ME, seed=0, avoid=()):
    return planned(planner.plan(ask, me=me, rng=np.random.default_rng(seed), avoid=avoid), planner.graph)


def plan_for(ask, *, seed=0, avoid=(), **options):
    return planned_by(planner_on(**options), ask, seed=seed, avoid=avoid)


def ends_of(graph, plan):
    """Planar poses [n, 3] at the start and at the end of each edge, displaced."""
    lasts = np.diff(plan.starts)[:, None]
    begins = plan.poses + plan.offsets
    return begins, planar.compose(plan.poses, graph.steps.move[plan.edges]) + plan.offsets + plan.slopes * lasts


ASKS = {
    "ahead": (((0, 0, 0), (4, 1, 0.3), 4, 8), {}),
    "at one instant": (((0, 0, 0), (4, 1, 0.3), 7.25, 7.25), {}),
    "behind": (((0, 0, 0), (-3, 0, 2.0), 0, 30), {}),
    "after a long wait": (((0, 0, 0), (4, 1, 0.3), 20, 21), {}),
    "turned on the spot": (((1, 2, 0), (1, 2, 2.5), 0, 20), {}),
    "facing west": (((0, 0, 3.1), (-4, 0.3, -3.1), 4, 9), {}),
    "later": (((0, 0, 0), (4, 1, 0.3), 104, 108), {"time": 100.0}),
    "sitting down": (((0, 0, 0), (3, 0, 0.5), 0, 30), {"pose": "sit", "tail": 2.0}),
    "walking on": (((0, 0, 0), (5, 0, 0), 0, 20), {"pose": "walk_left_1.24"}),
    "from a walk": (((0, 0, 0), (5, 0, 0), 0, 20), {"begins": "walk_left_1.24"}),
}


def asked(name):
    places, options = ASKS[name]
    return ask_for(*places, **options)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", ASKS)
def test_a_plan_meets_its_goal_exactly_and_within_its_window(name, seed):
    ask = asked(name)
    planner = planner_on(goal="sit" if name == "sitting down" else "stand")
    plan = planned_by(planner, ask, me=ME, seed=seed)
    assert isinstance(plan, Planned)
    steps = planner.graph.steps
    begins, ends = ends_of(planner.graph, plan)
    np.testing.assert_allclose(begins[0], ask.pose, atol=EXACT)
    np.testing.assert_allclose(ends[-1, :2], ask.goal[:2], atol=EXACT)
    assert angles.difference(ends[-1, 2], ask.goal[2]) == pytest.approx(0.0, abs=EXACT)
    assert ask.window[0] - EXACT <= plan.starts[-1] <= ask.window[1] + EXACT
    assert plan.starts[0] == ask.time
    assert np.abs(plan.slopes[:, 2]).max() <= planner.rule.facing + EXACT  # the short way round
    # From hub to hub, pose to pose, without a gap; each edge lasts as long as its clip at the plan's speed.
    assert (steps.start[plan.edges[0]], steps.stop[plan.edges[-1]]) == (ask.hub, ask.goal_hub)
    np.testing.assert_array_equal(steps.stop[plan.edges[:-1]], steps.start[plan.edges[1:]])
    np.testing.assert_allclose(begins[1:, :2], ends[:-1, :2], atol=EXACT)
    np.testing.assert_allclose(angles.difference(begins[1:, 2], ends[:-1, 2]), 0.0, atol=EXACT)
    np.testing.assert_allclose(np.diff(plan.starts), steps.seconds[plan.edges] / plan.rate, atol=EXACT)


@pytest.mark.parametrize("seed", range(4))
def test_motion_is_adjusted_within_the_limits_of_the_rule_and_never_at_rest(seed):
    rule = SearchRule(position=0.015, facing=np.deg2rad(1.5), time=0.03)
    planner = planner_on(rule=rule)
    plan = planned_by(planner, ask_for((0, 0, 0), (5, 2, 1.0), 6.5, 7.0), me=ME, seed=seed)
    assert isinstance(plan, Planned)
    assert np.hypot(*plan.slopes[:, :2].T).max() <= rule.position + EXACT
    assert np.abs(plan.slopes[:, 2]).max() <= rule.facing + EXACT
    assert max(plan.rate, 1 / plan.rate) - 1 <= rule.time + EXACT
    assert plan.adjustment == pytest.approx(
        (
            np.hypot(*plan.slopes[:, :2].T).max(),
            np.abs(plan.slopes[:, 2]).max(),
            max(plan.rate, 1 / plan.rate) - 1,
        ),
        abs=EXACT,
    )
    total = plan.slopes * np.diff(plan.starts)[:, None]
    assert np.hypot(*total.sum(axis=0)[:2]) <= rule.most_position + EXACT
    assert abs(total.sum(axis=0)[2]) <= rule.most_facing + EXACT
    resting = planner.graph.steps.moving[plan.edges] == 0
    assert (plan.slopes[resting] == 0).all()


def test_the_same_seed_gives_the_same_plan_whatever_was_planned_before():
    ask = asked("ahead")
    one = plan_for(ask, seed=3)
    used = planner_on()
    for other in ("behind", "after a long wait"):
        planned_by(used, asked(other), me=5, seed=9)
    assert same_plan(one, planned_by(used, ask, me=ME, seed=3))
    assert not same_plan(one, plan_for(ask, seed=4))
    assert same_plan(one, planned_by(used, ask, me=1, seed=3))  # who it is has no say where nobody else is


def test_places_moved_and_turned_move_and_turn_the_plan():
    """The search draws the same numbers, so only rounding may differ."""
    by = np.array([20.0, -30.0, np.pi / 2])
    ask = asked("ahead")
    moved = ask._replace(
        pose=planar.compose(by, ask.pose), goal=planar.compose(by, ask.goal), path=planar.apply(by, ask.path)
    )
    one, two = plan_for(ask), plan_for(moved)
    np.testing.assert_array_equal(one.edges, two.edges)
    np.testing.assert_allclose(planar.compose(by, one.poses)[:, :2], two.poses[:, :2], atol=1e-6)
    np.testing.assert_allclose(one.starts, two.starts, atol=EXACT)


def test_a_larger_body_meets_the_same_goal():
    for scale in (0.9, 1.1):
        planner = planner_on(scale=scale)
        plan = planned_by(planner, asked("ahead"), me=ME, seed=1)
        _, ends = ends_of(planner.graph, plan)
        np.testing.assert_allclose(ends[-1], asked("ahead").goal, atol=EXACT)
        np.testing.assert_allclose(np.diff(plan.starts), planner.graph.steps.seconds[plan.edges] / plan.rate)


# Others


def crowd_of(*places, start=0.0, stop=60.0):
    occupancy = Occupancy()
    for who, place in enumerate(places):
        standing(occupancy, who + 1, place, start, stop)
    return occupancy


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_runs_into_nobody(seed):
    """Three stand in the way of a straight walk, the last one at the side of the goal."""
    occupancy = crowd_of((2.0, 0.1), (3.5, -0.3), (6.0, 0.7))
    planner = planner_on(occupancy=occupancy)
    ask = ask_for((0, 0, 0), (6, 0, 0), 0, 25, hold=3.0)
    plan = planned_by(planner, ask, me=ME, seed=seed)
    assert isinstance(plan, Planned)
    mine = reservations(planner.graph, plan.walk, until=float(plan.starts[-1]) + 3.0)
    assert occupancy.depth(ME, *mine, margin=BODY_MARGIN_M - ROUNDING) == 0.0
    entries = occupancy.entries
    n = len(occupancy)
    others = entries.bins[:n], np.column_stack([entries.x[:n], entries.y[:n], entries.r[:n]])
    assert deepest(mine, others) <= ROUNDING - BODY_MARGIN_M
    # It could not have gone straight.
    places, _ = places_at(planner.graph, plan.walk, np.arange(0.0, plan.starts[-1], BIN_S))
    assert np.abs(places[:, 1]).max() > 0.3


def test_nobody_is_in_its_own_way():
    occupancy = Occupancy()
    standing(occupancy, ME, (3.0, 0.0), 0.0, 60.0)
    plan = plan_for(ask_for((0, 0, 0), (3, 0, 0), 0, 10, hold=5.0), occupancy=occupancy)
    assert isinstance(plan, Planned)
    assert plan.attempts == 0


def test_who_stands_on_the_goal_is_named():
    failed = plan_for(ask_for((0, 0, 0), (4, 0, 0), 0, 12, hold=2.0), occupancy=crowd_of((9.0, 9.0), (4.1, 0.0)))
    assert isinstance(failed, Failure)
    assert (failed.reason, failed.blockers.tolist()) == ("goal taken", [2])


def test_a_goal_that_will_be_free_is_waited_for():
    ask = ask_for((0, 0, 0), (4, 0, 0), 0, 25, hold=2.0)
    plan = plan_for(ask, occupancy=crowd_of((4.0, 0.0), stop=12.0))
    assert isinstance(plan, Planned)
    assert plan.starts[-1] > 12.0


def test_a_goal_that_will_be_taken_is_left_in_time_or_not_gone_to():
    """Somebody comes there at 9 s: who only passes gets there before, who holds on cannot."""
    later = crowd_of((4.0, 0.0), start=9.0)
    passes = plan_for(ask_for((0, 0, 0), (4, 0, 0), 0, 20), occupancy=later)
    assert isinstance(passes, Planned)
    assert passes.starts[-1] < 9.0
    held = plan_for(ask_for((0, 0, 0), (4, 0, 0), 0, 20, hold=20.0), occupancy=later)
    assert isinstance(held, Failure)
    assert (held.reason, held.blockers.tolist()) == ("goal taken", [1])


def test_those_all_around_are_named():
    ring = [(0.9 * np.cos(a), 0.9 * np.sin(a)) for a in np.arange(0.0, 2 * np.pi, 2 * np.pi / 10)]
    failed = plan_for(ask_for((0, 0, 0), (4, 0, 0), 0, 8), occupancy=crowd_of(*ring))
    assert isinstance(failed, Failure)
    assert failed.reason == "crowded"
    assert set(failed.blockers.tolist()) <= set(range(1, 11))
    assert len(failed.blockers)


def test_too_little_time_is_too_far():
    failed = plan_for(ask_for((0, 0, 0), (8, 0, 0), 0, 3))
    assert isinstance(failed, Failure)
    assert (failed.reason, failed.blockers.tolist()) == ("too far", [])


# Obstacles


def test_a_plan_keeps_clear_of_walls():
    stage = Stage(bounds=ROOM, obstacles=[wall(-0.2, -6.0, 0.2, 1.0)])
    space = FreeSpace.of(stage)
    path = np.array([(-3.0, 0.0), (-0.5, 1.6), (0.5, 1.6), (3.0, 0.0)])
    planner = planner_on(stage)
    plan = planned_by(planner, ask_for((-3, 0, 0), (3, 0, 0), 0, 25, path=path), me=ME, seed=0)
    assert isinstance(plan, Planned)
    places, _ = places_at(planner.graph, plan.walk, np.arange(0.0, plan.starts[-1], BIN_S))
    trunk = float(planner.graph.steps.trunk[0])
    assert space.distance(places[:, :2]).min() > trunk + OBSTACLE_MARGIN_M - 0.005  # between two samples it is straight


def test_a_goal_behind_walls_is_walled_off():
    stage = Stage(bounds=ROOM, obstacles=[wall(-0.2, -6.0, 0.2, 6.0)])
    failed = plan_for(ask_for((-3, 0, 0), (3, 0, 0), 0, 25), stage=stage)
    assert isinstance(failed, Failure)
    assert (failed.reason, failed.blockers.tolist()) == ("walled off", [])


# What neighbours do


def test_edges_to_avoid_are_avoided_where_others_will_do():
    ask = asked("ahead")
    plain = plan_for(ask, seed=2)
    avoiding = plan_for(ask, seed=2, avoid=plain.walk.edge[:1].tolist())
    assert isinstance(avoiding, Planned)
    assert avoiding.edges[0] != plain.edges[0]
    _, ends = ends_of(plan_graph_of(), avoiding)
    np.testing.assert_allclose(ends[-1], ask.goal, atol=EXACT)
    # What was avoided once is not avoided for ever.
    planner = planner_on()
    planned_by(planner, ask, me=ME, seed=2, avoid=plain.walk.edge[:1].tolist())
    assert same_plan(planned_by(planner, ask, me=ME, seed=2), plain)


def test_edges_to_avoid_are_taken_where_nothing_else_will_do():
    graph = plan_graph_of()
    ask = ask_for((0, 0, 0), (4, 1, 0.3), 4, 9)
    everything = plan_for(ask, avoid=range(len(graph.edges)))
    assert isinstance(everything, Planned)


# Rules


def test_without_rounds_nothing_is_found():
    failed = plan_for(asked("ahead"), rule=SearchRule(rounds=()))
    assert isinstance(failed, Failure)
    assert failed.blockers.tolist() == []


def test_the_first_attempt_does_on_an_empty_floor_and_a_later_one_among_others():
    assert plan_for(asked("ahead")).attempts == 0
    ask = ask_for((0, 0, 0), (6, 0, 0), 0, 20)
    assert plan_for(ask, occupancy=crowd_of((3.0, 0.0))).attempts > 0


def test_the_papers_search_displaces_over_the_whole_duration_and_tells_what_the_best_pair_lacks():
    paper = replace(SearchRule.named("paper"), rounds=(3,))
    planner = planner_on(rule=paper)
    assert (planner.graph.steps.moving == 1).all()
    plan = planned_by(planner, ask_for((0, 0, 0), (4, 0, 0), 0, 60), me=ME, seed=0)
    assert isinstance(plan, Planned)
    _, ends = ends_of(planner.graph, plan)
    np.testing.assert_allclose(ends[-1], (4, 0, 0), atol=EXACT)
    assert (np.hypot(*plan.slopes[:, :2].T) > 0).all()
    failed = planned_by(planner, ask_for((0, 0, 0), (30, 0, 0), 0, 2), me=ME, seed=0)
    assert isinstance(failed, Failure)
    assert failed.reason.startswith("the search ended after 3 rounds; the best pair needs ")
