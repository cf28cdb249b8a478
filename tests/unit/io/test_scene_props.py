"""Props of scene files: parts, meshes, masses, grips; what is wrong is told with its line."""

from pathlib import Path

import numpy as np
import pytest

from mesh_files import glb_bytes, gltf_parts, gltf_text, obj_text, solid
from walkon._base.errors import InvalidValue, UnknownName, UnreadableFile
from walkon.io import scene_from_text
from walkon.io.meshes import closed_mesh
from walkon.stage import Prop
from walkon.transforms import quaternions as quat

LAMP = """\
walkon: 1
stage:
  props:
    - name: lamp
      position: [1, 2]
      mass: 800g
      colour: "#336699"
      parts:
        - {shape: cylinder, size: [0.2, 0.2, 0.04], position: [0, 0, 0.1]}
        - {size: [0.03, 0.5, 0.03], at: [0, 0.2, 0.3], turned: [90deg, 0, 45deg], colour: gold}
        - {shape: sphere, size: 20cm, at: [0, 0.4, 0.5], turned: 30deg}
      grips:
        - {name: stem, position: [0, 0.2, 0.3], fingers: [1, 0, 0], palm: [0, 0, 1], hand: right, shape: pinch}
        - {name: top, at: [0, 0.4, 0.6], fingers: [0, 1, 0], palm: [0, 0, -1]}
    - {name: tray, size: [0.4, 0.3, 0.02], at: [0, 0, 1], keep_level: true, mass: 0.5}
    - {name: sack, at: [0, 0], keep_level: false}
"""


def props_of(text: str, folder: Path | str = ".") -> list[Prop]:
    return [placed.prop for placed in scene_from_text(text, folder=folder).props]


def test_parts_grips_and_masses_are_read() -> None:
    lamp, tray, sack = props_of(LAMP)
    assert (lamp.shape, lamp.mass, lamp.keep_level) == ("compound", 0.8, False)
    assert [part.shape for part in lamp.parts] == ["cylinder", "box", "sphere"]
    assert lamp.parts[0].pose == (0, 0, 0.1, 1, 0, 0, 0)
    assert lamp.parts[0].colour is None
    assert lamp.parts[1].colour == (1.0, 215 / 255, 0.0)
    assert lamp.parts[2].size == (0.2, 0.2, 0.2)
    # About x first: the long y axis of the part stands up; the turn about z does not change that.
    up = quat.rotate(np.array(lamp.parts[1].pose[3:]), np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
    np.testing.assert_allclose(up, [[0, 0, 1], [0.5**0.5, 0.5**0.5, 0]], atol=1e-12)
    np.testing.assert_allclose(lamp.parts[2].pose[3:], quat.turn(np.pi / 6), atol=1e-12)
    assert list(lamp.grips) == ["stem", "top"]
    assert (lamp.grip("stem").hand, lamp.grip("stem").shape) == ("right", "pinch")
    assert (lamp.grip("top").hand, lamp.grip("top").shape) == ("either", "cylinder")
    palm = quat.rotate(np.array(lamp.grip("top").pose[3:]), np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(palm, [0, 0, -1], atol=1e-12)
    assert (tray.shape, tray.keep_level, tray.mass) == ("box", True, 0.5)
    assert (sack.keep_level, sack.mass) == (False, pytest.approx(4.5))


def test_a_compound_rests_on_its_lowest_point() -> None:
    lamp = scene_from_text(LAMP).props[0]
    low = 0.3 - 0.25
    assert lamp.place == pytest.approx((1, 2, -low))


@pytest.mark.parametrize("ending", [".obj", ".gltf", ".glb"])
def test_a_mesh_is_read_from_a_file_and_shared_by_a_row(tmp_path: Path, ending: str) -> None:
    thing = [solid((0, 0, 0), (0.4, 0.3, 0.2))]
    path = tmp_path / f"thing{ending}"
    if ending == ".obj":
        path.write_text(obj_text(thing))
    elif ending == ".gltf":
        path.write_text(gltf_text(*gltf_parts(thing)))
    else:
        path.write_bytes(glb_bytes(*gltf_parts(thing)))
    row = f"{{row: 'thing_{{n}}', count: 2, from: [0, 0], spacing: 1, mesh: {path.name}}}"
    text = f"walkon: 1\nstage:\n  props:\n    - {row}"
    placed = scene_from_text(text, folder=tmp_path).props
    assert [one.prop.name for one in placed] == ["thing_1", "thing_2"]
    for one in placed:
        np.testing.assert_allclose(one.prop.bounds, [[0, 0, 0], [0.4, 0.3, 0.2]], atol=1e-7)
        assert (len(one.prop.vertices), one.prop.volume) == (8, pytest.approx(0.024, rel=1e-6))
        assert one.place[2] == pytest.approx(0.0, abs=1e-7)
    assert placed[0].prop.vertices is placed[1].prop.vertices


def test_units_and_axes_of_a_mesh_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "thing.obj"
    path.write_text(obj_text([solid((0, 0, 0), (40, 30, 20))], up="z"))
    vertices, triangles = closed_mesh(path, up="z", scale=0.01)
    prop = Prop(name="a", shape="mesh", vertices=vertices, triangles=triangles)
    assert prop.size == pytest.approx((0.4, 0.3, 0.2))
    with pytest.raises(UnknownName, match="axis to point up"):
        closed_mesh(path, up="x")
    with pytest.raises(InvalidValue, match="scale must be over 0"):
        closed_mesh(path, scale=-1)
    with pytest.raises(UnreadableFile, match="a mesh is a file that ends in"):
        closed_mesh(tmp_path / "thing.stl")


def one(keys: str) -> str:
    return f"walkon: 1\nstage:\n  props:\n    - {{name: a, position: [0, 0], {keys}}}"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("mass: -1", "'mass' must be over 0 and at most 1e\\+06 kg, got -1"),
        ("mass: 3m", "'mass' must be a mass such as 2kg, and 'm' is no unit of it"),
        ("keep_level: maybe", "'keep_level' must be true or false, got 'maybe'"),
        ("parts: []", "'parts' must be a list of parts"),
        ("parts: [{shape: box}]", "a part needs the key 'size'"),
        ("parts: [{size: 1, shape: mesh}]", "'shape' must be one of box, sphere, cylinder"),
        ("parts: [{size: 1, turned: 90}]", "must be an angle: 90 without a unit is in radians"),
        ("parts: [{size: 1}], shape: box", "give only one of 'shape', 'parts' in a prop"),
        ("parts: [{size: 1}], size: 2", "give only one of 'size', 'parts' in a prop"),
        ("mesh: a.obj, size: 2", "give only one of 'size', 'mesh' in a prop"),
        ("mesh: nowhere.obj", "nowhere.obj"),
        ("mesh: a.png", "a mesh is a file that ends in .obj, .gltf, .glb"),
        ("grips: [{name: b, position: [0, 0, 0], fingers: [1, 0, 0]}]", "a grip needs the key 'palm'"),
        (
            "grips: [{name: b, position: [0, 0, 0], fingers: [1, 0, 0], palm: [1, 0, 0]}]",
            "fingers and palm of a grip must point different ways",
        ),
        (
            "grips: [{name: b, position: [0, 0], fingers: [1, 0, 0], palm: [0, 0, 1]}]",
            "'position' must be a place \\[x, y, z\\], got a list of 2",
        ),
        (
            "grips: [{name: b, position: [0, 0, 0], fingers: [1, 0, 0], palm: [0, 0, 1], hand: both}]",
            "'hand' must be one of left, right, either, got 'both'",
        ),
        (
            "grips: [{name: b, at: [0, 0, 0], fingers: [1, 0, 0], palm: [0, 0, 1]}, "
            "{name: b, at: [0, 0, 1], fingers: [1, 0, 0], palm: [0, 0, 1]}]",
            "names of grips must differ, but 'b' occurs more than once",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(keys: str, words: str) -> None:
    with pytest.raises(UnreadableFile, match=words) as error:
        scene_from_text(one(keys), name="scene.yaml")
    assert str(error.value).startswith("scene.yaml:4: ")


def test_an_open_mesh_is_refused_with_its_holes(tmp_path: Path) -> None:
    corners, sides = solid((0, 0, 0), (1, 1, 1))
    (tmp_path / "open.obj").write_text(obj_text([(corners, sides[1:])]))
    with pytest.raises(UnreadableFile, match="the mesh of prop 'a' must be closed, but 4 of its 17 edges are open"):
        scene_from_text(one("mesh: open.obj"), folder=tmp_path)
