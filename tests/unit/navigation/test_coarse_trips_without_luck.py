"""Trips of the coarse plan where there is none, or none for a long while."""

import time

import pytest

from coarse_worlds import WALKER, disc, finder_on, stop
from roadmap_scenes import room, two_rooms
from walkon.navigation.coarse.coarse_rule import NO_STEP

FAR_SIDE = (9.5, 4.0)


def ask(finder, start, *stops, me=0, **options):
    return finder.find(me, start, stops, radius=WALKER, **options)


def quickly(finder, *asked, **options):
    ask(finder, *asked, **options)
    begun = time.perf_counter()
    trip = ask(finder, *asked, **options)
    assert time.perf_counter() - begun < 2.0
    assert not trip.found
    assert trip.knots.shape == (0, 4)
    return trip


def test_a_goal_that_is_walled_in_is_given_up_at_once():
    trip = quickly(finder_on(two_rooms(0.3)), stop((2.0, 2.0)), stop(FAR_SIDE))
    assert (trip.furthest, trip.expanded) == (-1, 0)
    trip = quickly(finder_on(two_rooms(0.3)), stop((2.0, 2.0)), stop((4.0, 2.0)), stop(FAR_SIDE))
    assert (trip.furthest, trip.expanded) == (-1, 0)


def test_somebody_who_stands_on_the_goal_for_ever_is_not_waited_for():
    finder = finder_on(room(10.0, 10.0), steps=200)
    finder.traffic.add_rest(1, discs=disc(9.0, 9.0), first=0, stop=NO_STEP)
    assert quickly(finder, stop((1.0, 1.0)), stop((9.0, 9.0))).furthest == 0
    assert quickly(finder, stop((1.0, 1.0)), stop((5.0, 5.0)), stop((9.0, 9.0))).furthest == 1
    assert quickly(finder, stop((9.0, 9.0)), stop((1.0, 1.0))).expanded == 0


def test_a_door_that_is_blocked_for_ever_is_given_up():
    finder = finder_on(two_rooms(0.9), steps=200)
    finder.traffic.add_rest(1, discs=disc(6.0, 4.0), first=0, stop=NO_STEP)
    assert quickly(finder, stop((2.0, 2.0)), stop(FAR_SIDE)).furthest == 0


@pytest.mark.parametrize("minutes", [10, 60])
def test_a_long_wait_is_no_long_search(minutes):
    steps = 120 * minutes
    finder = finder_on(room(10.0, 10.0), steps=steps + 200)
    trip = ask(finder, stop((1.0, 1.0)), stop((9.0, 9.0), window=(steps, NO_STEP)), stop((1.0, 9.0)))
    assert trip.found
    assert trip.knots[-1, 2] > steps


@pytest.mark.parametrize("left", [20, 100, 350])
def test_a_place_that_is_left_late_is_waited_for(left):
    finder = finder_on(room(10.0, 10.0))
    finder.traffic.add_rest(1, discs=disc(5.0, 5.0), first=0, stop=left)
    trip = ask(finder, stop((1.0, 1.0)), stop((5.0, 5.0), dwell=NO_STEP))
    assert trip.found
    assert left <= trip.knots[-1, 2] <= left + 2
