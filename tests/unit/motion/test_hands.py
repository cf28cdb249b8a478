"""Hand shapes: relaxed without a weight, mirror images left and right, and never beyond what joints can do."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.limbs.hands import (
    BEND_RANGES_RAD,
    FINGER_SEGMENTS,
    HAND_ANGLES_RAD,
    HAND_SHAPES,
    LENGTHS,
    PALM_FLESH,
    SEGMENT_FLESH,
    SEGMENT_PARENTS,
    finger_poses,
)
from walkon.transforms import quaternions as quat

EVERY = np.arange(len(HAND_SHAPES))


def tips(places: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """Ends [..., 6, 3] of the segments."""
    return places + quat.rotate(rotations, LENGTHS[:, None] * np.array([1.0, 0.0, 0.0]))


def test_the_shapes_have_their_numbers():
    assert HAND_SHAPES == ("relaxed", "open", "flat", "hook", "cylinder", "pinch")
    assert len(HAND_ANGLES_RAD) == len(HAND_SHAPES)
    assert len(FINGER_SEGMENTS) == len(SEGMENT_PARENTS) == len(SEGMENT_FLESH) == 6


def test_without_a_weight_every_shape_is_relaxed_and_with_all_of_it_itself():
    relaxed = finger_poses(0, 0.0)
    for got in (finger_poses(EVERY, np.zeros(6)), finger_poses(np.zeros(6, int), np.linspace(0, 1, 6))):
        np.testing.assert_allclose(got[0], np.broadcast_to(relaxed[0], got[0].shape), atol=1e-12)
        np.testing.assert_allclose(got[1], np.broadcast_to(relaxed[1], got[1].shape), atol=1e-12)
    whole = finger_poses(EVERY, np.ones(6))[1]
    apart = quat.angle_between(whole[:, None], whole[None]).max(axis=2)
    assert (apart + np.eye(6) > 0.2).all(), "no two shapes are alike"


@pytest.mark.parametrize("shape", EVERY)
def test_fingers_move_evenly_with_the_weight(shape):
    weights = np.linspace(0.0, 1.0, 33)
    places, turns = finger_poses(np.full(33, shape), weights)
    steps = quat.angle_between(turns[1:], turns[:-1])
    assert steps.max() < 4.0 / 32
    assert np.linalg.norm(np.diff(tips(places, turns), axis=0), axis=2).max() < 0.12 / 32


def test_a_right_hand_is_the_mirror_image_of_a_left_one(rng):
    shapes, weights = rng.integers(0, 6, 40), rng.uniform(0, 1, 40)
    left, right = (finger_poses(shapes, weights, side=side) for side in ("left", "right"))
    mirror = np.array([1.0, -1.0, 1.0])
    np.testing.assert_allclose(right[0], left[0] * mirror, atol=1e-12)
    points = rng.normal(size=(40, 6, 3))
    np.testing.assert_allclose(
        quat.rotate(right[1], points * mirror), quat.rotate(left[1], points) * mirror, atol=1e-12
    )


def test_bends_are_within_the_range_of_the_joints_for_every_shape_and_weight():
    bends = HAND_ANGLES_RAD[:, : len(FINGER_SEGMENTS)]
    assert (bends >= BEND_RANGES_RAD[:, 0]).all()
    assert (bends <= BEND_RANGES_RAD[:, 1]).all()


def test_segments_hang_together_and_fingers_bend_to_the_palm():
    places, turns = finger_poses(EVERY, np.ones(6))
    ends = tips(places, turns)
    for segment, parent in enumerate(SEGMENT_PARENTS):
        if parent >= 0:
            np.testing.assert_allclose(places[:, segment], ends[:, parent], atol=1e-12)
    for name in ("relaxed", "hook", "cylinder", "pinch"):
        assert (ends[HAND_SHAPES.index(name), [1, 3], 2] > 0.01).all(), f"{name}: fingers are on the side of the palm"
    flat = ends[HAND_SHAPES.index("flat")]
    assert np.abs(flat[[1, 3], 2]).max() < 0.003
    assert flat[3, 0] == pytest.approx(0.106, abs=0.003)  # a hand is 0.108 H long
    assert (ends[:, 5, 1] > -0.005).all(), "the thumb stays on its side"


def test_a_pinch_brings_thumb_and_index_together_and_a_hook_does_not():
    places, turns = finger_poses(EVERY, np.ones(6))
    ends = np.array([SEGMENT_FLESH[k][0].end[0] for k in range(6)])[:, None] * np.array([1.0, 0.0, 0.0])
    apart = np.linalg.norm(np.diff((places + quat.rotate(turns, ends))[:, [1, 5]], axis=1)[:, 0], axis=1)
    touching = SEGMENT_FLESH[1][0].radii[1] + SEGMENT_FLESH[5][0].radii[1]
    assert apart[HAND_SHAPES.index("pinch")] == pytest.approx(touching, abs=0.002)
    assert (np.delete(apart, HAND_SHAPES.index("pinch")) > 1.5 * touching).all()


def test_the_flesh_is_that_of_a_hand():
    points = np.array([[piece.start, piece.end] for piece in PALM_FLESH])
    radii = np.array([piece.radii for piece in PALM_FLESH])
    breadth = (points[..., 1] + radii).max() - (points[..., 1] - radii).min()
    assert breadth == pytest.approx(0.048, abs=0.003)


def test_numbers_that_are_no_shape_or_weight_are_refused():
    with pytest.raises(InvalidValue, match=r"hand shapes are 0 to 5 .*got 6 to 6"):
        finger_poses(6, 1.0)
    with pytest.raises(InvalidValue, match=r"weights of hand shapes are 0 to 1, got 0 to 1\.5"):
        finger_poses([1, 2], [0.0, 1.5])
