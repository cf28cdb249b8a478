import numpy as np
from toy_graphs import glide, toy

from walkon.graphs.components import components_of, reachable
from walkon.graphs.motion_graph import DEAD_END, PIECE, SINK, UNLIKE, UNREACHED
from walkon.graphs.pruning import kept_edges, prune

ALL = ["walk"]


def piece(a, b, *labels):
    return (a, b, "piece", labels or ALL)


def jump(a, b, *labels):
    return (a, b, "transition", labels or ALL)


def kept(graph, labels=()):
    rows = np.flatnonzero(kept_edges(graph, labels))
    return {(int(graph.edges.start[row]), int(graph.edges.stop[row])) for row in rows}


LINE = [(0, float(t)) for t in range(6)]


def test_the_largest_component_stays_and_the_rest_is_named():
    # 0 → 1 → 2 → 3 → 4 → 5, back from 3 to 1; 5 loops only in itself by way of 4.
    graph = toy(LINE, [piece(a, a + 1) for a in range(5)] + [jump(3, 1), jump(5, 4)])
    assert kept(graph) == {(1, 2), (2, 3), (3, 1)}
    cuts = prune(graph).cuts
    found = list(zip(cuts.start.tolist(), cuts.stop.tolist(), cuts.reason.tolist(), strict=True))
    assert found == [(0.0, 1.0, UNREACHED), (3.0, 5.0, SINK)]


def test_a_way_that_ends_is_a_dead_end():
    graph = toy(LINE, [piece(a, a + 1) for a in range(5)] + [jump(3, 1)])
    cuts = prune(graph).cuts
    assert cuts.reason.tolist() == [UNREACHED, DEAD_END]
    assert (cuts.start[1], cuts.stop[1]) == (3.0, 5.0)


def test_the_size_of_a_component_is_its_captured_motion():
    # A loop of many transitions with one piece is smaller than one with two pieces.
    small = [piece(0, 1), jump(1, 2), jump(2, 1), jump(1, 0), jump(2, 0), jump(0, 2)]
    large = [piece(3, 4), piece(4, 5), jump(5, 3)]
    assert kept(toy(LINE, small + large)) == {(3, 4), (4, 5), (5, 3)}


def test_of_equal_components_the_first_stays():
    graph = toy(LINE, [piece(0, 1), jump(1, 0), piece(3, 4), jump(4, 3)])
    assert kept(graph) == {(0, 1), (1, 0)}


def test_every_kept_node_goes_on():
    rng = np.random.default_rng(5)
    for _ in range(30):
        links = {(a, a + 1): piece(a, a + 1) for a in range(19)}
        for a, b in rng.integers(0, 20, (25, 2)).tolist():
            links.setdefault((a, b), jump(a, b))
        graph = toy([(0, 0.5 * t) for t in range(20)], list(links.values()))
        pruned = prune(graph)
        out = np.bincount(pruned.edges.start, minlength=len(pruned.nodes))
        into = np.bincount(pruned.edges.stop, minlength=len(pruned.nodes))
        assert (out > 0).all()
        assert (into > 0).all()
        seconds = np.where(pruned.edges.kind == PIECE, pruned.edges.duration, 0.0)
        if len(pruned.nodes):
            assert len(components_of(len(pruned.nodes), pruned.edges.start, pruned.edges.stop, seconds).seconds) == 1


def two_kinds(*extra):
    """Walking 0, 1, 2 and sneaking 3, 4, 5: loops both, and what is asked for between them."""
    walking = [piece(0, 1), piece(1, 2), jump(2, 0)]
    sneaking = [piece(3, 4, "sneak"), jump(4, 3, "sneak"), piece(4, 5, "sneak")]
    return toy(LINE, [*walking, *sneaking, *extra])


def test_each_kind_keeps_its_own_loop():
    graph = two_kinds((2, 3, "transition", ()), (4, 1, "transition", ()))
    both = [("walk",), ("sneak",)]
    assert kept(graph, both) == {(0, 1), (1, 2), (2, 0), (3, 4), (4, 3), (2, 3), (4, 1)}


def test_kinds_without_a_way_between_them_both_stay():
    graph = two_kinds()
    assert kept(graph, [("walk",), ("sneak",)]) == {(0, 1), (1, 2), (2, 0), (3, 4), (4, 3)}
    assert kept(graph) == {(0, 1), (1, 2), (2, 0)}


def test_one_way_between_kinds_stays():
    graph = two_kinds((2, 3, "transition", ()))
    assert (2, 3) in kept(graph, [("walk",), ("sneak",)])
    assert (2, 3) not in kept(graph)


def test_an_island_of_a_kind_is_unlike_the_rest():
    # Carrying is also a walk, but is reached only through what is no walk.
    links = [piece(0, 1), jump(1, 0), (1, 2, "piece", ()), piece(2, 3, "walk", "carry"), (3, 0, "transition", ())]
    graph = toy(LINE[:4], links)
    assert (2, 3) in kept(graph)
    assert (2, 3) not in kept(graph, [("walk",)])
    cuts = prune(graph, labels=[("walk",)]).cuts
    assert UNLIKE in cuts.reason


def test_ways_into_a_kind_and_out_of_it_stay():
    # A chair: sitting down and rising are "sneak" as well, and on no loop of it.
    links = [piece(0, 1), jump(1, 0), (1, 2, "piece", ()), piece(2, 3, "sneak"), jump(3, 3, "sneak")]
    links += [piece(3, 4, "sneak"), jump(4, 3, "sneak"), piece(4, 5, "sneak"), (5, 0, "transition", ())]
    graph = toy(LINE, links)
    assert kept(graph, [("walk",), ("sneak",)]) == {(a, b) for a, b, _, _ in links}


def test_nodes_at_which_nothing_happens_are_taken_out():
    graph = toy(LINE, [piece(a, a + 1) for a in range(5)] + [jump(5, 0)])
    pruned = prune(graph)
    assert len(pruned.nodes) == 2
    assert pruned.edges.duration.tolist() == [5.0, 0.3]
    assert pruned.edges.displacement[0].tolist() == [5.0, 0.0, 0.0, 0.0]


def test_nodes_where_labels_change_stay():
    links = [piece(0, 1), piece(1, 2, "sneak"), piece(2, 3, "sneak"), jump(3, 0)]
    assert prune(toy(LINE[:4], links)).nodes.time.tolist() == [0.0, 1.0, 3.0]


def test_pieces_of_two_clips_are_never_one():
    places = [(0, 9.0), (0, 10.0), (1, 0.0), (1, 1.0)]
    links = [piece(0, 1), jump(1, 2), piece(2, 3), jump(3, 0)]
    clips = [glide("one", labels=["walk"]), glide("two", labels=["walk"])]
    assert len(prune(toy(places, links, clips=clips)).nodes) == 4


def test_reachable_counts_the_sources_and_follows_directions():
    found = reachable(4, np.array([0, 1]), np.array([1, 2]), sources=np.array([True, False, False, False]))
    assert found.tolist() == [True, True, True, False]
    assert reachable(3, np.array([0]), np.array([1]), sources=np.zeros(3, bool)).sum() == 0
