"""Pinned frames: they stay as they are, contacts stay where they have them, and corrections do not jump around them."""

import numpy as np
import pytest

from walker import spoil, walk
from walkon._base.errors import InvalidShape
from walkon.motion.contacts.detection import detect_contacts
from walkon.motion.contacts.foot_lock import lock_feet
from walkon.motion.contacts.ground_plane import ground
from walkon.motion.contacts.runs import find_runs
from walkon.motion.editing import move
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

MICROMETRE = 1e-6


@pytest.fixture(scope="module")
def raw():
    """A walk whose feet slide by 5 cm/s, its contacts detected, at 120 frames/s."""
    return detect_contacts(ground(spoil(walk(), np.random.default_rng(5))))


@pytest.fixture(scope="module")
def bent(raw):
    """The same with feet on the floor first, then bent slowly, up to 2 cm: as displacement maps do."""
    on_feet = lock_feet(raw).clip
    t = on_feet.times[:, None]
    shift = 0.02 * np.concatenate([np.sin(1.1 * t), np.sin(0.9 * t + 1), 0 * t], axis=1)
    return on_feet.with_motion(on_feet.root_positions + shift, on_feet.local_rotations)


def grounded_frames(clip, every=90):
    """Frames, seldom, whose planted points are on their supports to a hair, so that they can be pinned."""
    flags = np.zeros(len(clip), bool)
    flags[::every] = True
    return flags


def test_without_pins_nothing_is_different(raw):
    plain, none = lock_feet(raw), lock_feet(raw, pinned=np.zeros(len(raw), bool))
    assert np.array_equal(plain.clip.local_rotations, none.clip.local_rotations)
    assert np.array_equal(plain.clip.root_positions, none.clip.root_positions)


def test_flags_of_another_length_are_refused(raw):
    with pytest.raises(InvalidShape, match="a flag for each frame"):
        lock_feet(raw, pinned=np.ones(3, bool))


@pytest.mark.parametrize("every", [7, 40, 90])
def test_pinned_frames_stay_as_they_are(raw, bent, every):
    for clip in (raw, bent):
        pinned = grounded_frames(clip, every)
        made = lock_feet(clip, pinned=pinned)
        assert np.array_equal(made.clip.root_positions[pinned], clip.root_positions[pinned])
        change = np.abs(made.clip.local_rotations[pinned]) - np.abs(clip.local_rotations[pinned])
        assert np.abs(change).max() < 1e-15
        assert (made.missed[pinned] == 0.0).all()
        assert (made.root_shift[pinned] == 0.0).all()


def test_pinned_frames_stay_as_they_are_to_the_bit(bent):
    pinned = grounded_frames(bent)
    made = lock_feet(bent, pinned=pinned).clip.local_rotations[pinned]
    # A quaternion and its opposite are one rotation.
    assert np.array_equal(np.abs(made), np.abs(bent.local_rotations[pinned]))


def test_pinning_everything_changes_nothing(raw):
    made = lock_feet(raw, pinned=np.ones(len(raw), bool)).clip
    assert quat.angle_between(made.local_rotations, raw.local_rotations).max() < 1e-7
    assert np.array_equal(made.root_positions, raw.root_positions)


def pinned_runs(clip, pinned):
    """Contacts that have exactly one pinned frame: (column, start, stop, the frame)."""
    for c in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, c]), strict=True):
            held = start + np.flatnonzero(pinned[start:stop])
            if len(held) == 1:
                yield c, start, stop, int(held[0])


def test_contacts_are_held_where_pinned_frames_have_them(bent):
    pinned = grounded_frames(bent)
    made = lock_feet(bent, pinned=pinned)
    assert made.missed.max() < MICROMETRE
    count = 0
    for c, start, stop, frame in pinned_runs(bent, pinned):
        away = made.clip.contact_positions[start:stop, c] - bent.contact_positions[frame, c]
        assert np.linalg.norm(away, axis=1).max() < 2e-4
        count += 1
    assert count > 8


def test_contacts_are_held_where_pinned_frames_have_them_to_a_micrometre(bent):
    pinned = grounded_frames(bent)
    made = lock_feet(bent, pinned=pinned)
    for c, start, stop, frame in pinned_runs(bent, pinned):
        away = made.clip.contact_positions[start:stop, c] - bent.contact_positions[frame, c]
        assert np.linalg.norm(away, axis=1).max() < MICROMETRE


def test_contacts_without_pinned_frames_stand_still_as_ever(bent):
    pinned = grounded_frames(bent, 200)
    made = lock_feet(bent, pinned=pinned).clip
    points, count = made.contact_positions, 0
    for c in range(4):
        for start, stop in zip(*find_runs(bent.contacts[:, c]), strict=True):
            if not pinned[start:stop].any():
                assert np.linalg.norm(points[start:stop, c] - points[start, c], axis=1).max() < 2e-4
                count += 1
    assert count > 8


def test_a_contact_pinned_twice_goes_over_evenly(bent):
    pinned = np.zeros(len(bent), bool)
    start, stop = next((a, b) for a, b in zip(*find_runs(bent.contacts[:, 1]), strict=True) if b - a > 40)
    first, last = start + 5, stop - 6  # flat at the first, the heel is up at the last
    pinned[[first, last]] = True
    points = lock_feet(bent, pinned=pinned).clip.contact_positions[start:stop, 1]
    here, there = bent.contact_positions[first, 1], bent.contact_positions[last, 1]
    part = np.clip((np.arange(start, stop) - first) / (last - first), 0, 1)[:, None]
    assert np.linalg.norm(points - (here + part * (there - here)), axis=1).max() < 3e-4


def speeds(made, clip):
    """m/s at which joints are moved against the given motion [T − 1, J]."""
    return np.linalg.norm(np.diff(made.world.positions - clip.world.positions, axis=0), axis=-1) * clip.fps


def test_a_stance_pinned_at_its_heel_and_later_at_its_ball_does_not_jump(bent):
    heel_start = next(a for a in find_runs(bent.contacts[:, 0])[0] if a > 0)
    ball = find_runs(bent.contacts[:, 1])
    ball_start, ball_stop = next((a, b) for a, b in zip(*ball, strict=True) if a > heel_start)
    pinned = np.zeros(len(bent), bool)
    pinned[[heel_start, ball_stop - 15]] = True
    assert bent.contacts[heel_start:ball_start, 0].all()  # one stance: first on the heel, then flat, then on the ball
    assert not bent.contacts[ball_stop - 15, 0]
    made = lock_feet(bent, pinned=pinned).clip
    # The two pins disagree by some millimetres; in a fifth of a second that is a few centimetres a second.
    assert speeds(made, bent)[heel_start:ball_stop].max() < 0.3


@pytest.mark.parametrize("gap", [0, 2])
def test_a_pin_just_after_a_contact_does_not_make_the_foot_jump(bent, gap):
    stop = int(find_runs(bent.contacts[:, 1])[1][0])
    pinned = np.zeros(len(bent), bool)
    pinned[stop + gap] = True
    made = lock_feet(bent, pinned=pinned).clip
    assert speeds(made, bent)[stop - 20 : stop + 20].max() < 0.25


@pytest.mark.parametrize("every", [90, 200])
def test_corrections_do_not_jump_around_pinned_frames(bent, every):
    pinned = grounded_frames(bent, every)
    made = lock_feet(bent, pinned=pinned).clip
    free = lock_feet(bent).clip
    correction = np.linalg.norm(made.world.positions - bent.world.positions, axis=-1).max()
    # A cubic over the fade of 0.15 s goes at most at 1.5 times its mean speed; both ways that is twice the correction.
    bound = 2 * 1.5 * max(correction, 0.01) / 0.15
    assert speeds(made, bent).max() < bound
    beside = np.flatnonzero(pinned[1:-1]) + 1
    around = np.concatenate([beside - 1, beside])
    # Next to a pinned frame the correction has hardly begun: no faster than anywhere without pins.
    assert speeds(made, bent)[around].max() < max(2.0 * speeds(free, bent).max(), 0.15)


def test_velocity_does_not_jump_at_pinned_frames(bent):
    pinned = grounded_frames(bent)
    made = lock_feet(bent, pinned=pinned).clip

    def change(clip):
        return np.linalg.norm(np.diff(clip.world.positions, 2, axis=0), axis=-1) * clip.fps

    frames = np.flatnonzero(pinned[1:-1])
    assert change(made)[frames].max() < max(1.2 * np.percentile(change(bent), 99), change(bent)[frames].max() + 0.1)


def test_a_pinned_swing_is_left_alone(bent):
    """A pin in the middle of a swing: the foot passes through it on its way between two plants."""
    starts, stops = find_runs(~bent.contacts[:, :2].any(axis=1))
    k = int(np.argmax(stops - starts))
    middle = int(starts[k] + (stops[k] - starts[k]) // 2)
    pinned = np.zeros(len(bent), bool)
    pinned[middle] = True
    made = lock_feet(bent, pinned=pinned).clip
    assert quat.angle_between(made.local_rotations[middle], bent.local_rotations[middle]).max() < 1e-7
    ankle = bent.skeleton.role("left_ankle")
    near = np.abs(np.arange(len(bent)) - middle) <= 3
    apart = np.linalg.norm(made.world.positions[:, ankle] - bent.world.positions[:, ankle], axis=1)
    assert apart[near].max() < 3e-3


def test_moving_the_world_moves_the_result(bent):
    pinned = grounded_frames(bent)
    place = np.array([7.0, -3.0, 2.1])
    here, there = lock_feet(bent, pinned=pinned).clip, lock_feet(move(bent, place), pinned=pinned).clip
    assert there.world.positions == pytest.approx(planar.apply_3d(place, here.world.positions), abs=MICROMETRE)


def test_pinned_feet_on_a_step_stay_on_it(bent):
    from dataclasses import replace

    up = np.array([0.0, 0.0, 0.12])
    raised = replace(bent, root_positions=bent.root_positions + up, contact_heights=np.where(bent.contacts, 0.12, 0.0))
    pinned = grounded_frames(bent)
    low, high = lock_feet(bent, pinned=pinned).clip, lock_feet(raised, pinned=pinned).clip
    assert high.world.positions == pytest.approx(low.world.positions + up, abs=MICROMETRE)
