"""Takes as USD: joints, skins, props and stage where the take has them, read back with USD's own libraries."""

import itertools
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pxr", reason="USD is read back with the extra 'usd'")

from pxr import Sdf, Usd, UsdGeom, UsdShade

import usd_reading
from prop_take import every_prop
from small_take import small_take
from take_scenes import every_feature
from walkon._base.errors import CannotWrite, InvalidValue, MissingExtra
from walkon.export import usd
from walkon.export.body_mesh import body_mesh, cloth_colours, to_linear
from walkon.export.excerpt import Excerpt
from walkon.export.export import export
from walkon.export.usd import crowd as usd_crowd
from walkon.export.usd.layer import valid_names
from walkon.motion.body import Body
from walkon.stage import Door, Obstacle, Prop, Seat, Stage
from walkon.take import TakeWriter
from walkon.take.posing.props import prop_poses
from walkon.take.posing.resting import with_rest_poses
from walkon.transforms import quaternions as quat

MILLIMETRE, DEGREES = 1e-3, 0.05
WAYS = ({}, {"per_character": True}, {"instanceable": True})


@pytest.fixture(scope="module")
def everybody():
    return every_feature(np.random.default_rng(3))


def written(take, folder, *, name="crowd.usdc", options=None, **excerpt):
    path = folder / name
    usd.write(Excerpt.of(take, **excerpt), path, progress=lambda share: None, **(options or {}))
    return Usd.Stage.Open(str(path))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def same_joints(take, stage, codes, times, *, metres=MILLIMETRE, degrees=DEGREES):
    """Whoever is there is where the take has it; returns how many bodies were compared."""
    poses, compared = with_rest_poses(take, np.arange(len(take)), take.sample(times)), 0
    for row, prim in usd_reading.cast(stage).items():
        here = poses.present[:, row]
        if not here.any():
            continue
        places, turns = usd_reading.joints(prim, codes[here])
        J = len(take.bodies[take.characters.body[row]].skeleton)
        places, turns = places[:, :J], turns[:, :J]  # the others are fingers
        assert np.abs(places - poses.positions[here, row, :J]).max() < metres
        assert np.degrees(quat.angle_between(turns, poses.rotations[here, row, :J])).max() < degrees
        compared += int(here.sum())
    return compared


@pytest.mark.parametrize("options", WAYS, ids=["one file", "per character", "instances"])
def test_joints_are_where_the_take_has_them(tmp_path, everybody, rng, options):
    excerpt = Excerpt.of(everybody, fps=29.97)
    stage = written(everybody, tmp_path, options=options, fps=29.97)
    assert len(usd_reading.cast(stage)) == len(everybody)
    frames = np.sort(rng.choice(excerpt.count, 12, replace=False))
    assert same_joints(everybody, stage, frames.astype(float), excerpt.times[frames]) > 40


def test_between_frames_the_motion_goes_on(tmp_path, rng):
    take = small_take()
    stage = written(take, tmp_path, fps=240.0)
    times = np.sort(rng.uniform(0.0, 0.95, 12))
    assert same_joints(take, stage, times * 240.0, times) == 36


def test_a_time_that_is_half_a_frame_off_would_show(tmp_path):
    take = small_take()
    stage = written(take, tmp_path, fps=30.0)
    frames = np.arange(5.0, 20.0)
    same_joints(take, stage, frames, frames / 30.0)
    with pytest.raises(AssertionError):
        same_joints(take, stage, frames, (frames + 0.5) / 30.0)


@pytest.mark.parametrize("options", WAYS, ids=["one file", "per character", "instances"])
def test_who_is_not_there_is_not_seen(tmp_path, everybody, options):
    excerpt = Excerpt.of(everybody, fps=20.0)
    stage = written(everybody, tmp_path, options=options, fps=20.0)
    present = everybody.sample(excerpt.times).present
    for row, prim in usd_reading.cast(stage).items():
        seen = [usd_reading.visible(prim, code) for code in range(excerpt.count)]
        np.testing.assert_array_equal(seen, present[:, row])
    assert not present.all(axis=0).any() and not present[:, everybody.names.index("nobody")].any()


def test_in_a_gap_people_wait_where_they_left(tmp_path, everybody):
    excerpt = Excerpt.of(everybody, fps=30.0)
    stage = written(everybody, tmp_path, fps=30.0)
    present, gaps = everybody.sample(excerpt.times).present, 0
    for row, prim in usd_reading.cast(stage).items():
        there = np.flatnonzero(present[:, row])
        for before, after in itertools.pairwise(there):
            if after - before > 2:
                codes = np.array([before, before + 1.0, 0.5 * (before + after), after - 1.0])
                places, turns = usd_reading.joints(prim, codes)
                np.testing.assert_allclose(places, np.broadcast_to(places[:1], places.shape), atol=1e-5)
                assert quat.angle_between(turns, turns[:1]).max() < 1e-3
                gaps += 1
    assert gaps >= 4


def test_the_skin_follows_the_joints(tmp_path):
    take = small_take()
    stage = written(take, tmp_path, fps=30.0)
    body, mesh = take.bodies[0], body_mesh(take.bodies[0])
    frame = 17.0
    poses = with_rest_poses(take, np.arange(len(take)), take.pose(frame / 30.0))
    for row, prim in usd_reading.cast(stage).items():
        cache, query, binding = usd_reading.skeleton_query(prim)
        (target,) = binding.GetSkinningTargets()
        points = UsdGeom.Mesh(target.GetPrim()).GetPointsAttr().Get()
        assert target.ComputeSkinnedPoints(query.ComputeSkinningTransforms(frame), points, frame)
        here = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(target.GetPrim()))
        found = np.column_stack([np.array(points), np.ones(len(points))]) @ here
        own = mesh.positions - body.skeleton.rest_positions[mesh.joints]
        wanted = poses.positions[row, mesh.joints] + quat.rotate(poses.rotations[row, mesh.joints], own)
        np.testing.assert_allclose(found[:, :3], wanted, atol=1e-5)
        del cache


def test_bodies_stay_within_their_extents(tmp_path, everybody):
    stage = written(everybody, tmp_path, fps=10.0)
    boxes = UsdGeom.BBoxCache(0, [UsdGeom.Tokens.default_], useExtentsHint=False)
    for row, prim in usd_reading.cast(stage).items():
        for code in (5.0, 20.0):
            if not usd_reading.visible(prim, code):
                continue
            boxes.SetTime(code)
            box = boxes.ComputeWorldBound(prim).ComputeAlignedRange()
            places, _ = usd_reading.joints(prim, np.array([code]))
            assert (places.min(axis=(0, 1)) >= np.array(box.GetMin()) - 1e-5).all(), everybody.names[row]
            assert (places.max(axis=(0, 1)) <= np.array(box.GetMax()) + 1e-5).all(), everybody.names[row]


def test_a_model_is_shared_by_all_of_its_body(tmp_path):
    stage = written(small_take(), tmp_path)
    layer = stage.GetRootLayer()
    meshes = []
    layer.Traverse("/", lambda path: meshes.append(path) if path.name == "points" else None)
    around = ("/World/Stage", "/World/Props")
    assert [str(path) for path in meshes if not str(path).startswith(around)] == ["/Models/Body/Skin.points"]
    for prim in usd_reading.cast(stage).values():
        joints = prim.GetChild("Skeleton").GetAttribute("joints")
        assert [str(spec.path) for spec in joints.GetPropertyStack()] == ["/Models/Body/Skeleton.joints"]
        assert not prim.GetChild("Animation").GetAttribute("translations").ValueMightBeTimeVarying()
        assert prim.GetChild("Animation").GetAttribute("rotations").ValueMightBeTimeVarying()


def test_units_axes_and_rate_are_said(tmp_path):
    stage = written(small_take(), tmp_path, fps=119.88, start=0.5, stop=1.5)
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == 119.88
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, 119.0)
    assert stage.GetDefaultPrim().GetPath() == "/World"
    same_joints(small_take(), stage, np.array([0.0, 50.0]), 0.5 + np.array([0.0, 50.0]) / 119.88)


def test_everybody_wears_their_own_colours(tmp_path):
    take = small_take()
    for options in ({}, {"per_character": True}):
        stage = written(take, tmp_path, options=options)
        for row, prim in usd_reading.cast(stage).items():
            skin = prim.GetChild("Skin")
            shown = np.array(UsdGeom.PrimvarsAPI(skin).GetPrimvar("displayColor").ComputeFlattened())
            worn = cloth_colours(take.body(row))
            for cloth, faces in body_mesh(take.body(row)).clothes.items():
                expected = np.float32(to_linear(worn[cloth]))
                np.testing.assert_allclose(shown[faces], np.tile(expected, (faces.stop - faces.start, 1)))
                material, _ = UsdShade.MaterialBindingAPI(skin.GetChild(cloth)).ComputeBoundMaterial()
                shader = material.ComputeSurfaceSource()[0]
                np.testing.assert_allclose(shader.GetInput("diffuseColor").Get(), expected)
    np.testing.assert_allclose(to_linear(worn["shirt"]), to_linear((0.2, 0.8, 0.3)), atol=1e-4)


def test_an_instance_has_the_colour_of_its_shirt(tmp_path):
    take = small_take()
    stage = written(take, tmp_path, options={"instanceable": True})
    for row, prim in usd_reading.cast(stage).items():
        assert prim.IsInstance()
        expected = np.float32(to_linear(cloth_colours(take.body(row))["shirt"]))
        skin = prim.GetChild("Skin")
        shown = UsdGeom.PrimvarsAPI(skin).FindPrimvarWithInheritance("displayColor").ComputeFlattened()
        np.testing.assert_allclose(shown, [expected])
        material, _ = UsdShade.MaterialBindingAPI(skin.GetChild("shoes")).ComputeBoundMaterial()
        np.testing.assert_allclose(material.ComputeSurfaceSource()[0].GetInput("diffuseColor").Get(), expected)


def test_compounds_and_meshes_are_there_with_masses_and_grips(tmp_path):
    take = every_prop()
    stage = written(take, tmp_path, fps=30.0)
    for prop in take.props:
        prim = stage.GetPrimAtPath(f"/World/Props/{prop.name}")
        wanted = {part.colour for part in prop.pieces} or {prop.colour}
        shapes = [child for child in prim.GetChildren() if child.IsA(UsdGeom.Mesh)]
        assert [shape.GetName().startswith("Shape") for shape in shapes] == [True] * len(wanted)
        colours = sorted(tuple(UsdGeom.Mesh(shape).GetDisplayColorAttr().Get()[0]) for shape in shapes)
        np.testing.assert_allclose(colours, sorted(tuple(np.float32(to_linear(colour))) for colour in wanted))
        points = np.concatenate([np.array(UsdGeom.Mesh(shape).GetPointsAttr().Get()) for shape in shapes])
        np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], prop.bounds, atol=2e-3)
        assert prop.distances(points).max() < 1e-5
        notes = prim.GetCustomDataByKey("walkon")
        assert (notes["name"], notes["shape"], notes["mass_kg"]) == (prop.name, prop.shape, prop.mass)
        assert set(notes.get("grips", {})) == set(prop.grips)
        for name, grip in prop.grips.items():
            assert tuple(notes["grips"][name]["pose"]) == grip.pose
            assert (notes["grips"][name]["hand"], notes["grips"][name]["shape"]) == (grip.hand, grip.shape)


def test_props_are_carried_and_hidden(tmp_path):
    take = small_take()
    never = replace(take, props=(*take.props, Prop(name="lost")))
    excerpt = Excerpt.of(never, fps=30.0)
    stage = written(never, tmp_path, fps=30.0)
    wanted = prop_poses(never, excerpt.times)
    for p, prop in enumerate(never.props):
        prim = stage.GetPrimAtPath(f"/World/Props/{prop.name}")
        for code in (0, 7, 31):
            assert usd_reading.visible(prim, code) == wanted.present[code, p] == (prop.name != "lost")
            if wanted.present[code, p]:
                matrix = UsdGeom.XformCache(code).GetLocalToWorldTransform(prim)
                place, turn = usd_reading.pose(matrix)
                np.testing.assert_allclose(place[0], wanted.positions[code, p], atol=1e-6)
                assert np.degrees(quat.angle_between(turn[0], wanted.rotations[code, p])) < 1e-3
        shape = prim.GetChild("Shape")
        material, _ = UsdShade.MaterialBindingAPI(shape).ComputeBoundMaterial()
        colour = np.float32(to_linear(prop.colour))
        np.testing.assert_allclose(material.ComputeSurfaceSource()[0].GetInput("diffuseColor").Get(), colour)
        np.testing.assert_allclose(UsdGeom.Mesh(shape).GetDisplayColorAttr().Get(), [colour])
    resting, carried = (UsdGeom.Xformable(stage.GetPrimAtPath(f"/World/Props/{n}")) for n in ("crate", "sphere"))
    assert resting.GetTimeSamples() == [] and len(carried.GetTimeSamples()) == excerpt.count
    box = UsdGeom.BBoxCache(0, ["default"]).ComputeRelativeBound(
        stage.GetPrimAtPath("/World/Props/cylinder/Shape"), stage.GetPrimAtPath("/World/Props/cylinder")
    )
    np.testing.assert_allclose(box.ComputeAlignedRange().GetSize(), [0.2, 0.2, 0.3], atol=1e-6)


def test_the_stage_is_there(tmp_path):
    hollow = [[0, 0], [4, 0], [4, 4], [3, 1], [0, 4]]
    place = Stage(
        bounds=hollow,
        obstacles=(
            Obstacle(polygon=[[1, 1], [2, 1], [1, 2]], base=0.5, height=2.0, name="shelf/1"),
            Obstacle(polygon=hollow),
        ),
        seats=(Seat(place=[1.0, 2.0, 0.7], height=0.45, name="front row"),),
        doors=(Door(ends=[[0, 0], [0, 2]], name="in"),),
    )
    stage = written(small_take(stage=place), tmp_path)
    boxes = UsdGeom.BBoxCache(0, ["default"])
    floor = boxes.ComputeWorldBound(stage.GetPrimAtPath("/World/Stage/Floor")).ComputeAlignedRange()
    assert tuple(floor.GetMin()) == (0, 0, 0) and tuple(floor.GetMax()) == (4, 4, 0)
    shelf = stage.GetPrimAtPath("/World/Stage/Obstacles/shelf_1")
    assert shelf.GetCustomDataByKey("walkon:name") == shelf.GetDisplayName() == "shelf/1"
    box = boxes.ComputeWorldBound(shelf).ComputeAlignedRange()
    assert tuple(box.GetMin()) == (1, 1, 0.5) and tuple(box.GetMax()) == (2, 2, 2)
    assert stage.GetPrimAtPath("/World/Stage/Obstacles/obstacle").IsA(UsdGeom.Mesh)
    xforms = UsdGeom.XformCache(0)
    at, turn = usd_reading.pose(xforms.GetLocalToWorldTransform(stage.GetPrimAtPath("/World/Stage/Seats/front_row")))
    np.testing.assert_allclose(at[0], [1.0, 2.0, 0.45], atol=1e-6)
    np.testing.assert_allclose(quat.rotate(turn[0], [1.0, 0.0, 0.0]), [np.cos(0.7), np.sin(0.7), 0.0], atol=1e-6)
    stool = boxes.ComputeWorldBound(stage.GetPrimAtPath("/World/Stage/Seats/front_row")).ComputeAlignedRange()
    np.testing.assert_allclose([stool.GetMin()[2], stool.GetMax()[2]], [0.0, 0.45], atol=1e-6)
    at, turn = usd_reading.pose(xforms.GetLocalToWorldTransform(stage.GetPrimAtPath("/World/Stage/Doors/in")))
    np.testing.assert_allclose(at[0], [0.0, 1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(quat.rotate(turn[0], [0.0, 1.0, 0.0]), [0.0, 1.0, 0.0], atol=1e-6)


def test_marks_and_provenance_are_kept(tmp_path):
    take = replace(small_take(), provenance={"seeds": {"population": 4}, "scene": 'a "quoted" é'})
    stage = written(take, tmp_path, start=0.25, fps=30.0)
    notes = stage.GetRootLayer().customLayerData["walkon"]
    assert json.loads(notes["provenance"]) == dict(take.provenance)
    assert notes["start_s"] == 0.25 and notes["fps"] == 30.0 and notes["complete"]
    ann = stage.GetPrimAtPath("/World/Characters/ann").GetCustomDataByKey("walkon")
    assert ann["name"] == "ann" and ann["enters_s"] == 0.0
    mark = ann["marks"]["mark_0"]
    assert mark["name"] == "spot" and mark["facing_rad"] == 0.0 and "window_s" not in mark and "pose" not in mark
    np.testing.assert_allclose([*mark["position_m"], mark["met_s"]], [2.2, 0.0, 2.0])
    assert "marks" not in stage.GetPrimAtPath("/World/Characters/bob").GetCustomDataByKey("walkon")


ODD = ("Ann", "ann", "Ann 2", "3rd man", "Zoë", "山田", "", "a/b:c.d[e]", "_", "models", "crowd", "x" * 300)


def test_names_become_valid_and_different():
    names = valid_names(ODD, instead="character")
    assert names[:7] == ["Ann", "ann_2", "Ann_2_2", "_3rd_man", "Zoe", "character", "character_2"]
    assert all(Sdf.Path.IsValidIdentifier(name) and name.isascii() and len(name) < 90 for name in names)
    assert len({name.lower() for name in names}) == len(ODD)


@pytest.mark.parametrize("options", WAYS, ids=["one file", "per character", "instances"])
def test_the_names_that_people_gave_are_kept(tmp_path, options):
    clip, writer = small_take().clip(0), TakeWriter()
    body = writer.add_body(Body.of(clip.skeleton))
    given = [name for name in ODD if name]
    for k, name in enumerate(given):
        writer.perform(writer.add_character(name, body=body), clip, start=0.0, stop=0.3, place=(0.0, k, 0.0))
    take = writer.close()
    stage = written(take, tmp_path, name="[odd] 50% @é.usdc", options=options, fps=10.0)
    found = usd_reading.cast(stage)
    assert len({str(prim.GetPath()).lower() for prim in found.values()}) == len(given)
    for row, prim in found.items():
        assert prim.GetDisplayName() == prim.GetCustomDataByKey("walkon:name") == given[row]
    assert same_joints(take, stage, np.array([0.0, 3.0]), np.array([0.0, 0.3])) == 2 * len(given)


def test_some_characters_over_part_of_the_time(tmp_path, everybody):
    chosen = ["walker 4", "arm"]
    path = export(everybody, tmp_path / "some.usdc", characters=chosen, start=0.5, stop=1.0, fps=24.0)
    stage = Usd.Stage.Open(str(path))
    assert {prim.GetDisplayName() for prim in usd_reading.cast(stage).values()} == set(chosen)
    assert stage.GetEndTimeCode() == 12
    assert same_joints(everybody, stage, np.array([0.0, 12.0]), np.array([0.5, 1.0])) >= 2


def test_one_file_per_character_opens_alone(tmp_path):
    take = small_take(("ann", "models", "disc"))
    written(take, tmp_path, options={"per_character": True}, fps=30.0)
    folder = tmp_path / "crowd_characters"
    assert names(folder) == ["ann.usdc", "disc.usdc", "models.usdc", "models_2.usdc"]
    assert names(tmp_path) == ["crowd.usdc", "crowd_characters"]
    (folder / "mine.txt").write_text("keep")
    alone = Usd.Stage.Open(str(folder / "models_2.usdc"))
    assert alone.GetDefaultPrim().GetDisplayName() == "models" and alone.GetTimeCodesPerSecond() == 30.0
    assert same_joints(take, alone, np.array([4.0]), np.array([4.0]) / 30.0) == 1
    del alone
    written(take, tmp_path, options={"per_character": True}, fps=60.0)
    assert (folder / "mine.txt").read_text() == "keep" and len(list(folder.iterdir())) == 5


def test_going_to_the_disk_in_between_changes_nothing(tmp_path, everybody, monkeypatch):
    once = written(everybody, tmp_path, name="once.usdc", fps=10.0)
    monkeypatch.setattr(usd_crowd, "BATCH_BYTES", 1)
    often = written(everybody, tmp_path, name="often.usdc", fps=10.0)
    text = once.GetRootLayer().ExportToString()
    assert text == often.GetRootLayer().ExportToString() and len(text) > 100_000


@pytest.mark.parametrize("options", WAYS[:2], ids=["one file", "per character"])
def test_an_interrupt_halfway_leaves_the_old_file(tmp_path, options):
    path = tmp_path / "crowd.usdc"
    path.write_bytes(b"old")

    def stop(share):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        usd.write(Excerpt.of(small_take(), fps=10.0), path, progress=stop, **options)
    assert path.read_bytes() == b"old" and names(tmp_path) == ["crowd.usdc"]


@pytest.mark.parametrize("options", WAYS[:2], ids=["one file", "per character"])
def test_a_full_disk_is_one_sentence_and_leaves_the_old_file(tmp_path, options):
    resource = pytest.importorskip("resource", reason="the size of files cannot be limited here")
    path = tmp_path / "crowd.usdc"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(CannotWrite, match=r"crowd.usdc: writing USD failed \(.*too large.*the old file"):
            usd.write(Excerpt.of(small_take(), fps=30.0), path, progress=lambda share: None, **options)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"old" and names(tmp_path) == ["crowd.usdc"]


def test_what_cannot_be_is_refused_with_a_way_out(tmp_path, monkeypatch):
    excerpt = Excerpt.of(small_take(), fps=10.0)

    def refused(kind, match, path, **options):
        with pytest.raises(kind, match=match):
            usd.write(excerpt, path, progress=lambda share: None, **options)

    refused(InvalidValue, r"must be called NAME.usdc, got 'crowd.usda'", tmp_path / "crowd.usda")
    refused(InvalidValue, "exclude each other", tmp_path / "a.usdc", per_character=True, instanceable=True)
    refused(CannotWrite, "the folder does not exist", tmp_path / "nowhere" / "a.usdc")
    (tmp_path / "b.usdc").mkdir()
    refused(CannotWrite, "this is a folder", tmp_path / "b.usdc")
    (tmp_path / "c_characters").write_text("mine")
    refused(CannotWrite, "but it is a file", tmp_path / "c.usdc", per_character=True)
    assert (tmp_path / "c_characters").read_text() == "mine"
    monkeypatch.setitem(sys.modules, "pxr", None)
    refused(MissingExtra, r"writing .usdc needs the extra 'usd': pip install 'walkon\[usd\]'", tmp_path / "a.usdc")
    assert names(tmp_path) == ["b.usdc", "c_characters"]
