import numpy as np
import pytest

from walker import spoil, walk
from walkon._base.errors import InvalidValue
from walkon.motion.contacts.detection import detect_contacts, stance
from walkon.motion.contacts.ground_plane import find_ground, ground
from walkon.motion.editing import move


def f1(found, truth):
    return 2 * (found & truth).sum(axis=0) / (found.sum(axis=0) + truth.sum(axis=0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slide", [0.0, 0.05, -0.05], ids=["still", "sliding on", "sliding back"])
@pytest.mark.parametrize(("speed", "cadence"), [(0.8, 95.0), (1.1, 108.0), (1.4, 115.0)])
def test_contacts_are_found_through_noise_slides_and_a_wrong_floor(speed, cadence, slide, seed):
    truth = walk(speed=speed, cadence=cadence)
    found = detect_contacts(ground(spoil(truth, np.random.default_rng(seed), slide=slide)))
    score = f1(found.contacts, truth.contacts)
    heel, ball = score[[0, 2]].mean(), score[[1, 3]].mean()
    assert heel >= 0.95, f"heel {score}, seed {seed}"
    assert ball >= 0.95, f"ball {score}, seed {seed}"


@pytest.mark.parametrize("fps", [30.0, 60.0, 119.88])
def test_the_frame_rate_does_not_matter(fps):
    truth = walk(fps=fps)
    found = detect_contacts(ground(spoil(truth, np.random.default_rng(1))))
    assert f1(found.contacts, truth.contacts).min() > 0.9


def test_the_floor_is_found_where_it_was_put():
    truth = walk()
    spoiled = spoil(truth, np.random.default_rng(0), slide=0.0, floor=0.10, tilt=0.01)
    found = find_ground(spoiled)
    assert found.height == pytest.approx(0.10 + 0.01 * found.centre[0], abs=0.01)
    assert found.slope[0] == pytest.approx(0.01, abs=0.004)
    levelled = ground(spoiled, found)
    planted = levelled.contact_positions[truth.contacts][:, 2]
    assert np.abs(np.median(planted)) < 0.004
    assert planted.std() < 0.008


def test_a_floor_that_is_right_is_left_alone():
    truth = walk()
    found = find_ground(spoil(truth, np.random.default_rng(0), slide=0.0, floor=0.0, tilt=0.0))
    assert found.height == 0.0
    assert found.tilt_deg < 0.1


def test_moving_and_turning_the_world_changes_nothing():
    clip = spoil(walk(), np.random.default_rng(2))
    here = detect_contacts(ground(clip))
    there = detect_contacts(ground(move(clip, np.array([3.0, -2.0, 1.1]))))
    assert (here.contacts != there.contacts).mean() < 0.002


def test_a_person_standing_has_both_feet_down_all_the_time():
    walking = walk()
    standing = np.zeros(200, int)
    from walkon.motion.editing import take_frames

    still = take_frames(walking, standing)
    # The frame has the left foot on its heel and the right one flat: nothing moves, so what is near stays near.
    found = detect_contacts(still)
    assert stance(found)[:, 1].all()


def test_contacts_need_contact_points():
    clip = spoil(walk(seconds=1.0), np.random.default_rng(0))
    with pytest.raises(InvalidValue, match=r"no contact points.*ground\(clip\)"):
        detect_contacts(clip)


def test_steps_up_a_stair_have_their_own_support_heights():
    flat = walk(speed=0.8, cadence=95.0, seconds=5.0)
    # Tilting nothing but heights: every second of travel the whole body is 18 cm higher, as on very long treads.
    heights = 0.18 * np.floor(flat.times / 2.0)
    from dataclasses import replace

    raised = replace(flat, root_positions=flat.root_positions + np.column_stack([0 * heights, 0 * heights, heights]))
    found = detect_contacts(raised)
    middle = (flat.times > 2.5) & (flat.times < 3.5)
    on = found.contacts[middle]
    assert on.any(axis=1).mean() > 0.95
    assert np.allclose(found.contact_heights[middle][on], 0.18, atol=0.01)
