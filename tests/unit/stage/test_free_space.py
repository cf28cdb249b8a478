"""How far places are from what one cannot walk through."""

import numpy as np
import pytest
import shapely
from scipy.interpolate import RegularGridInterpolator

from walkon._base.errors import InvalidValue
from walkon.geometry import polygons
from walkon.stage import Obstacle, Stage
from walkon.stage.distance_grid import FAR_M
from walkon.stage.free_space import FreeSpace

HALL = [(0, 0), (8, 0), (8, 5), (0, 5)]


def pillar(x, y, half=0.4, **options):
    return Obstacle(
        polygon=[(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)], **options
    )


def random_stage(seed, *, bounded=True):
    """Return a hall of 12 m with up to 25 turned boxes, some of which overlap or reach outside."""
    rng = np.random.default_rng(seed)
    obstacles = []
    for _ in range(int(rng.integers(3, 25))):
        a, (w, h) = rng.uniform(0, np.pi), rng.uniform(0.1, 1.5, 2)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        corners = np.array([(-w, -h), (w, -h), (w, h), (-w, h)]) @ turn.T + rng.uniform(0, 12, 2)
        obstacles.append(Obstacle(polygon=corners))
    return Stage(bounds=[(0, 0), (12, 0), (12, 12), (0, 12)] if bounded else None, obstacles=obstacles)


def test_it_is_the_distance_to_walls_and_obstacles_and_too_far_by_a_few_millimetres_at_most():
    stage = Stage(bounds=HALL, obstacles=[pillar(3, 2), pillar(6, 3)])
    found = FreeSpace.of(stage)
    rng = np.random.default_rng(1)
    points = rng.uniform((-0.5, -0.5), (8.5, 5.5), (2000, 2))
    exact = -polygons.distances(found.area, points)
    off = found.distance(points) - exact
    assert off[exact > 0.1].max() < 0.003  # where a body can be, nothing looks farther than it is
    assert off.max() < 0.013
    assert off.min() > -0.5 * found.grid.frame[2]  # between two walls it looks nearer: the safe side
    assert np.median(np.abs(off)) < 1e-6


def test_what_one_walks_under_or_over_is_no_obstacle():
    stage = Stage(bounds=HALL, obstacles=[pillar(2, 2, base=2.5, height=3.0), pillar(5, 2, height=0.03)])
    assert FreeSpace.of(stage).distance([[2.0, 2.0], [5.0, 2.0]]) == pytest.approx([2.0, 2.0])


def test_an_endless_stage_is_free_and_outside_of_bounds_is_not():
    assert FreeSpace.of(Stage()).distance([[100.0, -3.0]])[0] == FAR_M
    around = FreeSpace.of(Stage(obstacles=[pillar(0, 0)]))
    assert around.distance([[50.0, 0.0]])[0] == FAR_M
    assert around.distance([[0.0, 0.0], [1.4, 0.0]]) == pytest.approx([-0.4, 1.0])
    assert FreeSpace.of(Stage(bounds=HALL)).distance([[40.0, 2.0]])[0] == -FAR_M


def test_between_nodes_distances_are_mixed_bilinearly():
    rng = np.random.default_rng(2)
    points = rng.uniform((-0.4, -0.4), (8.4, 5.4), (3000, 2))
    space = FreeSpace.of(Stage(bounds=HALL, obstacles=[pillar(3, 2), pillar(6, 3)]))
    x, y, spacing, _ = space.grid.frame
    axes = (x + spacing * np.arange(space.grid.nodes.shape[0]), y + spacing * np.arange(space.grid.nodes.shape[1]))
    mixed = RegularGridInterpolator(axes, space.grid.nodes)(points)
    np.testing.assert_allclose(space.distance(points), mixed, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bounded", [True, False])
def test_nodes_of_the_grid_are_shapelys_distances_to_the_last_bit(seed, bounded):
    space = FreeSpace.of(random_stage(seed, bounded=bounded))
    x, y, spacing, _ = space.grid.frame
    nodes = space.grid.nodes
    axes = (x + spacing * np.arange(nodes.shape[0]), y + spacing * np.arange(nodes.shape[1]))
    places = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    if bounded:
        exact = -polygons.distances(space.area, places.reshape(-1, 2))
    else:
        exact = polygons.distances(shapely.union_all(space.solid_polygons), places.reshape(-1, 2))
    np.testing.assert_array_equal(np.abs(nodes.ravel()), np.abs(exact))
    sure = np.abs(exact) > 1e-9
    np.testing.assert_array_equal(np.sign(nodes.ravel()[sure]), np.sign(exact[sure]))


@pytest.mark.parametrize("seed", range(3))
def test_edges_have_the_free_side_on_their_left_and_hang_together(seed):
    space = FreeSpace.of(random_stage(seed))
    e = space.edges
    np.testing.assert_array_equal(e.start[e.next], e.stop)
    np.testing.assert_array_equal(e.next[e.previous], np.arange(len(e)))
    along = e.stop - e.start
    left = np.column_stack([-along[:, 1], along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    middle = 0.5 * (e.start + e.stop)
    away = -polygons.distances(space.area, middle + 1e-6 * left)
    assert (away > 0).all()
    assert (-polygons.distances(space.area, middle - 1e-6 * left) < 0).all()
    # A reflex corner is one at which free space is more than a half turn: just beside it, ahead of both walls, is free.
    before = (e.start - e.start[e.previous]) / np.linalg.norm(e.start - e.start[e.previous], axis=1)[:, None]
    ahead = -polygons.distances(space.area, e.start + 1e-6 * before)
    np.testing.assert_array_equal(ahead > 0, e.reflex)


def test_what_is_nearest_is_named_and_exact():
    stage = random_stage(7)
    space = FreeSpace.of(stage)
    points = np.random.default_rng(5).uniform(-1, 13, (500, 2))
    away, names = space.nearest(points)
    alone = np.stack([polygons.distances(one, points) for one in space.solid_polygons])
    edge = -polygons.distances(polygons.polygon(stage.bounds), points)
    np.testing.assert_array_equal(away, np.minimum(alone.min(axis=0), edge))
    for name, row, wall in zip(names, alone.T, edge, strict=True):
        assert name == ("the edge" if wall <= row.min() else space.name_of(int(row.argmin())))


def test_a_disc_fits_where_the_nearest_thing_is_farther_than_its_radius():
    stage = random_stage(3)
    space = FreeSpace.of(stage, radius=0.3)
    points = np.random.default_rng(3).uniform(-1, 13, (800, 2))
    away = space.nearest(points)[0]
    sure = np.abs(away - 0.3) > 1e-3
    np.testing.assert_array_equal(shapely.contains_xy(space.room, *points.T)[sure], (away > 0.3)[sure])
    assert FreeSpace.of(Stage(), radius=0.3).room is None


def test_free_spaces_of_one_stage_share_what_does_not_depend_on_the_radius():
    stage = random_stage(1)
    assert FreeSpace.of(stage, radius=0.2).area is FreeSpace.of(stage, radius=0.4).area
    assert FreeSpace.of(stage, radius=0.2).grid is FreeSpace.of(stage, radius=0.2).grid


def test_a_stage_covered_by_obstacles_is_refused():
    with pytest.raises(InvalidValue, match="nowhere to walk"):
        _ = FreeSpace.of(Stage(bounds=HALL, obstacles=[pillar(4, 2.5, half=6)])).area
