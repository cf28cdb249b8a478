"""Sung 2005, section 3.3: how pairs are perturbed, what joining may cost, and how the joined motion is displaced."""

from dataclasses import replace

import numpy as np
import pytest

from crowd_worlds import Planned, planned
from goal_worlds import NOBODY, bodied, fits_of, random_walk, toy_graph, toy_job, toy_pool, toy_world
from snap_toys import WALK, pole_graph
from walkon.graphs.snap_together import builtin_snap_graph
from walkon.planning.occupancy import Occupancy
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed import _search_kernels as kernels
from walkon.synthesis.goal_directed.plan_graph import plan_graph
from walkon.synthesis.goal_directed.planner import Failure, LegRequest, Planner
from walkon.synthesis.goal_directed.reservations import places_at
from walkon.synthesis.goal_directed.search_rule import SearchRule
from walkon.transforms import angles, planar

NEVER = (0.0, 1000.0, 1000.0)
"""Times that no pair can keep, so that the search goes on."""


@pytest.fixture(scope="module")
def graph():
    whole = plan_graph(builtin_snap_graph())
    return whole.restricted_to(np.array([name.startswith(("walk", "stand")) for name in whole.graph.hub_names]))


def asked(graph, *, seed):
    rng = np.random.default_rng(seed)
    stand = graph.graph.hub_names.index("stand")
    goal = np.array([*rng.uniform(3, 6, 2), rng.uniform(-3, 3)])
    return LegRequest(
        stand, np.array([0.0, 0.0, 0.5]), 2.0, stand, goal, (15.0, 15.0), np.array([[0.0, 0.0], goal[:2]])
    )


@pytest.fixture(scope="module")
def plans(graph):
    """Asks and their plans on an empty floor."""
    planner = Planner(graph, Occupancy(), FreeSpace.of(Stage()))
    made = [
        (ask, planned(planner.plan(ask, me=k, rng=np.random.default_rng([1, k])), graph))
        for k, ask in enumerate(asked(graph, seed=s) for s in range(10))
    ]
    assert all(isinstance(plan, Planned) for _, plan in made)
    return made


def displaced(graph, plan, at, *, end=False):
    """The planar pose at the start (or the end) of an edge of a plan, displacement included."""
    steps, edge = graph.steps, plan.edges[at]
    pose, offset = plan.poses[at], plan.offsets[at]
    if end:
        pose = planar.compose(pose, steps.move[edge])
        offset = offset + plan.slopes[at] * (plan.starts[at + 1] - plan.starts[at])
    return pose + offset


def test_the_goal_is_met_exactly_in_place_facing_and_time(graph, plans):
    for ask, plan in plans:
        assert plan.starts[0] == ask.time
        assert plan.starts[-1] == pytest.approx(15.0, abs=1e-9)
        for pose, wanted in (
            (displaced(graph, plan, 0), ask.pose),
            (displaced(graph, plan, -1 + len(plan.edges), end=True), ask.goal),
        ):
            np.testing.assert_allclose(pose[:2], wanted[:2], atol=1e-9)
            assert angles.wrap(pose[2] - wanted[2]) == pytest.approx(0.0, abs=1e-9)
        assert graph.steps.stop[plan.edges[-1]] == ask.goal_hub


def test_both_ramps_have_one_slope_and_the_join_is_smooth(graph, plans):
    joined = 0
    for _, plan in plans:
        for k in range(len(plan.edges) - 1):
            before, after = displaced(graph, plan, k, end=True), displaced(graph, plan, k + 1)
            np.testing.assert_allclose(before[:2], after[:2], atol=1e-9)
            assert angles.wrap(before[2] - after[2]) == pytest.approx(0.0, abs=1e-9)
        moving = graph.steps.moving[plan.edges] > 0
        np.testing.assert_allclose(plan.slopes[moving], plan.slopes[moving][:1].repeat(moving.sum(), 0), atol=1e-12)
        assert not plan.slopes[~moving].any()
        ends = plan.offsets + plan.slopes * np.diff(plan.starts)[:, None]
        jumps = np.flatnonzero(np.abs(ends[:-1] - plan.offsets[1:]).max(axis=1) > 1e-9)
        assert len(jumps) <= 1
        if len(jumps):
            # The ramp grows from nothing at the start and, from the join on, falls to nothing at the goal.
            np.testing.assert_allclose(plan.offsets[0], 0.0, atol=1e-9)
            np.testing.assert_allclose(ends[-1], 0.0, atol=1e-9)
            joined += 1
    assert joined > 3


def test_displacement_changes_at_one_rate_across_the_join_in_what_is_played(graph, plans):
    """Finite differences of where the body is, minus where the clips alone would have it."""
    for _, plan in plans:
        bare = plan.walk.with_columns(offset=0 * plan.walk.offset, slope=0 * plan.walk.slope)
        for k in np.flatnonzero(graph.steps.moving[plan.edges] > 0):
            times = np.linspace(plan.starts[k] + 1e-6, plan.starts[k + 1] - 1e-6, 5)
            shift = places_at(graph, plan.walk, times)[0] - places_at(graph, bare, times)[0]
            rate = np.diff(shift, axis=0) / np.diff(times)[:, None]
            np.testing.assert_allclose(rate, np.tile(plan.slopes[k], (4, 1)), atol=1e-6)


def test_adjustments_stay_within_the_tolerance(plans):
    rule = SearchRule()
    for _, plan in plans:
        assert (np.array(plan.adjustment) <= np.array([rule.position, rule.facing, rule.time]) + 1e-9).all()


@pytest.mark.parametrize("which", range(3), ids=["position", "facing", "time"])
def test_the_tolerance_limits_position_facing_and_time_each_on_its_own(which):
    rule = SearchRule(position=0.02, facing=0.03, time=0.05, most_facing=1.0)
    seconds = 10.0
    for share, fits in ((0.99, True), (1.01, False)):
        part = np.full(3, 0.5)
        part[which] = share
        lasts = seconds * (1 + part[2] * rule.time)
        job = toy_job(times=(0.0, lasts, seconds + 100), rule=rule)
        gap = np.array([0.0, part[0] * rule.position * lasts, part[1] * rule.facing * lasts])
        assert fits_of(job, np.zeros(3), gap, seconds, seconds) == fits


def test_only_what_moves_is_displaced_so_only_that_counts():
    job = toy_job(times=(0.0, 1.0, 99.0), rule=SearchRule(position=0.02))
    gap = np.array([0.15, 0.0, 0.0])
    assert fits_of(job, np.zeros(3), gap, 10.0, 8.0)
    assert not fits_of(job, np.zeros(3), gap, 10.0, 7.0)


@pytest.mark.parametrize("gap", [(0.5, 0.0, 0.0), (0.0, 0.0, 0.7)])
def test_a_second_limit_bounds_the_total(gap):
    gap = np.array(gap)
    for rule, fits in ((SearchRule(most_position=1.0, most_facing=1.0), True), (SearchRule(), False)):
        assert fits_of(toy_job(times=(0.0, 1.0, 99.0), rule=rule), np.zeros(3), gap, 60.0, 60.0) == fits


def filled(pool, row, sides):
    for side, edges in enumerate(sides):
        pool.edges[row, side, : len(edges)], pool.counts[row, side] = edges, len(edges)


def searched(graph, job, pairs, *, kept, made, rounds, editing, seed=5):
    pool, trace = toy_pool(kept + made)
    for row, sides in enumerate(pairs):
        filled(pool, row, sides)
    state, counted = np.array([seed]), np.zeros(2, np.int64)
    row = kernels.search(
        graph.steps,
        toy_world(),
        job,
        pool,
        trace,
        len(pairs),
        kernels.Effort(kept, made, rounds, rounds, editing),
        NOBODY,
        state,
        counted,
    )
    return row, pool


def test_motions_without_a_common_hub_cannot_be_joined():
    graph = bodied(pole_graph([(0, 0, 0.5, 0.1, WALK), (1, 1, 0.8, -0.3, WALK), (2, 2, 0.8, 0.4, 0)]))
    row, pool = searched(graph, toy_job(), [([0, 0], [1])], kept=2, made=4, rounds=3, editing=0.0)
    assert row == -1
    assert np.isinf(pool.costs).all()
    assert (pool.joins[0] == -1).all()


def test_a_replaced_clip_has_the_same_ends_so_poses_remain_and_the_number_of_clips_too():
    graph, rng = toy_graph(), np.random.default_rng(2)
    sides = random_walk(graph, 0, 6, rng), random_walk(graph, 1, 5, rng, backward=True)
    row, pool = searched(graph, toy_job(times=NEVER), [sides], kept=8, made=40, rounds=6, editing=0.0)
    assert row == -1
    used = np.flatnonzero(pool.counts[:, 0] > 0)
    assert len(used) > 20
    changed = 0
    for side, edges in enumerate(sides):
        assert (pool.counts[used, side] == len(edges)).all()
        made = pool.edges[used, side, : len(edges)]
        np.testing.assert_array_equal(graph.steps.start[made], np.tile(graph.steps.start[edges], (len(used), 1)))
        np.testing.assert_array_equal(graph.steps.stop[made], np.tile(graph.steps.stop[edges], (len(used), 1)))
        changed += int((made != edges).sum())
    assert changed > 20


def test_with_editing_the_number_of_clips_changes_and_motions_stay_connected():
    graph, rng = toy_graph(), np.random.default_rng(2)
    sides = random_walk(graph, 0, 6, rng), random_walk(graph, 1, 5, rng, backward=True)
    _, pool = searched(graph, toy_job(times=NEVER), [sides], kept=8, made=40, rounds=6, editing=0.5)
    counts = pool.counts[pool.counts[:, 0] > 0]
    assert len(np.unique(counts[:, 0])) > 2
    for row, (forward, backward) in enumerate(pool.counts):
        made = pool.edges[row, 0, :forward]
        np.testing.assert_array_equal(graph.steps.stop[made[:-1]], graph.steps.start[made[1:]])
        assert not forward or graph.steps.start[made[0]] == 0
        made = pool.edges[row, 1, :backward]
        np.testing.assert_array_equal(graph.steps.start[made[:-1]], graph.steps.stop[made[1:]])
        assert not backward or graph.steps.stop[made[0]] == 1


def test_clips_are_chosen_by_inverse_distance_also_where_clips_are_equal():
    lengths = [0.5, 0.5, 0.6, 0.9, 1.3]
    graph = bodied(pole_graph([(0, 1, s, 0.0, WALK) for s in lengths] + [(1, 0, 0.5, 0.0, WALK), (2, 2, 0.5, 0.0, 0)]))
    job, made = toy_job(times=NEVER), 6000
    _, pool = searched(graph, job, [([0], [])], kept=1, made=made, rounds=1, editing=0.0)
    chosen = np.bincount(pool.edges[:, 0, 0], minlength=5)[:5] / (made + 1)
    # A metre is a second here; seconds count 0.4 m each; 5 mm guard the equal clip.
    distance = 1.4 * (np.array(lengths) - 0.5) + 0.005
    wanted = 1 / distance
    wanted[0] = 0.0
    np.testing.assert_allclose(chosen, wanted / wanted.sum(), atol=0.02)


def test_when_the_search_ends_the_best_pair_is_told(graph):
    planner = Planner(graph, Occupancy(), FreeSpace.of(Stage()), rule=replace(SearchRule.named("paper"), rounds=(3,)))
    stand = graph.graph.hub_names.index("stand")
    goal = np.array([8.0, 0.0, 0.0])
    ask = LegRequest(stand, np.zeros(3), 0.0, stand, goal, (2.0, 2.0), np.array([[0.0, 0.0], goal[:2]]))
    found = planner.plan(ask, me=0, rng=np.random.default_rng(0))
    assert isinstance(found, Failure)
    assert found.reason.startswith("the search ended after 3 rounds; the best pair needs ")
    assert float(found.reason.split("needs ")[1].split()[0]) > 1


def test_the_papers_values_are_there():
    rule = SearchRule.named("paper")
    assert (rule.made, rule.kept, rule.rounds, rule.editing) == (200, 30, (1000,), 0.0)
    np.testing.assert_allclose([rule.position, np.rad2deg(rule.facing), rule.time], [0.02, 2.0, 1 / 15])
