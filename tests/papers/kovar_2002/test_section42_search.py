"""Kovar, Gleicher, Pighin 2002, section 4.2: searching for motion; section 4.3, figure 5: deciding what to ask for."""

import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon.synthesis import Goal, play_clip_at, search
from walkon.synthesis.best_walks import WalkExpander, beam_walks, exact_walks
from walkon.transforms import angles, planar


@pytest.fixture(scope="module")
def small():
    return arc_graph([glide("straight", 0.0, seconds=3.0), glide("left", 0.5, seconds=3.0)], every=0.8)


def all_walks(graph, start, until):
    """Every walk from a node that lasts until a time, edge by edge: the naive solution of the paper."""
    stack, complete = [(start, 0.0, ())], []
    while stack:
        node, time, edges = stack.pop()
        for edge in graph.out_edges(node).tolist():
            longer = (int(graph.edges.stop[edge]), time + float(graph.edges.duration[edge]), (*edges, edge))
            (complete if longer[1] >= until - 1e-9 else stack).append(longer)
    return [edges for _, _, edges in complete]


@pytest.mark.parametrize("seed", range(6))
def test_eq8_branch_and_bound_finds_the_minimum_over_all_walks_and_so_does_the_beam(small, seed):
    costs = np.random.default_rng(seed).exponential(size=len(small.edges)).tolist()
    goal = Goal(error=lambda _, edge: costs[edge], halts=lambda _: False)
    naive = min(sum(costs[edge] for edge in edges) for edges in all_walks(small, 0, 1.6))
    ways = WalkExpander(small, goal)
    ((exact, _),) = exact_walks(ways, ways.empty(0, planar.IDENTITY), until=1.6)
    ((beam, _),) = beam_walks(ways, ways.empty(0, planar.IDENTITY), until=1.6, width=100)
    assert exact.error == pytest.approx(naive)
    assert beam.error == pytest.approx(naive)


@pytest.mark.parametrize("seed", range(4))
def test_the_beam_costs_what_branch_and_bound_costs_on_graphs_that_it_can_search(seed):
    graph = arc_graph(every=0.8)
    costs = np.random.default_rng(seed).exponential(size=len(graph.edges)).tolist()
    goal = Goal(error=lambda _, edge: costs[edge], halts=lambda walk: walk.time >= 2.4, transition_cost=0.1)
    exact = search(graph, goal, start=0, method="exact", horizon=3.0, keep=3.0)
    beam = search(graph, goal, start=0, method="beam", horizon=3.0, keep=3.0, width=300)
    assert beam.error == pytest.approx(exact.error)


def test_bounding_looks_at_a_fraction_of_all_walks(small):
    costs = np.random.default_rng(0).exponential(size=len(small.edges)).tolist()
    ways = WalkExpander(small, Goal(error=lambda _, edge: costs[edge], halts=lambda _: False))
    exact_walks(ways, ways.empty(0, planar.IDENTITY), until=2.4)
    every = sum(len(edges) for edges in all_walks(small, 0, 2.4))
    assert ways.looked < 0.2 * every


def test_the_r_best_are_the_r_best_of_all(small):
    costs = np.random.default_rng(2).exponential(size=len(small.edges)).tolist()
    ways = WalkExpander(small, Goal(error=lambda _, edge: costs[edge], halts=lambda _: False))
    naive = sorted(sum(costs[edge] for edge in edges) for edges in all_walks(small, 0, 1.6))[:5]
    for leaves in (
        exact_walks(ways, ways.empty(0, planar.IDENTITY), until=1.6, count=5),
        beam_walks(ways, ways.empty(0, planar.IDENTITY), until=1.6, count=5, width=1000),
    ):
        assert [walk.error for walk, _ in leaves] == pytest.approx(naive)


def test_figure5_without_guidance_the_character_wanders_longer_for_no_better_a_place():
    clips = [glide("walk", 0.0), glide("left", 0.9), glide("right", -0.9), glide("kick", 0.0, speed=0.1, seconds=2.0)]
    graph = arc_graph(clips)
    wanted, start = np.array([2.5, 1.5, 0.8]), 0
    lessons = {}
    for guided in (True, False):
        found = play_clip_at(graph, "kick", at=wanted, start=start, guided=guided, within=12.0, width=80)
        assert found
        pose = found.walk.place[-1]
        end = planar.compose(pose, graph.edges.displacement[found.walk.edge[-1]])
        assert graph.nodes.clip[graph.edges.stop[found.walk.edge[-1]]] == 3
        missed = np.hypot(*(end[:2] - wanted[:2])) + 0.5 * abs(float(angles.difference(end[2], wanted[2])))
        lessons[guided] = found.walk.duration, missed
    assert lessons[True][0] < lessons[False][0]
    assert lessons[True][1] < 0.6
