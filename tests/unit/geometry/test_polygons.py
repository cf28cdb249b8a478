"""Polygons on the floor: inside and out, signed distances, growing, and lines of sight."""

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
    holed = polygons.polygon(SQUARE, holes=[[[1, 1], [2, 1], [2, 2], [1, 2]]])
    assert holed.area == pytest.approx(15.0)
    assert not holed.interiors[0].is_ccw


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
    room = polygons.polygon(SQUARE, holes=[[[1, 1], [3, 1], [3, 3], [1, 3]]])
    found = polygons.distances(room, [[0.25, 2], [2, 2], [5, 2], [7, 8], [4, 1]])
    assert found == pytest.approx([-0.25, 1.0, 1.0, 5.0, 0.0])


def test_growing_by_a_radius_moves_the_edge_by_it(rng: np.random.Generator) -> None:
    square = polygons.polygon(SQUARE)
    points = rng.uniform(-2, 6, (500, 2))
    moved = polygons.distances(polygons.grown(square, 0.5), points)
    outside = polygons.distances(square, points) > 0
    assert np.abs(moved - polygons.distances(square, points) + 0.5)[outside].max() < 1e-3
    assert polygons.grown(square, -0.5).area == pytest.approx(9.0)
    assert polygons.grown(square, -3.0).is_empty
    with pytest.raises(InvalidValue, match="finite distance, got inf"):
        polygons.grown(square, np.inf)


def test_lines_may_touch_corners_and_run_along_edges_but_not_through() -> None:
    walls = shapely.MultiPolygon([polygons.polygon(SQUARE), polygons.polygon(np.add(SQUARE, [10, 0]))])
    lines = {
        "through": ([-1, 2], [5, 2], False),
        "past": ([-1, 5], [15, 5], True),
        "along the edge": ([-1, 4], [5, 4], True),
        "over a corner": ([-1, 3], [1, 5], True),
        "across a corner": ([-1, 2.9], [1, 4.9], False),
        "between": ([4.1, -1], [9.9, 5], True),
        "up to the wall": ([-1, 2], [0, 2], True),
        "from inside": ([2, 2], [2, 9], False),
        "a point outside": ([7, 2], [7, 2], True),
        "a point inside": ([2, 2], [2, 2], False),
    }
    starts, ends, clear = (list(column) for column in zip(*lines.values(), strict=True))
    assert dict(zip(lines, polygons.sees(walls, starts, ends=ends).tolist(), strict=True)) == dict(
        zip(lines, clear, strict=True)
    )


def test_one_start_sees_many_ends() -> None:
    square = polygons.polygon(SQUARE)
    assert polygons.sees(square, [[-1.0, 2.0]], ends=[[5.0, 2.0], [-1.0, 9.0]]).tolist() == [False, True]
