"""The lifting law: a scene that is lifted, moved or turned as a whole is performed as before, where it stands then.

Every scene of `examples/scenes` is held to it. The design asks for the same marks and 0.1 mm when a scene is moved by
whole cells or turned by quarters, and for audit figures within 10 % at any angle; as scenes are planned in a frame of
their own (`crowd.planning_frame`), all of it holds for any move and any angle, and what is planned is equal to the bit.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import walkon
from placed_scenes import place_scene
from walkon.crowd.planning_frame import PlanningFrame
from walkon.script import Character, Mark, Scene
from walkon.transforms import planar

SCENES = {path.stem: path for path in Path(__file__).resolve().parents[2].glob("examples/scenes/*.yaml")}
SMALL = ("boxes", "first_walk", "meeting", "station", "theatre_small")
"""Performed in about half a second; the others are many people, and are slow."""
NAMES = [pytest.param(name, marks=() if name in SMALL else pytest.mark.slow) for name in sorted(SCENES)]
LIFT_M = 3.0
MOVES = {
    "near": (12.0, -24.0, 0.0, 0.0),
    "a kilometre": (996.0, -492.0, 0.0, 0.0),
    "a quarter turn": (0.0, 0.0, 0.5 * np.pi, 0.0),
    "half a turn": (0.0, 0.0, np.pi, 0.0),
    "three quarters": (6.0, 600.0, -0.5 * np.pi, LIFT_M),
    "any angle": (3.1, -1.7, np.radians(37.3), 0.0),
}
MOVES_FIRST = ("a kilometre", "three quarters", "any angle")


@cache
def scene_of(name):
    return walkon.load_scene(SCENES[name])


@cache
def take_of(name):
    return walkon.perform(scene_of(name))


def poses_of(take, count=9):
    """Joints [T, N, J, 3] at some times."""
    return np.array([take.pose(t).positions for t in np.linspace(0.1, take.duration - 0.1, count)])


def figures_of(report, before=""):
    """All numbers of an audit by name; what it found, not what it looked for."""
    for key, value in report.items():
        if isinstance(value, dict) and key not in ("thresholds", "source"):
            yield from figures_of(value, f"{before}{key}.")
        elif isinstance(value, int | float):
            yield f"{before}{key}", float(value)


def test_every_small_scene_is_there():
    assert set(SMALL) <= set(SCENES) and len(SCENES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_a_lifted_scene_has_the_same_plan_and_higher_poses(name):
    take, lifted = take_of(name), walkon.perform(place_scene(scene_of(name), (0.0, 0.0, 0.0, LIFT_M)))
    for table in ("segments", "warps", "blends", "marks", "reasons"):
        for column, values in getattr(take, table).columns.items():
            assert np.array_equal(values, getattr(lifted, table).columns[column], equal_nan=values.dtype.kind == "f"), (
                f"{table}.{column}"
            )
    higher = poses_of(take) + np.array([0.0, 0.0, LIFT_M])
    assert np.allclose(poses_of(lifted), higher, rtol=0.0, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize(
    "move", [pytest.param(move, marks=() if move in MOVES_FIRST else pytest.mark.slow) for move in MOVES]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_moved_and_turned_scene_is_performed_alike(name, move):
    pose = np.array(MOVES[move])
    take, moved = take_of(name), walkon.perform(place_scene(scene_of(name), pose))
    assert np.array_equal(take.marks.met, moved.marks.met, equal_nan=True)
    for column in ("character", "edge", "clip", "start", "stop", "clip_start", "rate_start", "rate_stop", "mark"):
        assert np.array_equal(getattr(take.segments, column), getattr(moved.segments, column)), column
    places = poses_of(take)
    there = planar.apply_3d(pose[:3], places) + np.array([0.0, 0.0, pose[3]])
    assert np.allclose(poses_of(moved), there, rtol=0.0, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SMALL[1:4] else pytest.mark.slow) for name in sorted(SCENES)]
)
def test_the_audit_of_a_turned_scene_finds_the_same(name):
    turned = walkon.perform(place_scene(scene_of(name), (-40.3, 17.9, np.radians(201.7), -LIFT_M)))
    before, after = (dict(figures_of(take.audit().to_json())) for take in (take_of(name), turned))
    assert before.keys() == after.keys()
    off = {key: (before[key], after[key]) for key in before if abs(after[key] - before[key]) > 0.1 * before[key] + 1e-6}
    assert off == {}


@pytest.mark.parametrize("seed", range(20))
def test_the_frame_of_a_scene_goes_with_it(seed):
    """People at random places, some of them symmetric: moved anywhere, they are the same in their frame."""
    rng = np.random.default_rng(seed)
    points = np.round(rng.uniform(-20, 20, (6, 2)), 2)
    if seed % 2:
        points = np.concatenate([points, -points])
    people = [
        Character(name=f"p{k}", place=(*p, rng.uniform(-3, 3)), marks=(Mark(name="m", position=tuple(p + 1.0)),))
        for k, p in enumerate(points)
    ]
    scene = Scene(characters=tuple(people))
    moved = place_scene(scene, (*rng.uniform(-1000, 1000, 2), rng.uniform(-np.pi, np.pi), 0.0))
    seen, other = (PlanningFrame.of(one).seen_scene(one) for one in (scene, moved))
    for a, b in zip(seen.characters, other.characters, strict=True):
        assert np.allclose(a.place, b.place, rtol=0, atol=2e-9) and np.allclose(
            a.marks[0].position, b.marks[0].position, rtol=0, atol=2e-9
        )


def test_a_plan_that_sees_where_it_is_would_be_found(monkeypatch):
    """Without the frame of its own, the theatre is walked otherwise a kilometre away: the law can fail."""
    monkeypatch.setattr(PlanningFrame, "of", classmethod(lambda cls, _: cls()))
    name = "theatre_small"
    scene = scene_of(name)
    take, moved = (walkon.perform(one) for one in (scene, place_scene(scene, MOVES["a quarter turn"])))
    assert not np.array_equal(take.marks.met, moved.marks.met, equal_nan=True)
