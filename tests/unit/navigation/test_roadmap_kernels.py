"""The compiled half of roadmaps against plain NumPy and SciPy."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from roadmap_scenes import furnished
from twins.shortcutting import shortcut
from twins.walls import segment_distances
from walkon._base.errors import InvalidValue
from walkon.navigation.roadmap import PATH_SPACING_M, Roadmap
from walkon.navigation.roadmap_graph import prices
from walkon.navigation.roadmap_rule import FREE_END_M, NEAR_WALL_COST_RATIO
from walkon.stage.free_space import FreeSpace
from walkon.stage.walls import CELL_M, are_clear

RADIUS = 0.245
"""m of a body on its way."""


@pytest.fixture(scope="module")
def stage():
    return furnished(10, 10.0, 4)


@pytest.fixture(scope="module")
def roadmap(stage):
    return Roadmap.of(stage, radius=RADIUS)


def lines(count, seed, size=10.0):
    """Return lines of all lengths, some level, some upright, some of no length, some beyond the walls."""
    a, b = np.random.default_rng(seed).uniform(-2, size + 2, (2, count, 2))
    b[::5] = a[::5] + 0.1 * (b[::5] - a[::5])
    b[1::17, 0], b[2::17, 1], b[3::17] = a[1::17, 0], a[2::17, 1], a[3::17]
    return a, b


def test_lines_are_clear_where_no_edge_is_nearer_than_the_radius(stage):
    walls = FreeSpace.of(stage).walls(0.5)
    a, b = lines(3000, 0)
    nearest = segment_distances(a, b, edges=walls.edges).min(axis=1)
    radii = np.random.default_rng(1).uniform(0.0, 0.5, len(a))
    expected = nearest >= radii
    np.testing.assert_array_equal(are_clear(walls, a, ends=b, radius=radii), expected)
    assert 0.05 < expected.mean() < 0.95


def test_cells_list_every_edge_within_reach_of_them(stage):
    walls = FreeSpace.of(stage).walls(0.4)
    rng = np.random.default_rng(2)
    places = walls.origin + rng.uniform(0, 1, (400, 2)) * CELL_M * np.array([walls.columns, walls.rows])
    near = segment_distances(places, places, edges=walls.edges) <= walls.reach
    cells = np.floor((places - walls.origin) / walls.cell).astype(int)
    for place, wanted in enumerate(near):
        at = cells[place, 0] * walls.rows + cells[place, 1]
        listed = walls.items[walls.starts[at] : walls.starts[at + 1]]
        assert set(np.flatnonzero(wanted)) <= set(listed.tolist())
        assert len(set(listed.tolist())) == len(listed)


def test_more_than_the_reach_of_walls_cannot_be_asked(stage):
    with pytest.raises(InvalidValue, match="up to"):
        are_clear(FreeSpace.of(stage).walls(0.3), [[0, 0]], ends=[[1, 1]], radius=0.31)


def test_prices_are_lengths_and_more_where_lines_scrape(stage, roadmap):
    a, b = lines(1000, 3)
    costs = prices(roadmap.walls, a, b, need=roadmap.need, comfort=roadmap.comfort)
    edges, apart = roadmap.walls.edges, np.linalg.norm(b - a, axis=1)
    blocked = segment_distances(a, b, edges=edges).min(axis=1) < roadmap.need
    trim = np.minimum(FREE_END_M / np.maximum(apart, 1e-9), 0.5)[:, None] * (b - a)
    scrapes = segment_distances(a + trim, b - trim, edges=edges).min(axis=1) < roadmap.comfort
    np.testing.assert_allclose(costs, np.where(blocked, np.inf, apart * np.where(scrapes, NEAR_WALL_COST_RATIO, 1.0)))
    assert (scrapes & ~blocked).any()


def cost_of(roadmap, path):
    return prices(roadmap.walls, path[:-1], path[1:], need=roadmap.need, comfort=roadmap.comfort).sum()


def test_the_search_is_as_good_as_dijkstra_with_all_lines_of_sight(roadmap):
    graph, n = roadmap.graph, len(roadmap.graph.nodes)
    rng = np.random.default_rng(5)
    places = rng.uniform(0, 10, (200, 2))
    places = places[roadmap.parts.holds(places, roadmap.parts.part_of(places))][:40]
    starts, goals = places[:20], places[20:]
    paths = roadmap.paths(starts, goals)
    ends = np.concatenate([starts, goals])
    links = prices(
        roadmap.walls,
        np.repeat(ends, n, axis=0),
        np.tile(graph.nodes, (len(ends), 1)),
        need=roadmap.need,
        comfort=roadmap.comfort,
    ).reshape(len(ends), n)
    weights = np.zeros((n + 2, n + 2))
    weights[:n, :n] = csr_array((graph.costs, graph.ends, graph.starts), shape=(n, n)).toarray()
    bent = 0
    for i in range(20):
        weights[n, :n], weights[:n, n + 1] = (np.where(np.isfinite(x), x, 0.0) for x in (links[i], links[20 + i]))
        direct = prices(roadmap.walls, starts[[i]], goals[[i]], need=roadmap.need, comfort=roadmap.comfort)[0]
        weights[n, n + 1] = direct if np.isfinite(direct) else 0.0
        best = dijkstra(weights, indices=n)[n + 1]
        assert (paths[i] is not None) == np.isfinite(best)
        if paths[i] is not None:
            # Shortcuts over random samples may be better still.
            assert cost_of(roadmap, paths[i]) <= best + 1e-6
            assert cost_of(roadmap, paths[i]) >= 0.97 * best
            bent += len(paths[i]) > 2
    assert bent > 5


def test_paths_have_no_shortcuts_left(roadmap):
    rng = np.random.default_rng(6)
    starts, goals = rng.uniform(1, 9, (2, 60, 2))
    paths = roadmap.paths(starts, goals)
    for path in paths:
        if path is not None and roadmap.sees(path[:-1], ends=path[1:]).all():

            def price(a, b):
                return prices(roadmap.walls, a, np.ascontiguousarray(b), need=roadmap.need, comfort=roadmap.comfort)

            short = shortcut(path, price)
            assert cost_of(roadmap, short) == pytest.approx(cost_of(roadmap, path), abs=1e-6)


def test_shortcuts_of_sampled_paths_are_those_of_the_plain_rule(stage):
    roadmap = Roadmap.of(stage, samples=300, corners=False, radius=RADIUS)
    from walkon.navigation import _roadmap_kernels as kernels

    def price(a, b):
        return prices(roadmap.walls, a, np.ascontiguousarray(b), need=roadmap.need, comfort=roadmap.comfort)

    rng = np.random.default_rng(7)
    places = rng.uniform(0, 10, (200, 2))
    places = places[roadmap.parts.holds(places, roadmap.parts.part_of(places))][:60]
    room, counts = np.zeros((30, 400, 2)), np.zeros(30, np.int64)
    told = (roadmap.need, roadmap.comfort)
    kernels.route(roadmap.walls, roadmap.graph, places[:30], places[30:], *told, 1e9, room, counts)
    plain, whole = np.zeros((30, 400, 2)), np.zeros(30, np.int64)
    kernels.route(roadmap.walls, roadmap.graph, places[:30], places[30:], *told, PATH_SPACING_M, plain, whole)
    for i in np.flatnonzero(counts > 2):
        twin = shortcut(room[i, : counts[i]], price, spacing=PATH_SPACING_M)
        assert cost_of(roadmap, plain[i, : whole[i]]) == pytest.approx(cost_of(roadmap, twin), abs=1e-6)
