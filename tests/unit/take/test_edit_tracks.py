"""Editing takes with tracks, heights, overrides that move roots, and props on tracks: every edit, on every kind."""

from functools import cache

import numpy as np
import pytest

from layout_scenes import clips
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.stage import Prop
from walkon.take import Take, TakeWriter, load_take, save_take
from walkon.take.editing.editing import cut, delete, duplicate, merge, move, shift, swap_body
from walkon.take.posing.props import prop_poses
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

KINDS = ("disc", "bird", "climber", "swayer")
FLIGHT = Track(times=[0.3, 1.0, 2.5], places=[[0, 0, 2], [2, 1, 3], [4, -1, 2]], headings=[0.1, 0.5, -0.4])
TIMES = np.linspace(0.35, 2.45, 22)


@cache
def things() -> Take:
    """A disc, a clip along a track, a walker on a height curve, one whose root is moved; a cart on a track."""
    slow, fast = clips()
    writer = TakeWriter()
    body = writer.add_body(Body.of(slow.skeleton))
    disc, bird, climber, swayer = (writer.add_character(name, body=body) for name in KINDS)
    writer.follow(disc, FLIGHT, place=(1.0, -2.0, 0.6))
    writer.follow(bird, FLIGHT, clip=fast, place=(-3.0, 1.0, -0.4))
    writer.perform(climber, slow, start=0.2, stop=2.8, place=(2.0, 3.0, 0.5))
    writer.lift(climber, [0.5, 1.2, 2.4], [0.5, 1.1, 0.8])
    writer.perform(swayer, slow, start=0.1, stop=2.9, place=(-2.0, -3.0, 2.0))
    offsets = 0.03 * np.sin(np.arange(93.0)).reshape(31, 3)
    neck = quat.about([0.0, 0.0, 1.0], np.linspace(0, 0.5, 31))
    writer.override(swayer, {"Neck": neck}, start=0.8, rate=30.0, root=offsets, added=True)
    turned = quat.multiply(quat.turn(2.0), quat.about([0.0, 1.0, 0.0], np.linspace(0.0, 0.2, 11)))
    writer.override(swayer, {"Hips": turned}, start=2.0, rate=20.0)
    writer.ride(writer.add_prop(Prop(name="cart")), FLIGHT)
    return writer.close()


def joints(take, who, times):
    poses = take.sample(times, characters=[take.character(who)])
    assert poses.present.all()
    return poses.positions[:, 0], poses.rotations[:, 0]


def same(one, two, atol=1e-9):
    J = min(one[0].shape[1], two[0].shape[1])  # bodies that only follow tracks have one joint
    far = np.abs(one[0][:, :J] - two[0][:, :J]).max()
    return far < atol and quat.angle_between(one[1][:, :J], two[1][:, :J]).max() < max(atol, 1e-6)


@pytest.mark.parametrize("who", KINDS)
def test_a_move_moves_it_and_nobody_else(who):
    take, by = things(), (1.5, -2.0, 0.8)
    there = move(take, who, by, pivot=(0.5, 0.5), audit=False).take
    turn = np.array([0.0, 0.0, by[2]])
    slide = np.array([0.5, 0.5]) + by[:2] - planar.apply(turn, np.array([0.5, 0.5]))
    G = np.array([*slide, by[2]])
    places, turns = joints(take, who, TIMES)
    wanted = planar.apply_3d(G, places.reshape(-1, 3)).reshape(places.shape), quat.multiply(quat.turn(by[2]), turns)
    assert same(joints(there, who, TIMES), wanted, atol=2e-4 if who == "swayer" else 2e-6)
    for other in KINDS:
        assert other == who or same(joints(there, other, TIMES), joints(take, other, TIMES))


@pytest.mark.parametrize("who", KINDS)
def test_a_shift_does_the_same_later(who):
    later = shift(things(), who, 1.25, audit=False).take
    assert same(joints(later, who, TIMES + 1.25), joints(things(), who, TIMES), atol=1e-6)


@pytest.mark.parametrize("who", KINDS)
def test_a_cut_poses_as_before(who):
    part = cut(things(), 0.9, 2.1, audit=False).take
    inside = TIMES[(TIMES > 0.9) & (TIMES < 2.1)]
    assert same(joints(part, who, inside), joints(things(), who, inside), atol=1e-12)
    assert not part.sample([0.8, 2.2]).present.any()
    found, before = prop_poses(part, inside), prop_poses(things(), inside)
    np.testing.assert_allclose(found.positions, before.positions, atol=1e-9)


@pytest.mark.parametrize("who", KINDS)
def test_deleting_others_leaves_it_as_it_is_and_nothing_of_theirs(who):
    others = [name for name in KINDS if name != who]
    alone = delete(things(), others, audit=False).take
    assert same(joints(alone, who, TIMES), joints(things(), who, TIMES), atol=1e-12)
    assert len(alone.tracks) == 1 + (who in ("disc", "bird"))  # the cart's is left
    assert (len(alone.heights), len(alone.overrides)) == (3 * (who == "climber"), 2 * (who == "swayer"))
    assert (len(alone.override_roots), len(alone.override_joints)) == ((31, 2) if who == "swayer" else (0, 0))
    np.testing.assert_allclose(prop_poses(alone, TIMES).positions, prop_poses(things(), TIMES).positions, atol=1e-12)


@pytest.mark.parametrize("who", KINDS)
def test_a_copy_does_the_same_elsewhere(who):
    both = duplicate(things(), who, name="copy", by=(0.0, 5.0, 0.0), pivot=(0, 0), seconds=0.5, audit=False).take
    places, turns = joints(things(), who, TIMES)
    assert same(joints(both, "copy", TIMES + 0.5), (places + np.array([0.0, 5.0, 0.0]), turns), atol=1e-5)
    assert same(joints(both, who, TIMES), (places, turns))


@pytest.mark.parametrize("who", KINDS)
def test_merged_takes_play_both(who):
    both = merge(things(), things(), shift=0.5, audit=False).take
    assert len(both) == 8
    assert same(joints(both, who, TIMES), joints(things(), who, TIMES), atol=1e-12)
    assert same(joints(both, f"{who}_2", TIMES + 0.5), joints(things(), who, TIMES), atol=1e-6)
    found, alone = prop_poses(both, TIMES), prop_poses(things(), TIMES)
    np.testing.assert_allclose(found.positions[:, 0], alone.positions[:, 0], atol=1e-12)


def test_another_body_follows_the_same_track():
    other = Body.of(things().bodies[0].skeleton.scaled(1.1))
    tall = swap_body(things(), "bird", other, audit=False).take
    places, before = joints(tall, "bird", TIMES)[0], joints(things(), "bird", TIMES)[0]
    assert np.abs(places[:, 0, :2] - before[:, 0, :2]).max() < 1e-6
    assert (places[:, 0, 2] > before[:, 0, 2]).all()


def test_all_of_it_is_read_back_as_it_was_written(tmp_path):
    take = load_take(save_take(things(), tmp_path / "things.take"))
    for who in KINDS:
        assert same(joints(take, who, TIMES), joints(things(), who, TIMES), atol=1e-12)
