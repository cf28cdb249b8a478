import numpy as np
import pytest

from walkon.motion.editing import move
from walkon.studio.arms import EXACT_REACH_SHARE, arm_length, hand_rotation, reach, shoulders_towards
from walkon.studio.standing import idle
from walkon.transforms import quaternions as quat

PLACES = np.array([[0.35, 0.2, -0.1], [0.2, 0.35, 0.3], [0.1, 0.3, -0.35], [0.3, -0.05, 0.0], [-0.1, 0.35, -0.3]])


@pytest.fixture(scope="module")
def clip():
    return idle(4.0, seed=2)


def targets(clip, side, place):
    chest = clip.skeleton.role("chest")
    at = place * np.array([1.0, 1.0 if side == 0 else -1.0, 1.0]) + np.array([0.0, 0.0, 0.15])
    return clip.world.positions[:, chest] + quat.rotate(clip.world.rotations[:, chest], at)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("place", PLACES)
def test_wrists_are_met_exactly_and_nothing_else_moves(clip, side, place):
    wanted = targets(clip, side, place)
    reached = reach(clip, side=side, wrists=wanted)
    name = ("left", "right")[side]
    wrist = clip.skeleton.role(f"{name}_wrist")
    assert np.abs(reached.world.positions[:, wrist] - wanted).max() < 1e-9
    arm = [clip.skeleton.role(f"{name}_{part}") for part in ("clavicle", "shoulder", "elbow", "wrist")]
    others = np.setdiff1d(np.arange(len(clip.skeleton)), arm)
    same = np.abs(np.sum(reached.local_rotations[:, others] * clip.local_rotations[:, others], axis=-1))
    assert same.min() > 1 - 1e-9


def test_hands_are_turned_as_asked(clip):
    wanted = hand_rotation([1.0, 0.0, 0.2], [0.0, 0.0, 1.0], side=1)
    reached = reach(clip, side=1, wrists=targets(clip, 1, PLACES[0]), hands=np.tile(wanted, (len(clip), 1)))
    hand = clip.skeleton.role("right_wrist")
    assert np.degrees(quat.angle_between(reached.world.rotations[:, hand], wanted)).max() < 1e-5
    fingers = reached.world.positions[:, clip.skeleton.index("RightHandEnd")] - reached.world.positions[:, hand]
    assert (fingers[:, 0] / np.linalg.norm(fingers, axis=1)).min() > 0.97


@pytest.mark.parametrize("side", [0, 1])
def test_a_hand_has_its_palm_where_it_was_told(side):
    q = hand_rotation([0.3, 0.8, 0.1], [0.0, 0.2, -1.0], side=side)
    along = quat.rotate(q, [0.0, 1.0 if side == 0 else -1.0, 0.0])
    palm = quat.rotate(q, [0.0, 0.0, -1.0])
    wanted = np.array([0.3, 0.8, 0.1])
    assert along @ wanted == pytest.approx(np.linalg.norm(wanted))
    assert palm @ along == pytest.approx(0.0, abs=1e-12)
    assert palm[2] < -0.9


def test_weight_goes_from_the_arm_as_it_was_to_the_target(clip):
    wanted = targets(clip, 0, PLACES[1])
    weight = np.linspace(0.0, 1.0, len(clip))
    reached = reach(clip, side=0, wrists=wanted, weight=weight)
    wrist = clip.skeleton.role("left_wrist")
    assert np.allclose(reached.world.positions[0], clip.world.positions[0], atol=1e-9)
    assert np.allclose(reached.world.positions[-1, wrist], wanted[-1], atol=1e-9)
    steps = np.linalg.norm(np.diff(reached.world.positions[:, wrist], axis=0), axis=1)
    assert steps.max() < 0.02


def test_a_target_out_of_reach_is_pointed_at_without_snapping_straight(clip):
    far = targets(clip, 0, np.array([2.0, 0.5, 0.0]))
    reached = reach(clip, side=0, wrists=far)
    shoulder, elbow, wrist = (reached.skeleton.role(f"left_{part}") for part in ("shoulder", "elbow", "wrist"))
    places = reached.world.positions
    arm = np.linalg.norm(places[:, wrist] - places[:, shoulder], axis=1) / arm_length(clip.skeleton)
    assert arm.min() > EXACT_REACH_SHARE and arm.max() < 0.99
    along = places[:, wrist] - places[:, shoulder]
    to = far - places[:, shoulder]
    assert (np.sum(along * to, axis=1) / np.linalg.norm(along, axis=1) / np.linalg.norm(to, axis=1)).min() > 0.999
    assert np.linalg.norm(places[:, elbow] - places[:, shoulder], axis=1).min() > 0.2


def test_the_shoulder_comes_towards_a_far_hand(clip):
    near, far = targets(clip, 0, np.array([0.2, 0.15, -0.2])), targets(clip, 0, np.array([0.6, 0.15, 0.0]))
    at_near = shoulders_towards(clip, side=0, wrists=near)
    at_far = shoulders_towards(clip, side=0, wrists=far)
    assert (at_far - at_near)[:, 0].min() > 0.02


def test_reaching_turns_and_moves_with_the_whole_problem(clip):
    pose = np.array([2.0, -1.0, 0.8])
    wanted = targets(clip, 1, PLACES[2])
    there = reach(move(clip, pose), side=1, wrists=targets(move(clip, pose), 1, PLACES[2]))
    here = reach(clip, side=1, wrists=wanted)
    assert np.allclose(there.local_rotations[:, 1:], here.local_rotations[:, 1:], atol=1e-9)
