import numpy as np
import pytest
from toy_graphs import toy

from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION
from walkon.graphs.random_walks import random_walk, random_walks
from walkon.graphs.walk import walk_along

TEN_MINUTES = 600.0


def test_motion_goes_on_for_ten_minutes_from_every_edge(graph):
    rng = np.random.default_rng(1)
    starts = graph.edges.stop[:: max(len(graph.edges) // 300, 1)]
    walks = random_walks(graph, rng, starts=starts, duration=TEN_MINUTES)
    flat = walk_along(graph, walks)
    seconds = np.bincount(flat.character, weights=graph.edges.duration[flat.edge])
    assert seconds.min() >= TEN_MINUTES - 1e-6
    assert np.array_equal(graph.edges.start[flat.edge[flat.start == 0]], starts)
    # And for ever: every node that an edge leads to has an edge that goes on.
    assert (graph.out_degree[graph.edges.stop] > 0).all()


def test_transitions_come_as_often_as_asked(graph):
    rng = np.random.default_rng(2)
    for every in (0.5, 2.0):
        walks = random_walks(graph, rng, starts=np.zeros(40, int), duration=60.0, every=every)
        jumps = sum(int((graph.edges.kind[walk] == TRANSITION).sum()) for walk in walks)
        own = sum(float(graph.edges.duration[walk[graph.edges.kind[walk] != TRANSITION]].sum()) for walk in walks)
        assert 0.6 * every < own / jumps < 2.0 * every


def test_labels_are_kept(graph):
    walk = random_walk(graph, np.random.default_rng(3), duration=60.0, labels="walk")
    assert graph.edges_with("walk")[walk].all()


def test_the_same_generator_gives_the_same_walks(graph):
    one, other = (random_walks(graph, np.random.default_rng(5), starts=[3, 4, 5], duration=20.0) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert not np.array_equal(one[0], random_walk(graph, np.random.default_rng(6), start=3, duration=20.0))


def test_a_node_that_cannot_go_on_is_named():
    places = [(0, 1.0), (0, 2.0), (0, 3.0)]
    links = [(0, 1, "piece", ["walk"]), (1, 0, "transition", ["walk"]), (2, 0, "transition", ["sneak"])]
    graph = toy(places, [*links, (1, 2, "piece", ["sneak"])])
    with pytest.raises(InvalidValue, match=r"from node 2 \(clip0 at 3.00 s\)"):
        random_walks(graph, np.random.default_rng(0), starts=[2], duration=5.0, labels="walk")
    with pytest.raises(InvalidValue, match="cannot go on for ever"):
        random_walk(graph, np.random.default_rng(0), duration=5.0, labels="sneak")


@pytest.mark.parametrize("wrong", [{"duration": 0.0}, {"duration": 5.0, "every": 0.0}, {"duration": np.nan}])
def test_times_must_be_positive(graph, wrong):
    with pytest.raises(InvalidValue, match="must be positive seconds"):
        random_walks(graph, np.random.default_rng(0), starts=[0], **wrong)


def test_starts_must_be_nodes(graph):
    with pytest.raises(InvalidValue, match="starts must be nodes 0 to"):
        random_walks(graph, np.random.default_rng(0), starts=[-1], duration=1.0)
