"""Hands in pictures: palm and fingers in the place of plain hands, bent as they are shaped; bodies stay as they are."""

from dataclasses import replace

import numpy as np
import pytest

from small_take import small_take
from take_scenes import robot_arm
from walkon.drawing.figures import crowd_figures, figures
from walkon.drawing.hand_flesh import bend_fingers, fingers_of, with_hand_flesh
from walkon.motion.body import Body
from walkon.motion.limbs.hands import HAND_SHAPES
from walkon.studio.skeleton import performer_skeleton
from walkon.transforms import quaternions as quat

MIRROR = np.array([1.0, -1.0, 1.0])


@pytest.fixture(scope="module")
def body() -> Body:
    return Body.of(performer_skeleton())


def test_the_body_itself_keeps_its_plain_hands(body):
    drawn = with_hand_flesh(body)
    assert body.capsule_parts.count("left_hand") == 2
    assert drawn.capsule_parts.count("left_hand") == drawn.capsule_parts.count("right_hand") == 16
    assert drawn.skeleton is body.skeleton
    assert with_hand_flesh(body) is drawn is with_hand_flesh(drawn)
    others = [k for k, part in enumerate(body.capsule_parts) if not part.endswith("_hand")]
    np.testing.assert_array_equal(drawn.capsule_starts[: len(others)], body.capsule_starts[others])


def test_hands_are_mirror_images_and_as_long_as_a_hand(body):
    drawn = with_hand_flesh(body)
    wrists = [body.skeleton.role(f"{side}_wrist") for side in ("left", "right")]
    left, right = (
        np.array([k for k, part in enumerate(drawn.capsule_parts) if part == f"{side}_hand"])
        for side in ("left", "right")
    )
    assert (drawn.capsule_joints[left] == wrists[0]).all()
    assert (drawn.capsule_joints[right] == wrists[1]).all()
    np.testing.assert_allclose(drawn.capsule_ends[right], drawn.capsule_ends[left] * MIRROR, atol=1e-9)
    reach = (drawn.capsule_ends[left] @ [0.0, 1.0, 0.0] + drawn.capsule_radii[left, 1]).max()
    assert reach == pytest.approx(0.108 * 1.75, rel=0.12)  # a relaxed hand is a little shorter
    # In a T pose thumbs are ahead, and fingers bend down.
    fingers = fingers_of(body)
    thumbs = fingers.capsules[fingers.segments == 5]
    assert (drawn.capsule_ends[thumbs, 0] > 0.02).all()
    tips = fingers.capsules[(fingers.segments == 1) | (fingers.segments == 3)]
    assert (drawn.capsule_ends[tips, 2] < -0.02).all()


def test_relaxed_fingers_are_what_is_drawn_without_a_shape(body):
    drawn, fingers = with_hand_flesh(body), fingers_of(body)
    for shapes, weights in ((np.zeros((1, 2), int), np.ones((1, 2))), (np.full((1, 2), 3), np.zeros((1, 2)))):
        starts, ends = bend_fingers(fingers, shapes, weights)
        np.testing.assert_allclose(starts[0], drawn.capsule_starts[fingers.capsules], atol=1e-12)
        np.testing.assert_allclose(ends[0], drawn.capsule_ends[fingers.capsules], atol=1e-12)


def test_what_has_no_hands_is_drawn_as_it_is():
    arm = Body.of(robot_arm())
    assert with_hand_flesh(arm) is arm
    assert len(fingers_of(arm).capsules) == 0


def test_only_the_fingers_of_shaped_hands_move_in_a_crowd():
    take = small_take()
    poses, shown = take.pose(1.2), np.array([True, True, False])
    plain = crowd_figures(take, poses, shown=shown)
    hands, weights = np.zeros((3, 2), np.uint8), np.ones((3, 2))
    hands[1, 0] = HAND_SHAPES.index("cylinder")
    shaped = crowd_figures(take, replace(poses, hand_shapes=hands, hand_weights=weights), shown=shown)
    moved = np.abs(shaped.ends - plain.ends).max(axis=1) > 1e-9
    fingers = fingers_of(take.bodies[0])
    assert moved.sum() == (fingers.sides == 0).sum()
    assert not moved[: len(plain) // 2].any(), "Ann's are relaxed"
    # They are still on the hand, at Bob's size.
    wrist = poses.positions[1, take.bodies[0].skeleton.role("left_wrist")]
    assert np.linalg.norm(shaped.ends[moved] - wrist, axis=1).max() < 0.12 * take.body("bob").height
    body = take.body("bob")
    local, _ = bend_fingers(fingers_of(body), hands[1:2], weights[1:2])
    at = quat.rotate(poses.rotations[1, body.skeleton.role("left_wrist")], local[0, fingers.sides == 0]) + wrist
    np.testing.assert_allclose(np.sort(shaped.starts[moved], axis=0), np.sort(at, axis=0), atol=1e-6)


def test_figures_of_bodies_have_hands(body):
    J = len(body.skeleton)
    cones = figures(body, body.skeleton.rest_positions[None], rotations=np.tile(quat.IDENTITY, (1, J, 1)))
    assert len(cones) == len(with_hand_flesh(body).capsule_parts) + 1  # and the hair
