"""Whatever the bytes of a mesh, reading it ends with outlines or with one of our errors."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesh_files import glb_bytes, gltf_parts, gltf_text, obj_text, solid
from walkon._base.errors import UnreadableFile, WalkonError
from walkon.io.meshes import floor_plan
from walkon.io.meshes.triangles import gltf_triangles, obj_triangles

BOX = [solid((0, 0, 0), (1, 1, 1))]
TOLD, BLOB = gltf_parts(BOX)
GLB = glb_bytes(TOLD, BLOB)
WORDS = [
    "v",
    "f",
    "vt",
    "1",
    "2",
    "-1",
    "0",
    "9" * 25,
    "1e400",
    "nan",
    "1/2/3",
    "1//",
    "/",
    "\\\n",
    "\n",
    "#",
    "x",
    "1.5",
]


def survive(read, content):
    try:
        triangles = read(content, path="fuzz.mesh")
    except WalkonError as error:
        assert "fuzz.mesh" in str(error)
        assert len(str(error)) < 1000
    else:
        assert np.isfinite(triangles).all()


@given(st.binary(max_size=500))
@settings(max_examples=150, deadline=None)
def test_any_bytes(content):
    survive(obj_triangles, content)
    survive(gltf_triangles, content)
    survive(gltf_triangles, b"glTF" + content)


@given(st.lists(st.sampled_from(WORDS), max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_sentence_of_obj_words(words):
    survive(obj_triangles, ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" + " ".join(words)).encode())
    survive(obj_triangles, " ".join(words).encode())


def test_every_length_to_which_a_file_can_be_cut():
    text = gltf_text(TOLD, BLOB).encode()
    for read, whole in ((obj_triangles, obj_text(BOX).encode()), (gltf_triangles, GLB), (gltf_triangles, text)):
        for length in range(0, len(whole), 3):
            survive(read, whole[:length])


@given(st.integers(0, len(GLB) - 1), st.integers(0, 255), st.integers(0, len(GLB) - 1), st.integers(0, 255))
@settings(max_examples=300, deadline=None)
def test_bytes_that_were_changed(at, byte, other, another):
    content = bytearray(GLB)
    content[at], content[other] = byte, another
    survive(gltf_triangles, bytes(content))


NUMBERS = st.one_of(st.booleans(), st.integers(-5, 10**12), st.floats())
LEAVES = st.one_of(NUMBERS, st.none(), st.text(max_size=3), st.just([]), st.just({}))


def leaves(told, path=()):
    """Return the paths of everything in a document."""
    found = [path] if path else []
    inside = told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ()
    for key, value in inside:
        found += leaves(value, (*path, key))
    return found


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_part_of_the_text_replaced(data):
    told = copy.deepcopy(TOLD)
    path = data.draw(st.sampled_from(leaves(told)))
    inside = told
    for key in path[:-1]:
        inside = inside[key]
    value = data.draw(LEAVES)
    if isinstance(value, float) and not np.isfinite(value):
        value = 1e300
    inside[path[-1]] = value
    survive(gltf_triangles, glb_bytes(told, BLOB))


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("", "no vertices", None),
        ("v 0 0 0\n", "no faces", None),
        ("v 0 0 0\nv 1 0\nf 1 2 3\n", "three numbers", 2),
        ("v 0 0 0\nv 1 0 nan\nf 1 1 1\n", "not finite", 2),
        ("v 0 0 0\n\nf 1 2 3\n", "none of the 1 vertices", 3),
        ("v 0 0 0\nf 1 0 1\n", "none of the 1 vertices", 2),
        ("v 0 0 0\nf 1 1\n", "three corners", 2),
        ("v 0 0 0\nv 0 zero 0\nf 1 1 1\n", "'zero'", 2),
        ("v 0 0 0\nf 1 1 one\n", "'one'", 2),
        ("v 0 0 0\nf 1 1 99999999999999999999999\n", "99999", 2),
    ],
)
def test_damage_of_an_obj_file_is_told_with_its_line(text, words, line):
    with pytest.raises(UnreadableFile, match=words) as caught:
        obj_triangles(text.encode(), path="a.obj")
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told["nodes"][0].update(children=[0]), "their own parents"),
        (lambda told: told["nodes"][0].update(mesh=7), "no meshes number 7"),
        (lambda told: told["accessors"][1].update(count=10**9), "beyond its buffer"),
        (lambda told: told["accessors"][0].update(sparse={}), "sparse"),
        (lambda told: told["accessors"][0].update(type="VEC2"), "should be VEC3"),
        (lambda told: told.update(extensionsRequired=["KHR_draco_mesh_compression"]), "compressed"),
        (lambda told: told["nodes"][0].update(translation=[1e300, 1e308, 1]), "reaches"),
        (lambda told: told["meshes"][0]["primitives"][0].update(mode=1), "no triangles"),
    ],
)
def test_damage_of_a_gltf_file_is_told(tmp_path, change, words):
    told = copy.deepcopy(TOLD)
    change(told)
    path = tmp_path / "a.glb"
    path.write_bytes(glb_bytes(told, BLOB))
    with pytest.raises(UnreadableFile, match=words):
        floor_plan(path)


def test_a_place_that_is_no_number_is_told():
    blob = bytearray(BLOB)
    blob[0:4] = np.float32(np.nan).tobytes()
    with pytest.raises(UnreadableFile, match="not finite"):
        gltf_triangles(glb_bytes(TOLD, bytes(blob)), path="a.glb")


def test_other_files_and_missing_ones_are_refused(tmp_path):
    (tmp_path / "a.stl").write_text("solid")
    for name in ("a.stl", "missing.obj", "missing.glb"):
        with pytest.raises(UnreadableFile):
            floor_plan(tmp_path / name)


def test_a_mesh_in_millimetres_is_told_to_be_scaled(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text(obj_text([solid((0, 0, 0), (1e6, 1e6, 1e6))]))
    with pytest.raises(UnreadableFile, match="scale"):
        floor_plan(path)
