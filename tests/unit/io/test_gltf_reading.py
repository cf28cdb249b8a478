"""One reader of glTF for meshes, rigs and copies: what it gives, and that whatever a file says ends well."""

import copy
import json
import struct

import numpy as np
import pytest

from mesh_files import glb_bytes, gltf_parts, solid
from rig_files import write_rig
from walkon._base.errors import UnreadableFile, WalkonError
from walkon.io.gltf import GltfFile
from walkon.viewer.glb_rig import read_rig

VALUES = (None, True, -1, 0, 3, 10**12, 1e300, "", "x", [], {}, [1], [[]])


@pytest.fixture(scope="module")
def rig_parts(tmp_path_factory):
    whole = write_rig(tmp_path_factory.mktemp("rig") / "robot.glb").read_bytes()
    (size,) = struct.unpack_from("<I", whole, 12)
    return json.loads(whole[20 : 20 + size]), whole[28 + size :]


def paths_in(told, path=()):
    inside = told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ()
    return [path] * bool(path) + [found for key, value in inside for found in paths_in(value, (*path, key))]


def test_a_rig_of_which_any_part_is_replaced_is_read_or_refused(rig_parts, tmp_path, rng):
    path, ways = tmp_path / "fuzz.glb", paths_in(rig_parts[0])
    for way in rng.choice(len(ways), 150, replace=False):
        told = copy.deepcopy(rig_parts[0])
        *outer, last = ways[way]
        inside = told
        for key in outer:
            inside = inside[key]
        inside[last] = VALUES[rng.integers(len(VALUES))]
        path.write_bytes(glb_bytes(told, rig_parts[1]))
        try:
            rig = read_rig(path)
        except WalkonError as error:
            assert "fuzz.glb" in str(error)
            assert len(str(error)) < 1000
        else:
            assert np.isfinite(rig.points).all()


def test_whole_numbers_that_stand_for_shares_come_as_such():
    stored = np.array([[-128, 0, 127]], np.int8)
    told = {
        "buffers": [{"byteLength": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 3}],
        "accessors": [{"bufferView": 0, "componentType": 5120, "count": 1, "type": "VEC3", "normalized": True}],
    }
    assert GltfFile(glb_bytes(told, stored.tobytes()), "a.glb").array(0).tolist() == [[-1.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told["accessors"][0].update(type="MAT2"), "not as glTF 2.0 has it|should be"),
        (lambda told: told["nodes"][0].update(mesh="first"), "nodes"),
        (lambda told: told["bufferViews"][0].update(buffer=3), "no buffers number 3"),
        (lambda told: told.update(scene=4), "no scenes number 4"),
        (lambda told: told["nodes"][0].update(translation=[1.0]), "not as glTF 2.0 has it"),
    ],
)
def test_parts_that_are_not_there_or_of_another_kind_are_named(change, words):
    from walkon.io.meshes.triangles import gltf_triangles

    told, blob = gltf_parts([solid((0, 0, 0), (1, 1, 1))])
    change(told)
    with pytest.raises(UnreadableFile, match=words):
        gltf_triangles(glb_bytes(told, blob), path="a.glb")
