"""Floors that cannot be, and places that are on none: one sentence each, with file and line, and exit code 2."""

import numpy as np
import pytest

from command_line import run
from floors import hills, sheet, two_layers
from mesh_files import CORNERS, SIDES, glb_bytes, gltf_parts, solid, write_floor
from walkon._base.errors import WalkonError
from walkon.io.scenes import load_scene

SQUARE = sheet(np.array([-10.0, 10.0]), np.array([-10.0, 10.0]), np.zeros((2, 2)))
"""A flat floor of 20 m as triangles."""
ANN = "characters: [{name: ann, position: [5, 8], marks: [{name: m, position: [6, 8]}]}]"


def check(folder, floor, rest=ANN, *, stage=""):
    """Return exit code and words of `walkon run --check` on a scene with a floor of triangles."""
    if isinstance(floor, np.ndarray):
        write_floor(folder / "floor.obj", floor)
        floor = "{mesh: floor.obj, up: z}"
    text = f"walkon: 1\nstage:\n  floor: {floor}\n{stage}{rest}\n"
    path = folder / "scene.yaml"
    path.write_text(text)
    done = run("run", str(path), "--check")
    return done, path


BAD_MESHES = {
    "inside out": (SQUARE[:, ::-1], "inside out"),
    "without area": (np.array([[[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]]), "have no area"),
    "in millimetres": (1000.0 * SQUARE, "set scale to 0.001"),
    "in kilometres": (0.001 * SQUARE, "set scale to the metres of one unit"),
    "y up": (SQUARE[:, :, [0, 2, 1]], "set up to the axis that points up"),
}


@pytest.mark.parametrize("case", BAD_MESHES)
def test_a_mesh_that_is_no_floor_is_told_with_the_way_out(tmp_path, case):
    triangles, words = BAD_MESHES[case]
    done, path = check(tmp_path, triangles)
    said = done.stderr + done.stdout
    assert done.returncode == 2 and words in said and f"{path.name}:3" in said and "Traceback" not in said
    with pytest.raises(WalkonError, match=words):
        load_scene(path)


PLACES = {
    "a mark between floors": ("", "[{name: m, position: [0, 0], z: 2}]", "z = 2 m at (0, 0) is on no floor"),
    "a mark that does not say": ("", "[{name: m, position: [0, 0]}]", "say which with z"),
    "a mark off the floor": ("", "[{name: m, position: [40, 0]}]", "there is no floor at (40, 0)"),
    "a seat between floors": ("  seats: [{name: s, position: [0, 0], z: 2, facing: 0}]\n", "", "seat 's'"),
    "a seat that does not say": (
        "  seats: [{name: s, position: [0, 0], facing: 0}]\n",
        "",
        "floors lie above each other under",
    ),
    "a seat off the floor": (
        "  seats: [{name: s, position: [40, 0], facing: 0}]\n",
        "",
        "there is no floor under seat 's'",
    ),
    "an obstacle between floors": ("  obstacles: [{name: o, box: [-1, -1, 1, 1], z: 2}]\n", "", "obstacle 'o'"),
    "an obstacle that does not say": (
        "  obstacles: [{name: o, box: [-1, -1, 1, 1]}]\n",
        "",
        "floors lie above each other under obstacle 'o'",
    ),
    "an obstacle off the floor": (
        "  obstacles: [{name: o, box: [40, -1, 41, 1]}]\n",
        "",
        "there is no floor under obstacle 'o'",
    ),
    "a door between floors": ("  doors: [{name: d, ends: [[0, 0], [1, 0]], z: 2}]\n", "", "door 'd'"),
    "a door that does not say": ("  doors: [{name: d, ends: [[0, 0], [1, 0]]}]\n", "", "door 'd'"),
    "a door off the floor": ("  doors: [{name: d, ends: [[40, 0], [41, 0]]}]\n", "", "no floor under door 'd'"),
    "a prop between floors": ("  props: [{name: p, size: 30cm, position: [0, 0], z: 2}]\n", "", "prop 'p'"),
    "a prop that does not say": ("  props: [{name: p, size: 30cm, position: [0, 0]}]\n", "", "prop 'p'"),
    "a prop off the floor": ("  props: [{name: p, size: 30cm, position: [40, 0]}]\n", "", "no floor under prop 'p'"),
}


@pytest.mark.parametrize("case", PLACES)
def test_a_place_that_is_on_no_floor_is_told(tmp_path, case):
    stage, marks, words = PLACES[case]
    people = f"characters: [{{name: ann, position: [5, 8], marks: {marks}}}]" if marks else ANN
    done, _ = check(tmp_path, two_layers(), people, stage=stage)
    said = done.stderr + done.stdout
    assert done.returncode == 2 and words in said and "scene.yaml:" in said and "Traceback" not in said, said


def test_what_stands_near_its_floor_is_taken(tmp_path):
    stage = "  seats: [{name: s, position: [0, 0], z: 4.1, facing: 0}]\n"
    stage += "  obstacles: [{name: o, box: [2, -1, 3, 1], z: 0}]\n"
    done, path = check(tmp_path, two_layers(), stage=stage)
    assert done.returncode == 0, done.stderr
    stage = load_scene(path).stage
    assert stage.seats[0].height == pytest.approx(4.45) and stage.obstacles[0].height == pytest.approx(1.0)


LINE = np.arange(-15.0, 15.1, 0.5)
RIDGE = sheet(LINE, LINE, 1.2 * np.cos(2 * np.pi * np.repeat(LINE[:, None], len(LINE), axis=1) / 24))
"""A ridge along x = 0 between two valleys, 2.4 m deep."""


def test_obstacles_on_a_slope_reach_from_the_lowest_to_above_the_highest_floor(tmp_path):
    stage = "  obstacles:\n    - {name: w, wall: [[-12, 0], [12, 0]], height: 1m}\n"
    stage += "    - {name: mat, box: [2, 2, 8, 3], height: 3cm}\n"
    done, path = check(tmp_path, RIDGE, stage=stage)
    assert done.returncode == 0, done.stderr
    made = load_scene(path).stage
    wall, _ = made.obstacles
    assert (wall.base, wall.height) == (pytest.approx(-1.2, abs=0.01), pytest.approx(2.2, abs=0.01))
    assert made.are_solid(made.obstacles).tolist() == [True, False]


@pytest.mark.parametrize("smooth", [False, True])
def test_what_moves_follows_the_floor_between_knots(tmp_path, smooth):
    first, last = ", velocity: [2, 0]" if smooth else "", ", velocity: [0.5, 0.1]" if smooth else ""
    stage = "  props:\n    - name: cart\n      size: [0.5, 0.5, 0.5]\n"
    stage += f"      track: [{{at: 0s, place: [-12, -6]{first}}}, {{at: 20s, place: [12, -6]{last}}}]\n"
    done, path = check(tmp_path, RIDGE, stage=stage)
    assert done.returncode == 0, done.stderr
    scene = load_scene(path)
    track = scene.props[0].track
    places = track.at(np.linspace(0.0, 20.0, 2001))[:, [0, 1, -1]]
    off = places[:, 2] - 0.25 - scene.stage.floor(places[:, :2]).heights
    assert np.abs(off).max() < 0.03 and 10 < len(track) < 60
    assert places[[0, -1], 0].tolist() == [-12.0, 12.0]


def box(size, *, at=(0.0, 0.0, 0.0)):
    """The twelve triangles of a closed box about a place, facing out."""
    quads = np.array(SIDES)
    corners = (CORNERS[quads] - 0.5) * size + at
    return np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])


SLAB, HILLS = box((20.0, 20.0, 1.0)), hills(seed=3)
FLIPPED = np.random.default_rng(0).random(len(HILLS)) < 0.3
MIXED = np.where(FLIPPED[:, None, None], HILLS[:, ::-1], HILLS)
HOUSE = np.concatenate(
    [SQUARE, *(box((20.0, 0.2, 3.0), at=(0, s, 1.5)) for s in (-10, 10))]
    + [box((0.2, 20.0, 3.0), at=(s, 0, 1.5)) for s in (-10, 10)]
)
GIVEN_AWAY = {
    "a solid inside out": (SLAB[:, ::-1], "a negative volume (-400 m³)"),
    "mixed sides": (MIXED, "make normals consistent"),
    "one triangle of many": (np.concatenate([HILLS[:77, ::-1][:1], HILLS[1:]]), "1 triangles of the terrain face down"),
    "a room in millimetres": (1000.0 * hills(seed=3, half=2.0), "set scale to 0.001"),
    "a house on its side": (HOUSE[..., [0, 2, 1]] * [1, -1, 1], "set up to the axis that is (y or z)"),
}


@pytest.mark.parametrize("case", GIVEN_AWAY)
def test_what_a_mesh_gives_away_is_told_in_one_sentence(tmp_path, case):
    triangles, words = GIVEN_AWAY[case]
    done, path = check(tmp_path, triangles)
    said = done.stderr + done.stdout
    assert done.returncode == 2 and words in said and path.name in said and "Traceback" not in said, said


GOOD_MESHES = {
    "a slab": box((20.0, 20.0, 1.0), at=(0, 0, -0.5)),
    "a house": HOUSE,
    "the inside of a room": box((20.0, 20.0, 3.0), at=(0, 0, 1.5))[:, ::-1],
    "a floor of two sides": np.concatenate([HILLS, HILLS[:, ::-1]]),
    "a slab with a cupboard": np.concatenate([SLAB, box((2.0, 2.0, 0.5))[:, ::-1]]),
    "mountains": hills(seed=5, half=1000.0, step=25.0, steepest=0.6) - [5.0, 8.0, 0.0],
}


@pytest.mark.parametrize("case", GOOD_MESHES)
def test_good_meshes_are_taken_without_a_word(tmp_path, case):
    people = "characters: [{name: ann, position: [5, 8], marks: [{name: m, position: [-7, 8]}]}]"
    done, _ = check(tmp_path, GOOD_MESHES[case], people)
    assert done.returncode == 0 and "scale" not in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("scale", [100.0, 200.0])
def test_a_terrain_far_larger_than_where_people_go_is_noted(tmp_path, scale):
    done, _ = check(tmp_path, scale * hills(seed=3, half=12.0))
    assert done.returncode == 0 and "m across, and all starts and marks lie within 1 m" in done.stdout, done.stdout


def test_too_many_triangles_are_refused_before_they_are_read(tmp_path):
    line = b"f 1 2 3\n"
    (tmp_path / "floor.obj").write_bytes(b"v 0 0 0\nv nonsense\n" + line * 2_000_001)
    done, _ = check(tmp_path, "{mesh: floor.obj, up: z}")
    assert done.returncode == 2 and "at most 2,000,000 triangles, got 2,000,001" in done.stderr


def test_too_many_triangles_of_gltf_are_counted_first(tmp_path):
    told, blob = gltf_parts([solid((0, 0, 0), (1, 1, 1))])
    for accessor in told["accessors"]:
        accessor["count"] = 9_000_000
    (tmp_path / "floor.glb").write_bytes(glb_bytes(told, blob))
    done, _ = check(tmp_path, "{mesh: floor.glb}")
    assert done.returncode == 2 and "at most 2,000,000 triangles, got 3,000,000" in done.stderr, done.stderr
