"""Sentences on snap-together graphs."""

from dataclasses import replace

import numpy as np
import pytest

from snap_toys import WALK, loops, pole_graph, with_dead_end
from walkon.graphs.snap_together.judging.notes import ADVICE, describe_cut_off, join_names, notes_on

ROUND = [(0, 1, 0.5, 0.0, WALK), (1, 0, 0.5, 0.0, WALK)]
HUBS = ("a", "b", "c", "d", "e")


def noted(graph):
    return notes_on(graph, missed=np.zeros((len(graph.clips.root_positions), 2)))


def test_names_are_listed_as_they_are_said():
    assert join_names(["a"]) == "a"
    assert join_names(["a", "b"]) == "a and b"
    assert join_names(["a", "b", "c"]) == "a, b and c"


def test_a_graph_that_hangs_together_has_nothing_cut_off():
    assert describe_cut_off(loops()) == ""


def test_a_hub_without_a_way_back_is_a_dead_end():
    assert describe_cut_off(with_dead_end()) == (
        "c is a dead end: a way leads from the main part (a and b) to it, but none back"
    )


def test_a_hub_that_nothing_leads_to_is_never_reached_and_no_dead_end():
    graph = pole_graph([*ROUND, (2, 0, 0.5, 0.0, WALK)])
    assert describe_cut_off(graph) == (
        "c is never reached: a way leads from it to the main part (a and b), but none there"
    )


def test_ways_may_be_longer_than_an_edge():
    graph = pole_graph([*ROUND, (1, 2, 0.5, 0.0, WALK), (2, 3, 0.5, 0.0, WALK)], hubs=HUBS[:4])
    assert describe_cut_off(graph).startswith("c and d are dead ends: a way leads from the main part (a and b) to them")


def test_hubs_of_one_kind_share_one_clause_and_the_main_part_is_listed_once():
    rows = [*ROUND, (1, 2, 0.5, 0.0, WALK), (0, 3, 0.5, 0.0, WALK), (4, 4, 0.5, 0.0, WALK)]
    graph = pole_graph(rows, hubs=HUBS)
    text = describe_cut_off(graph)
    assert text.count("dead end") == 1
    assert "c and d are dead ends" in text
    assert "e is on its own: no way leads from the main part to it, and none back" in text
    assert text.count("(a and b)") == 1
    assert describe_cut_off(graph, among=["e"]).startswith("e is on its own")
    assert "dead end" not in describe_cut_off(graph, among=["e"])
    first = noted(graph)[0]
    assert first == f"{text}; {ADVICE}"


def test_clips_that_no_edge_uses_are_named_with_their_seconds():
    graph = loops()
    used = replace(graph, matches=graph.matches.with_columns(clip=[0, 1, 2]))
    edges = used.edges.with_columns(first_match=np.minimum(used.edges.start, 1))
    (note,) = [note for note in noted(replace(used, edges=edges)) if "in no edge" in note]
    assert note.startswith("6 of 8 clips, 4.8 of 6.0 s, are in no edge: 3:b>a (1.1 s), ")
    assert "0:a>b" not in note and "1:a>b" not in note


def test_a_long_list_of_clips_ends_with_how_many_more():
    rows = [(0, 0, 0.5 + 0.1 * k, 0.0, WALK) for k in range(20)]
    (note,) = [note for note in noted(pole_graph(rows, hubs=("a",))) if "in no edge" in note]
    assert note.endswith("and 7 others")


def test_hubs_with_few_edges_are_told_together():
    (note,) = [note for note in noted(pole_graph(ROUND, hubs=("a", "b"))) if "few edges" in note]
    assert note == "a (1 in, 1 out) and b (1 in, 1 out) have few edges; raise their thresholds or add clips"


@pytest.mark.parametrize("count", [1, 2])
def test_hubs_that_bend_far_are_told_together(count):
    graph = loops()
    bent = np.zeros_like(graph.displacements)
    bent[:count] = 0.3
    (note,) = [note for note in noted(replace(graph, displacements=bent)) if "match frames" in note]
    assert note.count("degrees") == 1
    assert ("a (17.2; threshold 5 cm) bends its" if count == 1 else "and b (17.2; threshold 5 cm) bend their") in note
