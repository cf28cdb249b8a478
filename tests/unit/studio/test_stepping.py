from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.motion.contacts.runs import find_runs
from walkon.studio import performer_skeleton
from walkon.studio.foot_curves import FootShape
from walkon.studio.footsteps import LONG_AGO_S, NEVER_S
from walkon.studio.performer import Performer
from walkon.studio.stepping import Stepper, perform_steps
from walkon.studio.stepping_feet import Prints, step_feet

TIMES = np.arange(0.0, 4.0, 1.0 / 240.0)


def performer():
    return Performer.of(3, skeleton=None, style="neutral", fps=60.0)


def stepped(**options):
    """Both feet stand, the right one steps once, in the given way, then the left one."""
    stepper = Stepper(performer(), idle=1.0, shift=0.0)
    stepper.step(1, np.array([0.1, -0.25, -0.4]), swing=0.4, support=0.3, **options)
    stepper.step(0, np.array([0.1, -0.05, 0.1]), swing=0.4, support=0.3, **options)
    return stepper.prints()


@pytest.mark.parametrize(
    "options",
    [
        {"strike": 0.2, "lift": -0.4},
        {"strike": -0.4, "lift": 0.15},
        {"lift": -0.2, "pivot": 0.6},
        {"lift": 0.0, "strike": 0.0},
        {"lift": -0.3, "pivot": -0.5, "around": 0.05, "height": 0.1},
    ],
)
def test_points_that_bear_stay_where_they_are_however_the_foot_rolls_or_turns(options):
    who = performer()
    clip = perform_steps(stepped(**options), who, duration=4.0, labels=("step",), name="one step")
    for column in range(4):
        starts, stops = find_runs(clip.contacts[:, column])
        assert len(starts) == 2
        for start, stop in zip(starts, stops, strict=True):
            run = clip.contact_positions[start:stop, column]
            assert np.abs(run - run[0]).max() < 1e-6
            assert np.abs(run[:, 2]).max() < 1e-6


def test_a_pivot_turns_the_foot_on_its_ball_with_only_the_ball_bearing():
    feet = step_feet(stepped(lift=-0.2, pivot=0.6), TIMES, shape=FootShape.of(performer_skeleton()), scale=1.0)
    before, leaves = np.searchsorted(TIMES, 0.2), np.flatnonzero(feet.swing[:, 1] >= 0)[0] - 1
    assert feet.yaws[leaves, 1] - feet.yaws[before, 1] == pytest.approx(0.6, abs=0.03)
    turned = np.abs(feet.yaws[: leaves + 1, 1] - feet.yaws[before, 1]) > 1e-9
    assert turned.sum() > 20
    assert feet.contacts[: leaves + 1, 3][turned].all()
    assert not feet.contacts[: leaves + 1, 2][turned].any()


@pytest.mark.parametrize("options", [{"strike": 0.2, "lift": -0.4}, {"strike": -0.4, "lift": 0.15}, {"height": 0.0}])
def test_feet_move_without_jumps_and_never_below_the_floor(options):
    skeleton = performer_skeleton()
    feet = step_feet(stepped(**options), TIMES, shape=FootShape.of(skeleton), scale=1.0)
    for values in (feet.ankles.reshape(len(TIMES), -1), feet.toes, feet.yaws):
        assert np.abs(np.diff(values, axis=0)).max() < 0.03
    clip = perform_steps(stepped(**options), performer(), duration=4.0, labels=("step",), name="one step")
    tips = [skeleton.index(f"{side}ToeEnd") for side in ("Left", "Right")]
    assert clip.world.positions[:, tips, 2].min() > -1e-6
    assert clip.contact_positions[..., 2].min() > -1e-6


def test_weight_goes_over_the_standing_foot_before_the_other_leaves():
    clip = perform_steps(stepped(lift=-0.2), performer(), duration=4.0, labels=("step",), name="one step")
    leaves = np.flatnonzero(~clip.contacts[:, 3])[0]
    still, shifted = clip.root_positions[10, 1], clip.root_positions[leaves, 1]
    left = clip.contact_positions[leaves, 0, 1]
    assert still == pytest.approx(0.0, abs=0.02)
    assert 0.02 < shifted - still < left - still


def test_prints_that_no_one_can_make_are_refused():
    good = stepped()
    with pytest.raises(InvalidValue, match="left foot must stand at the start"):
        replace(good, landings=np.where(good.landings == LONG_AGO_S, 0.0, good.landings))
    with pytest.raises(InvalidValue, match="in the end"):
        replace(good, leavings=np.where(good.leavings == NEVER_S, 9.0, good.leavings))
    with pytest.raises(InvalidValue, match=r"swing for 0\.12 s or more, got 0\.010 s"):
        replace(good, landings=np.where(good.sides == 1, np.minimum(good.landings, 1.01), good.landings))
    both = np.where(good.leavings < NEVER_S, 1.0, good.leavings)
    with pytest.raises(InvalidValue, match="one foot must stand"):
        replace(good, leavings=both, landings=np.where(good.landings > 1.5, 1.5, good.landings))


def test_a_performer_needs_its_own_skeleton_a_seed_and_a_frame_rate():
    skeleton = performer_skeleton()
    other = replace(skeleton, names=tuple(name + "_" for name in skeleton.names))
    with pytest.raises(InvalidValue, match="performer_skeleton"):
        Performer.of(0, skeleton=other, style="neutral", fps=60.0)
    with pytest.raises(InvalidValue, match="seed must be a whole number"):
        Performer.of(-1, skeleton=None, style="neutral", fps=60.0)
    with pytest.raises(InvalidValue, match="fps must be 10 to 1000, got 0"):
        Performer.of(0, skeleton=None, style="neutral", fps=0.0)


def test_prints_tell_when_each_foot_swings():
    prints = stepped()
    assert isinstance(prints, Prints)
    assert len(prints) == 4
    assert prints.swings(1)[0, 0] == 1.0
    assert prints.swings(0)[0, 0] > prints.swings(1)[0, 1]
