"""Neighbour search: equal to comparing everyone with everyone, whatever the layout, and in index order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import cKDTree

from twins.neighbours import pairs_within_numpy
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.geometry.neighbours import NeighbourGrid, pairs_within

PLACES = arrays(np.float64, st.tuples(st.integers(0, 40), st.just(2)), elements=st.floats(-20, 20, width=32))


@settings(max_examples=60, deadline=None)
@given(PLACES, st.floats(0.01, 15.0))
def test_pairs_are_those_of_the_plain_twin(points: np.ndarray, radius: float) -> None:
    assert np.array_equal(pairs_within(points, radius), pairs_within_numpy(points, radius))


@settings(max_examples=40, deadline=None)
@given(PLACES, PLACES, st.floats(0.01, 15.0))
def test_points_near_any_place_are_found(points: np.ndarray, places: np.ndarray, radius: float) -> None:
    starts, found = NeighbourGrid.of(points, radius).near(places)
    for q, place in enumerate(places):
        near = ((points - place) ** 2).sum(axis=1) <= radius * radius
        assert found[starts[q] : starts[q + 1]].tolist() == np.flatnonzero(near).tolist()


def test_ten_thousand_points_have_the_pairs_of_a_tree(rng: np.random.Generator) -> None:
    points = rng.uniform(0, 198, (10_000, 2))
    tree = cKDTree(points).query_pairs(5.0, output_type="ndarray")
    assert np.array_equal(pairs_within(points, 5.0), tree[np.lexsort((tree[:, 1], tree[:, 0]))])


def test_points_exactly_the_radius_apart_are_neighbours() -> None:
    x, y = np.meshgrid(np.arange(7) * 0.5, np.arange(5) * 0.5)
    points = np.column_stack([x.ravel(), y.ravel()])
    assert np.array_equal(pairs_within(points, 0.5), pairs_within_numpy(points, 0.5))
    assert len(pairs_within(points, 0.5)) == 6 * 5 + 7 * 4


def test_the_order_of_the_points_changes_their_names_only(rng: np.random.Generator) -> None:
    points = rng.uniform(0, 10, (100, 2))
    shuffled = rng.permutation(100)
    pairs = np.sort(shuffled[pairs_within(points[shuffled], 1.0)], axis=1)
    assert np.array_equal(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], pairs_within(points, 1.0))


def test_two_strays_far_apart_cost_no_memory() -> None:
    grid = NeighbourGrid.of([[0.0, 0.0], [0.05, 0.0], [1e7, -1e7]], 0.1)
    assert grid.columns * grid.rows <= 100
    assert grid.pairs().tolist() == [[0, 1]]


def test_a_crowd_in_one_place_is_all_pairs() -> None:
    assert len(pairs_within(np.zeros((300, 2)), 0.1)) == 300 * 299 // 2


def test_no_points_and_one_point_have_no_pairs() -> None:
    assert pairs_within(np.zeros((0, 2)), 1.0).shape == (0, 2)
    assert pairs_within([[3.0, 4.0]], 1.0).shape == (0, 2)


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf])
def test_a_radius_that_is_not_positive_and_finite_is_refused(radius: float) -> None:
    with pytest.raises(InvalidValue, match="search radius must be positive and finite"):
        pairs_within([[0.0, 0.0]], radius)


def test_bad_points_are_refused() -> None:
    with pytest.raises(InvalidShape, match=r"points must have shape \(any, 2\), got \(1, 3\)"):
        pairs_within([[0.0, 0.0, 0.0]], 1.0)
    with pytest.raises(InvalidValue, match="points must be finite"):
        pairs_within([[0.0, np.nan]], 1.0)
