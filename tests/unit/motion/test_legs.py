import numpy as np
import pytest

from walker import walk
from walkon.motion.limbs.legs import Leg, leg_length, read_leg
from walkon.motion.limbs.limb import limb_reach, solve_limb, solve_triangle
from walkon.transforms import quaternions as quat

MICROMETRE = 1e-6


@pytest.fixture(scope="module")
def clip():
    return walk(seconds=2.0)


def solve(clip, shift, hip_shift=0.0):
    leg = Leg.of(clip.skeleton, "left")
    pose = read_leg(clip, leg)
    hips = pose.roots + hip_shift
    targets = clip.world.positions[:, leg.ankle] + shift
    hip, knee = solve_limb(pose, hips, targets)
    thighs = quat.rotate(hip, pose.uppers)
    shins = quat.rotate(quat.multiply(hip, knee), pose.lowers)
    return pose, hips, targets, thighs, shins


def test_an_unmoved_ankle_needs_no_turn(clip):
    leg = Leg.of(clip.skeleton, "right")
    pose = read_leg(clip, leg)
    hip, knee = solve_limb(pose, pose.roots, clip.world.positions[:, leg.ankle])
    assert quat.angle(hip).max() < 1e-6
    assert quat.angle(knee).max() < 1e-6


def test_the_ankle_reaches_its_target_and_bones_keep_their_lengths(clip, rng):
    shift = rng.uniform(-0.05, 0.03, (len(clip), 3)) - np.array([0, 0, -0.05])
    pose, hips, targets, thighs, shins = solve(clip, shift)
    assert np.linalg.norm(hips + thighs + shins - targets, axis=1).max() < MICROMETRE
    assert np.allclose(np.linalg.norm(thighs, axis=1), np.linalg.norm(pose.uppers, axis=1))
    assert np.allclose(np.linalg.norm(shins, axis=1), np.linalg.norm(pose.lowers, axis=1))


def test_the_knee_bends_forward_only(clip):
    *_, thighs, shins = solve(clip, np.array([0.0, 0.02, 0.06]))
    bend = np.cross(thighs, shins) @ np.array([0.0, 1.0, 0.0])
    assert bend.min() > 0.0


def test_a_target_out_of_reach_gets_a_straight_leg_towards_it(clip):
    pose, hips, targets, thighs, shins = solve(clip, np.array([0.0, 0.0, -0.5]))
    line = (targets - hips) / np.linalg.norm(targets - hips, axis=1, keepdims=True)
    reach = limb_reach(pose)
    assert np.linalg.norm(hips + thighs + shins - (hips + line * reach[:, None]), axis=1).max() < MICROMETRE


def test_turning_the_problem_turns_the_solution(clip):
    pose, hips, targets, thighs, _ = solve(clip, np.array([0.02, 0.0, 0.03]))
    turn = quat.exp(np.array([0.3, -0.8, 1.1]))
    turned = type(pose)(*(quat.rotate(turn, part) for part in pose))
    hip, _ = solve_limb(turned, quat.rotate(turn, hips), quat.rotate(turn, targets))
    assert np.allclose(quat.rotate(hip, turned.uppers), quat.rotate(turn, thighs), atol=1e-9)


def test_leg_length_is_thigh_plus_shin(clip):
    assert leg_length(clip.skeleton) == pytest.approx(0.83)


def test_with_a_pole_the_bones_close_the_triangle(rng):
    upper, lower = 0.3, 0.25
    distance = rng.uniform(0.06, 0.54, 50)
    cosine, sine = solve_triangle(upper, lower, distance)
    middle = upper * np.column_stack([cosine, sine])
    assert np.linalg.norm(middle, axis=1) == pytest.approx(upper)
    assert np.linalg.norm(np.column_stack([distance, 0 * distance]) - middle, axis=1) == pytest.approx(lower)
    assert solve_triangle(upper, lower, np.array([9.0])) == (1.0, 0.0)
