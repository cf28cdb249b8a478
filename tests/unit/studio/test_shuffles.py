from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import self_contact
from walkon.motion.contacts.runs import find_runs
from walkon.motion.mirroring import mirror
from walkon.studio import NEUTRAL, performer_skeleton, walk
from walkon.studio.shuffles import back_steps, side_steps, turn_in_place
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

MACHINE = replace(NEUTRAL, life=0.0)
SHUFFLES = {
    "turn 45": lambda **o: turn_in_place(np.radians(45), **o),
    "turn -180": lambda **o: turn_in_place(np.radians(-180), **o),
    "turn 360, tired": lambda **o: turn_in_place(np.radians(360), style="tired", **o),
    "side right, wide": lambda **o: side_steps(2, "right", length=0.55, **o),
    "along a row": lambda **o: side_steps(4, "left", length=0.25, style="brisk", **o),
    "back, child": lambda **o: back_steps(3, first="right", skeleton=performer_skeleton(height=1.2), length=0.3, **o),
}


@pytest.fixture(scope="module", params=SHUFFLES, ids=str)
def clip(request):
    return SHUFFLES[request.param](seed=7)


def test_planted_points_do_not_move_and_are_on_the_floor(clip):
    for column in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            run = clip.contact_positions[start:stop, column]
            assert np.abs(run - run[0]).max() < 1e-6
            assert np.abs(run[:, 2]).max() < 1e-6


def test_a_foot_always_bears_and_nothing_goes_below_the_floor(clip):
    assert clip.contacts.any(axis=1).all()
    tips = [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")]
    assert clip.world.positions[:, tips, 2].min() > -1e-6
    assert clip.contact_positions[..., 2].min() > -1e-6


def test_joints_turn_smoothly_within_their_limits_and_limbs_stay_apart(clip):
    turned = quat.angle_between(clip.local_rotations[1:], clip.local_rotations[:-1]) * clip.fps
    # Small bodies move faster, as pendulums do.
    size = clip.skeleton.offsets[0, 2] / performer_skeleton().offsets[0, 2]
    assert np.degrees(turned.max()) < 450 / np.sqrt(size)
    assert np.degrees(np.abs(np.diff(turned, axis=0)).max()) < 300 / size
    assert np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations).max()) < 0.5
    assert self_contact(clip).depth.max() < 0.010


def test_stretched_legs_stay_bent_a_little(clip):
    knees = clip.local_rotations[:, [clip.skeleton.role(f"{side}_knee") for side in ("left", "right")]]
    assert np.degrees(quat.angle_between(knees, quat.IDENTITY)).min() > 4.9


@pytest.mark.parametrize(
    "make",
    [
        lambda s: turn_in_place(2.0, style=s),
        lambda s: side_steps(2, "right", style=s),
        lambda s: back_steps(2, style=s),
    ],
    ids=["turn", "side", "back"],
)
def test_they_begin_and_end_in_the_pose_in_which_walks_start_and_stop(make):
    standing = walk(speed=1.2, duration=6.0, start="standing", end="standing", style=MACHINE)
    wanted = _seen_from_itself(standing, 0)
    clip = make(MACHINE)
    for frame in (0, -1):
        assert np.abs(_seen_from_itself(clip, frame) - wanted).max() < 0.012


def _seen_from_itself(clip, frame):
    return planar.apply_3d(planar.inverse(clip.planar_poses[frame]), clip.world.positions[frame])


@pytest.mark.parametrize("degrees", [45, 135, 360])
def test_turns_turn_by_their_angle_either_way_and_mirror_each_other(degrees):
    left, right = (turn_in_place(sign * np.radians(degrees), style=MACHINE, seed=2) for sign in (1, -1))
    headings = np.unwrap(left.planar_poses[:, 2])
    assert np.degrees(headings[-1] - headings[0]) == pytest.approx(degrees, abs=0.5)
    assert np.linalg.norm(left.root_positions[-1, :2] - left.root_positions[0, :2]) < 0.16
    mirrored = mirror(right)
    assert np.abs(mirrored.world.positions - left.world.positions).max() < 1e-6


def test_turns_take_as_long_as_recorded_ones_and_pivot_on_the_ball():
    quarter = turn_in_place(np.radians(90), idle=0.0)
    # A pair of steps takes 1.3 to 2.1 s; weight shifts before and after it.
    assert 1.9 < quarter.duration < 3.0
    ball = quarter.contacts[:, 3] & ~quarter.contacts[:, 2]
    yaws = _yaws(quarter, "right")
    start, stop = (edges[0] for edges in find_runs(ball))
    assert 15 < np.degrees(yaws[stop - 1] - yaws[start]) < 46


def _yaws(clip, side):
    ankle, ball = (clip.world.positions[:, clip.skeleton.role(f"{side}_{part}")] for part in ("ankle", "ball"))
    return np.unwrap(np.arctan2(ball[:, 1] - ankle[:, 1], ball[:, 0] - ankle[:, 0]))


@pytest.mark.parametrize("length", [0.25, 0.45])
def test_side_steps_go_sideways_by_count_times_length_without_crossing(length):
    clip = side_steps(3, "left", length=length)
    way = clip.root_positions[-1] - clip.root_positions[0]
    assert way[1] == pytest.approx(3 * length, abs=0.03)
    assert abs(way[0]) < 0.03
    assert np.degrees(np.abs(angles.wrap(clip.planar_poses[:, 2])).max()) < 6
    left, right = (clip.world.positions[:, clip.skeleton.role(f"{side}_ankle"), 1] for side in ("left", "right"))
    assert (left - right).min() > 0.07
    assert (left - right).max() == pytest.approx(length + 0.12, abs=0.04)


def test_side_steps_to_the_left_and_right_mirror_each_other():
    left, right = (side_steps(2, side, style=MACHINE) for side in ("left", "right"))
    assert np.abs(mirror(right).world.positions - left.world.positions).max() < 1e-6


def test_back_steps_go_back_toes_first():
    clip = back_steps(4, length=0.45)
    way = clip.root_positions[-1] - clip.root_positions[0]
    assert way[0] == pytest.approx(-4 * 0.45, abs=0.03)
    assert abs(way[1]) < 0.03
    heel, ball = (find_runs(clip.contacts[:, column])[0] for column in (0, 1))
    assert (ball[1:-1] < heel[1:-1]).all()


def test_hips_sink_little_more_than_legs_that_reach_apart_make_them(clip):
    heights, skeleton = clip.root_positions[:, 2], clip.skeleton
    left, right = (clip.world.positions[:, skeleton.role(f"{side}_ankle"), :2] for side in ("left", "right"))
    leg = -skeleton.offsets[[skeleton.role("left_knee"), skeleton.role("left_ankle")], 2].sum()
    apart = planar.apply(planar.inverse(clip.planar_poses), left) - planar.apply(
        planar.inverse(clip.planar_poses), right
    )
    # Sideways the legs start a hip's width apart.
    apart[:, 1] = np.maximum(apart[:, 1] - 2 * skeleton.offsets[skeleton.role("left_hip"), 1], 0.0)
    half = 0.5 * np.linalg.norm(apart, axis=1).max()
    assert heights[0] - heights.min() < leg - np.sqrt(leg**2 - half**2) + 0.02 * leg


def test_the_same_seed_gives_the_same_clip_and_another_one_another():
    first, again, other = (turn_in_place(1.5, seed=seed) for seed in (4, 4, 5))
    assert np.array_equal(first.local_rotations, again.local_rotations)
    assert len(first) != len(other) or not np.allclose(first.local_rotations, other.local_rotations)


def test_clips_are_labelled():
    assert turn_in_place(1.0).label("turn").all()
    assert side_steps(1, "left").label("sidestep").all()
    assert back_steps(1).label("backward").all()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: turn_in_place(7.0), "5 to 360 deg either way .* got 401.07 deg"),
        (lambda: turn_in_place(0.01), "5 to 360 deg"),
        (lambda: turn_in_place(float("nan")), "5 to 360 deg"),
        (lambda: turn_in_place(1.0, idle=-1.0), "idle must be 0 to 60 s, got -1.0"),
        (lambda: side_steps(2, "up"), "'left' or 'right', got 'up'"),
        (lambda: side_steps(0, "left"), "count must be a whole number from 1 to 1000, got 0"),
        (lambda: side_steps(2, "left", length=0.9), "length must be 0.10 to 0.55 m for this body, got 0.9"),
        (lambda: back_steps(2, length=0.1), "length must be 0.15 to 0.60 m for this body, got 0.1"),
        (lambda: back_steps(2.5), "count must be a whole number"),
        (lambda: back_steps(2, first="both"), "first must be 'left' or 'right', got 'both'"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_range(make, told):
    with pytest.raises(InvalidValue, match=told):
        make()


def test_pivots_are_labelled_and_the_ball_does_not_drift():
    clip = turn_in_place(np.pi / 2, seed=3)
    pivoting = clip.label("pivot")
    assert 0.02 < pivoting.mean() < 0.6
    assert "pivot" not in side_steps(2, "left", seed=3).labels
