"""What moves on a stage, handed over: keys in glTF and samples in USD put it where it is; on a track that stays, the
geometry of what stands still.
"""

import numpy as np
import pytest

from glb_player import Player
from moving_stages import held_still, moving_stage
from small_take import SECONDS, STAGE, small_take
from walkon.export.excerpt import Excerpt
from walkon.export.export import export
from walkon.export.solids import stage_things
from walkon.export.trajectories import write_parquet
from walkon.stage import Stage

FPS = 10.0
MILLIMETRE = 1e-3


def stage_points(points):
    """The file's (x, y, z), [..., 3], on the stage."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def vertices(player, name, seconds):
    """The vertices of a node's mesh on the stage at a time."""
    (node,) = player.named(name)
    (primitive,) = player.gltf.meshes[player.gltf.nodes[node].mesh].primitives
    points, world = player.array(primitive.attributes.POSITION), player.world(node, seconds)
    return stage_points(points @ world[:3, :3].T + world[:3, 3])


def usd_vertices(stage, path, code):
    from pxr import UsdGeom

    prim = stage.GetPrimAtPath(path)
    matrix = np.array(UsdGeom.XformCache(code).GetLocalToWorldTransform(prim))
    points = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get())
    return points @ matrix[:3, :3] + matrix[3, :3]


def same_prism(points, placed, moment, tolerance):
    polygon = placed.polygons[moment]
    low, high = placed.bases[moment], placed.heights[moment]
    np.testing.assert_allclose([points[:, 2].min(), points[:, 2].max()], [low, high], atol=tolerance)
    away = np.linalg.norm(points[:, None, :2] - polygon, axis=2)
    assert away.min(axis=1).max() < tolerance  # every vertex is at a corner,
    assert away.min(axis=0).max() < tolerance  # and every corner has one


@pytest.fixture(scope="module")
def moving():
    return small_take(stage=moving_stage(np.random.default_rng(8), span=(0.1, 1.9)))


@pytest.mark.parametrize("rotations", ["float32", "int16"])
def test_in_gltf_it_is_where_it_is_at_every_frame(moving, tmp_path, rotations):
    player = Player(export(moving, tmp_path / "moving.glb", fps=FPS, rotations=rotations))
    times = np.arange(0.0, SECONDS + 1e-9, 1 / FPS)
    for one in moving.stage.moving:
        placed = one.placed(times)
        for frame in (0, 3, 7, 12, 20):
            same_prism(vertices(player, one.name, times[frame]), placed, frame, MILLIMETRE)
    (stage,) = player.named("stage")
    kinds = {player.gltf.nodes[child].name: player.gltf.nodes[child].extras["kind"] for child in
             player.gltf.nodes[stage].children}  # fmt: skip
    assert (kinds["tram"], kinds["gate"], kinds["gate.leaf"]) == ("obstacle", "door", "leaf")
    (pillar,) = player.named("pillar")
    assert pillar not in player.moves


def test_in_usd_it_is_where_it_is_at_every_frame(moving, tmp_path):
    usd = pytest.importorskip("pxr.Usd")
    stage = usd.Stage.Open(str(export(moving, tmp_path / "moving.usdc", fps=FPS)))
    times = np.arange(0.0, SECONDS + 1e-9, 1 / FPS)
    for one in moving.stage.moving:
        placed = one.placed(times)
        for frame in (0, 3, 7, 12, 20):
            path = f"/World/Stage/Obstacles/{one.name.replace('.', '_')}"
            same_prism(usd_vertices(stage, path, float(frame)), placed, frame, MILLIMETRE)
    prim = stage.GetPrimAtPath("/World/Stage/Obstacles/gate_leaf")
    assert prim.GetCustomDataByKey("walkon:name") == "gate.leaf"


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (3.0, -1.0, 0.8), (1.0, 2.0, -2.0, 0.7)])
def test_on_a_track_that_stays_the_geometry_is_that_of_what_stands(tmp_path, pose):
    plain, held = small_take(), small_take(stage=held_still(STAGE, 1, pose))
    one, other = (
        Player(export(take, tmp_path / f"{k}.glb", fps=FPS)) for k, take in enumerate((plain, held))
    )  # fmt: skip
    (pillar,) = other.named("pillar")
    assert pillar not in other.moves
    for seconds in (0.0, 1.3):
        a, b = vertices(one, "pillar", seconds), vertices(other, "pillar", seconds)
        np.testing.assert_allclose(*(p[np.lexsort(np.round(p, 4).T)] for p in (a, b)), atol=2e-6)
    if not any(pose):
        for thing, same in zip(stage_things(plain.stage), stage_things(held.stage), strict=True):
            assert (thing.kind, thing.name) == (same.kind, same.name)
            for (solid, colour), (twin, tint) in zip(thing.parts, same.parts, strict=True):
                assert colour == tint
                np.testing.assert_array_equal(solid.positions, twin.positions)


def test_in_usd_what_stays_has_no_samples(tmp_path):
    usd = pytest.importorskip("pxr.Usd")
    pose = (3.0, -1.0, 0.8)
    plain, held = small_take(), small_take(stage=held_still(STAGE, 1, pose))
    one, other = (
        usd.Stage.Open(str(export(take, tmp_path / f"{k}.usdc", fps=FPS))) for k, take in enumerate((plain, held))
    )
    a, b = (usd_vertices(stage, "/World/Stage/Obstacles/pillar", 5.0) for stage in (one, other))
    np.testing.assert_allclose(*(p[np.lexsort(np.round(p, 4).T)] for p in (a, b)), atol=2e-6)
    attribute = other.GetPrimAtPath("/World/Stage/Obstacles/pillar").GetAttribute("xformOp:translate")
    assert attribute.GetTimeSamples() == []


def test_the_walkable_area_is_that_of_what_stands_still(moving, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    areas = []
    still = small_take(stage=Stage(bounds=moving.stage.bounds, obstacles=moving.stage.still))
    for k, take in enumerate((moving, still)):
        path = tmp_path / f"{k}.parquet"
        write_parquet(Excerpt.of(take, fps=FPS), path, progress=lambda share: None)
        areas.append(parquet.read_schema(path).metadata)
    assert areas[0] == areas[1]
