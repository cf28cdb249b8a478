"""What moves on a stage: where it is at any time, frozen and shifted; leaves of doors; bad input, one sentence each."""

from dataclasses import replace

import numpy as np
import pytest

from moving_stages import BOX, moved_stage, moving_stage, stays_at
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.stage import Door, FlatFloor, Obstacle, Stage
from walkon.stage.stage import LEAF_THICKNESS_M
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

WAY = Track(times=[1.0, 3.0], places=[[0.0, 0.0], [4.0, 0.0]], headings=[0.0, 0.5 * np.pi])


def test_a_prism_goes_and_turns_with_its_track_and_stays_before_and_after():
    box = Obstacle(polygon=BOX, height=1.0, base=0.2, track=WAY)
    placed = box.placed([-5.0, 1.0, 2.0, 3.0, 99.0])
    np.testing.assert_allclose(placed.polygons[:2], np.stack([BOX, BOX]), atol=1e-12)
    half = np.sqrt(0.5)
    turned = BOX @ np.array([[half, half], [-half, half]]) + (2.0, 0.0)
    np.testing.assert_allclose(placed.polygons[2], turned, atol=1e-12)
    upright = np.column_stack([4.0 - BOX[:, 1], BOX[:, 0]])
    np.testing.assert_allclose(placed.polygons[3:], np.stack([upright, upright]), atol=1e-12)
    np.testing.assert_array_equal([placed.bases, placed.heights], [[0.2] * 5, [1.0] * 5])


def test_with_z_its_heights_are_above_the_track():
    lift = Obstacle(polygon=BOX, height=0.1, base=-0.1, track=Track(times=[0, 2], places=[[0, 0, 0], [0, 0, 3]]))
    placed = lift.placed([0.0, 1.0, 2.0])
    np.testing.assert_allclose(placed.heights, [0.1, 1.6, 3.1])
    np.testing.assert_allclose(placed.bases, [-0.1, 1.4, 2.9])
    assert Stage().are_solid([lift.at(t) for t in (0.0, 1.0, 2.0)]).tolist() == [True, True, False]
    assert Stage(floor=FlatFloor(1.0)).are_solid([lift.at(t) for t in (0.0, 1.0, 2.0)]).tolist() == [False, True, True]


def test_without_headings_it_faces_the_way_it_goes_also_while_it_waits():
    way = Track(times=[0, 1, 2, 3], places=[[0, 0], [0, 0], [0, 2], [0, 2]])
    tram = Obstacle(polygon=BOX, track=way)
    np.testing.assert_allclose(tram.track.headings, np.full(4, 0.5 * np.pi))
    kept = Obstacle(polygon=BOX, track=replace(way, headings=np.zeros(4)))
    np.testing.assert_array_equal(kept.track.headings, np.zeros(4))


@pytest.mark.parametrize("seed", range(3))
def test_points_are_seen_from_it_as_it_is_seen_from_the_world(seed):
    rng = np.random.default_rng(seed)
    times, points = rng.uniform(-1, 5, 40), rng.uniform(-5, 5, (40, 2))
    stage = moving_stage(rng)
    for one in (*stage.still, *stage.moving):
        placed = one.placed(times)
        seen, base, height = one.seen(points, times)
        np.testing.assert_array_equal([base, height], [placed.bases, placed.heights])
        for corner in range(len(one.polygon)):
            there = np.linalg.norm(placed.polygons[:, corner] - points, axis=1)
            np.testing.assert_allclose(np.linalg.norm(one.polygon[corner] - seen, axis=1), there, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_frozen_stage_has_everything_where_it_is_then_and_nothing_moves(seed):
    rng = np.random.default_rng(seed)
    stage = moving_stage(rng)
    assert [one.name for one in stage.moving] == ["cart", "tram", "lift", "crane", "gate.leaf", "flap.leaf"]
    time = rng.uniform(0, 4)
    then = stage.at(time)
    assert then.moving == () and then.at(9.0) is then
    assert [one.name for one in then.obstacles[:6]] == [one.name for one in stage.obstacles]
    assert [one.name for one in then.obstacles[6:]] == ["gate.leaf", "flap.leaf"]
    named = {one.name: one for one in then.obstacles}
    for one in stage.moving:
        placed = one.placed([time])
        np.testing.assert_array_equal(named[one.name].polygon, placed.polygons[0])
        assert (named[one.name].base, named[one.name].height) == (placed.bases[0], placed.heights[0])
    assert then.bounds is stage.bounds and [door.track for door in then.doors] == [None] * 3


def test_later_everything_is_where_it_was():
    stage = moving_stage(np.random.default_rng(5))
    later = stage.shifted(2.5)
    for one, other in zip(stage.moving, later.moving, strict=True):
        np.testing.assert_allclose(
            other.placed([2.5, 3.7, 5.0]).polygons, one.placed([0.0, 1.2, 2.5]).polygons, atol=1e-12
        )
    still = Stage(obstacles=(Obstacle(polygon=BOX),))
    assert still.shifted(3.0) is still


@pytest.mark.parametrize("seed", range(3))
def test_on_a_moved_and_turned_stage_everything_is_moved_and_turned(seed):
    rng = np.random.default_rng(seed)
    stage, pose = moving_stage(rng), np.array([310.0, -47.0, rng.uniform(-3, 3)])
    times = rng.uniform(0, 5, 20)
    for one, other in zip(stage.moving, moved_stage(stage, pose).moving, strict=True):
        there, here = other.placed(times), one.placed(times)
        np.testing.assert_allclose(there.polygons, planar.apply(pose, here.polygons), atol=1e-9)
        np.testing.assert_array_equal(there.heights, here.heights)


@pytest.mark.parametrize("hinge", [0, 1])
def test_a_leaf_shuts_its_door_and_turns_about_its_hinge(hinge):
    ends = np.array([[1.0, 2.0], [1.0, 3.2]])
    track = Track(times=[0, 2], places=np.zeros((2, 2)), headings=[0.0, 0.5 * np.pi])
    leaf = Door(name="gate", ends=ends, hinge=hinge, leaf_height=2.1, track=track).leaf
    assert (leaf.name, leaf.base, leaf.height) == ("gate.leaf", 0.0, 2.1)
    shut, half_open, wide = leaf.placed([0.0, 1.0, 2.0]).polygons
    half = 0.5 * LEAF_THICKNESS_M
    np.testing.assert_allclose([shut.min(axis=0), shut.max(axis=0)], [[1 - half, 2.0], [1 + half, 3.2]], atol=1e-12)
    # Counter-clockwise: from along +y to along −x, or from along −y to along +x.
    left, right = (1.2, 0.0) if hinge == 0 else (0.0, 1.2)
    corners = [ends[hinge] - (left, half), ends[hinge] + (right, half)]
    np.testing.assert_allclose([wide.min(axis=0), wide.max(axis=0)], corners, atol=1e-12)
    for polygon in (shut, half_open, wide):
        nearest = np.linalg.norm(polygon - ends[hinge], axis=1)
        np.testing.assert_allclose(np.sort(nearest)[:2], [half, half], atol=1e-12)


def test_a_leaf_may_slide_in_the_frame_of_its_hinge():
    track = Track(times=[0, 1], places=[[0, 0], [-0.9, 0]], headings=[0, 0])
    leaf = Door(ends=[[0, 0], [0, 1]], track=track).leaf
    np.testing.assert_allclose(leaf.placed([1.0]).polygons[0].mean(axis=0), [0.0, 0.5 - 0.9], atol=1e-12)


def test_a_door_without_a_track_is_an_opening():
    door = Door(ends=[[0, 0], [0, 1]])
    assert door.leaf is None and Stage(doors=(door,)).moving == ()


def test_what_moves_is_told():
    assert repr(Stage(obstacles=[Obstacle(polygon=BOX, track=WAY)])).endswith("0 doors, 1 moving)")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Obstacle(polygon=BOX, name="cart", track=Track(times=[1], places=[[0, 0]])), "'cart' has one knot"),
        (lambda: Track(times=[1, 1], places=np.zeros((2, 2))), "knots at increasing times"),
        (
            lambda: Obstacle(
                polygon=BOX,
                name="cart",
                track=Track(times=[0, 1], places=np.zeros((2, 3)), rotations=np.tile(quat.IDENTITY, (2, 1))),
            ),
            "turns it about the vertical only; give headings",
        ),
        (
            lambda: Door(ends=[[0, 0], [0, 1]], name="d", track=Track(times=[0, 1], places=np.zeros((2, 2)))),
            "door 'd' has no headings; they are the angles",
        ),
        (
            lambda: Door(ends=[[0, 0], [0, 1]], name="d", track=Track(times=[0], places=[[0, 0]], headings=[0])),
            "the track of door 'd' has one knot",
        ),
        (lambda: Door(ends=[[0, 0], [0, 1]], name="d", hinge=2), "is one of its two ends, 0 or 1, got 2"),
        (lambda: Door(ends=[[0, 0], [0, 1]], name="d", leaf_height=0), "the leaf of door 'd' must have a positive"),
        (lambda: Door(ends=[[0, 0], [0, 0]], name="d", track=stays_at()), "too near for a leaf"),
        (
            lambda: Stage(
                obstacles=[Obstacle(polygon=BOX, name="d.leaf")],
                doors=[Door(ends=[[0, 0], [0, 1]], name="d", track=stays_at())],
            ),
            "names of obstacles and leaves must differ, but 'd.leaf'",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(make, words):
    with pytest.raises(InvalidValue, match=words):
        make()
