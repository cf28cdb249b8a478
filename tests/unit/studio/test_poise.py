import numpy as np
import pytest
from acting_checks import check_feet_stay, check_stands

from walkon._base.errors import InvalidValue
from walkon.motion.skeleton import Skeleton
from walkon.studio.performer import Performer
from walkon.studio.poise import curve_through, ease, hold, liven, neutral_poise


@pytest.fixture
def actor():
    return Performer.of(0, skeleton=None, style="neutral", fps=60.0)


def test_easing_goes_from_rest_to_rest():
    x = np.linspace(-0.5, 1.5, 2001)
    y = ease(x)
    assert y[0] == 0.0 and y[-1] == 1.0 and (np.diff(y) >= 0).all()
    rate = np.gradient(y, x)
    assert rate[np.abs(x) < 0.005].max() < 1e-3 and rate.max() == pytest.approx(1.875, abs=0.01)


def test_keyed_curves_pass_near_their_knots_without_swinging_over():
    t = np.arange(300) / 60.0
    curve = curve_through(t, [1.0, 2.0, 4.0], [0.0, 3.0, -1.0], soft=0.03)
    assert curve.min() >= -1.0 - 1e-9 and curve.max() <= 3.0 + 1e-9
    assert np.allclose(curve[[30, 120, 270]], [0.0, 3.0, -1.0], atol=0.05)
    assert curve_through(t, [1.0, 2.0], np.zeros((2, 3))).shape == (300, 3)


def test_the_neutral_poise_is_the_one_of_walks(actor):
    clip = hold(neutral_poise(actor, 3), actor, labels=("stand",), name="still")
    check_feet_stay(clip)
    check_stands(clip, 0)


def test_hips_that_are_asked_too_high_are_held_by_the_legs(actor):
    poise = neutral_poise(actor, 121)
    up = np.column_stack([np.zeros(121), np.zeros(121), np.linspace(-0.1, 0.3, 121)])
    clip = hold(poise._replace(hips=up), actor, labels=(), name="tiptoe")
    check_feet_stay(clip)
    heights = clip.root_positions[:, 2]
    assert (np.diff(heights) >= -1e-9).all()
    assert np.ptp(heights[60:]) < 0.002


def test_life_fades_at_both_ends(actor):
    still = neutral_poise(actor, 240)
    alive = liven(still, actor, hips=0.0)
    assert np.abs(alive.head[[0, -1]] - still.head[[0, -1]]).max() < 1e-9
    assert np.abs(alive.head - still.head).max() > 0.5
    assert np.array_equal(alive.hips, still.hips)


def test_only_the_performer_can_perform():
    bird = Skeleton(names=("body",), parents=np.array([-1]), offsets=np.zeros((1, 3)))
    with pytest.raises(InvalidValue, match="performer_skeleton"):
        Performer.of(0, skeleton=bird, style="neutral", fps=60.0)
