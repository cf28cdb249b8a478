import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall

from arc_graphs import arc_graph, glide
from walkon._base.errors import InvalidValue
from walkon.graphs.walk import walk_along
from walkon.synthesis import shortest_walks
from walkon.synthesis import shortest_walks as table_of
from walkon.synthesis.shortest_walks import least_times


@pytest.fixture(scope="module")
def graph():
    return arc_graph(every=0.5)


def test_times_are_those_of_floyd_and_warshall(graph):
    N, e = len(graph.nodes), graph.edges
    dense = np.full((N, N), np.inf)
    np.minimum.at(dense, (e.start, e.stop), e.duration)
    wanted = floyd_warshall(np.where(np.isinf(dense), 0.0, dense))
    assert table_of(graph).times == pytest.approx(wanted, rel=1e-6)


def test_walks_last_as_long_as_the_table_says(graph):
    table = shortest_walks(graph)
    for a, b in ((0, 5), (7, 2), (3, 20)):
        walk = table.walk(a, b)
        walk_along(graph, [walk])
        assert graph.edges.start[walk[0]] == a
        assert graph.edges.stop[walk[-1]] == b
        assert graph.edges.duration[walk].sum() == pytest.approx(table.time(a, b), rel=1e-6)
    assert len(table.walk(4, 4)) == 0
    assert 0 < table.mean < table.times.max()


def test_some_sources_give_the_same_rows(graph):
    whole, some = shortest_walks(graph), shortest_walks(graph, sources=[9, 3])
    assert np.array_equal(some.times, whole.times[[3, 9]])
    with pytest.raises(InvalidValue, match="no source"):
        some.time(4, 0)


def test_going_from_clip_to_clip_may_take_a_detour():
    # From a only b can be reached, and c only from b: no transition leads from a to c.
    clips = [glide("a", 0.0), glide("b", 0.4), glide("c", -0.4)]
    graph = arc_graph(clips, every=0.5, allowed=lambda a, b: (a, b) in ((0, 1), (1, 2), (2, 0)))
    table = shortest_walks(graph)
    walk = table.walk(int(graph.nodes_of_clip("a")[-1]), int(graph.nodes_of_clip("c")[0]))
    visited = graph.nodes.clip[graph.edges.stop[walk]]
    assert graph.nodes.clip[graph.edges.start[walk[0]]] == 0
    assert visited[-1] == 2
    assert 1 in visited.tolist()


def test_least_times_to_one_node_are_a_column_of_the_table(graph):
    e = graph.edges
    found = least_times(len(graph.nodes), e.start, e.stop, e.duration, target=6)
    assert found == pytest.approx(shortest_walks(graph).times[:, 6], rel=1e-6)


def test_a_table_that_would_fill_the_memory_is_refused(graph, monkeypatch):
    from walkon.synthesis import shortest_walks as function

    monkeypatch.setitem(function.__globals__, "MAX_TABLE_NODES", 5)
    with pytest.raises(InvalidValue, match="give `sources`"):
        shortest_walks(graph)
