from dataclasses import replace

import numpy as np
import pytest

from walker import spoil, walk
from walkon._base.errors import InvalidValue
from walkon.motion.contacts.detection import detect_contacts
from walkon.motion.contacts.foot_lock import LockRule, lock_feet
from walkon.motion.contacts.ground_plane import ground
from walkon.motion.contacts.runs import find_runs
from walkon.motion.editing import move
from walkon.motion.skeleton import SIDES
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

MICROMETRE = 1e-6


@pytest.fixture(scope="module")
def raw():
    """A walk with noise and feet that slide by 5 cm/s, its contacts detected."""
    return detect_contacts(ground(spoil(walk(), np.random.default_rng(5))))


@pytest.fixture(scope="module")
def locked(raw):
    return lock_feet(raw)


def drifts(clip):
    points = clip.contact_positions
    return [
        np.linalg.norm(points[a:b, c] - points[a:b, c].mean(axis=0), axis=1).max()
        for c in range(4)
        for a, b in zip(*find_runs(clip.contacts[:, c]), strict=True)
    ]


def test_planted_points_stay_where_they_are_on_the_floor(raw, locked):
    assert max(drifts(raw)) > 0.01
    assert max(drifts(locked.clip)) < MICROMETRE
    assert np.abs(locked.clip.contact_positions[locked.clip.contacts][:, 2]).max() < MICROMETRE
    assert locked.missed.max() == 0.0


def test_a_clip_that_is_right_is_hardly_changed():
    truth = walk()
    result = lock_feet(truth)
    change = quat.angle_between(result.clip.local_rotations, truth.local_rotations)
    assert np.degrees(np.median(change, axis=0)).max() < 0.5
    assert result.root_shift.max() < 0.002


def test_only_legs_and_the_root_s_place_change(raw, locked):
    legs = {raw.skeleton.role(f"{side}_{part}") for side in SIDES for part in ("hip", "knee", "ankle", "ball")}
    others = [joint for joint in range(len(raw.skeleton)) if joint not in legs]
    change = quat.angle_between(locked.clip.local_rotations[:, others], raw.local_rotations[:, others])
    assert change.max() < 1e-7
    assert np.array_equal(locked.clip.root_positions[:, :2], raw.root_positions[:, :2])


def test_the_root_only_goes_down_and_by_no_more_than_allowed(raw):
    short = replace(raw, root_positions=raw.root_positions + np.array([0, 0, 0.03]))
    result = lock_feet(short, rule=LockRule(max_root_shift=0.02))
    lowered = short.root_positions[:, 2] - result.clip.root_positions[:, 2]
    assert lowered.min() >= 0.0
    assert 0.0 < lowered.max() <= 0.02 + 1e-12
    assert np.allclose(lowered, result.root_shift)


def test_what_cannot_be_reached_is_reported_and_stretch_helps(raw):
    far = replace(raw, root_positions=raw.root_positions + np.array([0, 0, 0.045]))
    without = lock_feet(far)
    assert without.missed.max() > 0.0
    stretched = lock_feet(far, rule=LockRule(max_stretch=0.02))
    assert 0.0 < stretched.stretch.max() <= 0.02
    assert stretched.missed.max() < without.missed.max()
    assert max(drifts(stretched.clip)) < max(drifts(without.clip))


def test_knees_do_not_pop(raw, locked):
    def sharpest(clip):
        joints = [clip.skeleton.role(f"{side}_knee") for side in SIDES]
        turns = quat.log(quat.multiply(quat.conjugate(clip.local_rotations[:-1]), clip.local_rotations[1:]))[:, joints]
        return np.percentile(np.linalg.norm(np.diff(turns, axis=0), axis=-1), 99.9)

    assert sharpest(locked.clip) < 1.5 * sharpest(raw)


def test_locking_twice_changes_nothing_more(locked):
    again = lock_feet(locked.clip)
    change = quat.angle_between(again.clip.local_rotations, locked.clip.local_rotations)
    assert np.degrees(np.percentile(change, 99)) < 1.0
    assert max(drifts(again.clip)) < MICROMETRE


def test_moving_the_world_moves_the_result(raw, locked):
    pose = np.array([2.0, -1.0, 0.7])
    moved = lock_feet(move(raw, pose))
    assert np.allclose(
        moved.clip.contact_positions, planar.apply_3d(pose, locked.clip.contact_positions), atol=MICROMETRE
    )


def test_feet_on_a_step_are_held_at_its_height(raw):
    heights = np.where(raw.contacts, 0.12, 0.0)
    raised = replace(raw, root_positions=raw.root_positions + np.array([0, 0, 0.12]), contact_heights=heights)
    result = lock_feet(raised)
    assert np.allclose(result.clip.contact_positions[raised.contacts][:, 2], 0.12, atol=MICROMETRE)


def test_locking_needs_contact_points():
    with pytest.raises(InvalidValue, match="no contact points"):
        lock_feet(spoil(walk(seconds=1.0), np.random.default_rng(0)))
