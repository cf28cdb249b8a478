"""The lattice of the coarse plan: held against Shapely's distances and SciPy's shortest ways."""

import numpy as np
import pytest
import shapely
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from coarse_worlds import NEED, lattice_on
from crowd_worlds import RADIUS
from roadmap_scenes import box, furnished, room, two_rooms
from walkon.navigation.coarse import _lattice_kernels as kernels
from walkon.navigation.coarse.coarse_rule import EFFORT_S_PER_M, MOVES, PITCH_M, REACH_M, STEP_S
from walkon.navigation.coarse.lattice import make_lattice
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace

GRID_ERROR = 0.01
"""m by which a distance between the nodes of a grid may be wrong."""
SHORTER_ARMS = 0.08
"""m by which high walls may seem nearer: arms reach further aside."""
TRIED_APART = 0.05
"""m from any point of a cell to a place that is tried."""
ROUNDING = 1e-6
STAGES = [furnished(9, 9.0, 0), furnished(14, 10.0, 3), two_rooms(0.9)]


def moved(stage, turn=0.0, by=(0.0, 0.0)):
    """A stage that is turned and moved."""
    c, s = np.cos(turn), np.sin(turn)
    out = np.array([[c, s], [-s, c]])
    things = [Obstacle(polygon=one.polygon @ out + by, height=one.height) for one in stage.obstacles]
    return Stage(bounds=stage.bounds @ out + by, obstacles=tuple(things))


def exact_distances(stage, points):
    """Distances to what is not free, below 0 inside it, by Shapely."""
    space = FreeSpace.of(stage, radius=RADIUS)
    points = shapely.points(np.asarray(points))
    inside = np.where(shapely.contains(space.area, points), 1.0, -1.0)
    return inside * shapely.distance(points, space.area.boundary)


def all_moves(lattice):
    """Rows (i, j, a, b, is free) of all pairs of places that some move leads between."""
    nx, ny = lattice.moves.shape
    i, j = np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij")
    rows = []
    for m, (u, v) in enumerate(MOVES.tolist()):
        a, b = i + u, j + v
        there = (a >= 0) & (a < nx) & (b >= 0) & (b < ny)
        free = (lattice.moves >> np.uint32(m)) & 1
        rows.append(np.column_stack([x[there] for x in (i, j, a, b, free)]).astype(int))
    rows = np.concatenate(rows)
    ends = lattice.places[rows[:, 0], rows[:, 1]] + lattice.places[rows[:, 2], rows[:, 3]]
    assert not rows[np.isnan(ends[:, 0]), 4].any()
    return rows[~np.isnan(ends[:, 0])]


@pytest.mark.parametrize("stage", STAGES)
def test_every_place_is_free_and_in_its_cell(stage):
    lattice = lattice_on(stage)
    free = ~np.isnan(lattice.places[..., 0])
    assert (exact_distances(stage, lattice.places[free]) >= NEED - GRID_ERROR).all()
    c, s = lattice.frame[2:4]
    away = (lattice.places - lattice.frame[:2]) @ np.array([[c, -s], [s, c]]) / lattice.frame[4]
    index = np.stack(np.meshgrid(*map(np.arange, free.shape), indexing="ij"), axis=-1)
    assert (np.abs(away - index)[free] <= 0.5 + ROUNDING).all()


@pytest.mark.parametrize("stage", STAGES)
def test_a_cell_without_a_place_has_no_room(stage):
    lattice = lattice_on(stage)
    cells = np.argwhere(np.isnan(lattice.places[..., 0]))
    c, s = lattice.frame[2:4]
    within = np.random.default_rng(0).uniform(-0.5, 0.5, (len(cells), 20, 2))
    points = lattice.frame[:2] + (cells[:, None] + within) * lattice.frame[4] @ np.array([[c, s], [-s, c]])
    assert (exact_distances(stage, points) <= NEED + SHORTER_ARMS + TRIED_APART + GRID_ERROR).all()


@pytest.mark.parametrize("stage", STAGES)
def test_moves_are_those_that_are_short_enough_and_have_room(stage):
    lattice = lattice_on(stage)
    rows = all_moves(lattice)
    ends = np.stack([lattice.places[rows[:, 0], rows[:, 1]], lattice.places[rows[:, 2], rows[:, 3]]], axis=1)
    far = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    room_left = shapely.distance(shapely.linestrings(ends), FreeSpace.of(stage, radius=RADIUS).area.boundary)
    free = rows[:, 4] == 1
    assert free.mean() > 0.5
    assert (far[free] <= REACH_M + ROUNDING).all()
    assert (room_left[free] >= NEED - GRID_ERROR).all()
    assert (room_left[~free & (far <= REACH_M - ROUNDING)] <= NEED + SHORTER_ARMS + GRID_ERROR).all()


@pytest.mark.parametrize("stage", STAGES)
def test_every_move_can_be_gone_back(stage):
    rows = all_moves(lattice_on(stage))
    free = {tuple(row[:4]) for row in rows[rows[:, 4] == 1].tolist()}
    assert {(a, b, i, j) for i, j, a, b in free} == free


def costs_to(stage, spots, *, reach=REACH_M, froms=(), spare=0.0):
    lattice, spots = lattice_on(stage), np.array(spots, float)
    costs = np.full(lattice.moves.shape, np.inf, np.float32)
    grid, froms = FreeSpace.of(stage, radius=RADIUS).walking_grid, np.reshape(np.array(froms, float), (-1, 2))
    kernels.fill_costs(grid, lattice, spots, np.full(len(spots), NEED), NEED, reach, froms, spare, False, costs)
    return costs


def costs_by_scipy(stage, spots, *, reach=REACH_M):
    """The same on a graph with one node more, from which all nodes near the spots are reached."""
    lattice = lattice_on(stage)
    ny, cells = lattice.moves.shape[1], lattice.moves.size
    rows = all_moves(lattice)
    i, j, a, b = rows[rows[:, 4] == 1, :4].T
    far = np.linalg.norm(lattice.places[a, b] - lattice.places[i, j], axis=1)
    # What is near walls costs who steps there, that is to (i, j): costs are counted back from the goal.
    weights = STEP_S + EFFORT_S_PER_M * far + lattice.prices[i, j]
    away = np.linalg.norm(lattice.places.reshape(-1, 1, 2) - np.array(spots, float), axis=2).min(axis=1)
    near = np.flatnonzero(away <= reach)
    starts = np.concatenate([i * ny + j, np.full(len(near), cells)])
    values = np.concatenate([weights, STEP_S + EFFORT_S_PER_M * away[near]])
    graph = csr_array((values, (starts, np.concatenate([a * ny + b, near]))), shape=(cells + 1, cells + 1))
    return dijkstra(graph, indices=cells)[:cells].reshape(-1, ny)


@pytest.mark.parametrize("spots", [[(3.0, 2.0)], [(3.0, 2.0), (9.5, 6.0), (10.0, 1.5)]])
def test_what_is_left_to_go_is_what_scipy_finds(spots):
    stage = two_rooms(0.9)
    found, expected = costs_to(stage, spots), costs_by_scipy(stage, spots)
    assert np.isfinite(expected).sum() > 500
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_what_is_left_to_go_is_exact_as_far_as_it_is_asked_for():
    stage, spots = two_rooms(0.9), [(3.0, 2.0)]
    found, expected = costs_to(stage, spots, froms=[(8.0, 4.0)], spare=2.0), costs_by_scipy(stage, spots)
    lattice = lattice_on(stage)
    limit = expected.flat[np.nanargmin(np.hypot(*(lattice.places.reshape(-1, 2) - (8.0, 4.0)).T))]
    asked = expected < limit + 1.0
    np.testing.assert_allclose(found[asked], expected[asked], rtol=1e-5)
    assert np.isinf(found[expected > limit + 5.0]).all()


def test_what_is_walled_in_costs_nothing_that_can_be_paid():
    stage = two_rooms(0.3)
    costs, places = costs_to(stage, [(3.0, 2.0)]), lattice_on(stage).places
    assert np.isinf(costs[places[..., 0] > 6.0]).all()
    assert np.isfinite(costs[places[..., 0] < 6.0]).all()


def test_a_moved_world_has_a_moved_lattice():
    stage = furnished(9, 9.0, 0)
    one, two = lattice_on(stage), lattice_on(moved(stage, by=(64.0, -32.0)))
    np.testing.assert_allclose(two.places, one.places + np.array([64.0, -32.0]), atol=1e-9)
    np.testing.assert_array_equal(two.moves, one.moves)
    np.testing.assert_allclose(two.prices, one.prices, atol=1e-6)


@pytest.mark.parametrize("turn", [0.3, 1.1, np.pi / 2, 2.5])
def test_a_turned_world_has_a_lattice_along_its_walls_and_as_many_ways(turn):
    stage = two_rooms(0.9)
    one, two = lattice_on(stage), lattice_on(moved(stage, turn))
    along = np.mod(np.arctan2(two.frame[3], two.frame[2]) - turn, np.pi / 2)
    assert min(along, np.pi / 2 - along) < np.deg2rad(2.0)
    many = [np.bitwise_count(lattice.moves).sum() for lattice in (one, two)]
    assert many[1] == pytest.approx(many[0], rel=0.03)


def test_an_endless_stage_has_places_around_what_is_given():
    space = FreeSpace.of(Stage(), radius=RADIUS)
    lattice = make_lattice(space, np.array([(0.0, 0.0), (10.0, 5.0)]), need=NEED)
    low, high = lattice.places.min(axis=(0, 1)), lattice.places.max(axis=(0, 1))
    assert (low <= -3.0).all()
    assert (high >= (13.0, 8.0)).all()
    assert lattice.frame[4] == PITCH_M


@pytest.mark.parametrize("gap", [0.56, 0.6, 0.7])
@pytest.mark.parametrize("at", np.linspace(3.0, 3.3, 5))
def test_a_row_that_is_just_wide_enough_is_not_lost_between_cells(gap, at):
    below, above = at - 0.5 * gap, 6.0 - at - 0.5 * gap
    seats = [box(4.0, 0.5 * below, 5.0, below), box(4.0, 6.0 - 0.5 * above, 5.0, above)]
    stage = room(8.0, 6.0, *(Obstacle(polygon=one.polygon, height=0.45) for one in seats))
    costs, places = costs_to(stage, [(7.2, at)]), lattice_on(stage).places
    assert np.isfinite(costs[places[..., 0] < 1.0]).all()
