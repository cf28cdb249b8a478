"""Scene files: what every key means, in the types of the script and the stage."""

from math import inf, pi
from pathlib import Path

import numpy as np
import pytest
import shapely

from walkon._base.errors import NewerFile, UnreadableFile
from walkon.io import load_scene, scene_from_text
from walkon.script import Moment

STAGE = """
stage:
  bounds: {box: [-10, -10, 10, 10]}
  seats:
    - {name: stool, position: [2, 2], facing: 90deg}
  doors:
    - {name: gate, ends: [[-10, -1], [-10, 1]]}
  props:
    - {name: box_1, size: [0.3, 0.4, 0.25], position: [1, 1]}
"""


def read(text, stage=STAGE, **more):
    return scene_from_text("walkon: 1\n" + stage + text, **more)


def marks_of(*lines, who="bob"):
    listed = "".join(f"      - {line}\n" for line in lines)
    text = (
        f"characters:\n  - name: bob\n    position: [0, 0]\n    marks:\n{listed}"
        "  - {name: eve, position: [5, 5], marks: [{name: sign, pose: stand}]}\n"
    )
    return read(text).character(who).marks


def test_the_smallest_scene() -> None:
    scene = scene_from_text("walkon: 1")
    assert (scene.characters, scene.props, scene.title, scene.ends) == ((), (), "", None)
    assert scene.text == "walkon: 1"


def test_head_and_cast(tmp_path: Path) -> None:
    (tmp_path / "people.library").touch()
    text = (
        "walkon: 1\ntitle: A day\nseeds: {population: 3, behaviour: 9}\nends: 1min\n"
        "cast: {library: people.library, scale: [0.9, 1.1], speed: 1.2}\n"
    )
    (tmp_path / "day.yaml").write_text(text, encoding="utf-8")
    scene = load_scene(tmp_path / "day.yaml")
    assert (scene.title, scene.ends) == ("A day", 60.0)
    assert (scene.seeds.population, scene.seeds.behaviour) == (3, 9)
    assert scene.cast.library == str(tmp_path / "people.library")
    assert (scene.cast.scale, scene.cast.speed) == ((0.9, 1.1), (1.2, 1.2))
    assert scene_from_text("walkon: 1\ncast: {library: builtin}").cast.library == "builtin"


@pytest.mark.parametrize(
    "given", ["[[0, 0], [4, 0], [4, 3], [0, 3]]", "{box: [4, 3, 0, 0]}", "POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0))"]
)
def test_bounds_in_three_ways(given: str) -> None:
    bounds = scene_from_text(f"walkon: 1\nstage: {{bounds: {given if given[0] != 'P' else repr(given)}}}").stage.bounds
    assert bounds is not None
    assert shapely.Polygon(bounds).equals(shapely.box(0, 0, 4, 3))


def test_holes_of_the_bounds_are_obstacles() -> None:
    wkt = "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (3 3, 3 6, 6 6, 6 3, 3 3))"
    stage = scene_from_text(f'walkon: 1\nstage: {{bounds: "{wkt}"}}').stage
    assert shapely.Polygon(stage.obstacles[0].polygon).equals(shapely.box(3, 3, 6, 6))


def obstacles(*lines):
    listed = "".join(f"    - {line}\n" for line in lines)
    return scene_from_text(f"walkon: 1\nstage:\n  obstacles:\n{listed}").stage.obstacles


def test_obstacles_in_every_shape() -> None:
    box, circle, polygon, wall, wkt = obstacles(
        "{name: table, box: [0, 0, 2, 1], height: 74cm}",
        "{circle: [5, 5], radius: 0.5, height: 3m, base: 10cm}",
        "{polygon: [[0, 0], [0, 1], [1, 1]]}",
        "{name: w, wall: [[0, 0], [4, 0], [4, 3]], thickness: 0.4}",
        "{wkt: 'POLYGON ((0 0, 1 0, 1 1, 0 0))'}",
    )
    assert (box.name, box.height, box.base) == ("table", 0.74, 0.0)
    assert shapely.Polygon(circle.polygon).contains(shapely.Point(5, 5).buffer(0.4999))
    assert shapely.Polygon(circle.polygon).area < 1.02 * pi * 0.25
    assert (circle.height, circle.base) == (3.0, 0.1)
    assert len(polygon.polygon) == len(wkt.polygon) == 3
    assert shapely.Polygon(wall.polygon).area == pytest.approx(0.4 * 4.2 + 0.4 * 2.8)


def test_a_closed_wall_comes_in_pieces_and_leaves_the_room_free() -> None:
    made = obstacles("{name: room, wall: [[0, 0], [4, 0], [4, 3], [0, 3], [0, 0]], thickness: 0.2}")
    assert len(made) > 1
    assert {o.name for o in made} == {f"room {i + 1}" for i in range(len(made))}
    area = shapely.union_all([shapely.Polygon(o.polygon) for o in made])
    assert area.area == pytest.approx(sum(shapely.Polygon(o.polygon).area for o in made))
    assert not area.intersects(shapely.Point(2, 1.5))
    assert area.covers(shapely.LineString([[0.5, 0], [4, 0], [4, 3], [0, 3], [0, 0.2]]))


def test_meshes_stand_by_their_floor_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import SimpleNamespace

    asked = []

    def floor_plan(path, *, lowest, highest):
        asked.append((path, lowest, highest))
        return [np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])]

    monkeypatch.setitem(sys.modules, "walkon.io.meshes", SimpleNamespace(floor_plan=floor_plan))
    text = "walkon: 1\nstage: {obstacles: [{mesh: hall.glb, lowest: 20cm, position: [5, 0], facing: 90deg}]}"
    (made,) = scene_from_text(text, folder=tmp_path).stage.obstacles
    assert asked == [(tmp_path / "hall.glb", 0.2, 2.0)]
    assert made.height == 2.0
    assert shapely.Polygon(made.polygon.round(9)).equals(shapely.box(4, 0, 5, 2))


def test_seats_one_by_one_and_in_rows() -> None:
    text = (
        "walkon: 1\nstage:\n  seats:\n    - {name: s, at: [1, 2], facing: 180deg, height: 50cm}\n"
        "    - {row: 'a_{n}', count: 3, from: [0, 5], spacing: 0.6m, facing: 90deg, first: 7}\n"
        "    - {row: 'b_{n}', count: 2, from: [0, 7], spacing: 1, facing: 0, along: 90deg, furniture: chair}\n"
    )
    stage = scene_from_text(text).stage
    assert [s.name for s in stage.seats] == ["s", "a_7", "a_8", "a_9", "b_1", "b_2"]
    assert stage.seats[0].height == 0.5
    assert stage.seats[3].place == pytest.approx([1.2, 5, pi / 2])
    assert stage.seats[5].place == pytest.approx([0, 8, 0])
    assert [o.name for o in stage.obstacles] == [f"b_{n}.{part}" for n in (1, 2) for part in ("chair", "leg", "back")]
    assert shapely.Polygon(stage.obstacles[0].polygon).contains(shapely.Point(0, 7))
    assert stage.obstacles[2].polygon[:, 0].max() == pytest.approx(-0.22)


def test_props_rest_on_the_floor_unless_told() -> None:
    text = (
        "walkon: 1\nstage:\n  props:\n    - {name: ball, shape: sphere, size: 0.4, at: [1, 2]}\n"
        "    - {name: high, size: [1, 2, 3], at: [1, 2, 9], facing: 90deg, colour: '#ff0000'}\n"
        "    - {row: 'box_{n}', count: 2, from: [0, 0], spacing: 2, along: 0}\n"
    )
    ball, high, *row = scene_from_text(text).props
    assert ball.place == (1, 2, 0.2)
    assert (high.place, high.prop.colour) == ((1, 2, 9), (1.0, 0.0, 0.0))
    assert high.heading == pytest.approx(pi / 2)
    assert [(p.prop.name, p.place) for p in row] == [("box_1", (0, 0, 0.15)), ("box_2", (2, 0, 0.15))]


def test_characters_begin_at_places_on_seats_and_in_doors() -> None:
    text = (
        "characters:\n"
        "  - {name: ada, position: [1, 1], facing: 45deg, scale: 1.1, speed: 5.4km/h, colour: [0, 0.5, 1]}\n"
        "  - {name: ben, at: [0, 5], towards: [0, 0], pose: talk}\n"
        "  - {name: cleo, seat: stool, leaves: gate}\n"
        "  - {name: dan, enters: 3s at gate, marks: [{position: [0, 0]}]}\n"
        "  - {name: eve, enters: 4, position: [5, 0], marks: [{position: [5, 5]}]}\n"
    )
    ada, ben, cleo, dan, eve = read(text).characters
    assert ada.place == pytest.approx((1, 1, pi / 4))
    assert (ada.scale, ada.speed, ada.colour) == (1.1, pytest.approx(1.5), (0.0, 0.5, 1.0))
    assert ben.place == pytest.approx((0, 5, -pi / 2))
    assert (ben.pose, cleo.pose, cleo.seat, cleo.leaves) == ("talk", "sit", "stool", "gate")
    assert cleo.place == pytest.approx((2, 2, pi / 2))
    assert (dan.enters, dan.door) == (3.0, "gate")
    assert dan.place == pytest.approx((-9.7, 0, 0))
    assert (eve.enters, eve.door) == (4.0, "")
    assert eve.place[2] == pytest.approx(pi / 2)


def test_a_door_in_the_open_is_entered_in_its_line_towards_the_first_mark() -> None:
    stage = "stage: {doors: [{name: arch, ends: [[0, 0], [2, 0]]}]}\n"
    text = "characters: [{{name: a, enters: at arch, marks: [{{position: [1, {}]}}]}}]"
    assert read(text.format(-5), stage).characters[0].place == pytest.approx((1, 0, -pi / 2))
    assert read(text.format(5), stage).characters[0].place == pytest.approx((1, 0, pi / 2))


def test_places_and_facings_of_marks() -> None:
    at, sits, door, towards, free = marks_of(
        "{position: [1, 2], facing: -90deg}",
        "{sit: stool}",
        "{name: out, door: gate}",
        "{position: [3, 3], towards: [3, 9], pose: stand}",
        "{pose: walk_left_1.24}",
    )
    assert (at.name, at.position, at.facing) == ("mark_1", (1, 2), pytest.approx(-pi / 2))
    assert (sits.seat, sits.position, sits.pose) == ("stool", (2, 2), "sit")
    assert sits.facing == pytest.approx(pi / 2)
    assert door.position == pytest.approx((-9.7, 0))
    assert door.facing is None
    assert towards.facing == pytest.approx(pi / 2)
    assert (free.position, free.facing, free.pose) == (None, None, "walk_left_1.24")


@pytest.mark.parametrize(
    ("keys", "window", "clock"),
    [
        ("at: 12s", (12, 12), None),
        ("at: 12", (12, 12), None),
        ("between: [12s, 0.5min]", (12, 30), None),
        ("after: 4s", (4, inf), None),
        ("before: 9s", (0, 9), None),
        ("after: 4s, before: 9s", (4, 9), None),
        ("at: eve.sign", (0, 0), ("eve", "sign")),
        ("after: eve.sign + 1s", (1, inf), ("eve", "sign")),
        ("before: eve.sign - 2s", (-3600, -2), ("eve", "sign")),
        ("between: [eve.sign+1s, eve.sign + 3s]", (1, 3), ("eve", "sign")),
        ("after: first + 500ms", (0.5, inf), ("bob", "first")),
    ],
)
def test_times_of_marks(keys: str, window: tuple[float, float], clock: tuple[str, str] | None) -> None:
    mark = marks_of("{name: first, pose: stand}", f"{{position: [0, 1], {keys}}}")[1]
    assert mark.window == pytest.approx(window)
    assert mark.clock == (None if clock is None else Moment(character=clock[0], mark=clock[1]))


def test_holding() -> None:
    some, endless, until, also = marks_of(
        "{pose: stand, hold: 5s}", "{pose: stand, hold: end}", "{pose: stand, until: 40s}", "{pose: stand, until: end}"
    )
    assert (some.hold, endless.hold, also.hold, also.until) == (5.0, inf, inf, None)
    assert (until.hold, until.until) == (0.0, 40.0)


def test_actions() -> None:
    up, down, high = marks_of(
        "{pick_up: box_1}", "{put_down: {prop: box_1, place: [3, 4]}}", "{put_down: {prop: box_1, place: [3, 4, 1]}}"
    )
    assert (up.action.kind, up.action.prop, up.position) == ("pick_up", "box_1", None)
    assert (down.action.kind, down.action.place) == ("put_down", (3, 4, 0.125))
    assert high.action.place == (3, 4, 1)


def test_anchors_say_a_thing_once() -> None:
    text = (
        "characters:\n  - {name: a, position: [0, 0], marks: &m [{pose: stand}]}\n"
        "  - {name: b, position: [3, 0], marks: *m}\n"
    )
    a, b = read(text).characters
    assert a.marks == b.marks


def test_a_byte_order_mark_and_windows_lines_are_fine(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfwalkon: 1\r\ntitle: caf\xc3\xa9\r\n")
    assert load_scene(tmp_path / "a.yaml").title == "café"


def test_files_that_are_no_scenes(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    with pytest.raises(UnreadableFile, match="no such file"):
        load_scene(path)
    path.write_bytes(b"walkon: 1\ntitle: \xff\xfe")
    with pytest.raises(UnreadableFile, match=r"a\.yaml:2: this is not UTF-8"):
        load_scene(path)
    for text, said in (
        ("", "empty"),
        ("# nothing", "empty"),
        ("hello", "must be a scene"),
        ("[1, 2]", "must be a scene"),
    ):
        with pytest.raises(UnreadableFile, match=said):
            scene_from_text(text)


def test_a_newer_version_is_refused_as_such() -> None:
    with pytest.raises(NewerFile, match="scene:2: written for version 7 of scene files, and this Walkon reads 1"):
        scene_from_text("new_key: 3\nwalkon: 7\n")
