import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION
from walkon.graphs.walk import walk_along
from walkon.synthesis import Goal, search
from walkon.transforms import planar


@pytest.fixture(scope="module")
def graph():
    return arc_graph(every=0.8)


def random_costs(graph, seed):
    costs = np.random.default_rng(seed).exponential(size=len(graph.edges)).tolist()
    return Goal(error=lambda _, edge: costs[edge], halts=lambda walk: walk.time >= 3.0)


def test_the_walk_is_complete_and_its_error_is_the_sum_over_its_edges(graph):
    goal = random_costs(graph, 1)
    found = search(graph, goal, start=0, horizon=4.0, keep=4.0)
    assert found
    assert found.walk.duration >= 3.0
    walk_along(graph, [found.walk.edge])
    assert found.error == pytest.approx(sum(goal.error(None, edge) for edge in found.walk.edge.tolist()))


def test_poses_along_the_search_are_those_of_the_walk(graph):
    seen = {}

    def error(walk, edge):
        seen[tuple(walk.edges.tolist())] = walk.pose
        return 1.0 + 0.001 * edge

    found = search(graph, Goal(error=error, halts=lambda walk: walk.time > 2.5), start=2, pose=(1.0, 2.0, 3.0))
    poses = walk_along(graph, [found.walk.edge], poses=(1.0, 2.0, 3.0)).place[:, :3]
    for count in range(1, len(found.walk.edge)):
        if tuple(found.walk.edge[:count].tolist()) in seen:
            there = np.array(seen[tuple(found.walk.edge[:count].tolist())])
            assert planar.relative(poses[count], there) == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("choices", ["all", "thinned"])
def test_edges_that_are_not_allowed_are_not_taken(graph, choices):
    away = graph.nodes.clip[graph.edges.stop] == 2
    goal = Goal(
        error=lambda _, edge: 0.0 if away[edge] else 1.0,  # tempting, but not allowed
        halts=lambda walk: walk.time >= 4.0,
        allows=lambda _, edge: not away[edge],
    )
    found = search(graph, goal, start=0, choices=choices)
    assert found
    assert not away[found.walk.edge].any()


def test_transitions_cost_what_is_asked(graph):
    goal = Goal(error=lambda *_: 0.0, halts=lambda walk: walk.time >= 2.0, transition_cost=0.25)
    found = search(graph, goal, start=0)
    assert found.error == pytest.approx(0.25 * np.count_nonzero(graph.edges.kind[found.walk.edge] == TRANSITION))


def test_good_enough_ends_the_search_early(graph):
    goal = random_costs(graph, 3)
    lazy = Goal(error=goal.error, halts=goal.halts, good_enough=1e9)
    assert search(graph, lazy, start=0, method="exact").looked < search(graph, goal, start=0, method="exact").looked


def test_a_walk_grows_in_increments_until_it_is_complete(graph):
    costs = np.random.default_rng(5).exponential(size=len(graph.edges)).tolist()
    goal = Goal(error=lambda _, edge: costs[edge], halts=lambda walk: walk.time >= 20.0)
    found = search(graph, goal, start=0, horizon=2.0, keep=0.7)
    assert found
    assert 20.0 <= found.walk.duration < 22.0
    walk_along(graph, [found.walk.edge])


def test_what_never_halts_is_given_back_as_incomplete(graph):
    found = search(graph, Goal(error=lambda *_: 1.0, halts=lambda _: False), start=0, longest=8.0)
    assert not found
    assert found.walk.duration >= 8.0


def test_one_of_the_best_is_picked_by_the_generator_handed_in(graph):
    flat = Goal(error=lambda _, edge: 1.0 + 1e-3 * edge, halts=lambda walk: walk.time >= 5.0)
    walks = [
        search(graph, flat, start=0, best=5, tolerance=0.5, rng=np.random.default_rng(seed)).walk.edge.tobytes()
        for seed in (0, 0, 1, 2, 3)
    ]
    assert walks[0] == walks[1]
    assert len(set(walks)) > 1


def test_exact_search_says_when_there_is_too_much_to_look_at():
    dense = arc_graph(every=1 / 6)
    goal = Goal(error=lambda *_: 1.0, halts=lambda walk: walk.time >= 30.0)
    with pytest.raises(InvalidValue, match="method='beam'"):
        search(dense, goal, start=0, method="exact", choices="all", horizon=6.0, keep=6.0, most=2000)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"start": -1}, "node from 0"),
        ({"method": "guess"}, "'beam' or 'exact'"),
        ({"horizon": 1.0, "keep": 2.0}, "at most the horizon"),
        ({"best": 3}, "needs a generator"),
    ],
)
def test_what_cannot_be_searched_is_told(graph, given, words):
    goal = Goal(error=lambda *_: 1.0, halts=lambda walk: walk.time > 1.0)
    with pytest.raises(InvalidValue, match=words):
        search(graph, goal, **({"start": 0} | given))


def test_an_endless_search_stops_at_its_longest(graph):
    endless = Goal(error=lambda walk, edge: 0.0, halts=lambda walk: False)
    found = search(graph, endless, start=0, horizon=float("inf"), keep=1.0, longest=2.0)
    assert not found.complete


def test_negative_errors_are_refused(graph):
    with pytest.raises(InvalidValue, match="0 or more"):
        search(graph, Goal(error=lambda *_: -1.0, halts=lambda walk: walk.time > 1.0), start=0)


def test_a_start_between_choices_names_the_nearest():
    graph = arc_graph([glide("a", 0.0, seconds=6.0), glide("b", 0.3)], every=0.1)
    with pytest.raises(InvalidValue, match="start at"):
        search(graph, Goal(error=lambda *_: 1.0, halts=lambda walk: walk.time > 1.0), start=2)
