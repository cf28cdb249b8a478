import numpy as np
import pytest
from acting_checks import bend, check_body, check_feet_stay, check_stands, turned

from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion.mirroring import mirror
from walkon.studio import Style, performer_skeleton
from walkon.studio.standing import POSTURES, idle


@pytest.fixture(scope="module", params=POSTURES)
def clip(request):
    return idle(7.0, posture=request.param, seed=4)


def test_feet_stay_planted(clip):
    check_feet_stay(clip)


def test_it_stays_a_body(clip):
    check_body(clip, fastest=330.0)


def test_it_begins_and_ends_as_walks_stand(clip):
    check_stands(clip, 0)
    check_stands(clip, -1)
    assert clip.label("idle").all() and clip.label("stand").all()


def test_nobody_stands_still(clip):
    hips, chest = clip.root_positions, clip.world.rotations[:, clip.skeleton.role("chest")]
    middle = slice(60, -60)
    assert np.ptp(hips[middle, :2], axis=0).max() > 0.006
    assert turned(chest[middle], chest[60]).max() > 1.0


@pytest.mark.parametrize(("posture", "sign", "free"), [("left_leg", 1, "right"), ("right_leg", -1, "left")])
def test_weight_rests_over_one_leg_and_the_other_knee_gives_way(posture, sign, free):
    clip = idle(7.0, posture=posture, seed=4)
    middle = slice(150, 260)
    assert (sign * clip.root_positions[middle, 1]).min() > 0.03
    bears = "left" if free == "right" else "right"
    loose = bend(clip, f"{free}_hip", f"{free}_knee", f"{free}_ankle")[middle]
    firm = bend(clip, f"{bears}_hip", f"{bears}_knee", f"{bears}_ankle")[middle]
    assert loose.min() > firm.max() + 5.0


def test_one_leg_is_the_mirror_image_of_the_other():
    still = {"style": Style(life=0.0), "seed": 4}
    left, right = idle(6.0, posture="left_leg", **still), idle(6.0, posture="right_leg", **still)
    assert np.allclose(mirror(right).world.positions, left.world.positions, atol=1e-6)


def test_the_same_seed_gives_the_same_and_another_something_else():
    first, again, other = idle(4.0, seed=1), idle(4.0, seed=1), idle(4.0, seed=2)
    assert np.array_equal(first.local_rotations, again.local_rotations)
    assert not np.allclose(first.local_rotations, other.local_rotations)
    assert np.array_equal(idle(4.0, seed=np.random.default_rng(1)).root_positions, first.root_positions)


@pytest.mark.parametrize("height", [1.2, 1.95])
def test_bodies_of_other_sizes_stand_as_well(height):
    clip = idle(5.0, posture="hands_on_hips", style="tired", skeleton=performer_skeleton(height=height), fps=24.0)
    check_feet_stay(clip)
    assert len(clip) == 121


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"duration": 1.0}, "duration must be 4 to 3600 s, got 1.0"),
        ({"duration": np.nan}, "duration must be"),
        ({"duration": 5.0, "posture": "yoga"}, "posture must be one of 'neutral'"),
        ({"duration": 5.0, "fps": 0.0}, "fps must be 10 to 1000"),
        ({"duration": 5.0, "seed": -1}, "seed must be a whole number"),
    ],
)
def test_bad_parameters_are_named(wrong, told):
    with pytest.raises(InvalidValue, match=told):
        idle(wrong.pop("duration"), **wrong)


def test_an_unknown_style_lists_the_known():
    with pytest.raises(UnknownName, match="neutral"):
        idle(5.0, style="neutrall")
