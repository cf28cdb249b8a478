"""The free space of a moment: what stands still and what moves, asked as one, equals that of the frozen stage."""

import numpy as np
import pytest
import shapely

from moving_stages import held_still, moving_stage
from walkon.geometry import polygons
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace

POINTS = np.random.default_rng(0).uniform(-10, 10, (400, 2))


def names(space, rows):
    return sorted(space.solids[row].name for row in rows)


@pytest.mark.parametrize("seed", range(5))
def test_all_questions_are_answered_as_on_the_frozen_stage(seed):
    rng = np.random.default_rng(seed)
    stage, time = moving_stage(rng), rng.uniform(0, 4.5)
    space, frozen = FreeSpace.of(stage, radius=0.3).at(time), FreeSpace.of(stage.at(time), radius=0.3)
    away, what = space.nearest(POINTS)
    exact, known = frozen.nearest(POINTS)
    np.testing.assert_array_equal(away, exact)
    assert what == known
    assert [names(space, rows) for rows in space.covering(POINTS)] == [
        names(frozen, rows) for rows in frozen.covering(POINTS)
    ]
    near, others = space.solids_near(POINTS, within=0.7), frozen.solids_near(POINTS, within=0.7)
    assert {(p, space.solids[s].name) for p, s in zip(*near, strict=True)} == {
        (p, frozen.solids[s].name) for p, s in zip(*others, strict=True)
    }
    assert polygons.distances(space.area, POINTS) == pytest.approx(polygons.distances(frozen.area, POINTS), abs=1e-9)
    assert shapely.symmetric_difference(space.room, frozen.room).area < 1e-6
    assert shapely.symmetric_difference(space.area, frozen.area).area < 1e-9
    open_at = np.flatnonzero(exact > 0.35)
    a, b = POINTS[open_at[:-1]], POINTS[open_at[1:]]
    seen = space.sees(a, b, radius=0.2)
    np.testing.assert_array_equal(seen, frozen.sees(a, b, radius=0.2))
    assert seen.any() and not seen.all()


@pytest.mark.parametrize("seed", range(3))
def test_distances_are_those_of_the_grid_and_exact_to_what_moves(seed):
    rng = np.random.default_rng(seed)
    stage, time = moving_stage(rng), rng.uniform(0, 4.5)
    space = FreeSpace.of(stage).at(time)
    inside = POINTS[np.abs(POINTS).max(axis=1) < 7.9]
    exact = FreeSpace.of(stage.at(time)).nearest(inside)[0]
    off = space.distance(inside) - exact
    assert off[exact > 0.1].max() < 0.003
    assert off[exact > 0.1].min() > -0.03
    assert space.distance(inside.reshape(-1, 1, 2)).shape == (len(inside), 1)


def test_what_stands_still_is_made_once_for_all_moments():
    stage = moving_stage(np.random.default_rng(2))
    space = FreeSpace.of(stage)
    grid, area = space.grid, space.area
    for time in (0.0, 1.0, 2.0):
        then = space.at(time)
        then.distance(POINTS), then.nearest(POINTS), then.sees(POINTS[:-1], POINTS[1:])
        assert then.standing.grid is grid and then.standing.area is area
        assert "grid" not in str(then._kept.keys())
    assert {one.name for one in space.solids} == {"pillar", "table"}


def test_planners_see_only_what_stands_still():
    stage = moving_stage(np.random.default_rng(3))
    still = FreeSpace.of(Stage(bounds=stage.bounds, obstacles=stage.still))
    np.testing.assert_array_equal(FreeSpace.of(stage).distance(POINTS), still.distance(POINTS))
    alone = FreeSpace.of(Stage(obstacles=stage.moving))
    assert alone.is_open and not alone.at(1.0).is_open


def test_where_nothing_moves_a_moment_is_the_space_itself():
    space = FreeSpace.of(Stage(obstacles=(Obstacle(polygon=[(0, 0), (1, 0), (1, 1)]),)))
    assert space.at(3.0) is space


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (2.0, -3.0, 0.7), (1.0, 1.0, -2.0, 4.0)])
def test_on_a_track_that_stays_an_obstacle_is_as_without_one(pose):
    stage = Stage(bounds=[(-8, -8), (8, -8), (8, 8), (-8, 8)], obstacles=moving_stage(np.random.default_rng(4)).still)
    space, plain = FreeSpace.of(held_still(stage, 1, pose)).at(7.0), FreeSpace.of(stage)
    np.testing.assert_allclose(space.nearest(POINTS)[0], plain.nearest(POINTS)[0], atol=1e-12)
    assert space.nearest(POINTS)[1] == plain.nearest(POINTS)[1]
    assert shapely.symmetric_difference(space.area, plain.area).area < 1e-9
    if not any(pose):
        np.testing.assert_array_equal(space.nearest(POINTS)[0], plain.nearest(POINTS)[0])


def test_what_comes_down_to_a_head_is_in_the_way_then_only():
    stage = moving_stage(np.random.default_rng(6))
    crane = next(one for one in stage.moving if one.name == "crane")
    times = np.linspace(0, 5, 60)
    solid = crane.placed(times).bases < 2.1
    found = [any(one.name == "crane" for one in FreeSpace.of(stage).at(t).solids) for t in times]
    low = crane.placed(times).heights > 0.05
    np.testing.assert_array_equal(found, solid & low)
    assert 0 < sum(found) < len(found)
