import numpy as np
import pytest

from walkon.geometry.path import Path
from walkon.studio.footsteps import plan_footsteps, stance_share
from walkon.studio.pace import START_SPEED_RAMP, STOP_SPEED_RAMP, plan_pace, step_time
from walkon.studio.performer import Style

WALK_RATIO = 0.0063


def plan(speed, *, duration=12.0, life=0.0, path=None, standing=False, seed=0):
    rng = np.random.default_rng(seed)
    style = Style(life=life)
    pace = plan_pace(
        np.array([[0.0, speed]]),
        duration=duration,
        distance=None,
        walk_ratio=WALK_RATIO,
        starting=START_SPEED_RAMP if standing else None,
        stopping=STOP_SPEED_RAMP if standing else None,
        idle=0.5,
        life=life,
        rng=rng,
    )
    steps = plan_footsteps(pace, path or Path.straight(50.0), style=style, scale=1.0, first_side=0, rng=rng)
    return pace, steps


@pytest.mark.parametrize(
    ("speed", "cadence", "step"), [(0.7, 82, 0.51), (1.0, 98, 0.615), (1.35, 113, 0.714), (1.7, 127, 0.80)]
)
def test_cadence_and_step_length_follow_the_walk_ratio(speed, cadence, step):
    assert 60 / step_time(np.array(speed), walk_ratio=WALK_RATIO) == pytest.approx(cadence, abs=1)
    _, steps = plan(speed)
    assert np.median(steps.step_lengths[2:]) == pytest.approx(step, abs=0.01)
    assert 60 / np.median(np.diff(steps.landings)) == pytest.approx(cadence, rel=0.01)


@pytest.mark.parametrize("speed", [0.7, 1.3, 1.9])
def test_feet_bear_for_the_share_of_the_cycle_that_belongs_to_the_speed(speed):
    _, steps = plan(speed)
    mine = steps.of(0)[1:-2]
    stride = steps.landings[mine[1]] - steps.landings[mine[0]]
    share = (steps.leavings[mine] - steps.landings[mine]) / stride
    np.testing.assert_allclose(share, stance_share(np.array(speed)), atol=0.005)
    assert share.min() >= 0.575 and share.max() <= 0.665


def test_feet_alternate_and_stand_on_their_own_side_of_the_way():
    _, steps = plan(1.2)
    assert (np.diff(steps.sides) != 0).all()
    left, right = steps.offsets[steps.sides == 0], steps.offsets[steps.sides == 1]
    np.testing.assert_allclose(left, 0.045, atol=1e-6)
    np.testing.assert_allclose(right, -0.045, atol=1e-6)
    assert (steps.places[steps.sides == 0, 2] > 0).all(), "toes point outward"


def test_a_start_begins_with_feet_side_by_side_and_a_stop_ends_so():
    pace, steps = plan(1.3, standing=True, duration=8.0)
    assert steps.arcs[0] == pytest.approx(steps.arcs[1], abs=0.02) == pytest.approx(0.0, abs=0.02)
    assert steps.arcs[-1] == pytest.approx(steps.arcs[-2], abs=0.02) == pytest.approx(pace.arcs[-1], abs=0.02)
    assert steps.landings[1] < -100 and steps.leavings[-1] > 1e5
    lengths = steps.step_lengths[2:]
    assert 0.5 < lengths[0] < 0.75, "the first step is nearly full"
    assert 0.3 < lengths[-2] < lengths[-4], "the last but one is shorter"
    assert abs(lengths[-1]) < 0.02, "the last one closes"
    assert pace.speeds[0] == pytest.approx(0.0, abs=1e-6) and pace.speeds[-1] == pytest.approx(0.0, abs=1e-6)


def test_each_foot_leaves_after_the_other_has_landed():
    _, steps = plan(1.5, standing=True, duration=9.0, life=1.0)
    assert (steps.leavings[1:-2] > steps.landings[2:-1]).all()
    for side in (0, 1):
        mine = steps.of(side)
        assert (steps.landings[mine[1:]] > steps.leavings[mine[:-1]] + 0.2).all(), "a swing takes time"


def test_steps_vary_with_the_seed_and_repeat_with_it():
    first, again, other = (plan(1.2, life=1.0, seed=s)[1] for s in (3, 3, 4))
    assert np.array_equal(first.places, again.places)
    assert not np.array_equal(first.places[:5], other.places[:5])
    spread = np.diff(first.landings)[2:-2].std() / np.diff(first.landings).mean()
    assert 0.003 < spread < 0.04


def test_in_a_turn_the_feet_are_set_outward():
    angle = np.linspace(0, np.pi, 60)
    path = Path.rounded(np.column_stack([2 * np.sin(angle), 2 - 2 * np.cos(angle)]))
    _, steps = plan(1.3, duration=4.0, path=path)
    inside = (steps.arcs > 1.0) & (steps.arcs < path.length - 1.0)
    assert steps.offsets[inside].mean() < -0.02, "the way turns left, so they are more to the right"
