"""Posing: the kernel is its NumPy twin in everything a take can hold, and says plainly who is not there."""

from dataclasses import replace

import numpy as np
import pytest

import take_scenes as scenes
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.take import TakeWriter
from walkon.take.posing.posing import Poses, pose_pairs
from walkon.take.posing.posing_numpy import pose_numpy
from walkon.take.tables import Characters, Drops, Stances, Warps
from walkon.take.take import Take
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

ROUNDING = 1e-9


def assert_same(found: Poses, wanted: Poses) -> None:
    for name in ("presence", "segments", "contacts", "bodies", "hand_shapes"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
    there = found.present
    assert np.isnan(found.positions[~there]).all()
    assert np.isnan(wanted.positions[~there]).all()
    assert np.abs(found.positions - wanted.positions)[there].max(initial=0.0) < ROUNDING
    a, b = found.rotations[there], wanted.rotations[there]
    apart = np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))
    assert apart.max(initial=0.0) < ROUNDING
    for name in ("missed", "hands_missed", "hand_weights"):
        assert np.abs(getattr(found, name) - getattr(wanted, name)).max(initial=0.0) < ROUNDING, name


@pytest.mark.parametrize("legs", [True, False], ids=["planted", "the clips' own legs"])
@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_is_its_twin(seed: int, legs: bool) -> None:
    rng = np.random.default_rng(seed)
    take = scenes.every_feature(rng)
    when = scenes.interesting_times(take, rng, 50)
    who = rng.integers(0, len(take), len(when))
    assert_same(pose_pairs(take, who, when, legs=legs), pose_numpy(take, who, when, legs=legs))


def test_the_kernel_is_its_twin_in_hand_made_stances(rng: np.random.Generator) -> None:
    """Heel alone, ball alone, both, neither, abutting rows, toes that bend, drops twice at a step, hidden times."""
    take = scenes.one_walker(moves=[(0.03, 0.02, 0.05)] * 4)
    rows = []
    for foot in range(2):
        t = 0.1 + 0.05 * foot
        for kind in ("both", "heel", "ball", "abuts", "both", "ball"):
            stop = t + 0.3
            heel = {"both": (0.0, 0.2), "abuts": (0.1, 0.25), "heel": (0.0, 0.3), "ball": (0.0, 0.0)}[kind]
            ball = {"both": (0.1, 0.3), "abuts": (0.0, 0.2), "heel": (0.0, 0.0), "ball": (0.0, 0.3)}[kind]
            small = {
                name: rng.normal(0.0, 0.05, 3)
                for name in ("turn_in", "turn_out", "shift_in", "shift_out", "rate_in", "rate_out")
            }
            at = scenes.root_of(scenes.walking(), t, (0.0, 0.0, 0.0))
            heel_place = np.append(at, 0.0) + rng.normal(0, 0.03, 3)
            rows.append(
                Stances.filled(
                    1,
                    foot=foot,
                    start=t,
                    stop=stop,
                    heel=heel,
                    ball=ball,
                    heel_place=heel_place,
                    ball_place=heel_place + np.array([0.19, 0.01, 0.0]),
                    toe_in=rng.normal(0, 0.1),
                    toe_out=rng.normal(0, 0.1),
                    **small,
                )
            )
            t = stop if kind in ("heel", "ball", "both") and rng.random() < 0.6 else stop + 0.11
    steps = rng.integers(0, 25, 12)
    take = replace(
        take,
        stances=Stances.joined(rows),
        drops=Drops.filled(12, step=steps, drop=rng.uniform(0, 0.03, 12)),
        characters=take.characters.with_columns(drop_start=[0.037], enter=[0.2], leave=[2.6]),
    )
    when = np.concatenate([rng.uniform(0.0, 2.8, 400), scenes.interesting_times(take, rng, 40), [0.2, 2.6]])
    who = np.zeros(len(when), np.int64)
    poses = pose_pairs(take, who, when)
    assert_same(poses, pose_numpy(take, who, when))
    held = {tuple(row) for row in poses.contacts[:, :2].tolist()}
    assert held == {(False, False), (True, False), (False, True), (True, True)}
    assert (poses.presence == 0).any()


def test_a_plain_clip_is_the_clip() -> None:
    clip = scenes.walking()
    writer = TakeWriter()
    writer.perform(writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton))), clip, start=0.5)
    take = writer.close()
    stored = take.clip(0)
    poses = take.sample(0.5 + clip.times, characters=[0])
    assert np.abs(poses.positions[:, 0] - stored.world.positions).max() < 2e-4  # plants take out the rounding of angles
    assert np.abs(poses.positions[:, 0] - clip.world.positions).max() < 3e-4  # 0.009 degrees in a chain of joints
    assert quat.angle_between(poses.local_rotations[:, 0], clip.local_rotations).max() < np.radians(0.05)
    bare = replace(take, stances=Stances(), drops=Drops()).sample(0.5 + clip.times)
    assert np.abs(bare.positions[:, 0] - stored.world.positions).max() < 1e-9
    assert np.array_equal(bare.contacts[:, 0], clip.contacts)
    assert np.abs(angles.difference(poses.planar[:, 0, 2], clip.planar_poses[:, 2])).max() < 1e-3


def test_between_frames_roots_move_evenly() -> None:
    clip = scenes.walking()
    take = scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 3)
    t = np.array([0.5, 0.5 + 0.25 / 60, 0.5 + 0.5 / 60, 0.5 + 1 / 60])
    x = take.sample(t).positions[:, 0, 0, 0]
    assert x[1] - x[0] == pytest.approx((x[3] - x[0]) / 4, abs=1e-9)
    assert x[2] - x[0] == pytest.approx((x[3] - x[0]) / 2, abs=1e-9)
    assert x[0] == pytest.approx(clip.root_positions[30, 0], abs=1e-6)


def test_absent_characters_are_not_a_number_and_say_so() -> None:
    take = scenes.every_feature(np.random.default_rng(0))
    poses = take.pose(take.stop + 1.0)
    assert not poses.present.any()
    assert np.isnan(poses.positions).all()
    assert np.isnan(poses.rotations).all()
    assert (poses.segments == -1).all()
    assert not poses.contacts.any()
    assert not poses.missed.any()


def test_the_later_of_two_abutting_segments_begins_at_its_start() -> None:
    take = scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 3, seconds=0.5)
    assert take.sample([0.0, 0.499, 0.5, 1.0, 1.5]).segments[:, 0].tolist() == [0, 0, 1, 2, 2]
    assert take.pose(1.5).present.all()
    assert not take.pose(np.nextafter(1.5, 2.0)).present.any()


def test_a_disc_stands_at_rest_on_its_track() -> None:
    writer = TakeWriter()
    body = Body.of(scenes.walking().skeleton)
    who = writer.add_character("far", body=writer.add_body(body), scale=0.9)
    writer.glide(who, [(0, 0, 3.0), (1, 0, 3.2), (1, 2, -3.0)], start=1.0, rate=2.0)
    take = writer.close()
    poses = take.sample([1.0, 1.25, 1.5, 2.0])
    assert (poses.presence == 2).all()
    assert np.allclose(poses.planar[:, 0, :2], [(0, 0), (0.5, 0), (1, 0), (1, 2)], atol=2e-5)
    assert np.abs(angles.difference(poses.planar[:, 0, 2], [3.0, 3.1, 3.2, -3.0])).max() < 1e-4
    feet = body.skeleton.rest_positions[body.skeleton.contact_joints] + body.skeleton.contact_offsets
    root = 0.9 * (body.skeleton.rest_positions[0, 2] - feet[:, 2].min())
    np.testing.assert_allclose(poses.positions[..., 0, 2], root, atol=1e-9)
    assert poses.positions.shape[2] == 1  # nobody plays a clip: no joints are posed
    assert not poses.contacts.any()


def test_a_smaller_body_in_the_same_take_ends_at_its_root() -> None:
    take = scenes.every_feature(np.random.default_rng(0))
    who = take.character("arm")
    poses = take.sample([0.5, 1.0], characters=[who])
    count = len(scenes.robot_arm())
    assert np.array_equal(poses.positions[:, 0, count:], np.broadcast_to(poses.positions[:, 0, :1], (2, 18, 3)))
    assert poses.planar.shape == (2, 1, 3)


def test_a_body_without_legs_is_warped_and_never_sinks() -> None:
    writer = TakeWriter()
    who = writer.add_character("arm", body=writer.add_body(Body.of(scenes.robot_arm())))
    writer.perform(who, scenes.waving(), start=0.0, warp=Warps.filled(1, offsets=[[[0, 0, 0], [0.3, 0.2, 0.5]]]))
    other = writer.add_character("ann", body=writer.add_body(Body.of(scenes.walking().skeleton)))
    scenes.walk_in_pieces(writer, other, scenes.walking(), moves=[(0.05, 0.05, 0.1)] * 3)
    take = writer.close()
    assert not (take.drops.character == who).any()
    assert np.abs(take.sample(np.linspace(0, 2, 50)).positions[:, 0, 0, 2] - 0.4).max() < 1e-6


def test_longer_legs_stand_higher_and_scale_multiplies_strides() -> None:
    clip = scenes.walking()
    plain = scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 4)
    tall = scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 4, body=scenes.slender(clip.skeleton))
    large = scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 4, scale=1.1)
    t = np.linspace(0.0, 2.8, 30)
    roots = {name: take.sample(t).positions[:, 0, 0] for name, take in (("1", plain), ("t", tall), ("l", large))}
    assert np.allclose(roots["l"], 1.1 * roots["1"], atol=1e-5)
    assert np.allclose(roots["t"][:, :2], roots["1"][:, :2], atol=1e-9)
    # Legs 1.10 times as long, on feet of the same height, that come down a little to reach their plants.
    assert 1.05 < (roots["t"][:, 2] / roots["1"][:, 2]).mean() < 1.11


@pytest.mark.parametrize("seconds", [20.1, 77.7, 123.456, 200.3, 333.33])
def test_long_stances_hold_to_their_last_moment(seconds: float) -> None:
    """Ends of contacts are float32 seconds after the start: far from it they are microseconds off."""
    clip = scenes.standing()
    only_balls = np.array(clip.contacts)
    only_balls[:, [0, 2]] = False
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(who, replace(clip, contacts=only_balls), start=1 / 3, stop=1 / 3 + seconds, rate=2.9 / seconds)
    take = writer.close()
    ends = np.unique(np.concatenate([take.stances.start, take.stances.stop]))
    t = np.clip(np.concatenate([ends, ends - 1e-6, ends + 1e-6, [1.0]]), take.start, take.stop)
    poses = take.sample(t)
    ankles = poses.positions[:, 0, clip.skeleton.role("left_ankle")]
    assert np.ptp(ankles, axis=0).max() < 1e-3
    assert poses.missed.max() == 0.0


def test_wrong_times_and_characters_are_refused() -> None:
    take = scenes.one_walker(moves=[(0.0, 0.0, 0.0)])
    for times in ([np.nan], [[0.0]], [np.inf]):
        with pytest.raises(InvalidValue, match="times must be a list of finite seconds"):
            take.sample(times)
    for rows in ([1], [-1], [0.5]):
        with pytest.raises(InvalidValue, match="characters must be rows 0 to 0"):
            take.sample([0.0], characters=rows)


def test_an_empty_take_poses_nobody() -> None:
    poses = Take().pose(0.0)
    assert poses.positions.shape[0] == 0
    nobody = Take(
        names=("a",), characters=Characters.filled(1, scale=1, stride=1), bodies=(Body.of(scenes.robot_arm()),)
    )
    assert not nobody.pose(0.0).present.any()
