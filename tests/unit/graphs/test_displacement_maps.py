"""Displacement maps: Hermite pieces against SciPy's, velocities against motions that are known, C1 everywhere."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from walkon.graphs.snap_together.cutting.displacement import (
    HUB_PASSAGE_S,
    MAX_MAP_S,
    VELOCITY_WEIGHTS,
    Frames,
    accelerations,
    apply_maps,
    maps_to,
    pass_through,
    velocities,
)
from walkon.transforms import quaternions as quat

JOINTS = 3


class Motion(NamedTuple):
    """A smooth motion whose value and velocity are known at any time."""

    axes: np.ndarray
    rates: np.ndarray

    def at(self, t):
        """Root on a curve; each joint turns about a fixed axis, then about its own x."""
        t = np.asarray(t, float)
        roots = np.stack([np.sin(1.3 * t), 0.8 * t + 0.1 * t**2, 1 + 0.2 * np.cos(2 * t)], axis=-1)
        first = quat.exp(np.sin(t)[..., None, None] * self.axes)
        second = quat.about(np.array([1.0, 0, 0]), t[..., None] * self.rates)
        return Frames(roots, quat.multiply(first, second))

    def speed(self, t):
        t = np.asarray(t, float)
        roots = np.stack([1.3 * np.cos(1.3 * t), 0.8 + 0.2 * t, -0.4 * np.sin(2 * t)], axis=-1)
        second = quat.about(np.array([1.0, 0, 0]), t[..., None] * self.rates)
        own = self.rates[:, None] * np.array([1.0, 0, 0])
        # Body-frame velocities add, the first one carried through the second turn.
        return Frames(roots, quat.rotate(quat.conjugate(second), np.cos(t)[..., None, None] * self.axes) + own)


@pytest.fixture
def motion(rng):
    return Motion(rng.normal(scale=0.7, size=(JOINTS, 3)), rng.normal(scale=1.5, size=JOINTS))


def spins(rotations, dt):
    """Angular velocities in the joints' own frames by central differences [T − 2, J, 3]."""
    return quat.log(quat.multiply(quat.conjugate(rotations[:-2]), rotations[2:])) / (2 * dt)


def bend(frames, maps, match, count, fps):
    """Apply maps at sorted match frames of one clip, in words: each frame has one before and one after."""
    k = np.arange(count)
    which = np.searchsorted(match, k, side="right")
    before, after = which - 1, np.where(which < len(match), which, -1)
    low = np.where(before >= 0, match[before], 0)
    high = np.where(after >= 0, match[np.minimum(which, len(match) - 1)], count - 1)
    gap = np.maximum(high - low, 1) / fps
    return apply_maps(frames, maps, before=before, after=after, since=(k - low) / fps, until=(high - k) / fps, gap=gap)


def random_maps(rng, count, size=0.3):
    shifts, slopes = rng.normal(scale=size, size=(2, count, 3))
    turns, spins = rng.normal(scale=[[[[size]]], [[[3 * size]]]], size=(2, count, JOINTS, 3))
    return Frames(shifts, turns), Frames(slopes, spins)


def test_the_window_of_velocities_is_an_average():
    assert VELOCITY_WEIGHTS.sum() == 1.0
    assert np.array_equal(VELOCITY_WEIGHTS, VELOCITY_WEIGHTS[::-1])


def test_velocities_are_those_of_a_known_motion(motion):
    errors = []
    for fps in (60.0, 120.0, 240.0):
        t = np.arange(round(3 * fps)) / fps
        at = np.array([20, 61, 100])
        found = velocities(motion.at(t), at, np.zeros(3, int), np.full(3, len(t) - 1), fps=fps)
        wanted = motion.speed(t[at])
        errors.append(max(np.abs(found.roots - wanted.roots).max(), np.abs(found.rotations - wanted.rotations).max()))
    assert errors[0] < 0.02
    # Second order: half the step, a quarter of the error.
    assert errors[1] < 0.3 * errors[0]
    assert errors[2] < 0.3 * errors[1]


def test_velocities_stay_within_their_clip(motion):
    fps = 240.0
    t = np.arange(100) / fps
    frames = motion.at(t)
    broken = Frames(np.array(frames.roots), np.array(frames.rotations))
    broken.roots[:30], broken.roots[70:] = 1e3, -1e3
    broken.rotations[:30] = broken.rotations[70:] = quat.IDENTITY
    at = np.array([30, 31, 69, 50])
    found = velocities(broken, at, np.full(4, 30), np.full(4, 69), fps=fps)
    wanted = motion.speed(t[at])
    assert found.roots == pytest.approx(wanted.roots, abs=0.05)
    assert found.rotations == pytest.approx(wanted.rotations, abs=0.1)


def test_one_frame_has_no_velocity_and_two_have_their_difference():
    roots = np.array([[0.0, 0, 1], [0.1, 0, 1], [0.4, 0, 1]])
    rotations = np.tile(quat.IDENTITY, (3, 1, 1))
    rotations[2] = quat.turn(0.2)
    frames = Frames(roots, rotations)
    pair = velocities(frames, np.array([1, 2]), np.array([1, 1]), np.array([2, 2]), fps=10.0)
    assert pair.roots[:, 0] == pytest.approx(3.0)
    assert pair.rotations[:, 0, 2] == pytest.approx(2.0)
    alone = velocities(frames, np.array([0]), np.array([0]), np.array([0]), fps=10.0)
    assert np.abs(alone.roots).max() == 0.0
    assert np.abs(alone.rotations).max() == 0.0


def test_roots_are_bent_by_scipy_s_hermite_splines(motion, rng):
    fps, count, match = 100.0, 301, np.array([40, 85, 190, 250])  # gaps of 0.45, 1.05 and 0.6 s
    t = np.arange(count) / fps
    maps = random_maps(rng, len(match))
    bent = bend(motion.at(t), maps, match, count, fps)
    wanted = np.array(motion.at(t).roots)
    for m, frame in enumerate(match):
        left = min((frame - (match[m - 1] if m else 0)) / fps, MAX_MAP_S)
        right = min(((match[m + 1] if m + 1 < len(match) else count - 1) - frame) / fps, MAX_MAP_S)
        knots = frame / fps + np.array([-left, 0.0, right])
        zero = np.zeros(3)
        spline = CubicHermiteSpline(knots, [zero, maps[0].roots[m], zero], [zero, maps[1].roots[m], zero])
        inside = (t >= knots[0] - 1e-9) & (t <= knots[2] + 1e-9)
        wanted[inside] += spline(t[inside])
    assert bent.roots == pytest.approx(wanted, abs=1e-12)


def test_match_frames_take_the_wanted_pose_exactly_and_the_wanted_velocity(motion, rng):
    fps = 4000.0  # so fine that differences are velocities
    count, match = 8001, np.array([1200, 3000, 6400])
    t = np.arange(count) / fps
    source = motion.at(t)
    now, speed = Frames(source.roots[match], source.rotations[match]), motion.speed(t[match])
    target = Frames(now.roots + 0.2, quat.multiply(now.rotations, quat.exp(rng.normal(scale=0.5, size=(3, JOINTS, 3)))))
    target_speed = Frames(rng.normal(size=(3, 3)), rng.normal(size=(3, JOINTS, 3)))
    bent = bend(source, maps_to(now, speed, target, target_speed), match, count, fps)
    assert bent.roots[match] == pytest.approx(target.roots, abs=1e-12)
    assert quat.angle_between(bent.rotations[match], target.rotations).max() < 1e-7
    # On either side, so that it is C1 and not only right on average.
    for side in (-1, 0):
        a, b = match + side, match + side + 1
        velocity = (bent.roots[b] - bent.roots[a]) * fps
        turning = quat.log(quat.multiply(quat.conjugate(bent.rotations[a]), bent.rotations[b])) * fps
        assert velocity == pytest.approx(target_speed.roots, abs=0.02)
        assert turning == pytest.approx(target_speed.rotations, abs=0.03)


def test_bent_motion_has_no_corner_anywhere(motion, rng):
    def sharpest(fps):
        count, match = round(2 * fps) + 1, np.round(np.array([0.3, 0.75, 1.6]) * fps).astype(int)
        frames = bend(motion.at(np.arange(count) / fps), random_maps(np.random.default_rng(3), 3), match, count, fps)
        roots = np.diff(frames.roots, 2, axis=0) * fps
        turning = np.diff(spins(frames.rotations, 1 / fps), axis=0)
        return np.abs(roots).max(), np.abs(turning).max()

    # Where velocity is continuous, its change from frame to frame falls with the step; a corner's would not.
    coarse, fine = sharpest(500.0), sharpest(2000.0)
    assert fine[0] < 0.3 * coarse[0]
    assert fine[1] < 0.3 * coarse[1]


def test_nothing_changes_at_neighbouring_match_frames_nor_beyond_the_reach(motion, rng):
    fps, count, match = 100.0, 401, np.array([100, 140, 320])
    source = motion.at(np.arange(count) / fps)
    for m in range(3):
        maps = random_maps(rng, 3)
        here = np.arange(3) == m
        only = [Frames(here[:, None] * part.roots, here[:, None, None] * part.rotations) for part in maps]
        bent = bend(source, only, match, count, fps)
        changed = np.abs(bent.roots - source.roots).max(axis=1) > 1e-12
        changed |= quat.angle_between(bent.rotations, source.rotations).max(axis=1) > 1e-7
        reach = round(MAX_MAP_S * fps)
        low = max(match[m] - reach, match[m - 1] if m else 0)
        high = min(match[m] + reach, match[m + 1] if m < 2 else count - 1)
        assert np.flatnonzero(changed)[[0, -1]].tolist() == [low + 1, high - 1]


def test_maps_of_a_motion_onto_itself_change_nothing(motion):
    t = np.array([0.4, 1.1])
    maps = maps_to(motion.at(t), motion.speed(t), motion.at(t), motion.speed(t))
    assert max(np.abs(values).max() for part in maps for values in part) < 1e-12


def test_a_map_at_the_last_frame_of_a_clip_bends_what_is_before_it(motion, rng):
    fps, count = 100.0, 61
    source = motion.at(np.arange(count) / fps)
    maps = random_maps(rng, 2)
    bent = bend(source, maps, np.array([0, 60]), count, fps)
    assert bent.roots[[0, 60]] == pytest.approx(source.roots[[0, 60]] + maps[0].roots, abs=1e-12)


def test_two_match_frames_next_to_each_other_are_both_met(motion, rng):
    fps = 30.0
    source = motion.at(np.arange(2) / fps)
    maps = random_maps(rng, 2)
    bent = bend(source, maps, np.array([0, 1]), 2, fps)
    assert bent.roots == pytest.approx(source.roots + maps[0].roots, abs=1e-12)
    assert quat.angle_between(bent.rotations, quat.multiply(source.rotations, quat.exp(maps[0].rotations))).max() < 1e-7


def test_velocities_are_smoothed_over_five_differences():
    """One frame that jumps is seen by its neighbours with the weights of the window, and by nobody else."""
    fps, count, at = 30.0, 21, np.arange(21)
    roots = np.zeros((count, 3))
    roots[10, 0] = 1.0
    rotations = np.tile(quat.IDENTITY, (count, 1, 1))
    rotations[10, 0] = quat.turn(0.01)
    found = velocities(Frames(roots, rotations), at, np.zeros(count, int), np.full(count, count - 1), fps=fps)
    wanted = np.zeros(count)
    for frame in range(3, count - 3):
        for k, weight in zip(range(-2, 3), (1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16), strict=True):
            wanted[frame] += weight * (roots[frame + k + 1, 0] - roots[frame + k - 1, 0]) * fps / 2
    assert found.roots[:, 0] == pytest.approx(wanted, abs=1e-12)
    assert found.rotations[:, 0, 2] == pytest.approx(0.01 * wanted, abs=1e-9)


def test_accelerations_are_those_of_a_known_motion(motion):
    fps = 240.0
    t = np.arange(720) / fps
    at = np.array([60, 200, 480])
    found = accelerations(motion.at(t), at, np.zeros(3, int), np.full(3, len(t) - 1), fps=fps)
    h = 1e-4
    early, late = motion.speed(t[at] - h), motion.speed(t[at] + h)
    assert found.roots == pytest.approx((late.roots - early.roots) / (2 * h), abs=0.02)
    assert found.rotations == pytest.approx((late.rotations - early.rotations) / (2 * h), abs=0.05)


def test_accelerations_stay_within_their_clip(motion):
    fps = 240.0
    t = np.arange(100) / fps
    frames = motion.at(t)
    broken = Frames(np.array(frames.roots), np.array(frames.rotations))
    broken.roots[:30], broken.roots[70:] = 1e3, -1e3
    broken.rotations[:30] = broken.rotations[70:] = quat.IDENTITY
    at = np.array([30, 69])
    found = accelerations(broken, at, np.full(2, 30), np.full(2, 69), fps=fps)
    assert np.abs(found.roots).max() < 5.0
    assert np.abs(found.rotations).max() < 20.0


def passed(motion, rng, *, jitter):
    """A jittering motion of one second at 240 frames/s that passes smoothly through its middle frame."""
    fps, count = 240.0, 241
    seconds = (np.arange(count) - 120) / fps
    frames = motion.at(seconds)
    noise = rng.normal(scale=jitter, size=(count, JOINTS, 3))
    shaken = Frames(frames.roots + noise[:, 0], quat.multiply(frames.rotations, quat.exp(noise)))
    pose, speed = motion.at(np.zeros(1)), motion.speed(np.zeros(1))
    h = 1e-4
    late, early = motion.speed(np.array([h])), motion.speed(np.array([-h]))
    change = Frames((late.roots - early.roots) / (2 * h), (late.rotations - early.rotations) / (2 * h))
    used = np.flatnonzero(np.abs(seconds) < HUB_PASSAGE_S)
    made = pass_through(shaken, pose, speed, change, at=np.zeros(len(used), int), seconds=seconds[used], used=used)
    return seconds, frames, shaken, made


def test_motion_passes_over_into_the_hub_s_own_and_back(motion, rng):
    seconds, smooth, shaken, made = passed(motion, rng, jitter=0.01)
    outside = np.abs(seconds) >= HUB_PASSAGE_S
    assert np.array_equal(made.roots[outside], shaken.roots[outside])
    assert np.array_equal(made.rotations[outside], shaken.rotations[outside])
    near = np.abs(seconds) < 0.15 * HUB_PASSAGE_S
    # The weight is 1 at the match frame: what jitters there is gone, and velocity is the hub's on either side.
    assert made.roots[120] == pytest.approx(smooth.roots[120], abs=1e-12)
    assert quat.angle_between(made.rotations[120], smooth.rotations[120]).max() < 1e-7
    assert np.abs(made.roots - smooth.roots)[near].max() < 0.1 * np.abs(shaken.roots - smooth.roots)[near].max()
    turned = quat.angle_between(made.rotations, smooth.rotations)[near].max()
    assert turned < 0.1 * quat.angle_between(shaken.rotations, smooth.rotations)[near].max()


def test_smooth_motion_is_hardly_changed_by_passing_through(motion, rng):
    """p + v t + a t² / 2 is right to third order, so the acceleration has its share in it."""
    _, smooth, _, made = passed(motion, rng, jitter=0.0)
    third = HUB_PASSAGE_S**3
    assert np.abs(made.roots - smooth.roots).max() < third
    assert quat.angle_between(made.rotations, smooth.rotations).max() < 3 * third
