"""The Khronos glTF validator finds nothing to say about what we write, and does find what we break."""

import json
import struct

import numpy as np
import pytest

import take_scenes
from floors import hills, two_layers
from gltf_validation import validator
from moving_stages import moving_stage
from prop_take import every_prop
from small_take import small_take
from walkon.export import export
from walkon.stage import FlatFloor, RampFloor, Stage, TerrainFloor

FLOORS = [
    RampFloor([0, 0, 0], [4, 1, 1]),
    TerrainFloor(hills(seed=4)),
    TerrainFloor(two_layers()),
    FlatFloor(3.0),
]


@pytest.fixture(scope="session")
def validate(tmp_path_factory):
    """A function from a path to the validator's report."""
    return validator(tmp_path_factory.mktemp("validator"))


def assert_clean(report):
    issues = report["issues"]
    assert (issues["numErrors"], issues["numWarnings"], issues["numInfos"]) == (0, 0, 0), issues["messages"][:5]


@pytest.mark.parametrize("rotations", ["float32", "int16"])
def test_a_take_with_stage_props_and_marks_is_valid(validate, tmp_path, rotations):
    report = validate(export(small_take(), tmp_path / "small.glb", fps=30.0, rotations=rotations))
    assert_clean(report)
    assert report["info"]["hasSkins"]
    assert report["info"]["animationCount"] == 1


def test_props_of_every_kind_are_valid(validate, tmp_path):
    report = validate(export(every_prop(), tmp_path / "props.glb", fps=30.0))
    assert_clean(report)
    assert report["info"]["totalTriangleCount"] > 2000


def test_a_take_with_everything_is_valid(validate, tmp_path):
    crowd = take_scenes.every_feature(np.random.default_rng(11))
    assert_clean(validate(export(crowd, tmp_path / "crowd.glb", fps=24.0)))


def test_a_stage_that_moves_is_valid(validate, tmp_path):
    take = small_take(stage=moving_stage(np.random.default_rng(2), span=(0.1, 1.9)))
    assert_clean(validate(export(take, tmp_path / "moving.glb", fps=24.0)))
    assert_clean(validate(export(take, tmp_path / "still.glb", start=0.5, stop=0.5)))


@pytest.mark.parametrize("floor", FLOORS, ids=["ramp", "hills", "two layers", "high"])
def test_floors_of_every_kind_are_valid(validate, tmp_path, floor):
    take = small_take(stage=Stage(floor=floor))
    report = validate(export(take, tmp_path / "floor.glb", fps=24.0))
    assert_clean(report)


def test_a_still_is_valid(validate, tmp_path):
    assert_clean(validate(export(small_take(), tmp_path / "still.glb", start=0.5, stop=0.5)))


def test_odd_names_are_valid(validate, tmp_path):
    assert_clean(validate(export(small_take(('a "b"', "zoë\n", "人")), tmp_path / "names.glb", fps=10.0)))


def test_the_validator_does_find_faults(validate, tmp_path):
    whole = export(small_take(), tmp_path / "small.glb", fps=30.0).read_bytes()
    (size,) = struct.unpack_from("<I", whole, 12)
    told = json.loads(whole[20 : 20 + size])
    sampler = next(
        told["animations"][0]["samplers"][channel["sampler"]]
        for channel in told["animations"][0]["channels"]
        if channel["target"]["path"] == "rotation"
    )
    told["accessors"][sampler["output"]]["count"] -= 1
    words = json.dumps(told).encode()
    words += b" " * (-len(words) % 4)
    rest = whole[20 + size :]
    broken = tmp_path / "broken.glb"
    head = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(words) + len(rest), len(words), b"JSON")
    broken.write_bytes(head + words + rest)
    assert validate(broken)["issues"]["numErrors"] > 0
