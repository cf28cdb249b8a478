"""Tracks in takes: quantized within the error that is stated, fitted within the tolerance that is asked, placed."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import take_scenes as scenes
from walkon._base.errors import InvalidValue
from walkon.geometry.tracks import Track
from walkon.motion.body import Body
from walkon.motion.skeleton import Skeleton
from walkon.take.storing.track_rows import TrackTolerance, fit_tracks, quantize_track, split_track
from walkon.take.storing.writer import TakeWriter
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

DOT = Skeleton(names=["dot"], parents=np.array([-1]), offsets=np.zeros((1, 3)))


def followed(track, **options):
    writer = TakeWriter()
    writer.follow(writer.add_character("it", body=writer.add_body(Body.of(DOT))), track, **options)
    return writer.close()


def random_track(rng, knots=9, reach=20.0, seconds=9.0):
    return Track(
        times=np.sort(rng.uniform(0, seconds, knots)) + 0.05 * np.arange(knots),
        places=rng.uniform(-reach, reach, (knots, 3)),
        headings=np.cumsum(rng.uniform(-2, 2, knots)),
        velocities=rng.normal(size=(knots, 3)),
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_take_follows_a_track_to_half_a_grain(seed):
    track = random_track(np.random.default_rng(seed))
    take = followed(track)
    times = np.linspace(track.times[0], track.times[-1], 300)
    poses, wanted = take.sample(times), track.at(times)
    # Times are off by half a tick, velocities by half a step.
    slow = 20.0 * (track.times[-1] - track.times[0]) / 65535 + 2.0 / 127
    assert np.abs(poses.positions[:, 0, 0] - wanted[:, [0, 1, 3]]).max() < 20 / 65534 * 2 + slow
    assert np.abs(angles.difference(poses.planar[:, 0, 2], wanted[:, 2])).max() < 2e-3


def test_knots_that_are_evenly_spread_are_at_their_times_exactly():
    track = Track(times=5.0 + 0.1 * np.arange(50), places=np.random.default_rng(0).normal(size=(50, 2)))
    made = quantize_track(track)
    assert made.tracks.tick[0] == pytest.approx(0.1, abs=1e-12)
    assert made.knots.step.tolist() == list(range(50))
    assert made.tracks.speed_grain[0] == 0.0


def test_rotations_are_those_of_the_track():
    rng = np.random.default_rng(3)
    track = scenes.flight(rng)
    times = np.linspace(track.times[0], track.times[-1], 50)
    poses = followed(track).sample(times)
    assert quat.angle_between(poses.rotations[:, 0, 0], track.at(times)[:, 3:]).max() < 0.02
    at_knots = followed(track).sample(track.times)
    assert quat.angle_between(at_knots.rotations[:, 0, 0], track.rotations).max() < np.deg2rad(0.05)


def test_a_long_way_is_cut_into_parts_that_are_exact_enough():
    rng = np.random.default_rng(1)
    ways = np.cumsum(rng.normal(scale=30.0, size=(400, 3)), axis=0)
    track = Track(times=np.arange(400.0), places=ways)
    parts = split_track(track, error_m=0.002)
    assert len(parts) > 4
    assert all(a.times[-1] == b.times[0] for a, b in pairwise(parts))
    take = followed(track)
    assert len(take.segments) == len(parts)
    times = rng.uniform(0, 399, 500)
    assert np.abs(take.sample(times).positions[:, 0, 0] - track.at(times)).max() < 0.003
    assert len(followed(track, error=1.0).segments) == 1


def test_a_clip_plays_in_the_frame_of_its_track():
    """The root is place ∘ track ∘ clip, and the other joints are as in the clip."""
    arm = scenes.waving()
    track = scenes.flight(np.random.default_rng(5))
    writer = TakeWriter()
    who = writer.add_character("bird", body=writer.add_body(Body.of(arm.skeleton)))
    place = (3.0, -2.0, 0.7)
    writer.follow(who, track, clip=arm, place=place, clip_start=0.1, rate=0.5)
    take = writer.close()
    for t in np.linspace(track.times[0], track.times[-1], 9)[1:-1]:
        frame = (0.1 + 0.5 * (t - track.times[0])) * arm.fps
        low, part = int(frame), frame - int(frame)
        own = (1 - part) * arm.root_positions[low] + part * arm.root_positions[low + 1]
        x, y, z, *turn = track.at(t)
        root = planar.apply_3d(np.array(place), (np.array([x, y, z]) + quat.rotate(np.array(turn), own))[None])[0]
        np.testing.assert_allclose(take.pose(t).positions[0, 0], root, atol=2e-3)
        local = quat.slerp(
            arm.local_rotations[low, 1:], arm.local_rotations[low + 1, 1:], np.full(len(arm.skeleton) - 1, part)
        )
        assert quat.angle_between(take.pose(t).local_rotations[0, 1:], local).max() < 1e-3


def test_where_a_take_says_nothing_somebody_is_absent_and_a_track_stays_within_its_segment():
    track = Track(times=[0.0, 1.0], places=[[0.0, 0.0], [1.0, 0.0]])
    take = followed(track, start=0.2, stop=0.8)
    assert take.sample([0.1, 0.2, 0.8, 0.9]).present[:, 0].tolist() == [False, True, True, False]
    np.testing.assert_allclose(take.pose(0.2).positions[0, 0, 0], 0.2, atol=1e-4)


# Crowds


def steered(rng, count, steps, rate=10.0):
    """Agents that turn and change speed smoothly: places, headings, velocities, time first."""
    heading = rng.uniform(-np.pi, np.pi, count) + np.cumsum(
        np.cumsum(rng.normal(scale=0.02, size=(steps, count)), axis=0) * 0.3, axis=0
    )
    speed = np.clip(1.2 + np.cumsum(rng.normal(scale=0.02, size=(steps, count)), axis=0), 0.0, 1.8)
    velocity = speed[..., None] * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    places = np.cumsum(velocity / rate, axis=0) + rng.uniform(-100, 100, (count, 2))
    height = 0.2 * np.sin(0.3 * places[..., :1])
    rise = np.gradient(height, 1 / rate, axis=0)
    return np.concatenate([places, height], axis=-1), heading, np.concatenate([velocity, rise], axis=-1)


@pytest.mark.parametrize("seed", [101, 102, 103])
def test_every_sample_of_a_fitted_crowd_is_within_the_tolerance(seed):
    rng = np.random.default_rng(seed)
    places, headings, velocities = steered(rng, 40, 300)
    writer = TakeWriter()
    rows = writer.add_characters([str(k) for k in range(40)], body=writer.add_body(Body.of(DOT)))
    writer.add_trajectories(rows, places, start=3.0, rate=10.0, headings=headings, velocities=velocities)
    take = writer.close()
    times = 3.0 + np.arange(300) / 10
    poses = take.sample(times)
    off = poses.positions[:, :, 0] - places
    tolerance = TrackTolerance()
    assert np.linalg.norm(off[..., :2], axis=-1).max() <= tolerance.place_m + 1e-6
    assert np.abs(off[..., 2]).max() <= tolerance.height_m + 1e-6
    assert np.abs(angles.difference(poses.planar[..., 2], headings)).max() <= tolerance.heading_rad + 1e-6
    h = 1e-4
    speed = (take.sample(times[1:-1] + h).positions - take.sample(times[1:-1] - h).positions)[:, :, 0] / (2 * h)
    assert np.linalg.norm(speed - velocities[1:-1], axis=-1).max() <= tolerance.speed_m_s + 0.02
    assert len(take.track_knots) < 0.35 * places[..., 0].size


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 60))
def test_fitting_keeps_first_and_last_and_rises(seed, steps):
    places, headings, velocities = steered(np.random.default_rng(seed), 5, steps)
    made = fit_tracks(places, headings, velocities, rate=10.0)
    for first, stop in made.tracks.knots.tolist():
        step = made.knots.step[first:stop].astype(int)
        assert step[0] == 0 and step[-1] == steps - 1
        assert (np.diff(step) > 0).all()


def test_who_stands_still_needs_two_knots():
    made = fit_tracks(np.ones((600, 3, 2)), np.zeros((600, 3)), rate=10.0)
    assert (np.diff(made.tracks.knots, axis=1) == 2).all()


def test_the_order_of_agents_and_threads_change_nothing(monkeypatch):
    places, headings, velocities = steered(np.random.default_rng(7), 30, 100)
    order = np.random.default_rng(8).permutation(30)
    one = fit_tracks(places, headings, velocities, rate=10.0)
    monkeypatch.setenv("WALKON_THREADS", "1")
    two = fit_tracks(places[:, order], headings[:, order], velocities[:, order], rate=10.0)
    for new, old in enumerate(order.tolist()):
        (a, b), (c, d) = one.tracks.knots[old], two.tracks.knots[new]
        for name, values in one.knots.columns.items():
            np.testing.assert_array_equal(values[a:b], two.knots.columns[name][c:d])


# What cannot be


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda w: w.follow("it", Track(times=[0.0], places=[[0.0, 0.0]])), "at least two knots, got 1"),
        (
            lambda w: w.follow("it", Track(times=[0.0, 2.0], places=[[0.0, 0.0], [1.0, 0.0]]), stop=3.0),
            "has knots from 0 to 2 s, but is needed from 0 to 3 s",
        ),
        (lambda w: w.follow("it", Track(times=[1.0, 1.0], places=[[0.0, 0.0]] * 2)), "increasing times"),
        (lambda w: w.follow("it", Track(times=[0.0, 1e-6, 9e4], places=[[0.0, 0.0]] * 3)), "too close"),
        (lambda w: w.follow("it", Track(times=[0.0, 1.0], places=[[0.0, 0.0]] * 2), clip=7), "the clip of a segment"),
        (lambda w: w.glide("it", np.zeros((3, 5)), start=0.0, rate=1.0), "5 numbers each"),
        (lambda w: w.add_trajectories([0], np.zeros((3, 2, 2)), start=0.0, rate=1.0), "1 characters, 2 or 3"),
        (lambda w: w.add_trajectories([0], np.full((3, 1, 2), np.nan), start=0.0, rate=1.0), "must be finite"),
        (lambda w: w.add_trajectories([4], np.zeros((3, 1, 2)), start=0.0, rate=1.0), "the character of a segment"),
        (lambda w: w.lift("it", [1.0, 1.0], [0.0, 0.0]), "rising times"),
        (lambda w: w.lift("it", [1.0], [0.0, 2.0]), "heights must have shape"),
        (lambda w: w.lift("nobody", [1.0], [0.0]), "no character 'nobody'"),
    ],
)
def test_bad_input_is_refused_with_a_sentence_and_the_writer_goes_on(spoil, words):
    writer = TakeWriter()
    writer.add_character("it", body=writer.add_body(Body.of(DOT)))
    with pytest.raises((InvalidValue, ValueError, KeyError), match=words):
        spoil(writer)
    writer.follow("it", Track(times=[0.0, 1.0], places=[[0.0, 0.0], [1.0, 0.0]]))
    take = writer.close()
    assert (len(take.tracks), len(take.track_knots), len(take.segments)) == (1, 2, 1)


# Heights


def test_heights_lift_roots_and_plants_alike():
    """The lifting law: the same walk 3 m up is the same walk, 3 m up."""
    moves, place = [(0.02, 0.0, 0.05)] * 4, (1.0, 2.0, 0.5)
    low, high = scenes.one_walker(moves=moves, place=place), scenes.one_walker(moves=moves, place=(*place, 3.0))
    times = np.linspace(low.start, low.stop, 40)
    a, b = low.sample(times), high.sample(times)
    assert np.abs(b.positions - a.positions - [0.0, 0.0, 3.0]).max() < 1e-6
    for point in ("heel", "ball"):
        planted = np.diff(low.stances.columns[point], axis=1)[:, 0] > 0
        up = (high.stances.columns[f"{point}_place"] - low.stances.columns[f"{point}_place"])[planted]
        np.testing.assert_allclose(up, np.tile([0.0, 0.0, 3.0], (len(up), 1)), atol=1e-6)


def test_a_height_curve_is_smooth_and_stays_before_and_after():
    writer = TakeWriter()
    clip = scenes.waving()
    who = writer.add_character("arm", body=writer.add_body(Body.of(clip.skeleton)))
    writer.perform(who, clip, start=0.0)
    writer.lift(who, [0.5, 1.0, 1.5], [1.0, 2.0, 1.5], slopes=[0.0, 1.0, 0.0])
    take = writer.close()
    times = np.linspace(0.0, 2.0, 401)
    up = take.sample(times).positions[:, 0, 0, 2] - clip.root_positions[0, 2]
    np.testing.assert_allclose(up[times <= 0.5], 1.0, atol=1e-6)
    np.testing.assert_allclose(up[times >= 1.5], 1.5, atol=1e-6)
    np.testing.assert_allclose(up[np.isclose(times, 1.0)], 2.0, atol=1e-6)
    assert np.abs(np.diff(up, n=2)).max() < 0.001  # no kink: slopes go on through knots


# Overrides


def test_a_root_that_is_moved_leaves_planted_feet_where_they_are():
    def walker(root):
        writer = TakeWriter()
        clip = scenes.standing()
        who = writer.add_character("ann", body=writer.add_body(Body.of(clip.skeleton)))
        writer.perform(who, clip, start=0.0, stop=2.0)
        if root is not None:
            writer.override(who, start=0.5, rate=10.0, root=np.tile(root, (11, 1)), fade_in=0.2, fade_out=0.2)
        return writer.close()

    plain, moved = walker(None), walker((0.03, 0.02, -0.06))
    a, b = plain.pose(1.0), moved.pose(1.0)
    np.testing.assert_allclose(b.positions[0, 0] - a.positions[0, 0], (0.03, 0.02, -0.06), atol=2e-3)
    times = np.linspace(0.1, 1.9, 60)
    feet = scenes.contact_points(moved, moved.sample(times))[:, 0]
    assert np.ptp(feet, axis=0).max() < 1e-4
    assert moved.sample(times).missed.max() < 1e-9


def test_rotations_that_are_added_come_on_top_of_the_clips():
    def waver(**options):
        writer = TakeWriter()
        clip = scenes.waving()
        who = writer.add_character("arm", body=writer.add_body(Body.of(clip.skeleton)))
        writer.perform(who, clip, start=0.0)
        if options:
            writer.override(who, start=0.0, rate=10.0, fade_in=0.0, fade_out=0.0, **options)
        return writer.close().sample([0.3, 0.9]).local_rotations[:, 0]

    turn = quat.about([0.0, 0.0, 1.0], 0.4)
    plain, added = waver(), waver(joints={"upper": np.tile(turn, (15, 1))}, added=True)
    upper = list(scenes.robot_arm().names).index("upper")
    assert quat.angle_between(added[:, upper], quat.multiply(plain[:, upper], turn)).max() < 1e-3
