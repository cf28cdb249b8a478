import numpy as np
import pytest
from acting_checks import check_body, held_box, trunk, turned

from walkon._base.errors import InvalidValue
from walkon.motion.contacts.runs import find_runs
from walkon.studio import walk
from walkon.studio.carrying import BOX_SIZE_M, carry, carry_walk
from walkon.studio.lifting import pick_up
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def clip():
    return carry_walk(path=[(0, 0), (3, 0), (3, 3)], start="standing", end="standing", seed=3)


def test_feet_are_those_of_the_walk(clip):
    points = clip.contact_positions
    for column in range(4):
        for start, stop in zip(*find_runs(clip.contacts[:, column]), strict=True):
            assert np.abs(points[start:stop, column] - points[start, column]).max() < 1e-6
    assert clip.label("carry").all() and clip.label("walk").all()


def test_the_box_is_fixed_to_the_chest_and_to_both_hands(clip):
    places, _ = held_box(clip)
    chest = clip.skeleton.role("chest")
    back = quat.conjugate(clip.world.rotations[:, chest])
    place = quat.rotate(back, places - clip.world.positions[:, chest])
    assert np.ptp(place, axis=0).max() < 1e-6
    hands = [clip.world.positions[:, clip.skeleton.role(f"{side}_wrist")] for side in ("left", "right")]
    assert np.ptp(np.linalg.norm(hands[0] - hands[1], axis=1)) < 1e-6
    assert np.linalg.norm(hands[0] - hands[1], axis=1)[0] > BOX_SIZE_M[1]


def test_the_box_stays_nearly_level(clip):
    up = quat.rotate(held_box(clip)[1], [0.0, 0.0, 1.0])
    assert np.degrees(np.arccos(up[:, 2])).max() < 8.0


def test_it_stays_a_body(clip):
    check_body(clip, fastest=600.0)


def test_carriers_lean_back_and_turn_less():
    free = walk(speed=0.9, duration=6.0, seed=4)
    loaded = carry(free)
    assert 1.5 < trunk(free).mean() - trunk(loaded).mean() < 5.0
    twist = []
    for motion in (free, loaded):
        pelvis, chest = motion.world.rotations[:, 0], motion.world.rotations[:, motion.skeleton.role("chest")]
        twist.append(np.ptp(quat.log(quat.multiply(quat.conjugate(pelvis), chest))[:, 2]))
    assert twist[1] < 0.8 * twist[0]
    head = free.skeleton.role("head")
    assert turned(free.world.rotations[:, head], loaded.world.rotations[:, head]).max() < 0.01


def test_it_begins_as_picking_up_ends(clip):
    up = pick_up(0.75, seed=1)
    away = turned(up.local_rotations[-1], clip.local_rotations[0])
    assert away.max() < 8.0
    upper = [up.skeleton.role(role) for role in ("left_shoulder", "left_elbow", "left_wrist", "chest")]
    assert away[upper].max() < 2.0


def test_a_box_too_wide_for_two_arms_is_refused():
    with pytest.raises(InvalidValue, match="width must be"):
        carry_walk(size=(0.3, 0.9, 0.3), duration=3.0)
