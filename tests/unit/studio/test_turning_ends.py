"""Starts and stops that turn: feet stay, nothing twists too far, and the turn is over when the walk begins."""

from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import self_contact
from walkon.motion.contacts.runs import find_runs
from walkon.motion.mirroring import mirror
from walkon.studio import NEUTRAL, performer_skeleton, turning_start, turning_stop
from walkon.transforms import quaternions as quat

MACHINE = replace(NEUTRAL, life=0.0)
MADE = {
    "start 45": (turning_start, 45, {}),
    "start -180, tired": (turning_start, -180, {"speed": 0.8, "style": "tired"}),
    "start 90, brisk child": (
        turning_start,
        90,
        {"speed": 1.0, "style": "brisk", "skeleton": performer_skeleton(height=1.3)},
    ),
    "stop -45 inner": (turning_stop, -45, {"closing": "inner", "speed": 1.3}),
    "stop 90 outer, tired": (turning_stop, 90, {"style": "tired", "speed": 0.8}),
    "stop 180, brisk child": (
        turning_stop,
        180,
        {"speed": 1.0, "style": "brisk", "skeleton": performer_skeleton(height=1.3)},
    ),
}


@pytest.fixture(scope="module", params=MADE, ids=str)
def made(request):
    make, degrees, options = MADE[request.param]
    return degrees, make is turning_start, make(np.radians(degrees), seed=5, **options)


def headings(clip):
    return np.degrees(np.unwrap(clip.planar_poses[:, 2]))


def test_planted_points_do_not_move_and_nothing_goes_below_the_floor(made):
    _, _, clip = made
    for column in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            run = clip.contact_positions[start:stop, column]
            assert np.abs(run - run[0]).max() < 1e-6
            assert np.abs(run[:, 2]).max() < 1e-6
    tips = [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")]
    assert clip.world.positions[:, tips, 2].min() > -1e-6


def test_joints_stay_smooth_within_limits_and_apart(made):
    _, _, clip = made
    turned = quat.angle_between(clip.local_rotations[1:], clip.local_rotations[:-1]) * clip.fps
    assert np.degrees(turned.max()) < 500
    assert np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations).max()) < 2.0
    assert self_contact(clip).depth.max() < 0.010
    assert clip.root_positions[:, 2].min() > 0.92 * clip.root_positions[:, 2].max()


def test_it_turns_by_its_angle_no_quicker_than_people_do(made):
    degrees, _, clip = made
    # The pelvis turns to and fro with each step: at the walking end it is some degrees off.
    assert headings(clip)[-1] - headings(clip)[0] == pytest.approx(degrees, abs=10)
    assert np.abs(np.gradient(headings(clip)) * clip.fps).max() < 180


def test_it_stands_with_both_feet_alike_at_the_resting_end(made):
    _, starts, clip = made
    rest = 0 if starts else -1
    assert clip.contacts[rest].all()
    facing = clip.planar_poses[rest, 2]
    yaws = []
    for side in ("left", "right"):
        ankle, ball = (clip.world.positions[rest, clip.skeleton.role(f"{side}_{part}")] for part in ("ankle", "ball"))
        yaws.append(np.arctan2(ball[1] - ankle[1], ball[0] - ankle[0]))
    out = np.degrees(np.angle(np.exp(1j * (np.array(yaws) - facing))))
    assert 0 < out[0] < 16
    assert -16 < out[1] < 0
    near = clip.root_positions[[0, 12] if starts else [-1, -12], :2]
    assert np.linalg.norm(near[0] - near[1]) < 0.02


def test_a_start_is_walking_in_the_new_direction_within_two_seconds():
    clip = turning_start(np.radians(90), speed=1.1, idle=0.3, style=MACHINE)
    late = clip.times > 1.9
    assert np.abs(headings(clip)[late] - 90).max() < 10
    velocity = np.gradient(clip.root_positions[:, :2], 1 / clip.fps, axis=0)[late]
    assert velocity[:, 1].min() > 0.9 * 1.1 - 0.15


@pytest.mark.parametrize("make", [turning_start, turning_stop])
def test_left_and_right_mirror_each_other(make):
    left, right = (make(np.radians(sign * 90), style=MACHINE) for sign in (1, -1))
    assert np.abs(mirror(right).world.positions - left.world.positions).max() < 1e-6


@pytest.mark.parametrize("closing", ["outer", "inner"])
def test_the_foot_that_closes_is_the_one_asked_for(closing):
    clip = turning_stop(np.radians(90), closing=closing)
    landed = [find_runs(clip.contacts[:, column])[0][-1] for column in (0, 2)]
    assert ("left", "right")[int(np.argmax(landed))] == {"outer": "right", "inner": "left"}[closing]


def test_clips_are_labelled_and_the_same_for_a_seed():
    first, again = (turning_start(1.5, seed=3) for _ in range(2))
    assert first.label("turn").all()
    assert first.label("walk").all()
    assert np.array_equal(first.local_rotations, again.local_rotations)


@pytest.mark.parametrize(
    ("make", "options", "told"),
    [
        (turning_start, {"angle": 3.5}, "up to 180 deg either way .* got 200"),
        (turning_stop, {"angle": float("nan")}, "up to 180 deg"),
        (turning_start, {"angle": 1.0, "speed": 1.9}, r"speed must be 0.7 to 1.4 m/s, got 1.9"),
        (turning_start, {"angle": 1.0, "after": -1.0}, "after must be 0 to 600 s, got -1"),
        (turning_stop, {"angle": 1.0, "before": -1.0}, "before must be 0 to 600 s"),
        (turning_stop, {"angle": 1.0, "idle": 1e9}, "idle must be 0 to 600 s"),
        (turning_stop, {"angle": 1.0, "closing": "left"}, "'outer' or 'inner', got 'left'"),
        (turning_stop, {"angle": 3.0, "closing": "inner"}, "up to 135 deg, got 172 deg; close with the outer one"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_range(make, options, told):
    with pytest.raises(InvalidValue, match=told):
        make(options.pop("angle"), **options)
