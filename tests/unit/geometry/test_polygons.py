"""Polygons on the floor: inside and out, signed distances, and growing."""

import numpy as np
import pytest
import shapely

from walkon._base.errors import InvalidValue
from walkon.geometry import polygons

SQUARE = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]


def test_counter_clockwise_is_solid_and_polygon_makes_it_so() -> None:
    assert polygons.signed_area(SQUARE) == pytest.approx(16.0)
    assert polygons.signed_area(SQUARE[::-1]) == pytest.approx(-16.0)
    assert polygons.signed_area(np.array(SQUARE) + 1e7) == pytest.approx(16.0, abs=1e-6)
    assert polygons.polygon(SQUARE[::-1]).exterior.is_ccw


def test_a_ring_that_is_no_polygon_is_refused_with_the_place() -> None:
    with pytest.raises(InvalidValue, match=r"Self-intersection\[2 2\]"):
        polygons.polygon([[0, 0], [4, 4], [4, 0], [0, 4]])
    with pytest.raises(InvalidValue, match="three different corners, got 2"):
        polygons.polygon([[0, 0], [1, 1], [0, 0]])
    with pytest.raises(InvalidValue, match="ring must be finite"):
        polygons.polygon([[0, 0], [1, np.nan], [0, 1]])


def test_the_edge_belongs_to_the_inside() -> None:
    square = polygons.polygon(SQUARE)
    assert polygons.contains(square, [[2, 2], [4, 2], [4, 4], [4.001, 2]]).tolist() == [True, True, True, False]


def test_distances_are_negative_inside_and_know_holes() -> None:
    room = shapely.Polygon(SQUARE, [[[1, 1], [3, 1], [3, 3], [1, 3]]])
    found = polygons.distances(room, [[0.25, 2], [2, 2], [5, 2], [7, 8], [4, 1]])
    assert found == pytest.approx([-0.25, 1.0, 1.0, 5.0, 0.0])


def test_growing_by_a_radius_moves_the_edge_by_it(rng: np.random.Generator) -> None:
    square = polygons.polygon(SQUARE)
    points = rng.uniform(-2, 6, (500, 2))
    moved = polygons.distances(polygons.grow(square, 0.5), points)
    outside = polygons.distances(square, points) > 0
    assert np.abs(moved - polygons.distances(square, points) + 0.5)[outside].max() < 1e-3
    assert polygons.grow(square, -0.5).area == pytest.approx(9.0)
    assert polygons.grow(square, -3.0).is_empty
    with pytest.raises(InvalidValue, match="finite distance, got inf"):
        polygons.grow(square, np.inf)
