from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import self_contact
from walkon.motion.contacts.runs import find_runs
from walkon.motion.mirroring import mirror
from walkon.studio import NEUTRAL, performer_skeleton
from walkon.studio.turning import sharp_turn
from walkon.transforms import quaternions as quat

MACHINE = replace(NEUTRAL, life=0.0)
TURNS = {
    "45 outer": (45, {"first": "outer", "speed": 1.5}),
    "-90 inner": (-90, {"first": "inner", "speed": 0.8}),
    "-135 outer, tired": (-135, {"first": "outer", "speed": 0.9, "style": "tired"}),
    "180 outer": (180, {"first": "outer", "speed": 1.25}),
    "-180 inner, brisk child": (
        -180,
        {"first": "inner", "speed": 1.1, "style": "brisk", "skeleton": performer_skeleton(height=1.3)},
    ),
    "90, standing": (90, {"start": "standing", "end": "standing", "before": 3.0, "after": 3.5}),
}


@pytest.fixture(scope="module", params=TURNS, ids=str)
def turn(request):
    degrees, options = TURNS[request.param]
    return degrees, sharp_turn(np.radians(degrees), seed=5, **options)


def test_planted_points_do_not_move_and_nothing_goes_below_the_floor(turn):
    _, clip = turn
    for column in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            run = clip.contact_positions[start:stop, column]
            assert np.abs(run - run[0]).max() < 1e-6
            assert np.abs(run[:, 2]).max() < 1e-6
    tips = [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")]
    assert clip.world.positions[:, tips, 2].min() > -1e-6


def test_it_turns_by_its_angle_quicker_than_a_walk_on_a_curve_would(turn):
    degrees, clip = turn
    headings = np.degrees(np.unwrap(clip.planar_poses[:, 2]))
    # The pelvis turns to and fro with each step: whole strides are averaged.
    assert headings[-70:].mean() - headings[:70].mean() == pytest.approx(degrees, abs=6)
    smooth = np.convolve(headings, np.ones(15) / 15, mode="valid")
    assert np.abs(np.gradient(smooth) * clip.fps).max() > (60 if abs(degrees) == 45 else 80)


def test_it_slows_down_and_gathers_speed_again(turn):
    degrees, clip = turn
    speed = np.linalg.norm(np.gradient(clip.root_positions[:, :2], 1 / clip.fps, axis=0), axis=1)
    smooth = np.convolve(speed, np.ones(15) / 15, mode="valid")
    middle = smooth[len(smooth) // 4 : 3 * len(smooth) // 4].min()
    assert middle < {45: 0.95, 90: 0.75, 135: 0.65, 180: 0.55}[abs(degrees)] * smooth.max()


def test_joints_stay_smooth_within_limits_and_apart(turn):
    _, clip = turn
    turned = quat.angle_between(clip.local_rotations[1:], clip.local_rotations[:-1]) * clip.fps
    assert np.degrees(turned.max()) < 700
    assert np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations).max()) < 2.0
    assert self_contact(clip).depth.max() < 0.010
    assert clip.root_positions[:, 2].min() > 0.89 * clip.root_positions[:, 2].max()


@pytest.mark.parametrize("degrees", [90, 180])
def test_left_and_right_mirror_each_other(degrees):
    left, right = (sharp_turn(sign * np.radians(degrees), first="outer", style=MACHINE) for sign in (1, -1))
    assert np.abs(mirror(right).world.positions - left.world.positions).max() < 1e-6


def test_the_print_that_begins_the_turn_is_of_the_foot_asked_for():
    # As recorded: outer foot first, turned by 14 to 36 of 90 degrees; inner foot first, by 60 to 80.
    for first, side, low, high in (("outer", "right", 10, 45), ("inner", "left", 50, 85)):
        clip = sharp_turn(np.radians(90), first=first, style=MACHINE)
        ankle, ball = (clip.world.positions[:, clip.skeleton.role(f"{side}_{part}")] for part in ("ankle", "ball"))
        yaws = np.degrees(np.arctan2(ball[:, 1] - ankle[:, 1], ball[:, 0] - ankle[:, 0]))
        heel = clip.contacts[:, 0 if side == "left" else 2]
        prints = [yaws[start] for start in find_runs(heel)[0]]
        assert any(low < yaw < high for yaw in prints), prints


def test_it_may_start_and_stop_standing():
    clip = sharp_turn(1.5, start="standing", end="standing", before=3.0, after=3.5)
    assert clip.contacts[0].all()
    assert clip.contacts[-1].all()
    assert np.linalg.norm(clip.root_positions[-1] - clip.root_positions[-20]) < 0.01


def test_clips_are_labelled_and_the_same_for_a_seed():
    first, again = (sharp_turn(1.5, seed=3) for _ in range(2))
    assert first.label("turn").all()
    assert first.label("walk").all()
    assert np.array_equal(first.local_rotations, again.local_rotations)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"angle": 0.1}, "20 to 180 deg either way .* got 5.7"),
        ({"angle": 4.0}, "20 to 180 deg"),
        ({"angle": 1.5, "speed": 2.5}, "speed must be 0.7 to 1.6 m/s .* got 2.5"),
        ({"angle": 1.5, "speed": float("nan")}, "speed must be"),
        ({"angle": 1.5, "first": "left"}, "'outer' or 'inner', got 'left'"),
        ({"angle": 1.5, "start": "lying"}, "start must be 'walking' or 'standing', got 'lying'"),
        ({"angle": 1.5, "before": 0.2}, "before must be 1.0 to 600 s .* got 0.2"),
        ({"angle": 1.5, "idle": -2.0}, "idle must be 0 to 60 s"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_range(options, told):
    with pytest.raises(InvalidValue, match=told):
        sharp_turn(options.pop("angle"), **options)
