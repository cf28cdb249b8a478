"""The planner's kernels and their plain twins do the same: depths, costs, seeds, and the search, edge for edge."""

import numpy as np
import pytest

from goal_worlds import NOBODY, cost_of, depth_of, fits_of, locked, random_walk, toy_graph, toy_job, toy_pool, toy_world
from twins import collisions, greedy, joins
from twins.beam import follow, gather
from twins.search import Chance, Pair, Search
from walkon.synthesis.goal_directed import (
    _beam_kernels,
    _greedy_kernels,
    _search_kernels,
)
from walkon.synthesis.goal_directed.greedy_seeds import FACING_M_PER_RAD, GreedySeeds
from walkon.synthesis.goal_directed.search_rule import SearchRule

RULES = [SearchRule(), SearchRule.named("paper")]


@pytest.fixture(scope="module")
def graph():
    return toy_graph()


@pytest.mark.parametrize("walls", [False, True])
def test_an_edge_is_as_deep_in_things_as_by_looking_at_everybody(graph, walls):
    rng = np.random.default_rng(3)
    world = toy_world(people=150, walls=walls, seed=2)
    depths = []
    for k in range(400):
        edge, pose = int(rng.integers(len(graph.steps.start))), rng.uniform(-4, 4, 3)
        begin, rate = float(rng.uniform(0, 18)), float(rng.uniform(0.9, 1.1))
        offset, slope = rng.uniform(-0.2, 0.2, (2, 3)) * (k % 3 > 0)
        enough = float(rng.choice([np.inf, 0.0, 0.3]))
        told = depth_of(graph.steps, world, edge, pose, begin, rate, offset, slope, 7, enough)
        plain = collisions.edge_depth(
            graph.steps, world, edge, pose, begin=begin, rate=rate, offset=offset, slope=slope, me=7, enough=enough
        )
        assert told == pytest.approx(plain, abs=1e-6)
        depths.append(told)
    assert 50 < np.count_nonzero(depths) < 350


@pytest.mark.parametrize("rule", RULES, ids=["default", "paper"])
def test_joins_cost_and_fit_alike(rule):
    rng = np.random.default_rng(5)
    job = toy_job(times=(1.0, 5.0, 6.0), rule=rule)
    fitting = 0
    for _ in range(500):
        ends = rng.uniform(-4, 4, 3)
        begins = ends + rng.normal(0, 0.07, 3) + [0, 0, 2 * np.pi * rng.integers(-1, 2)]
        seconds = float(rng.uniform(3.0, 6.0))
        moving = seconds * float(rng.uniform(0.5, 1.0))
        cost = joins.join_cost(job, ends, begins, seconds=seconds, moving=moving)
        assert cost_of(job, ends, begins, seconds, moving) == pytest.approx(cost, rel=1e-9)
        fits = joins.fits(job, ends, begins, seconds=seconds, moving=moving)
        assert fits_of(job, ends, begins, seconds, moving) == fits
        fitting += fits
    assert 50 < fitting < 450


def seed_goal(seeds, way, target, wanted, *, backward):
    return _greedy_kernels.SeedGoal(locked(way), locked(target), seeds.hops(wanted, backward=backward), seeds._open)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("free", ["nothing", "facing", "pose"])
def test_greedy_motions_are_the_same_edge_for_edge(graph, backward, free):
    rng = np.random.default_rng(7)
    graph = graph.restricted_to(np.array([True, True, free != "pose"]))
    seeds, lengths = GreedySeeds(graph), set()
    for k in range(60):
        world = toy_world(people=30 * (k % 3), walls=k % 2 == 0, seed=k)
        way = np.cumsum(rng.uniform(-2, 3, (int(rng.integers(1, 4)), 2)), axis=0)
        target = [*way[-1], np.nan if free == "facing" else rng.uniform(-3, 3)]
        what = seed_goal(seeds, way, target, -1 if free == "pose" else k % 3, backward=backward)
        hub, pose, time = int(rng.integers(2)), rng.uniform(-1, 1, 3), float(rng.uniform(5, 15))
        edges = np.zeros(25, np.int32)
        count = _greedy_kernels.grow(
            graph.steps, world, what, hub, pose, time, backward, FACING_M_PER_RAD, NOBODY, edges
        )
        plain = greedy.grow(graph.steps, world, what, hub, pose, time, backward, FACING_M_PER_RAD, NOBODY, len(edges))
        assert edges[:count].tolist() == plain
        lengths.add(count)
    assert len(lengths) > 4


@pytest.mark.parametrize("rule", RULES, ids=["default", "paper"])
@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_same_pair_after_the_same_trials(graph, rule, seed):
    rng = np.random.default_rng(seed)
    world = toy_world(people=25 * (seed % 3), walls=seed % 2 == 1, seed=seed)
    stay = np.append(0.0, np.cumsum(rng.uniform(0, 0.002, 60) * (seed == 2)))
    job = toy_job(goal=(3.5, 1.0, 0.4), times=(0.0, 3.5, 4.5), rule=rule, stay=stay, stay_at=(30, 5))
    kept, made, rounds, yielding, editing = 5, 20, 12, 6, 0.0 if rule.greedy else 0.3
    starts = [
        [random_walk(graph, 0, 5, rng), random_walk(graph, 1, 4, rng, backward=True)] for _ in range(1 + seed % 4)
    ]
    pool, trace = toy_pool(kept + made, longest=12)
    for row, sides in enumerate(starts):
        for side, edges in enumerate(sides):
            pool.edges[row, side, : len(edges)], pool.counts[row, side] = edges, len(edges)
    state, counted = np.array([seed + 12345]), np.zeros(2, np.int64)
    row = _search_kernels.search(
        graph.steps,
        world,
        job,
        pool,
        trace,
        len(starts),
        _search_kernels.Effort(kept, made, rounds, yielding, editing),
        NOBODY,
        state,
        counted,
    )
    search = Search(
        steps=graph.steps, world=world, job=job, hubs=(0, 1), me=NOBODY, chance=Chance(seed + 12345), longest=12
    )
    pairs = [Pair((list(f), list(b))) for f, b in starts]
    found, best = search.run(pairs, kept=kept, made=made, rounds=rounds, yielding=yielding, editing=editing)
    assert (row >= 0) == (found is not None)
    row = max(row, 0)
    for side in (0, 1):
        assert pool.edges[row, side, : pool.counts[row, side]].tolist() == best.edges[side]
    assert tuple(pool.joins[row]) == best.join
    assert pool.costs[row] == pytest.approx(best.cost, abs=1e-6)
    assert counted.tolist() == [search.tried, search.collided]
    assert int(state[0]) & ((1 << 64) - 1) == search.chance.state


def beams(graph, world, guide, *, backward, price, seed, buckets=18, hold=6, width=4):
    size = buckets * hold
    ints, floats = (lambda n: np.zeros(n, np.int32)), np.zeros
    beam = _beam_kernels.Beam(
        ints(buckets),
        ints(size),
        ints(size),
        ints(size),
        floats((size, 3)),
        *(floats(size) for _ in range(4)),
        floats(buckets),
    )
    hub, pose, time = (1, guide[-1, [0, 1, 3]], float(guide[-1, 2])) if backward else (0, guide[0, [0, 1, 3]], 0.0)
    dislike = locked(0.02 * (np.arange(len(graph.steps.start)) % 3))
    state = np.array([seed])
    _beam_kernels.follow(
        graph.steps,
        world,
        guide,
        hub,
        pose,
        time,
        backward,
        _beam_kernels.BeamRule(hold, width, buckets, price, 0.02),
        dislike,
        NOBODY,
        state,
        beam,
    )
    chance = Chance(seed)
    plain = follow(
        graph.steps,
        world,
        guide,
        hub,
        pose,
        time,
        backward=backward,
        hold=hold,
        width=width,
        buckets=buckets,
        price=price,
        noise=0.02,
        dislike=dislike,
        me=NOBODY,
        chance=chance,
    )
    assert int(state[0]) & ((1 << 64) - 1) == chance.state
    return beam, plain


@pytest.mark.parametrize("price", [-1.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_beams_hold_the_same_motions_and_are_joined_alike(graph, price, seed):
    world = toy_world(people=15 * seed, walls=seed == 3, seed=seed, seconds=6.0)
    guide = locked([[0, 0, 0, 0.0], [0, 0, 0.5, 0.2], [4.0, 1.0, 5.0, 0.2], [4.0, 1.0, 5.4, 0.4]])
    hold, told = 6, []
    for backward in (False, True):
        beam, plain = beams(graph, world, guide, backward=backward, price=price, seed=seed + 9)
        told.append((beam, plain))
        assert beam.counts.tolist() == [len(bucket) for bucket in plain]
        for b, bucket in enumerate(plain):
            for k, motion in enumerate(bucket):
                row = b * hold + k
                assert (beam.edge[row], beam.hub[row]) == (motion.edge, motion.hub)
                np.testing.assert_allclose(beam.pose[row], motion.pose, atol=1e-9)
                numbers = beam.seconds[row], beam.moving[row], beam.cost[row], beam.depth[row]
                wanted = motion.seconds, motion.moving, motion.cost, motion.depth
                np.testing.assert_allclose(numbers, wanted, atol=1e-6)
    assert sum(beam.counts.sum() for beam, _ in told) > 10
    job = toy_job(goal=(4.0, 1.0, 0.4), times=(0.0, 5.0, 5.6))
    pool, _ = toy_pool(8)
    found = _beam_kernels.gather(
        job,
        told[0][0],
        told[1][0],
        5.2,
        2.0,
        hold,
        np.array([18, 18]),
        pool,
        8,
        np.zeros(8),
        np.zeros((8, 2), np.int32),
    )
    plain = gather(job, told[0][1], told[1][1], meant=5.2, tight=2.0, most=8)
    assert found == len(plain)
    assert found == 8 or seed == 3  # hardly anybody gets through the last crowd
    for row, (cost, forward, backward) in enumerate(plain):
        for side, motion in enumerate((forward, backward)):
            assert pool.edges[row, side, : pool.counts[row, side]].tolist() == motion.edges()
        assert pool.costs[row] == pytest.approx(cost, abs=1e-6)
