"""Guides of attempts: the first follows the path at the speed that the window asks, later ones go around somebody."""

import numpy as np
import pytest

from crowd_worlds import ask_for, plan_graph_of, standing, wall
from walkon.planning.occupancy import BIN_S, Occupancy
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.synthesis.goal_directed.attempts import attempt_guide
from walkon.synthesis.goal_directed.guides import STARTING_S, TURNING_S_PER_RAD, direct_guide, idle_seconds, timed_guide
from walkon.synthesis.goal_directed.leg_request import Failure

EXACT = 1e-9
"""m, rad and s: sums of exact numbers."""
SLOWEST, _, QUICKEST, _ = plan_graph_of().speeds
ROOM = np.array([(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0)])


def guide_of(ask, attempt=0, *, occupancy=None, stage=None, seed=0):
    return attempt_guide(
        ask,
        attempt,
        occupancy=occupancy or Occupancy(),
        space=FreeSpace.of(stage or Stage()),
        graph=plan_graph_of(),
        me=0,
        rng=np.random.default_rng(seed),
    )


def places_of(guide, times):
    return np.column_stack([np.interp(times, guide[:, 2], guide[:, k]) for k in (0, 1)])


def walking_speed(guide):
    """m/s of the fastest piece of a guide."""
    far, long = np.hypot(*np.diff(guide[:, :2], axis=0).T), np.diff(guide[:, 2])
    return float((far[far > 0.02] / long[far > 0.02]).max())


def test_the_first_attempt_follows_the_path_from_start_to_goal():
    path = np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)])
    ask = ask_for((0, 0, 0), (3, 4, 1.0), 0, 60, path=path, time=5.0)
    guide = guide_of(ask)
    assert guide[0, :3].tolist() == [0.0, 0.0, 5.0]
    assert guide[-1, :2].tolist() == [3.0, 4.0]
    assert guide[-1, 3] == 1.0
    assert (np.diff(guide[:, 2]) > 0).all()
    assert any(np.allclose(knot[:2], (3.0, 0.0)) for knot in guide)
    # Along the first piece it heads along x, along the second one along y.
    walked = guide[1:-2]
    assert walked[0, 3] == pytest.approx(0.0)
    assert walked[-1, 3] == pytest.approx(np.pi / 2)
    assert not guide.flags.writeable


@pytest.mark.parametrize("speed", [1.0, 1.3, 1.6])
def test_with_time_enough_one_walks_at_the_speed_one_likes(speed):
    guide = guide_of(ask_for((0, 0, 0), (6, 0, 0), 0, 60, speed=speed))
    assert walking_speed(guide) == pytest.approx(speed)
    assert guide[-1, 2] == pytest.approx(2 * STARTING_S + 6.0 / speed)


@pytest.mark.parametrize("speed", [0.3, 3.0])
def test_nobody_walks_at_speeds_that_nobody_walks_at(speed):
    walked = walking_speed(guide_of(ask_for((0, 0, 0), (6, 0, 0), 0, 60, speed=speed)))
    assert SLOWEST - EXACT <= walked <= QUICKEST + EXACT


def test_with_little_time_one_walks_as_fast_as_the_window_asks():
    guide = guide_of(ask_for((0, 0, 0), (6, 0, 0), 0, 6.0))
    assert guide[-1, 2] == pytest.approx(6.0)
    assert walking_speed(guide) == pytest.approx(6.0 / (6.0 - 2 * STARTING_S))


def test_time_to_spare_is_strolled_and_then_waited_at_the_start():
    stroll = guide_of(ask_for((0, 0, 0), (6, 0, 0), 8.0, 9.0, speed=1.3))
    assert stroll[-1, 2] == pytest.approx(8.0)
    assert walking_speed(stroll) < 1.3
    wait = guide_of(ask_for((0, 0, 0), (6, 0, 0), 20.0, 21.0, speed=1.3))
    assert wait[-1, 2] == pytest.approx(20.0)
    assert walking_speed(wait) == pytest.approx(max(SLOWEST, 0.8 * 1.3))
    leaves = wait[np.flatnonzero(np.hypot(*wait[:, :2].T) > 0)[0] - 1, 2]
    assert leaves == pytest.approx(20.0 - STARTING_S - 6.0 / walking_speed(wait))


def test_turning_to_the_way_takes_its_time():
    ahead, back = (guide_of(ask_for((0, 0, h), (6, 0, 0), 0, 60)) for h in (0.0, np.pi))
    assert back[-1, 2] - ahead[-1, 2] == pytest.approx(TURNING_S_PER_RAD * np.pi)
    assert idle_seconds(0.0, 0.0, can_idle=False) == 0.0
    assert idle_seconds(3.0, -3.0, can_idle=True) == pytest.approx(STARTING_S + TURNING_S_PER_RAD * (2 * np.pi - 6.0))


def test_rising_and_sitting_down_take_their_time():
    plain, seated = (guide_of(ask_for((0, 0, 0), (6, 0, 0), 0, 60, lead=a, tail=b)) for a, b in ((0, 0), (1.5, 2.0)))
    assert seated[-1, 2] - plain[-1, 2] == pytest.approx(3.5)
    assert seated[1, 2] - plain[1, 2] == pytest.approx(1.5)


def test_on_the_spot_one_turns_to_where_one_must_face():
    guide = guide_of(ask_for((1, 2, 0), (1, 2, 2.0), 0, 60))
    np.testing.assert_allclose(guide[:, :2], np.tile([1.0, 2.0], (len(guide), 1)))
    assert set(guide[:, 3].tolist()) == {2.0}
    assert guide[-1, 2] == pytest.approx(STARTING_S + TURNING_S_PER_RAD * 2.0, abs=2e-3)


# Others


def in_the_way(place=(3.0, 0.0), start=0.0, stop=60.0):
    occupancy = Occupancy()
    standing(occupancy, 7, place, start, stop)
    return occupancy


@pytest.fixture
def ask():
    return ask_for((0, 0, 0), (6, 0, 0), 0, 20)


def test_where_somebody_is_in_the_way_the_first_attempt_is_not_worth_making(ask):
    failed = guide_of(ask, occupancy=in_the_way())
    assert isinstance(failed, Failure)
    assert failed.reason == ""  # nothing is known against others
    # Nor is anybody in the way who has gone by then, or stands beside it, or is oneself.
    for occupancy in (in_the_way(stop=1.0), in_the_way((3.0, 1.0))):
        assert not isinstance(guide_of(ask, occupancy=occupancy), Failure)
    mine = Occupancy()
    standing(mine, 0, (3.0, 0.0), 0.0, 60.0)
    assert not isinstance(guide_of(ask, occupancy=mine), Failure)


@pytest.mark.parametrize("attempt", [1, 2, 3, 4, 7])
def test_later_attempts_go_around_whoever_is_in_the_way(ask, attempt):
    guide = guide_of(ask, attempt, occupancy=in_the_way())
    assert not isinstance(guide, Failure)
    assert guide[0, :3].tolist() == [0.0, 0.0, 0.0]
    assert guide[-1, :2].tolist() == [6.0, 0.0]
    assert guide[-1, 2] <= 20.0 + 0.1
    times = np.arange(0.0, guide[-1, 2], BIN_S)
    away = np.hypot(*(places_of(guide, times) - (3.0, 0.0)).T)
    assert away.min() > 0.25 + 0.245  # both bodies


def test_nobody_goes_around_itself(ask):
    mine = Occupancy()
    standing(mine, 0, (3.0, 0.0), 0.0, 60.0)
    np.testing.assert_array_equal(guide_of(ask, 1, occupancy=mine), guide_of(ask, 1))


def test_later_attempts_go_around_walls():
    stage = Stage(bounds=ROOM, obstacles=[wall(-0.2, -6.0, 0.2, 1.0)])
    space = FreeSpace.of(stage)
    path = np.array([(-3.0, 0.0), (-0.5, 1.6), (0.5, 1.6), (3.0, 0.0)])
    guide = guide_of(ask_for((-3, 0, 0), (3, 0, 0), 0, 25, path=path), 1, stage=stage)
    assert not isinstance(guide, Failure)
    assert space.distance(places_of(guide, np.arange(0.0, guide[-1, 2], BIN_S))).min() > 0.245


def test_attempts_differ_by_chance_and_the_first_ones_do_not(ask):
    one, two = (guide_of(ask, 0, seed=seed) for seed in (1, 2))
    np.testing.assert_array_equal(one, two)
    later = [guide_of(ask, 3, seed=seed)[-1, 2] for seed in (1, 2)]
    assert later[0] != later[1]


def test_a_goal_that_is_taken_and_who_is_there_is_told(ask):
    failed = guide_of(ask._replace(hold=5.0), 1, occupancy=in_the_way((6.0, 0.0)))
    assert isinstance(failed, Failure)
    assert (failed.reason, failed.blockers.tolist()) == ("goal taken", [7])


# Guides themselves


def test_a_direct_guide_rests_walks_evenly_and_rests():
    path = np.array([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0)])
    guide = direct_guide(path, departs=1.0, arrives=9.0, lead=1.0, tail=2.0, wait_first=1.0, facing=0.5)
    np.testing.assert_allclose(guide[:, 2], [1.0, 3.0, 5.0, 7.0, 9.0])
    np.testing.assert_allclose(guide[:, :2], [path[0], *path, path[-1]])
    np.testing.assert_allclose(guide[:, 3], [0.0, 0.0, np.pi / 2, 0.5, 0.5])


def test_a_direct_guide_without_time_still_goes_forward_in_time():
    guide = direct_guide(
        np.array([(0.0, 0.0), (2.0, 0.0)]), departs=1.0, arrives=1.5, lead=1.0, tail=2.0, wait_first=0.0, facing=0.0
    )
    assert (np.diff(guide[:, 2]) > 0).all()


def test_headings_of_a_guide_are_those_of_the_piece_walked_next():
    guide = timed_guide(np.array([(0, 0, 0.0), (0, 0, 1.0), (1, 0, 2.0), (1, 0, 3.0), (1, 1, 4.0)]), facing=-1.0)
    np.testing.assert_allclose(guide[:, 3], [0.0, 0.0, np.pi / 2, np.pi / 2, -1.0])
