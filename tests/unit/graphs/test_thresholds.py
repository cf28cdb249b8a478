from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.build import build_graph, frames_of
from walkon.graphs.inspection import graph_trade_off
from walkon.graphs.thresholds import (
    Recipe,
    connecting_threshold,
    join_clips,
    percentile_threshold,
    special_limits,
    trade_off,
)


@pytest.fixture(scope="module")
def frames(graph):
    return frames_of(graph.library, Recipe())


def under(minima, threshold):
    return minima.rows(minima.distance < threshold)


def test_the_connecting_threshold_is_the_smallest_that_connects(graph, frames):
    minima = graph.candidates
    threshold, share = connecting_threshold(frames, minima, share=0.6)
    assert share >= 0.6
    assert join_clips(frames, under(minima, threshold))[1] == pytest.approx(share)
    lower = minima.distance[minima.distance < threshold].max()
    assert join_clips(frames, under(minima, lower))[1] < 0.6


def test_a_share_out_of_reach_gives_the_closest(graph, frames):
    threshold, share = connecting_threshold(frames, graph.candidates, share=1.0)
    assert share == pytest.approx(join_clips(frames, graph.candidates)[1])
    assert join_clips(frames, under(graph.candidates, threshold))[1] == pytest.approx(share)


def test_the_percentile_counts_minima(graph):
    threshold = percentile_threshold(graph.candidates, 25.0)
    assert (graph.candidates.distance < threshold).mean() == pytest.approx(0.25, abs=0.01)


def test_more_transitions_never_take_a_component_apart(graph, frames):
    rows = list(trade_off(frames, graph.candidates, thresholds=np.linspace(0.01, graph.known, 12)))
    shares = [row["largest_share"] for row in rows]
    counts = [row["transitions"] for row in rows]
    assert shares == sorted(shares)
    assert counts == sorted(counts)
    assert all(row["worst_distance"] < row["threshold"] for row in rows)
    assert shares[-1] > shares[0]


def test_the_table_of_a_graph_has_its_own_threshold_and_seams(graph):
    rows = list(graph_trade_off(graph))
    chosen = [row for row in rows if row["threshold"] == graph.settings["threshold"]]
    assert len(chosen) == 1
    assert chosen[0]["transitions"] == graph.settings["transitions_before_pruning"] + graph.settings["too_rough"]
    assert chosen[0]["largest_share"] == pytest.approx(graph.seconds / graph.library.duration, abs=0.02)
    assert all(row["worst_seam"] > 0 for row in rows)


def test_pairs_of_labels_have_thresholds_of_their_own(graph, frames):
    library, minima = graph.library, graph.candidates
    limits = special_limits(library, frames, minima=minima, limits={("walk", "stand"): 0.02, ("walk", "walk"): 0.03})
    labels = {label: library.labels[:, k] for k, label in enumerate(library.label_names)}

    def has(label, side):
        clip = frames.clips_of(side)
        return labels[label][library.starts[clip] + np.rint(frames.times[side] * library.fps).astype(int)]

    walking = has("walk", minima.frame_a) & has("walk", minima.frame_b)
    standing = has("walk", minima.frame_a) & has("stand", minima.frame_b)
    standing |= has("stand", minima.frame_a) & has("walk", minima.frame_b)
    assert walking.any()
    assert standing.any()
    assert np.all(limits[standing] == 0.02)
    assert np.all(limits[walking & ~standing] == 0.03)
    assert np.isnan(limits[~walking & ~standing]).all()


def test_a_pair_may_differ_by_direction(graph, frames):
    pairs = {("walk", "stand"): 0.02, ("stand", "walk"): 0.07}
    limits = special_limits(graph.library, frames, minima=graph.candidates, limits=pairs)
    assert {0.02, 0.07} <= set(limits[~np.isnan(limits)].tolist())


def test_a_graph_obeys_thresholds_of_pairs(walks):
    strict = build_graph(walks, label_thresholds={("stand", "stand"): 0.012})
    standing = strict.edges_with("stand")
    assert 0 < strict.edges.distance[standing].max() < 0.012
    assert strict.edges.distance.max() > 0.03


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"threshold": 5.0}, "more than a body can be off; thresholds are metres, 0.05 is 5 cm"),
        ({"threshold": -0.1}, "must be positive metres, got -0.1"),
        ({"percentile": 120.0}, "over 0 and at most 100, got 120"),
        ({"connect": 1.5}, "over 0 and at most 1"),
        ({"threshold": 0.05, "connect": 0.9}, "threshold and connect are different ways to choose one threshold"),
        ({"roughest": 0.0}, "roughest must be positive"),
    ],
)
def test_wrong_wishes_are_refused(walks, wish, words):
    with pytest.raises(InvalidValue, match=words):
        build_graph(walks, **wish)


def test_a_label_of_a_pair_that_exists_nowhere_is_named(walks):
    with pytest.raises(UnknownName, match="there is no label 'swim'"):
        build_graph(walks, label_thresholds={("walk", "swim"): 0.05})


def test_a_recipe_survives_its_settings():
    recipe = Recipe(
        rate=25.0, connect=0.9, labels=(("walk",), ("walk", "carry")), label_thresholds={("walk", "carry"): 0.04}
    )
    assert Recipe.from_settings(recipe.to_settings()) == recipe
    assert Recipe.from_settings(replace(recipe, connect=None, threshold=0.04).to_settings()).threshold == 0.04
    assert Recipe.from_settings(Recipe(roughest=np.inf).to_settings()).roughest == np.inf
