"""USD's own validators have nothing to say about our files, nor has a closer look at what they miss.

The validators do not notice targets that dangle, joint indices out of range, rotations of the wrong length or numbers
that are none, so these are looked for here; that bodies move as they should is in tests/unit/export/test_usd.py.
"""

import numpy as np
import pytest

pytest.importorskip("pxr", reason="the validators come with the extra 'usd'")

from pxr import Sdf, Usd, UsdGeom, UsdSkel, UsdValidation

import usd_reading
from floors import hills
from moving_stages import moving_stage
from small_take import small_take
from take_scenes import every_feature
from walkon.export import usd
from walkon.export.excerpt import Excerpt
from walkon.stage import Stage, TerrainFloor

WAYS = {"one file": {}, "per character": {"per_character": True}, "instances": {"instanceable": True}}
TAKES = {
    "small": small_take,
    "every feature": lambda: every_feature(np.random.default_rng(11)),
    "terrain": lambda: small_take(stage=Stage(floor=TerrainFloor(hills(seed=4)))),
    "moving": lambda: small_take(stage=moving_stage(np.random.default_rng(2), span=(0.1, 1.9))),
}


@pytest.fixture(scope="module", params=[(take, way) for take in TAKES for way in WAYS], ids=lambda p: f"{p[0]}, {p[1]}")
def stage(request, tmp_path_factory):
    take, way = request.param
    path = tmp_path_factory.mktemp("usd") / "crowd.usdc"
    usd.write(Excerpt.of(TAKES[take](), fps=20.0), path, progress=lambda share: None, **WAYS[way])
    return Usd.Stage.Open(str(path))


def complaints(stage):
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    found = UsdValidation.ValidationContext(list(validators)).Validate(stage)
    return [f"{one.GetName()}: {one.GetMessage()}" for one in found]


def test_no_validator_complains(stage):
    assert complaints(stage) == []
    assert stage.GetCompositionErrors() == []


def test_the_validators_are_awake(tmp_path):
    path = tmp_path / "crowd.usdc"
    usd.write(Excerpt.of(small_take(), fps=10.0), path, progress=lambda share: None)
    stage = Usd.Stage.Open(str(path))
    stage.GetPrimAtPath("/World/Characters/ann").SetMetadata("apiSchemas", Sdf.TokenListOp())
    stage.GetRootLayer().GetPrimAtPath("/Models/Body/Skin").SetInfo("apiSchemas", Sdf.TokenListOp())
    stage.GetRootLayer().pseudoRoot.ClearInfo("upAxis")
    assert len(complaints(stage)) >= 2


def test_no_target_dangles(stage):
    targets = 0
    for prim in stage.Traverse(usd_reading.EVERYTHING):
        for relationship in prim.GetRelationships():
            for path in relationship.GetForwardedTargets():
                assert stage.GetPrimAtPath(path), f"{relationship.GetPath()} points to {path}, which is not there"
                targets += 1
        for attribute in prim.GetAttributes():
            for path in attribute.GetConnections():
                assert stage.GetAttributeAtPath(path), f"{attribute.GetPath()} is connected to {path}"
                targets += 1
    assert targets > 2 * len(usd_reading.cast(stage))


def test_animations_fit_their_skeletons(stage):
    for prim in usd_reading.cast(stage).values():
        _cache, query, binding = usd_reading.skeleton_query(prim)
        animation = query.GetAnimQuery()
        assert animation.GetPrim().IsA(UsdSkel.Animation) and query.HasBindPose() and query.HasRestPose()
        order, joints = list(animation.GetJointOrder()), list(query.GetJointOrder())
        assert set(order) <= set(joints) and UsdSkel.Topology(joints).Validate()[0]
        values = UsdSkel.Animation(animation.GetPrim())
        times = [*values.GetRotationsAttr().GetTimeSamples(), Usd.TimeCode.Default()]
        for time in times if len(times) == 1 else times[:-1]:
            rotations = np.array(values.GetRotationsAttr().Get(time))
            assert rotations.shape == (len(order), 4)
            np.testing.assert_allclose(np.linalg.norm(rotations, axis=1), 1.0, atol=1e-6)
        assert len(values.GetTranslationsAttr().Get()) == len(values.GetScalesAttr().Get()) == len(order)
        for skin in binding.GetSkinningTargets():
            held = np.array(skin.GetJointIndicesPrimvar().Get())
            assert len(held) == len(UsdGeom.Mesh(skin.GetPrim()).GetPointsAttr().Get())
            assert held.min() >= 0 and held.max() < len(joints) and skin.IsRigidlyDeformed() is False


def test_rotations_never_jump_to_their_opposites(stage):
    for prim in usd_reading.cast(stage).values():
        _cache, query, _ = usd_reading.skeleton_query(prim)
        attribute = UsdSkel.Animation(query.GetAnimQuery().GetPrim()).GetRotationsAttr()
        frames = np.array([attribute.Get(time) for time in attribute.GetTimeSamples()])
        if len(frames) > 1:
            assert np.sum(frames[1:] * frames[:-1], axis=-1).min() >= 0.0


def test_every_number_is_one(stage):
    for prim in stage.Traverse(usd_reading.EVERYTHING):
        for attribute in prim.GetAttributes():
            times = attribute.GetTimeSamples()
            for time in times[:: max(len(times) // 4, 1)] or [Usd.TimeCode.Default()]:
                values = np.array(attribute.Get(time))
                if values.dtype.kind == "f":
                    assert np.isfinite(values).all(), attribute.GetPath()
