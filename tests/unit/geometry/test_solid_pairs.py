"""Gaps between capsules and prisms, boxes and unions: against brute force, trimesh, the twin, and themselves moved."""

import numpy as np
import pytest
import shapely
import trimesh

from twins.solids import convex_gaps
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_gaps import GAP_TOLERANCE_M, lipschitz_gaps
from walkon.geometry.solid_pairs import (
    HERE,
    Prism,
    join_things,
    parts_gaps,
    prism_distances,
    prism_gaps,
    prism_things,
    solid_pair_gaps,
    solid_things,
)
from walkon.geometry.solids import SolidParts
from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

ELL = np.array([[0, 0], [1.2, 0], [1.2, 0.3], [0.4, 0.3], [0.4, 0.9], [0, 0.9]])
HULL = np.array([[-0.6, -0.3], [0.5, -0.4], [0.8, 0.2], [0.1, 0.7], [-0.5, 0.4]])
SLAB = np.array([[-1, -0.1], [1, -0.1], [1, 0.1], [-1, 0.1]])
PRISMS = {"ell": Prism(ELL, 0.2, 0.9), "hull": Prism(HULL, -0.3, 0.4), "slab": Prism(SLAB, 0.0, 2.0)}


def some_capsules(rng: np.random.Generator, count: int = 120, far: float = 1.3) -> Capsules:
    starts = rng.uniform(-far, far, (count, 3))
    return Capsules(starts, starts + rng.uniform(-0.4, 0.4, (count, 3)), rng.uniform(0.01, 0.1, (count, 2)))


def densest(distances, capsules: Capsules, count: int = 4001) -> np.ndarray:
    """Return the least gap of that many balls along each axis."""
    s = np.linspace(0, 1, count)[:, None]
    balls = distances(capsules.starts + s[..., None] * (capsules.ends - capsules.starts))
    return np.asarray((balls - (1 - s) * capsules.radii[:, 0] - s * capsules.radii[:, 1]).min(axis=0))


@pytest.mark.parametrize("name", PRISMS)
def test_distances_from_prisms_are_those_of_trimesh(name: str, rng: np.random.Generator) -> None:
    polygon, base, top = PRISMS[name]
    points = np.concatenate([rng.uniform(-1.5, 1.5, (400, 3)), rng.uniform(0, 0.4, (200, 3))])
    found = prism_distances(PRISMS[name], points)
    # Triangles of our own: an extruded polygon is its two lids and its walls.
    flat = shapely.constrained_delaunay_triangles(shapely.Polygon(polygon))
    lids = np.array([part.exterior.coords[:3] for part in shapely.get_parts(flat)])
    a, b = polygon, np.roll(polygon, -1, axis=0)

    def at(places: np.ndarray, z: float) -> np.ndarray:
        return np.insert(places, 2, z, axis=-1)

    walls = [np.stack([at(a, base), at(b, base), at(b, top)], 1), np.stack([at(a, base), at(b, top), at(a, top)], 1)]
    mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(np.concatenate([at(lids, base), at(lids, top), *walls])))
    _, away, _ = trimesh.proximity.closest_point_naive(mesh, points)
    inside = shapely.contains_xy(shapely.Polygon(polygon), points[:, :2])
    inside &= (points[:, 2] > base) & (points[:, 2] < top)
    assert inside.sum() > 10
    np.testing.assert_allclose(found, np.where(inside, -away, away), atol=1e-9)


@pytest.mark.parametrize("name", PRISMS)
def test_gaps_from_prisms_are_those_of_the_nearest_ball(name: str, rng: np.random.Generator) -> None:
    prism, capsules = PRISMS[name], some_capsules(rng)
    found = prism_gaps(prism, capsules)
    brute = densest(lambda points: prism_distances(prism, points), capsules)
    above = GAP_TOLERANCE_M if name == "ell" else 1e-9
    assert (found <= brute + above).all()
    assert (found >= brute - 2e-4).all(), "samples are 0.2 mm apart"
    assert (found < -0.05).any()
    assert (found > 0.05).any()


@pytest.mark.parametrize("name", ["hull", "slab"])
def test_the_kernel_and_its_twin_agree(name: str, rng: np.random.Generator) -> None:
    prism, capsules = PRISMS[name], some_capsules(rng, count=2000)
    twin = convex_gaps(lambda points: prism_distances(prism, points), capsules)
    np.testing.assert_allclose(prism_gaps(prism, capsules), twin, atol=5e-9)


def test_intervals_of_any_prism_close_as_those_of_any_solid(rng: np.random.Generator) -> None:
    capsules = some_capsules(rng)
    plain = lipschitz_gaps(lambda points: prism_distances(PRISMS["ell"], points), capsules, tolerance=1e-5)
    more = prism_gaps(PRISMS["ell"], capsules) - plain
    assert (more > -1e-5).all()
    assert (more <= GAP_TOLERANCE_M).all()


def test_a_rod_pushed_into_a_wall_is_as_deep_as_it_was_pushed() -> None:
    depths = np.linspace(-0.1, 0.09, 20)
    rod = Capsules(
        np.column_stack([np.full(20, 0.3), -0.1 - 0.4 + 0 * depths, np.full(20, 1.0)]),
        np.column_stack([np.full(20, 0.3), -0.1 + depths - 0.03, np.full(20, 1.0)]),
        np.tile([0.05, 0.03], (20, 1)),
    )
    np.testing.assert_allclose(prism_gaps(PRISMS["slab"], rod), -depths, atol=1e-9)


def test_through_a_wall_a_rod_is_half_the_wall_and_its_radius_deep() -> None:
    rod = Capsules(np.array([[0.0, -0.5, 1.0]]), np.array([[0.0, 0.5, 1.0]]), np.array([[0.04, 0.04]]))
    np.testing.assert_allclose(prism_gaps(PRISMS["slab"], rod), -0.14, atol=1e-9)


def test_touching_exactly_is_no_gap(rng: np.random.Generator) -> None:
    """Ends that lie in the surface, up to rounding, where the slope is not defined."""
    x, z = rng.uniform(-0.9, 0.9, 50), rng.uniform(0.3, 1.7, 50)
    on = np.column_stack([x, np.full(50, -0.1), z])
    away = on - np.array([0.0, 0.3, 0.0])
    for starts, ends in ((on, away), (away, on)):
        gaps = prism_gaps(PRISMS["slab"], Capsules(starts, ends, np.zeros((50, 2))))
        np.testing.assert_allclose(gaps, 0.0, atol=1e-9)
    into = on + np.array([0.0, 0.05, 0.0])
    np.testing.assert_allclose(prism_gaps(PRISMS["slab"], Capsules(on, into, np.zeros((50, 2)))), -0.05, atol=1e-9)


@pytest.mark.parametrize("name", PRISMS)
def test_moved_and_turned_together_nothing_changes(name: str, rng: np.random.Generator) -> None:
    prism, capsules = PRISMS[name], some_capsules(rng)
    x, y, heading, z = rng.uniform(-3, 3, 4)
    pose = np.array([x, y, heading])
    moved = Prism(planar.apply(pose, prism.polygon), prism.base + z, prism.top + z)
    world = np.concatenate([[x, y, z], quat.turn(heading)])
    there = Capsules(rigid.apply(world, capsules.starts), rigid.apply(world, capsules.ends), capsules.radii)
    tolerance = GAP_TOLERANCE_M if name == "ell" else 1e-8
    here = prism_gaps(prism, capsules)
    np.testing.assert_allclose(prism_gaps(moved, there), here, atol=tolerance)
    pairs = np.column_stack([np.arange(len(here)), np.zeros((len(here), 2), int)])
    posed = solid_pair_gaps(there, prism_things([prism]), world[None], pairs)
    np.testing.assert_allclose(posed, here, atol=tolerance)
    backwards = prism._replace(polygon=prism.polygon[::-1])
    np.testing.assert_allclose(prism_gaps(backwards, capsules), here, atol=tolerance)


def test_a_square_prism_is_a_box(rng: np.random.Generator) -> None:
    capsules = some_capsules(rng, 500)
    box = SolidParts(("box",), np.array([[2.0, 0.2, 2.0]]), np.array([[0, 0, 1.0, 1, 0, 0, 0]]))
    np.testing.assert_allclose(parts_gaps(box, capsules), prism_gaps(PRISMS["slab"], capsules), atol=3e-9)


def test_many_things_at_once_are_each_alone(rng: np.random.Generator) -> None:
    capsules = some_capsules(rng, 40)
    poses = np.concatenate([rng.uniform(-1, 1, (2, 3)), quat.normalize(rng.normal(size=(2, 4)))], axis=1)
    lamp = SolidParts(("cylinder", "sphere"), rng.uniform(0.1, 0.4, (2, 3)), poses)
    things = join_things([prism_things(list(PRISMS.values())), solid_things([lamp, lamp])])
    pairs = np.stack(np.meshgrid(np.arange(40), np.arange(5), [0], indexing="ij"), axis=-1).reshape(-1, 3)
    found = solid_pair_gaps(capsules, things, HERE[None], pairs).reshape(40, 5)
    alone = [*(prism_gaps(prism, capsules) for prism in PRISMS.values()), *[parts_gaps(lamp, capsules)] * 2]
    np.testing.assert_array_equal(found, np.column_stack(alone))
    near = solid_pair_gaps(capsules, things, HERE[None], pairs, within=0.05).reshape(40, 5)
    np.testing.assert_array_equal(near[found < 0.05], found[found < 0.05])
    assert (near[found >= 0.05] >= 0.05).all()


def test_what_is_no_prism_or_no_pair_is_refused() -> None:
    capsules = Capsules(np.zeros((1, 3)), np.ones((1, 3)), np.zeros((1, 2)))
    with pytest.raises(InvalidValue, match=r"an area and a height, got 0\.24 m² from 1 to 1 m"):
        prism_gaps(Prism(SLAB * [0.6, 1], 1.0, 1.0), capsules)
    with pytest.raises(InvalidShape, match=r"corners \[K, 2\], got \(4, 3\)"):
        prism_gaps(Prism(np.zeros((4, 3)), 0.0, 1.0), capsules)
    with pytest.raises(InvalidShape, match=r"rows of \[1, 1, 1\] capsules, things and frames"):
        solid_pair_gaps(capsules, prism_things([PRISMS["slab"]]), HERE[None], np.array([[0, 1, 0]]))
