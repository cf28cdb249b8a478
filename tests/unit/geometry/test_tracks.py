"""Tracks: knots are met, motion between them is straight or smooth, and placing commutes with asking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkon._base.errors import InvalidShape, InvalidValue
from walkon.geometry.tracks import Track, Trajectories
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

ROUNDING = 1e-9


def random_track(seed, *, space, facing, smooth):
    rng = np.random.default_rng(seed)
    K, D = 6, 3 if space else 2
    return Track(
        times=np.cumsum(rng.uniform(0.2, 2.0, K)),
        places=rng.normal(size=(K, D)),
        headings=rng.uniform(-9, 9, K) if facing == "heading" else None,
        rotations=quat.normalize(rng.normal(size=(K, 4))) if facing == "rotation" else None,
        velocities=rng.normal(size=(K, D)) if smooth else None,
    )


kinds = st.tuples(st.booleans(), st.sampled_from(["", "heading", "rotation"]), st.booleans()).filter(
    lambda kind: kind[0] or kind[1] != "rotation"
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), kinds)
def test_knots_are_met_and_it_stays_where_it_is_beyond_them(seed, kind):
    track = random_track(seed, space=kind[0], facing=kind[1], smooth=kind[2])
    at = track.at(track.times)
    D = track.places.shape[1]
    if track.headings is None:
        np.testing.assert_allclose(at[:, :D], track.places, atol=ROUNDING)
    else:
        poses = np.column_stack([track.places[:, :2], track.headings, track.places[:, 2:]])
        np.testing.assert_allclose(at, poses, atol=ROUNDING)
    if track.rotations is not None:
        assert quat.angle_between(at[:, D:], track.rotations).max() < 1e-6
    ends = track.at([track.times[0] - 5.0, track.times[-1] + 5.0])
    np.testing.assert_allclose(ends, at[[0, -1]], atol=ROUNDING)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), kinds, st.floats(-3, 3))
def test_a_track_that_is_placed_is_where_the_places_are_moved_to(seed, kind, heading):
    track = random_track(seed, space=kind[0], facing=kind[1], smooth=kind[2])
    pose, times = np.array([3.0, -2.0, heading, 1.5]), np.linspace(-1.0, 12.0, 40)
    there, here = track.placed(pose).at(times), track.at(times)
    D = track.places.shape[1]
    np.testing.assert_allclose(there[:, :2], planar.apply(pose, here[:, :2]), atol=ROUNDING)
    if track.headings is not None:
        np.testing.assert_allclose(there[:, 2], here[:, 2] + heading, atol=ROUNDING)
    if kind[0]:
        up = 3 if track.headings is not None else 2
        np.testing.assert_allclose(there[:, up], here[:, up] + 1.5, atol=ROUNDING)
    if track.rotations is not None:
        assert quat.angle_between(there[:, D:], quat.multiply(quat.turn(heading), here[:, D:])).max() < 1e-6


def test_with_velocities_it_has_them_at_the_knots_and_a_straight_line_stays_one():
    track = random_track(3, space=True, facing="", smooth=True)
    step = 1e-6
    for k in range(1, len(track) - 1):
        before, here, after = track.at(track.times[k] + np.array([-step, 0.0, step]))
        np.testing.assert_allclose((here - before) / step, track.velocities[k], atol=1e-4)
        np.testing.assert_allclose((after - here) / step, track.velocities[k], atol=1e-4)
    times = np.array([0.0, 1.0, 4.0])
    line = Track(times=times, places=np.outer(times, [1.0, 2.0]), velocities=np.tile([1.0, 2.0], (3, 1)))
    asked = np.linspace(0.0, 4.0, 30)
    np.testing.assert_allclose(line.at(asked), np.outer(asked, [1.0, 2.0]), atol=ROUNDING)


def test_it_turns_the_shorter_way():
    track = Track(times=[0.0, 1.0], places=np.zeros((2, 2)), headings=[3.0, -3.0])
    assert track.at(0.5)[2] == pytest.approx(np.pi)


def test_one_knot_is_a_place():
    track = Track(times=[2.0], places=[[1.0, 2.0]], headings=[0.5])
    assert track.at([0.0, 2.0, 9.0]).tolist() == [[1.0, 2.0, 0.5]] * 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"times": [0.0, 0.0], "places": np.zeros((2, 2))}, "increasing"),
        ({"times": [], "places": np.zeros((0, 2))}, "increasing"),
        ({"times": [0.0], "places": np.zeros((1, 2)), "rotations": [[1.0, 0, 0, 0]]}, "in space"),
        ({"times": [0.0], "places": np.zeros((1, 4))}, "on the floor"),
        ({"times": [0.0], "places": np.zeros((1, 2)), "velocities": np.zeros((1, 3))}, "velocities"),
    ],
)
def test_what_is_no_track_is_refused(given, words):
    with pytest.raises((InvalidValue, InvalidShape), match=words):
        Track(**given)


def test_a_person_of_trajectories_is_a_track():
    rows = {"ids": [7, 7, 8], "frames": [1, 0, 0], "times": [0.5, 0.0, 0.0], "positions": [[1.0, 0], [0, 0], [9, 9]]}
    assert Trajectories(**rows, rate=2.0).track(7).at(0.25).tolist() == [0.5, 0.0]
    faced = Trajectories(**rows, headings=[0.2, 0.0, np.nan], rate=2.0)
    assert faced.track(7).at(0.25) == pytest.approx([0.5, 0.0, 0.1])
    assert faced.track(8).headings is None


def test_without_headings_a_track_faces_its_way_from_its_first_step_on():
    waits = Track(times=np.arange(6.0), places=[[1, 1], [1, 1], [1, 3], [1, 3], [0, 3], [0, 3]])
    up, left = 0.5 * np.pi, np.pi
    np.testing.assert_allclose(waits.with_headings().headings, [up, up, up, left, left, left])
    faces = Track(times=[0, 1], places=[[0, 0], [0, 1]], headings=[0.3, 0.4])
    assert faces.with_headings() is faces


def test_where_two_knots_are_the_same_it_stays_to_the_last_bit():
    rng = np.random.default_rng(0)
    place, heading = rng.uniform(-50, 50, 3), rng.uniform(-3, 3)
    knots = {"times": [0.1, 7.3], "places": np.tile(place, (2, 1)), "headings": [heading, heading]}
    for track in (Track(**knots), Track(**knots, velocities=np.zeros((2, 3)))):
        found = track.at(rng.uniform(-1, 9, 200))
        np.testing.assert_array_equal(found, np.tile([*place[:2], heading, place[2]], (200, 1)))


def test_shifted_it_is_later_where_it_was():
    track = Track(times=[0, 2, 3], places=[[0, 0], [3, 1], [2, 5]], headings=[0, 1, 2])
    np.testing.assert_allclose(track.shifted(4.5).at([5.0, 7.0]), track.at([0.5, 2.5]), atol=1e-12)
