import numpy as np
import pytest

from floors import hills, sheet, slope, stairs, two_layers
from walkon._base.errors import InvalidValue
from walkon.stage import FlatFloor, RampFloor, Stage, TerrainFloor
from walkon.stage.floor import FloorInFrame
from walkon.transforms import planar

TENTH_OF_A_MILLIMETRE = 1e-4
RNG = np.random.default_rng(18)
PLACES = RNG.uniform(-9.0, 9.0, (500, 2)) * [1.0, 0.2]


def test_an_empty_stage_is_flat_at_zero() -> None:
    heights, normals = Stage().floor(PLACES)
    assert (heights == 0).all() and (normals == [0.0, 0.0, 1.0]).all()


def test_a_flat_floor_has_its_height_everywhere_whatever_is_asked_near() -> None:
    heights, normals = FlatFloor(3.0)(PLACES, near=77.0)
    assert (heights == 3.0).all() and (normals == [0.0, 0.0, 1.0]).all()
    assert FlatFloor(3.0).level == 3.0 and RampFloor([0, 0, 0], [1, 0, 1]).level is None


def test_a_ramp_is_level_before_and_after() -> None:
    ramp = RampFloor([1.0, 0.0, 2.0], [5.0, 0.0, 3.0])
    heights, normals = ramp([[-3.0, 7.0], [2.0, -8.0], [3.0, 0.0], [9.0, 1.0]])
    assert heights == pytest.approx([2.0, 2.25, 2.5, 3.0])
    assert normals[0] == pytest.approx([0, 0, 1])
    assert normals[1] == pytest.approx(np.array([-0.25, 0, 1]) / np.hypot(0.25, 1.0))


@pytest.mark.parametrize(
    "corners", [hills(seed=4), stairs(), two_layers(), slope(10.0)], ids=["hills", "stairs", "layers", "slope"]
)
def test_heights_and_normals_are_those_of_an_independent_ray(corners) -> None:
    trimesh = pytest.importorskip("trimesh")
    floor, mesh = TerrainFloor(corners), trimesh.Trimesh(*trimesh.triangles.to_kwargs(corners).values(), process=False)
    start = np.where(RNG.random(len(PLACES)) < 0.5, 2.5, 50.0)
    below, above = TerrainFloor(corners)(PLACES, near=-99.0).heights, floor(PLACES, near=99.0).heights
    for z, wanted in ((start, None), (np.full(len(PLACES), 99.0), above)):
        rays = np.column_stack([PLACES, z])
        places, ray, triangle = mesh.ray.intersects_location(
            rays, np.tile([0.0, 0.0, -1.0], (len(rays), 1)), multiple_hits=False
        )
        asked = places[:, 2] + RNG.uniform(-1.0, 1.0, len(ray))
        heights, normals = floor(PLACES[ray], near=asked)
        assert len(ray) == len(PLACES)
        assert np.abs(heights - places[:, 2]).max() <= TENTH_OF_A_MILLIMETRE
        inner = np.abs(np.sum(normals * mesh.face_normals[triangle], axis=1) - 1.0) < 1e-9
        assert inner.mean() > 0.97  # on a side between two faces either is right
        if wanted is not None:
            assert np.abs(wanted[ray] - places[:, 2]).max() <= TENTH_OF_A_MILLIMETRE
    assert (below <= above).all()


def test_of_two_layers_the_nearer_one_counts_and_without_a_height_the_upper() -> None:
    floor = TerrainFloor(two_layers(height=4.0))
    places = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 9.0]]
    assert floor(places, near=[0.4, 1.9, 2.1, 3.0]).heights == pytest.approx([0.0, 0.0, 4.0, 0.0])
    assert floor(places).heights == pytest.approx([4.0, 4.0, 4.0, 0.0])


def test_beside_a_terrain_there_is_no_floor() -> None:
    heights, normals = TerrainFloor(slope(5.0, half=3.0))([[3.1, 0.0], [0.0, 0.0], [1e6, 0.0], [-1e6, 1e6]])
    assert np.isnan(heights).tolist() == [True, False, True, True]
    assert np.isnan(normals).all(axis=1).tolist() == [True, False, True, True]


def test_no_place_falls_through_the_sides_between_triangles() -> None:
    corners = hills(seed=9)
    sides = 0.5 * (corners + np.roll(corners, 1, axis=1))
    for shift in (0.0, 1e-7):
        moved = TerrainFloor(corners + np.array([shift, -shift, 0.0]))
        assert np.isfinite(moved(sides[..., :2]).heights).all()


@pytest.mark.parametrize(
    "floor",
    [FlatFloor(0.3), RampFloor([0, 0, 0], [4, 1, 1]), TerrainFloor(hills(seed=2))],
    ids=["flat", "ramp", "hills"],
)
def test_a_floor_that_is_moved_has_its_heights_where_it_is_then(floor) -> None:
    pose = np.array([3.0, -2.0, 0.7, 5.0])
    heights, normals = floor(PLACES)
    moved_heights, moved_normals = floor.placed(pose)(planar.apply(pose[:3], PLACES))
    assert np.abs(moved_heights - heights - 5.0).max() < 1e-9
    turned = np.column_stack([planar.apply(np.array([0.0, 0.0, 0.7]), normals[:, :2]), normals[:, 2]])
    assert (np.abs(moved_normals - turned).max(axis=1) < 1e-9).mean() > 0.97


def test_the_order_of_triangles_does_not_matter() -> None:
    corners = hills(seed=6)
    shuffled = corners[RNG.permutation(len(corners))]
    assert np.abs(TerrainFloor(corners)(PLACES).heights - TerrainFloor(shuffled)(PLACES).heights).max() < 1e-12


def test_a_million_triangles_are_asked_in_a_breath() -> None:
    line = np.arange(0.0, 71.0, 0.1)
    corners = sheet(line, line, np.zeros((len(line), len(line))))
    assert len(corners) > 1_000_000 * 0.98
    floor = TerrainFloor(corners)
    assert (floor(RNG.uniform(0.0, 70.0, (1000, 2))).heights == 0.0).all()
    assert np.diff(floor.grid.firsts).max() < 50


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        (np.zeros((0, 3, 3)), "needs triangles, got none"),
        (hills(seed=1)[:, ::-1], "inside out"),
        (np.repeat(RNG.uniform(0, 9, (5, 1, 3)), 3, axis=1), "no area"),
        (hills(seed=1) * 1000.0, "millimetres"),
        (hills(seed=1)[..., [0, 2, 1]], "axis that points up"),
        (hills(seed=1)[..., [2, 0, 1]], "axis that points up"),
        (hills(seed=1) * 1e-4, "metres of one unit"),
        (np.zeros((2_000_001, 3, 3)), "2,000,001"),
        (np.full((1, 3, 3), np.nan), "finite"),
    ],
)
def test_what_cannot_be_a_terrain_is_refused_with_the_way_out(corners, words) -> None:
    with pytest.raises(InvalidValue, match=words):
        TerrainFloor(corners)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FlatFloor(np.nan), "height of the floor"),
        (lambda: FlatFloor("three"), "height of the floor"),  # type: ignore[arg-type]
        (lambda: FlatFloor(1e9), "height of the floor"),
        (lambda: RampFloor([0, 0, 0], [0, 0, 3]), "from one place to another"),
        (lambda: Stage(floor=3.0), "FlatFloor, RampFloor or TerrainFloor"),  # type: ignore[arg-type]
        (lambda: FlatFloor()([[1.0, 2.0, 3.0]]), "ground points"),
    ],
)
def test_bad_floors_are_refused_with_one_sentence(make, words) -> None:
    with pytest.raises(InvalidValue, match=words):
        make()


def test_layers_are_found_where_floors_lie_above_each_other():
    road = sheet(np.array([-50.0, 50.0]), np.array([-2.0, 2.0]), np.zeros((2, 2)))
    bridge = sheet(np.array([-2.0, 2.0]), np.array([-50.0, 50.0]), np.full((2, 2), 5.0))
    assert TerrainFloor(np.concatenate([road, bridge])).is_layered  # no corner or middle of one is over the other
    assert TerrainFloor(two_layers()).is_layered
    single = (hills(seed=3), stairs(), slope(20.0), road)
    assert not any(TerrainFloor(one).is_layered for one in single)
    assert not TerrainFloor(np.concatenate([road, road + np.array([0.0, 4.0, 5.0])])).is_layered  # side by side
    assert not FlatFloor().is_layered and not RampFloor([0, 0, 0], [1, 0, 1]).is_layered


def test_a_floor_seen_from_a_frame_is_the_floor_moved_the_other_way():
    rng = np.random.default_rng(8)
    floor, pose = TerrainFloor(hills(seed=3, half=8.0)), np.array([3.0, -2.0, 0.7])
    seen, moved = FloorInFrame(floor, pose), floor.placed([*planar.inverse(pose), 0.0])
    points = rng.uniform(-4.0, 4.0, (200, 2))
    for one, other in zip(seen(points), moved(points), strict=True):
        assert np.allclose(one, other, atol=1e-9, equal_nan=True)
    begins, near = np.array([0, 100]), np.zeros(2)
    assert np.allclose(seen.follow(points, begins, near), moved.follow(points, begins, near), atol=1e-9)
    assert np.allclose(seen.placed([0, 0, 0, 1.0])(points).heights, seen(points).heights + 1.0, equal_nan=True)
