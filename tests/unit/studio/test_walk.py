from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion.anatomy.limits import limit_excess
from walkon.motion.body import self_contact
from walkon.motion.contacts.detection import detect_contacts, stance
from walkon.motion.contacts.ground_plane import find_ground
from walkon.motion.contacts.runs import find_runs
from walkon.studio import NEUTRAL, STYLES, Style, performer_skeleton, walk
from walkon.studio.skeleton import performer_limits
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

ANGLE = np.linspace(0.0, 2 * np.pi, 60)


def circle(radius):
    return np.column_stack([radius * np.sin(ANGLE), radius - radius * np.cos(ANGLE)])


WALKS = {  # extremes only: `test_session` holds feet and joints of everything in between
    "slow": {"speed": 0.5, "duration": 6.0},
    "fast": {"speed": 1.9, "duration": 6.0},
    "start and stop": {"speed": 1.2, "path": [(0, 0), (6, 0)], "start": "standing", "end": "standing"},
    "tight circle": {"speed": 1.1, "path": circle(0.75)},
    "changing speed": {"speed": [(0, 0.6), (5, 1.7), (8, 0.8)], "duration": 8.0},
    "tired": {"speed": 0.9, "duration": 5.0, "style": "tired"},
    "brisk child": {"speed": 1.2, "duration": 5.0, "style": "brisk", "skeleton": performer_skeleton(height=1.2)},
    "24 fps": {"speed": 1.3, "duration": 5.0, "fps": 24.0},
}


@pytest.fixture(scope="module", params=WALKS, ids=str)
def clip(request):
    return walk(seed=5, **WALKS[request.param])


def knees(clip):
    places, skeleton = clip.world.positions, clip.skeleton
    found = []
    for side in ("left", "right"):
        hip, knee, ankle = (places[:, skeleton.role(f"{side}_{part}")] for part in ("hip", "knee", "ankle"))
        thigh, shank = knee - hip, ankle - knee
        cosine = np.sum(thigh * shank, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shank, axis=1)
        found.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return np.array(found)


def test_planted_points_do_not_move_and_are_on_the_floor(clip):
    points = clip.contact_positions
    for column in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            run = points[start:stop, column]
            assert np.abs(run - run[0]).max() < 1e-6
            assert np.abs(run[:, 2]).max() < 1e-6


def test_nothing_goes_below_the_floor(clip):
    toes = [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")]
    assert clip.world.positions[:, toes, 2].min() > -1e-6
    assert clip.contact_positions[..., 2].min() > -1e-6


def test_a_foot_is_always_down_and_toes_clear_the_floor_in_mid_swing(clip):
    toes = clip.world.positions[:, [clip.skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")], 2]
    down = stance(clip)
    bearing = down | (toes < 1e-6)  # on the tip of the toes neither heel nor ball is labelled
    assert bearing.any(axis=1).all()
    for side in (0, 1):
        for start, stop in zip(*find_runs(~bearing[:, side]), strict=True):
            if start > 0 and stop < len(clip) and (stop - start) > 0.2 * clip.fps:
                quarter = (stop - start) // 3
                assert toes[start + quarter : stop - quarter, side].min() > 0.008


def test_knees_neither_lock_nor_fold_nor_snap(clip):
    bend = knees(clip)
    assert bend.min() > 2.5
    assert bend.max() < 80
    speed = np.abs(np.diff(bend, axis=1)) * clip.fps
    assert speed.max() < 800


def test_limbs_keep_clear_of_each_other(clip):
    assert self_contact(clip).depth.max() < 0.010


def test_no_joint_turns_further_than_anatomy_lets_it(clip):
    limits = {clip.skeleton.index(name): limit for name, limit in performer_limits().items()}
    assert np.degrees(limit_excess(limits, clip.local_rotations).max()) < 1.0


def test_joints_turn_smoothly(clip):
    turned = quat.angle_between(clip.local_rotations[1:], clip.local_rotations[:-1]) * clip.fps
    assert np.degrees(turned.max()) < 900
    upper = [clip.skeleton.role(role) for role in ("hips", "chest", "head", "left_shoulder", "right_clavicle")]
    assert np.degrees(turned[:, upper].max()) < 250


def test_the_body_faces_where_it_goes_and_the_head_is_level(clip):
    ahead = quat.rotate(clip.world.rotations[:, clip.skeleton.role("head")], np.array([1.0, 0.0, 0.0]))
    up = quat.rotate(clip.world.rotations[:, clip.skeleton.role("head")], np.array([0.0, 0.0, 1.0]))
    facing = clip.planar_poses[:, 2]
    look = angles.difference(np.arctan2(ahead[:, 1], ahead[:, 0]), facing)
    assert np.degrees(np.abs(look).max()) < 45
    assert np.degrees(np.arccos(up[:, 2]).max()) < 20


def test_the_demo_call_gives_four_seconds_at_the_speed_asked_for():
    clip = walk(speed=1.35, duration=4.0, seed=7)
    assert len(clip) == 241 and clip.fps == 60
    assert clip.label("walk").all()
    moved = clip.root_positions[-1] - clip.root_positions[0]
    assert moved[0] == pytest.approx(1.35 * 4.0, abs=0.05)
    assert abs(moved[1]) < 0.1
    assert clip.contact_heights.max() == 0.0


def test_a_walk_to_standing_ends_at_the_end_of_its_path_and_is_still():
    clip = walk(path=[(0, 0), (5, 0), (5, 4)], speed=1.2, start="standing", end="standing", seed=2)
    np.testing.assert_allclose(clip.root_positions[0, :2], [0, 0], atol=0.04)
    np.testing.assert_allclose(clip.root_positions[-1, :2], [5, 4], atol=0.06)
    assert clip.planar_poses[-1, 2] == pytest.approx(np.pi / 2, abs=0.12)
    assert clip.contacts[0].all() and clip.contacts[-1].all()
    still = np.linalg.norm(np.diff(clip.root_positions[-20:], axis=0), axis=1) * clip.fps
    assert still.max() < 0.08


def test_the_weight_shifts_to_the_standing_foot_before_the_first_step():
    clip = walk(
        path=[(0, 0), (5, 0)], speed=1.2, start="standing", seed=1, first="left", style=replace(NEUTRAL, life=0.0)
    )
    leaves = int(np.argmin(clip.contacts[:, 1]))
    shift = clip.root_positions[leaves, 1] - clip.root_positions[0, 1]
    assert -0.09 < shift < -0.015, "the left foot leaves, so the hips go right"


def test_the_same_seed_gives_the_same_walk_and_another_seed_another():
    a, b, c = (walk(speed=1.2, duration=3.0, seed=s) for s in (1, 1, 2))
    assert np.array_equal(a.local_rotations, b.local_rotations) and np.array_equal(a.root_positions, b.root_positions)
    assert not np.array_equal(a.root_positions, c.root_positions)
    d, e = (walk(speed=1.2, duration=3.0, seed=np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(d.root_positions, e.root_positions)


def test_no_two_strides_are_alike_unless_life_is_taken_away():
    def stride_spread(style):
        clip = walk(speed=1.2, duration=12.0, seed=3, style=style, fps=240.0)
        landings = [r for r in find_runs(clip.contacts[:, 0])[0] if r > 0]
        frames = np.arange(160)
        return np.std([knees(clip)[0, s + frames] for s in landings[:8]], axis=0).mean()

    assert stride_spread(NEUTRAL) > 0.3
    assert stride_spread(replace(NEUTRAL, life=0.0)) < 0.25 * stride_spread(NEUTRAL)


@pytest.mark.parametrize(
    ("speed", "rise", "sway"),
    [(0.7, (12, 40), (30, 95)), (1.0, (18, 48), (25, 85)), (1.35, (24, 55), (20, 75)), (1.7, (26, 60), (18, 65))],
)
def test_the_hips_rise_and_sway_as_in_published_walks(speed, rise, sway):
    clip = walk(speed=speed, duration=12.0, seed=4)
    stride = round(2 * 60 / np.sqrt(60 * speed / 0.0063) * 60)
    rises, sways = (
        [np.ptp(clip.root_positions[i : i + stride, axis]) * 1e3 for i in range(60, len(clip) - stride, stride)]
        for axis in (2, 1)
    )
    assert rise[0] < np.mean(rises) < rise[1]
    assert sway[0] < np.mean(sways) < sway[1]


@pytest.mark.parametrize("speed", [0.7, 1.7])
def test_joint_ranges_are_those_of_people(speed):
    clip = walk(speed=speed, duration=12.0, seed=4, style=replace(NEUTRAL, life=0.0))
    bend = knees(clip)[0]
    assert 45 <= np.ptp(bend) <= 72
    places, skeleton = clip.world.positions, clip.skeleton
    thigh = places[:, skeleton.role("left_knee")] - places[:, skeleton.role("left_hip")]
    assert 35 <= np.ptp(np.degrees(np.arctan2(thigh[:, 0], -thigh[:, 2]))) <= 62
    arm = places[:, skeleton.role("left_elbow")] - places[:, skeleton.role("left_shoulder")]
    swing = np.degrees(np.arctan2(arm[:, 0], -arm[:, 2]))
    assert 8 <= np.ptp(swing) <= 45
    assert swing.mean() < 0, "arms swing behind the vertical in the mean"


def test_arms_swing_with_the_opposite_leg():
    clip = walk(speed=1.3, duration=10.0, seed=4, style=replace(NEUTRAL, life=0.0))
    places, skeleton = clip.world.positions, clip.skeleton
    root = places[:, 0, 0]
    hand, ankle = (places[:, skeleton.role(role), 0] - root for role in ("left_wrist", "left_ankle"))
    assert np.corrcoef(hand, ankle)[0, 1] < -0.8


def test_contact_detection_finds_the_feet_of_a_performer_where_they_are():
    clip = walk(speed=1.2, duration=8.0, seed=4)
    floor = find_ground(clip)
    assert abs(floor.height) < 0.01
    bare = replace(clip, contacts=np.zeros_like(clip.contacts))
    found = stance(detect_contacts(bare))
    assert (found == stance(clip)).mean() > 0.85


def test_styles_differ_as_their_names_say():
    tired, neutral, brisk = (walk(speed=1.1, duration=6.0, seed=1, style=s) for s in ("tired", "neutral", "brisk"))

    def lean(clip):
        up = quat.rotate(clip.world.rotations[:, clip.skeleton.role("chest")], np.array([0.0, 0.0, 1.0]))
        return np.degrees(np.arcsin(up[:, 0])).mean()

    def reach(clip):
        return np.ptp(clip.world.positions[:, clip.skeleton.role("left_wrist"), 0] - clip.root_positions[:, 0])

    assert lean(tired) > lean(neutral) + 5
    assert reach(tired) < reach(neutral) < reach(brisk)
    assert set(STYLES) == {"tired", "neutral", "brisk"}


def test_making_minutes_of_motion_takes_no_loop_over_frames():
    from time import perf_counter

    def seconds(duration):
        best = np.inf
        for _ in range(3):
            start = perf_counter()
            walk(speed=1.2, duration=duration, seed=1)
            best = min(best, perf_counter() - start)
        return best

    seconds(2.0)
    assert seconds(80.0) < 40 * seconds(4.0), "cost grows at most as the length does, with grace"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"speed": -1.0, "duration": 3.0}, r"speed must be 0.40 to 2.00 m/s.*got -1"),
        ({"speed": 3.0, "duration": 3.0}, "speed must be"),
        ({"speed": float("nan"), "duration": 3.0}, "finite"),
        ({"speed": 1.0}, "needs a path or a duration"),
        ({"speed": [(0, 1.0), (2, 1.2)], "path": [(0, 0), (5, 0)]}, "needs a duration"),
        ({"speed": [(2, 1.0), (1, 1.2)], "duration": 4.0}, "times that rise"),
        ({"speed": 1.5, "path": circle(0.5)}, r"deg/s at .* m/s; walks turn up to 90 deg/s: slow down to"),
        (
            {"speed": 1.2, "path": [(0, 0), (1, 0)], "start": "standing", "end": "standing"},
            "too short to start or stop",
        ),
        ({"speed": 1.2, "duration": 2.0, "start": "standing", "end": "standing"}, "no room to start and stop"),
        ({"speed": 1.2, "duration": -1.0}, "duration must be"),
        ({"speed": 1.2, "duration": 3.0, "fps": 0.0}, "fps must be 10 to 1000"),
        ({"speed": 1.2, "duration": 3.0, "first": "middle"}, "'left' or 'right'"),
        ({"speed": 1.2, "duration": 3.0, "start": "lying"}, "'walking' or 'standing'"),
        ({"speed": 1.2, "duration": 3.0, "seed": -4}, "seed must be"),
        ({"speed": 1.2, "duration": 3.0, "idle": -1.0}, "idle must be"),
    ],
)
def test_bad_parameters_are_refused_with_what_is_allowed(arguments, words):
    with pytest.raises(InvalidValue, match=words):
        walk(**arguments)


def test_an_unknown_style_is_refused_with_those_that_exist():
    with pytest.raises(UnknownName, match="'tired'"):
        walk(speed=1.0, duration=2.0, style="tyred")
    with pytest.raises(InvalidValue, match=r"Style.knee must be 3 to 40, got 90"):
        Style(knee=90.0)


def test_another_skeleton_is_refused(stick):
    with pytest.raises(InvalidValue, match="performer_skeleton"):
        walk(speed=1.0, duration=2.0, skeleton=stick)


def test_a_clip_that_ends_before_the_first_step_just_stands():
    clip = walk(speed=1.3, duration=0.5, start="standing", idle=3.0, seed=1)
    assert clip.contacts.all()
    assert np.ptp(clip.root_positions, axis=0).max() < 0.01
