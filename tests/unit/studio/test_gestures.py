import numpy as np
import pytest
from acting_checks import check_body, check_feet_stay, check_stands

from walkon._base.errors import InvalidValue
from walkon.motion.mirroring import mirror
from walkon.studio import Style
from walkon.studio.gestures import talk, wave

MADE = {
    "wave": lambda: wave(seed=1),
    "left wave": lambda: wave(4.0, hand="left", seed=2),
    "talk": lambda: talk(8.0, seed=1),
    "more talk": lambda: talk(10.0, seed=5),
}


@pytest.fixture(scope="module", params=MADE, ids=str)
def clip(request):
    return MADE[request.param]()


def test_feet_stay_planted(clip):
    check_feet_stay(clip)


def test_it_stays_a_body(clip):
    check_body(clip, fastest=500.0, pops=100.0)


def test_it_begins_and_ends_standing(clip):
    check_stands(clip, 0)
    check_stands(clip, -1)
    assert clip.label("gesture").all()


@pytest.mark.parametrize(("hand", "other"), [("left", "right"), ("right", "left")])
def test_the_hand_waves_beside_the_head_and_the_other_hangs(hand, other):
    clip = wave(4.0, hand=hand, seed=1)
    places, skeleton = clip.world.positions, clip.skeleton
    middle = slice(clip.frame_at(1.2), clip.frame_at(2.6))
    tip = places[middle, skeleton.index(f"{hand.capitalize()}HandEnd")]
    head = places[middle, skeleton.role("head")]
    assert (tip[:, 2] - head[:, 2]).min() > 0.0
    assert np.abs(tip[:, 1] - head[:, 1]).min() > 0.15
    away = tip[:, 1] - tip[:, 1].mean()
    swings = np.count_nonzero(np.diff(np.sign(away)))
    assert 4 <= swings <= 8
    assert np.ptp(away) > 0.15
    assert np.ptp(places[middle, skeleton.role(f"{other}_wrist"), 2]) < 0.05


def test_the_left_wave_mirrors_the_right():
    left, right = (wave(3.0, hand=hand, seed=3, style=Style(life=0.0)) for hand in ("left", "right"))
    assert np.allclose(mirror(right).world.positions, left.world.positions, atol=1e-6)


def test_talking_hands_are_varied_and_rest_in_between():
    clip = talk(20.0, seed=3)
    hands = [clip.world.positions[:, clip.skeleton.role(f"{side}_wrist")] for side in ("left", "right")]
    talking = slice(90, -90)
    for hand in hands:
        assert np.ptp(hand[talking], axis=0).min() > 0.1
        speeds = np.linalg.norm(np.diff(hand[talking], axis=0), axis=1) * clip.fps
        assert (speeds < 0.08).mean() > 0.2
        assert 0.5 < speeds.max() < 3.0
    other = talk(20.0, seed=4)
    assert not np.allclose(clip.local_rotations, other.local_rotations, atol=0.01)


@pytest.mark.parametrize(
    ("make", "wrong", "told"),
    [
        (wave, {"duration": 1.0}, r"duration must be 2\.5 to 60 s, got 1\.0"),
        (wave, {"hand": "third"}, "hand must be 'left' or 'right', got 'third'"),
        (talk, {"duration": 2.0}, "duration must be 4 to 3600 s"),
    ],
)
def test_bad_parameters_are_named(make, wrong, told):
    with pytest.raises(InvalidValue, match=told):
        make(**wrong)
