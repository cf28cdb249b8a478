import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import TRANSITION
from walkon.graphs.walk import walk_along
from walkon.synthesis.choices import make_choices, strong_part


def everything(graph):
    return strong_part(graph, np.ones(len(graph.edges), bool))


def test_every_choice_has_a_way_on_and_every_step_is_a_walk():
    graph = arc_graph()
    choices = make_choices(graph, [everything(graph)], slot=0.7, targets=3)
    assert (np.diff(choices.first) > 0).all()
    for step in range(len(choices.stops)):
        edges = choices.edges_of(graph, np.array([step]))
        walk_along(graph, [edges])
        assert graph.edges.start[edges[0]] == choices.nodes[choices.starts[step]]
        assert graph.edges.stop[edges[-1]] == choices.nodes[choices.stops[step]]
        assert np.count_nonzero(graph.edges.kind[edges] == TRANSITION) == (choices.transitions[step] >= 0)


def test_no_slot_keeps_more_than_so_many_transitions_and_few_are_all_kept():
    graph = arc_graph()
    few = make_choices(graph, [everything(graph)], slot=1.0, targets=2)
    per_row = np.bincount(few.starts[few.transitions >= 0], minlength=len(few))
    assert per_row.max() == 2
    many = make_choices(graph, [everything(graph)], slot=1 / 3, targets=1000)
    assert np.count_nonzero(many.transitions >= 0) == np.count_nonzero(graph.edges.kind == TRANSITION)


def test_kept_transitions_are_spread_from_right_to_left():
    graph = arc_graph()
    choices = make_choices(graph, [everything(graph)], slot=1 / 3, targets=2)
    from_straight = graph.nodes.clip[choices.nodes[choices.starts]] == 0
    before_last = choices.nodes[choices.starts] < graph.nodes_of_clip("straight")[-1]
    kept = choices.transitions[from_straight & before_last]
    into = graph.nodes.clip[graph.edges.stop[kept[kept >= 0]]]
    assert set(into.tolist()) == {1, 2}  # one to the left and one to the right from every slot
    assert np.bincount(into)[1] == np.bincount(into)[2]


def test_asked_for_transitions_are_always_kept():
    graph = arc_graph()
    every = graph.edges.kind == TRANSITION
    choices = make_choices(graph, [everything(graph)], slot=1.0, targets=1, always=every)
    assert np.count_nonzero(choices.transitions >= 0) == np.count_nonzero(every)


def test_parts_are_copies_with_ways_over_to_the_next_only():
    clips = [glide("a", 0.0, labels=("walk",)), glide("b", 0.3, labels=("walk",)), glide("c", 0.0, labels=("sneak",))]
    graph = arc_graph(clips)
    parts = [strong_part(graph, graph.edges_with(label)) for label in ("walk", "sneak")]
    choices = make_choices(graph, parts)
    a, b = choices.parts[choices.starts], choices.parts[choices.stops]
    assert (a[~choices.switches] == b[~choices.switches]).all()
    assert (b[choices.switches] == a[choices.switches] + 1).all()
    assert choices.switches.any()
    waits = choices.waits(graph)
    assert (waits[choices.parts == 1] == 0).all()
    assert (waits[choices.parts == 0] > 0).all()


def test_slots_must_last():
    graph = arc_graph()
    with pytest.raises(InvalidValue, match="slot"):
        make_choices(graph, [everything(graph)], slot=0.0)
