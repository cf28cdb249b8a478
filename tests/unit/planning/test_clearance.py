"""How far places are from what one cannot walk through."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.geometry import polygons
from walkon.planning.clearance import FAR, Clearance, free_area
from walkon.stage import Obstacle, Stage

HALL = [(0, 0), (8, 0), (8, 5), (0, 5)]


def pillar(x, y, half=0.4, **options):
    return Obstacle(
        polygon=[(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)], **options
    )


def test_it_is_the_distance_to_walls_and_obstacles_and_too_far_by_a_few_millimetres_at_most():
    stage = Stage(bounds=HALL, obstacles=[pillar(3, 2), pillar(6, 3)])
    found = Clearance.of(stage)
    rng = np.random.default_rng(1)
    points = rng.uniform((-0.5, -0.5), (8.5, 5.5), (2000, 2))
    exact = -polygons.distances(free_area(stage), points)
    off = found.at(points) - exact
    assert off[exact > 0.1].max() < 0.003  # where a body can be, nothing looks farther than it is
    assert off.max() < 0.013
    assert off.min() > -0.5 * found.spacing  # between two walls it looks nearer: the safe side
    assert np.median(np.abs(off)) < 1e-6


def test_what_one_walks_under_or_over_is_no_obstacle():
    stage = Stage(bounds=HALL, obstacles=[pillar(2, 2, base=2.5, height=3.0), pillar(5, 2, height=0.03)])
    assert Clearance.of(stage).at([[2.0, 2.0], [5.0, 2.0]]) == pytest.approx([2.0, 2.0])


def test_an_endless_stage_is_free_and_outside_of_bounds_is_not():
    assert Clearance.of(Stage()).at([[100.0, -3.0]])[0] == FAR
    around = Clearance.of(Stage(obstacles=[pillar(0, 0)]))
    assert around.at([[50.0, 0.0]])[0] == FAR
    assert around.at([[0.0, 0.0], [1.4, 0.0]]) == pytest.approx([-0.4, 1.0])
    assert Clearance.of(Stage(bounds=HALL)).at([[40.0, 2.0]])[0] == -FAR


def test_the_kernel_reads_the_grid_as_numpy_does():
    from walkon.planning import _distance_kernels as kernels
    from walkon.planning.distance_field import ground_of

    rng = np.random.default_rng(2)
    points = rng.uniform((-3, -3), (11, 8), (3000, 2))
    pillars = [pillar(3, 2), pillar(6, 3)]
    for stage in (Stage(bounds=HALL, obstacles=pillars), Stage(obstacles=pillars), Stage()):
        grid = Clearance.of(stage)
        told = np.zeros(len(points))
        kernels.clearances(ground_of(grid), points, told)
        np.testing.assert_allclose(told, grid.at(points), atol=1e-12)


def test_a_stage_covered_by_obstacles_is_refused():
    with pytest.raises(InvalidValue, match="nowhere to walk"):
        free_area(Stage(bounds=HALL, obstacles=[pillar(4, 2.5, half=6)]))
