"""Graphs of suggested hubs that hang together."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.snap_together import build_connected_graph, build_snap_graph
from walkon.motion.library import Library

APART = ("walk_1.10", "walk_1.35", "carry_arc_left", "carry_arc_right")
"""Nobody puts the box down or picks it up."""
STAYED = ("walk_1.10", "walk_1.35", "arc_left_1.20_50")


@pytest.fixture(scope="module")
def apart(performer):
    return Library.of([performer[name] for name in APART])


@pytest.fixture(scope="module")
def graph(apart):
    return build_connected_graph(apart)


def test_hubs_that_nothing_joins_are_left_out_and_named(apart, graph):
    every = build_snap_graph(apart)
    outside = [name for name, inside in zip(every.hub_names, every.core, strict=True) if not inside]
    assert outside
    assert graph.core.all()
    assert graph.hub_names == tuple(name for name in every.hub_names if name not in outside)
    assert graph.notes[0].startswith("left out: ")
    assert all(name in graph.notes[0] for name in outside)
    assert not any("dead end" in note for note in graph.notes[1:])
    assert "carry" in outside  # of the two parts, walking has more motion


def test_a_graph_that_hangs_together_is_the_plain_one(performer):
    library = Library.of([performer[name] for name in STAYED])
    plain, made = build_snap_graph(library), build_connected_graph(library)
    assert made.hub_names == plain.hub_names
    assert made.notes == plain.notes
    assert np.array_equal(made.counts, plain.counts)
    assert np.array_equal(made.clips.root_positions, plain.clips.root_positions)
    assert dict(made.settings) == dict(plain.settings)


def test_all_hubs_are_kept_where_that_is_wished(apart, graph):
    every = build_connected_graph(apart, keep_all=True)
    assert len(every.hubs) > len(graph.hubs)
    assert not every.core.all()
    assert "left out" not in " ".join(every.notes)


def test_a_hub_that_was_asked_for_stays_though_it_is_cut_off(apart, graph):
    asked = build_connected_graph(apart, thresholds={"carry": 0.05})
    assert set(asked.hub_names) == {*graph.hub_names, "carry"}
    assert not asked.core[asked.hub("carry")]
    assert asked.hubs.threshold[asked.hub("carry")] == pytest.approx(0.05)
    assert any(note.startswith("carry is on its own") for note in asked.notes)
    closer = build_connected_graph(apart, thresholds={"carry": 0.02})
    matches = [np.count_nonzero(one.matches.hub == one.hub("carry")) for one in (closer, asked)]
    assert matches[0] < matches[1]


def test_hubs_can_be_left_out(apart, graph):
    less = build_connected_graph(apart, without=["carry"])
    assert less.hub_names == graph.hub_names
    with pytest.raises(InvalidValue, match="leave fewer"):
        build_connected_graph(apart, without=build_connected_graph(apart, keep_all=True).hub_names)


@pytest.mark.parametrize("wish", [{"without": ["nowhere"]}, {"thresholds": {"nowhere": 0.05}}])
def test_hubs_that_do_not_exist_are_refused(apart, wish):
    with pytest.raises(UnknownName, match="nowhere"):
        build_connected_graph(apart, **wish)
