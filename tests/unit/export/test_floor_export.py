"""Floors in exported files: meshes where the floor is, furniture on it, and z in trajectories, there and back."""

import numpy as np
import pytest

from floors import hills, two_layers
from take_scenes import standing
from terrain_takes import hill_walkers
from walkon.export import export
from walkon.export.excerpt import FLOOR_MARGIN_M, Excerpt
from walkon.export.solids import floor_solid, stage_things
from walkon.io import load_trajectories
from walkon.motion.body import Body
from walkon.stage import Door, FlatFloor, RampFloor, Seat, Stage, TerrainFloor
from walkon.take import Take, TakeWriter

PLAN = np.array([[-5.0, -3.0], [9.0, -3.0], [9.0, 4.0], [2.0, 1.0], [-5.0, 4.0]])
RAMP = RampFloor([0.0, 0.0, 1.0], [4.0, 1.0, 2.5])


def above_and_below() -> Take:
    """One person on a deck, one on the floor under it, and one beside."""
    clip = standing()
    with TakeWriter(stage=Stage(floor=TerrainFloor(two_layers(height=4.0)))) as writer:
        body = writer.add_body(Body.of(clip.skeleton))
        for name, near, place in (("above", 4.0, (0, 0, 0)), ("below", 0.0, (1, 0, 0)), ("beside", 0.0, (0, 8, 0))):
            writer.perform(writer.add_character(name, body=body, near=near), clip, start=0.0, place=place)
    return writer.take


def area(solid) -> float:
    a, b, c = np.moveaxis(solid.positions[solid.triangles], 1, 0)
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


@pytest.mark.parametrize("floor", [FlatFloor(3.0), RAMP], ids=["flat", "ramp"])
def test_a_floor_over_a_plan_is_the_floor_everywhere_on_it(floor):
    """Places on its triangles, not only at corners: a ramp that is not cut at its edges would pass over them."""
    solid = floor_solid(floor, PLAN)
    shares = np.random.default_rng(5).dirichlet(np.ones(3), (50, len(solid.triangles)))
    places = np.einsum("kfc,fcx->kfx", shares, solid.positions[solid.triangles])
    np.testing.assert_allclose(places[..., 2], floor(places[..., :2]).heights, atol=1e-9)
    assert (solid.normals[:, 2] > 0).all()
    flat = solid._replace(positions=solid.positions * [1, 1, 0])
    x, y = PLAN.T
    assert area(flat) == pytest.approx(0.5 * abs(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)))


def test_a_terrain_keeps_all_its_layers():
    corners = two_layers()
    solid = floor_solid(TerrainFloor(corners), None)
    assert area(solid) == pytest.approx(40.0 * 40.0 + 20.0 * 6.0)
    assert sorted(set(solid.positions[:, 2].tolist())) == [0.0, 4.0]


def test_an_endless_floor_is_a_quad_around_what_happens():
    take = hill_walkers(3, count=4, seconds=1.0)
    excerpt = Excerpt.of(take)
    low, high = excerpt.action.min(axis=0), excerpt.action.max(axis=0)
    planar = take.sample(excerpt.times).planar[..., :2].reshape(-1, 2)
    planar = planar[np.isfinite(planar[:, 0])]
    assert (planar - low >= FLOOR_MARGIN_M - 0.5).all() and (high - planar >= FLOOR_MARGIN_M - 0.5).all()
    assert (planar.min(axis=0) - low < FLOOR_MARGIN_M + 1.5).all()
    (floor,) = stage_things(Stage(floor=FlatFloor(2.0)), around=excerpt.action)
    assert (floor.kind, len(floor.parts[0][0].triangles)) == ("floor", 2)
    np.testing.assert_allclose(floor.parts[0][0].positions[:, 2], 2.0)
    assert list(stage_things(Stage())) == []


def test_furniture_stands_on_its_floor():
    stage = Stage(
        floor=TerrainFloor(two_layers()),
        seats=(Seat(place=[0, 0, 0], height=4.45, name="stool"),),
        doors=(Door(ends=[[2, 0], [3, 0]], name="way", z=4.0),),
    )
    lows = {thing.kind: min(part.positions[:, 2].min() for part, _ in thing.parts) for thing in stage_things(stage)}
    assert lows["seat"] == pytest.approx(4.0)
    assert lows["door"] == pytest.approx(4.004)


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.txt"])
def test_heights_of_floors_come_back(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    back = load_trajectories(export(above_and_below(), tmp_path / name, fps=10.0))
    heights = {int(who): set(np.round(back.heights[back.ids == who], 3).tolist()) for who in back.people}
    assert heights == {0: {4.0}, 1: {0.0}, 2: {0.0}}


def test_heights_follow_hills(tmp_path):
    take = hill_walkers(7, count=5, seconds=2.0)
    back = load_trajectories(export(take, tmp_path / "hills.csv", fps=10.0))
    np.testing.assert_allclose(back.heights, take.stage.floor(back.positions).heights, atol=2e-4)
    assert np.ptp(back.heights) > 0.1


def test_jupedsim_has_no_heights_and_is_read_without(tmp_path):
    back = load_trajectories(export(above_and_below(), tmp_path / "people.sqlite", fps=10.0))
    assert back.heights is None
    assert len(back.people) == 3


def test_hills_are_in_the_file_that_other_readers_open(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    take = hill_walkers(2, count=2, seconds=0.5)
    scene = trimesh.load(export(take, tmp_path / "hills.glb", fps=10.0))
    names = [name for name in scene.geometry if "floor" in name]
    assert names
    mesh = scene.geometry[names[0]]
    corners = np.asarray(hills(seed=2, half=90.0, step=1.0))
    assert mesh.area == pytest.approx(
        0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum(),
        rel=1e-4,
    )
