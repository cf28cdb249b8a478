"""Tracks in scene files: obstacles, doors and props that move; what is wrong with them, with its line."""

from math import pi

import numpy as np
import pytest

from walkon._base.errors import UnreadableFile
from walkon.io import scene_from_text

SCENE = """walkon: 1
stage:
  obstacles:
    - name: tram
      box: [-5, -1, 5, 1]
      base: 0.3m
      height: 3m
      track:
        - {at: -2s, place: [-30, 4], velocity: [18km/h, 0]}
        - {at: 10s, place: [0, 4], velocity: [0, 0]}
    - name: lift
      box: [6, 6, 8, 8]
      height: 10cm
      track:
        - {at: 0s, place: [0, 0, 0], facing: 0deg}
        - {at: 1min, place: [0, 0, 3], facing: 90deg}
    - {name: pillar, circle: [2, 2], radius: 0.4m}
  doors:
    - {name: gate, ends: [[0, 5], [2, 5]], hinge: 1, height: 2.2m, track: [{at: 0s, open: 0}, {at: 2s, open: 90deg}]}
    - {name: hole, ends: [[4, 5], [5, 5]]}
  props:
    - {name: cart, size: [1, 0.5, 0.8], colour: tomato, track: [{at: 0s, place: [0, 0]}, {at: 4s, place: [0, 8]}]}
    - {name: kite, track: [{at: 0s, place: [0, 0, 9], facing: 1}, {at: 4s, place: [3, 0, 7], facing: 2}]}
    - {name: box, position: [1, 1]}
"""


def test_what_moves_has_the_track_that_is_written():
    stage = scene_from_text(SCENE).stage
    assert [one.name for one in stage.moving] == ["tram", "lift", "gate.leaf"]
    tram, lift, pillar = stage.obstacles
    assert (tram.base, tram.height, pillar.track) == (0.3, 3.0, None)
    np.testing.assert_array_equal(tram.polygon.min(axis=0), [-5, -1])
    np.testing.assert_array_equal(tram.track.times, [-2, 10])
    np.testing.assert_allclose(tram.track.velocities, [[5, 0], [0, 0]])
    np.testing.assert_allclose(tram.track.headings, [0, 0])
    np.testing.assert_allclose(lift.track.at(30.0), [0, 0, pi / 4, 1.5])
    gate, hole = stage.doors
    assert (gate.hinge, gate.leaf_height, hole.track) == (1, 2.2, None)
    np.testing.assert_allclose(gate.track.headings, [0, pi / 2])
    np.testing.assert_array_equal(gate.track.places, np.zeros((2, 2)))


def test_props_on_a_track_go_on_the_floor_unless_told_and_face_their_way():
    cart, kite, box = scene_from_text(SCENE).props
    assert cart.place == (0, 0, 0.4)
    np.testing.assert_allclose(cart.track.places, [[0, 0, 0.4], [0, 8, 0.4]])
    np.testing.assert_allclose(cart.track.headings, [pi / 2, pi / 2])
    np.testing.assert_allclose(kite.track.at(2.0), [1.5, 0, 1.5, 8.0])
    assert box.track is None


def test_all_parts_of_an_obstacle_have_its_track():
    shape = "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((3 0, 4 0, 4 1, 3 0)))"
    track = "[{at: 0s, place: [0, 0]}, {at: 1s, place: [1, 0]}]"
    text = f"walkon: 1\nstage: {{obstacles: [{{name: pair, wkt: '{shape}', track: {track}}}]}}"
    assert [one.name for one in scene_from_text(text).stage.moving] == ["pair 1", "pair 2"]


def told(text: str) -> list[str]:
    with pytest.raises(UnreadableFile) as caught:
        scene_from_text(text, name="a.yaml")
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("track", "words"),
    [
        ("[{at: 0s, place: [0, 0]}]", "'track' must be a list of knots {at, place}, 2 or more, got a list of 1"),
        ("{at: 0s, place: [0, 0]}", "'track' must be a list of knots {at, place}, 2 or more, got keys and values"),
        (
            "[{at: 3s, place: [0, 0]}, {at: 3s, place: [1, 0]}]",
            "a track needs knots at increasing times, got [3.0, 3.0]",
        ),
        ("[{at: 3s, place: [0, 0]}, {place: [1, 0]}]", "a knot of a track needs the key 'at': the time"),
        ("[{at: 3s, open: 1}, {at: 4s, open: 2}]", "there is no key 'open' in a knot of a track"),
        (
            "[{at: 1s, place: [0, 0]}, {at: 3s, place: [1, 0, 2]}]",
            "some knots of a track have a place with z and some without; give it at all or none",
        ),
        (
            "[{at: 1s, place: [0, 0], facing: 1}, {at: 3s, place: [1, 0]}]",
            "1 of 2 knots of a track have the key 'facing'; give it at all or none",
        ),
        (
            "[{at: 1s, place: [0, 0], velocity: [0, 0, 1]}, {at: 3s, place: [1, 0], velocity: [0, 0, 1]}]",
            "velocities of a track have z where its places have none; give places as [x, y, z]",
        ),
        ("[{at: 1s, place: [0, 0], velocity: [1kg, 0]}, {at: 3s, place: [1, 0]}]", "'velocity' must be a speed"),
    ],
)
def test_tracks_of_obstacles_that_are_none(track, words):
    lines = told(f"walkon: 1\nstage:\n  obstacles:\n    - {{name: cart, box: [0, 0, 1, 1], track: {track}}}\n")
    assert any(line.startswith("a.yaml:4: ") and words in line for line in lines), lines


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("track: [{at: 0s, open: 0}]", "'track' must be a list of knots {at, open}, 2 or more, got a list of 1"),
        ("track: [{at: 0s, place: [0, 0]}, {at: 1s, place: [0, 0]}]", "a knot of a door needs the key 'open'"),
        ("track: [{at: 2s, open: 0}, {at: 1s, open: 1}]", "a track needs knots at increasing times"),
        (
            "hinge: 2, track: [{at: 1s, open: 0}, {at: 2s, open: 1}]",
            "'hinge' must be a whole number from 0 to 1, got 2",
        ),
        ("hinge: 1", "door 'gate' has no track, so no leaf either; give it one, or leave out 'hinge'"),
        (
            "track: [{at: 1s, open: 0}, {at: 3s, open: 270deg}]",
            "a door turns by less than half a turn from knot to knot, got 270 degrees from 1 to 3 s; add a knot",
        ),
    ],
)
def test_doors_that_cannot_open(rest, words):
    lines = told(f"walkon: 1\nstage:\n  doors:\n    - {{name: gate, ends: [[0, 0], [1, 0]], {rest}}}\n")
    assert any(line.startswith("a.yaml:4: ") and words in line for line in lines), lines


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("name: cart", "a prop needs one of the keys 'position', 'track'"),
        ("name: cart, position: [0, 0], track: TRACK", "give only one of 'position', 'track' in a prop"),
        ("name: cart, facing: 1, track: TRACK", "give only one of 'track', 'facing' in a prop"),
        ("row: 'b_{n}', count: 2, from: [0, 0], spacing: 1, track: TRACK", "there is no key 'track' in a row of props"),
    ],
)
def test_props_that_cannot_be(keys, words):
    keys = keys.replace("TRACK", "[{at: 0s, place: [0, 0]}, {at: 1s, place: [1, 0]}]")
    lines = told(f"walkon: 1\nstage:\n  props:\n    - {{{keys}}}\n")
    assert any(line.startswith("a.yaml:4: ") and words in line for line in lines), lines
