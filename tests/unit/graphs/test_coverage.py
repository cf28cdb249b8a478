import numpy as np
import pytest
from toy_graphs import toy

from walkon.graphs.build import build_graph
from walkon.graphs.inspection import SPEED_BANDS_M_S, TURN_BANDS_RAD_S, coverage, longest_wait, reach
from walkon.graphs.random_walks import random_walks
from walkon.graphs.walk_segments import walk_take
from walkon.transforms import planar


def test_seconds_add_up_to_the_motion_in_the_graph(graph):
    assert coverage(graph).sum() == pytest.approx(graph.seconds, rel=0.02)


def test_straight_walks_and_arcs_are_in_their_bands(performer):
    left = coverage(build_graph([performer["arc_left_1.20_50"], performer["arc_left_1.20_80"]]))
    straight = TURN_BANDS_RAD_S.index(next(turn for turn in TURN_BANDS_RAD_S if turn > 0))
    assert left[:, straight:].sum() > 0.8 * left.sum()  # 50 and 80 degrees a second to the left, and some sway
    assert left[:, : straight - 1].sum() < 0.02 * left.sum()
    ahead = coverage(build_graph([performer["pace_1.20_1.80"], performer["pace_1.80_1.20"]]))
    assert ahead[:, straight - 1].sum() > 0.9 * ahead.sum()
    fast = [k for k, speed in enumerate(SPEED_BANDS_M_S[:-1]) if 0.9 <= speed <= 1.7]
    assert ahead[fast].sum() > 0.95 * ahead.sum()


def test_a_mirrored_library_turns_as_much_to_both_sides(graph):
    sides = coverage(graph).sum(axis=0)
    assert sides[:3].sum() == pytest.approx(sides[4:].sum(), rel=0.35)  # an arc to each side, the rest straight


def test_the_longest_wait_is_from_one_choice_to_the_next():
    # From node 1: on by a piece and two more without a choice, or straight back.
    places = [(0, float(t)) for t in range(5)]
    links = [(0, 1, "piece", []), (1, 2, "piece", []), (2, 3, "piece", []), (3, 4, "piece", [])]
    links += [(4, 0, "transition", []), (1, 0, "transition", [])]
    graph = toy(places, links)
    wait, edge = longest_wait(graph)
    assert wait == pytest.approx(1 + 1 + 1 + 0.3 + 1)  # 1 → 2 → 3 → 4 → 0 → 1
    assert (graph.edges.start[edge], graph.edges.stop[edge]) == (1, 2)


def test_a_loop_without_a_choice_is_an_endless_wait():
    graph = toy([(0, 1.0), (0, 2.0)], [(0, 1, "piece", []), (1, 0, "transition", [])])
    assert longest_wait(graph) == (np.inf, -1)


def test_reach_is_where_the_posed_bodies_are(graph):
    node, walks = int(np.argmax(graph.out_degree)), 25
    times = [0.5, 1.0, 2.0]
    found = reach(graph, np.random.default_rng(2), node=node, walks=walks, times=times)
    same = random_walks(graph, np.random.default_rng(2), starts=np.full(walks, node), duration=2.0 + 1e-6, every=0.5)
    posed = walk_take(graph, same).sample(times).planar.transpose(1, 0, 2)
    # In a blend the plan follows the clip that is entered; the body is between the two.
    assert np.linalg.norm(found[..., :2] - posed[..., :2], axis=-1).max() < 0.12
    assert np.median(np.linalg.norm(found[..., :2] - posed[..., :2], axis=-1)) < 0.01


def test_reach_starts_at_the_node(graph):
    found = reach(graph, np.random.default_rng(2), node=5, walks=10, times=[1e-6, 1.0])
    assert np.abs(found[:, 0] - planar.IDENTITY).max() < 0.15
    assert found.shape == (10, 2, 3)
