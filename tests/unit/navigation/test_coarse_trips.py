"""Trips of the coarse plan, one person among others who are there: what is promised."""

import numpy as np
import pytest
import shapely

from coarse_worlds import NEED, WALKER, disc, finder_on, is_walking, least_distance, stop, take_way
from crowd_worlds import RADIUS
from roadmap_scenes import box, furnished, room, two_rooms
from walkon.navigation.coarse.coarse_rule import NO_STEP, PASSING_RADIUS_M, REACH_M
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace

GRID_ERROR = 0.01
"""m by which a distance between the nodes of a grid may be wrong."""
ROUNDING = 1e-5
FAR_SIDE = (9.5, 4.0)


def find(finder, start, *stops, me=0, **options):
    return finder.find(me, start, stops, radius=WALKER, **options)


def arrival(trip, number=0):
    """The step in which a stop is reached."""
    return int(trip.knots[np.flatnonzero(trip.knots[:, 3] == number)[-1], 2])


@pytest.mark.parametrize("seed", range(4))
def test_a_trip_goes_step_by_step_through_free_space(seed):
    stage = furnished(10, 10.0, seed)
    rng, area = np.random.default_rng(seed), FreeSpace.of(stage, radius=RADIUS).area
    finder, inner = finder_on(stage), shapely.buffer(area, -NEED - 0.15)
    places = rng.uniform(0.5, 9.5, (100, 2))
    places = places[shapely.contains_xy(max(shapely.get_parts(inner), key=shapely.area), *places.T)]
    for a, b, c in places[:18].reshape(-1, 3, 2):
        trip = find(finder, stop(a), stop(b, dwell=7), stop(c))
        knots, walking = trip.knots, is_walking(trip.knots)
        assert trip.found
        np.testing.assert_array_equal(knots[[0, -1], :2], [a, c])
        np.testing.assert_array_equal(np.unique(knots[:, 3]), [0, 1, 2])
        assert (np.diff(knots[:, 2])[walking] == 1).all()
        pieces = np.stack([knots[:-1, :2], knots[1:, :2]], axis=1)
        assert (np.linalg.norm(pieces[walking, 1] - pieces[walking, 0], axis=1) <= REACH_M + ROUNDING).all()
        assert (pieces[~walking, 0] == pieces[~walking, 1]).all()
        assert shapely.distance(shapely.LineString(knots[:, :2]), area.boundary) >= NEED - GRID_ERROR
        # At the first stop it stays for as long as it is asked to.
        assert (np.diff(knots[:, 2])[~walking][0]) == 7


def test_who_is_alone_walks_briskly():
    trip = find(finder_on(room(20.0, 20.0)), stop((1.0, 1.0)), stop((18.0, 11.0)))
    away = np.hypot(17.0, 10.0)
    assert away / REACH_M <= arrival(trip) <= 1.1 * away / REACH_M + 2
    assert np.hypot(*np.diff(trip.knots[:, :2], axis=0).T).sum() < 1.06 * away


def test_a_moved_world_has_moved_trips():
    by = np.array([64.0, -32.0])
    stage = two_rooms(0.9)
    there = [Obstacle(polygon=one.polygon + by, height=one.height) for one in stage.obstacles]
    finder, other = finder_on(stage), finder_on(Stage(bounds=stage.bounds + by, obstacles=tuple(there)))
    finder.traffic.add_rest(1, discs=disc(6.0, 4.0), first=0, stop=30)
    other.traffic.add_rest(1, discs=disc(70.0, -28.0), first=0, stop=30)
    one, two = find(finder, stop((2.0, 2.0)), stop((10.0, 6.0))), find(other, stop((66.0, -30.0)), stop((74.0, -26.0)))
    assert one.found
    np.testing.assert_allclose(two.knots - [*by, 0, 0], one.knots, atol=1e-6)


# Windows and places that are taken


@pytest.mark.parametrize("window", [(30, 40), (0, 16), (0, NO_STEP)])
def test_a_stop_is_met_within_its_window(window):
    trip = find(finder_on(room(10.0, 10.0)), stop((1.0, 1.0)), stop((9.0, 5.0), window=window), stop((1.0, 9.0)))
    met = max(arrival(trip), window[0])
    assert trip.found
    assert met <= window[1]
    assert int(trip.knots[np.flatnonzero(trip.knots[:, 3] == 1)[0], 2]) >= met


@pytest.mark.parametrize(("width", "goal"), [(3.0, (29.5, 1.5)), (1.0, (29.5, 0.5)), (0.7, (29.5, 0.35))])
def test_who_has_just_enough_time_finds_its_trip_beside_walls_as_well(width, goal):
    finder, start = finder_on(room(30.0, width)), stop((0.5, width / 2))
    soonest = arrival(find(finder, start, stop(goal)))
    assert find(finder, start, stop(goal, window=(0, soonest))).found
    assert not find(finder, start, stop(goal, window=(0, soonest - 10))).found


def test_who_has_just_enough_time_finds_its_trip_aslant_to_the_lattice():
    finder = finder_on(room(60.0, 60.0))
    soonest = arrival(find(finder, stop((5.0, 5.0)), stop((50.0, 27.0))))
    assert find(finder, stop((5.0, 5.0)), stop((50.0, 27.0), window=(0, soonest))).found


@pytest.mark.parametrize("dwell", [0, 6, 25])
def test_who_stays_for_a_while_comes_before_somebody_else_or_after(dwell):
    finder = finder_on(room(10.0, 10.0))
    finder.traffic.add_rest(1, discs=disc(5.0, 5.0), first=30, stop=50)
    trip = find(finder, stop((1.0, 5.0)), stop((5.0, 5.2), dwell=dwell), stop((5.0, 9.0)))
    first, last = arrival(trip), int(trip.knots[np.flatnonzero(trip.knots[:, 3] == 1)[0], 2])
    assert last - first == dwell
    assert first >= 50 if dwell == 25 else last <= 30


def test_who_comes_to_stay_waits_until_the_last_one_has_left_and_who_vanishes_does_not():
    finder = finder_on(room(10.0, 10.0))
    finder.traffic.add_rest(1, discs=disc(5.0, 5.0), first=30, stop=50)
    goal = stop((5.0, 5.2), dwell=NO_STEP)
    assert arrival(find(finder, stop((1.0, 5.0)), goal)) >= 50
    assert arrival(find(finder, stop((1.0, 5.0)), goal, vanishes=True)) < 30


@pytest.mark.parametrize(("first", "begin", "expected"), [(0, 0, 12), (0, 7, 12), (3, 0, 0), (0, 13, 13)])
def test_who_waits_outside_a_door_starts_at_the_earliest_free_step(first, begin, expected):
    finder = finder_on(room(10.0, 10.0))
    finder.traffic.add_rest(1, discs=disc(1.0, 1.0), first=first, stop=12)
    start = stop((1.0, 1.2), window=(begin, NO_STEP))
    trip = find(finder, start, stop((9.0, 9.0)), start_by=begin + 60)
    assert int(trip.knots[0, 2]) == expected
    assert find(finder, start, stop((9.0, 9.0))).found == (begin == expected)


def test_a_later_mark_has_a_say_in_how_the_first_is_reached():
    finder = finder_on(two_rooms(0.9))
    start, either = stop((2.0, 4.0)), stop((2.0, 1.0), (8.5, 4.0))
    assert find(finder, start, either).knots[-1, 0] < 3.0
    then = stop(FAR_SIDE, window=(0, 15))
    trip = find(finder, start, either, then)
    assert trip.found
    assert trip.knots[np.flatnonzero(trip.knots[:, 3] == 1)[0], 0] > 8.0
    assert not find(finder, start, stop((2.0, 1.0)), then).found


# Others


def gap_between(one, two):
    """The least distance of two trips of one stop each, also after they have ended."""
    last = int(max(one.knots[-1, 2], two.knots[-1, 2]))
    every = np.arange(last + 1)
    a, b = (np.column_stack([np.interp(every, t.knots[:, 2], t.knots[:, k]) for k in (0, 1)]) for t in (one, two))
    return least_distance(a[:-1], a[1:], b[:-1], b[1:]).min()


@pytest.mark.parametrize("stage", [room(12.0, 3.0), room(12.0, 8.0), two_rooms(0.9)])
def test_two_who_swap_places_keep_apart(stage):
    y = stage.bounds[:, 1].max() / 2
    finder = finder_on(stage)
    one = find(finder, stop((2.0, y)), stop((10.0, y), window=(0, 60)))
    take_way(finder, 0, one)
    late = stop((10.0, y), window=(4, NO_STEP))
    two = find(finder, late, stop((2.0, y)), me=1, start_by=60)
    assert two.found
    # Who takes a first or last step is narrower, and whoever walks is beside who rests.
    assert gap_between(one, two) >= 0.25 + PASSING_RADIUS_M - 0.02 - ROUNDING
    assert finder.traffic.met(1, two.knots, radius=0.25, discs=disc(2.0, y)) == set()


def test_a_trip_does_not_depend_on_the_order_in_which_others_came_and_nobody_is_in_its_own_way():
    rng = np.random.default_rng(0)
    places = rng.uniform(1.0, 9.0, (25, 2))
    trips = []
    for order in (range(25), reversed(range(25))):
        finder = finder_on(room(10.0, 10.0))
        for k in order:
            finder.traffic.add_rest(100 + k, discs=disc(*places[k], 0.2), first=3 * k, stop=3 * k + 40)
        finder.traffic.add_rest(7, discs=disc(9.5, 9.5), first=0, stop=NO_STEP)
        trips.append(find(finder, stop((0.5, 0.5)), stop((9.5, 9.5)), me=7))
    assert trips[0].found
    np.testing.assert_array_equal(trips[0].knots, trips[1].knots)
    assert not find(finder, stop((0.5, 0.5)), stop((9.5, 9.5)), me=8).found


def test_what_was_looked_for_before_changes_no_trip():
    used, fresh = finder_on(room(10.0, 10.0)), finder_on(room(10.0, 10.0))
    find(used, stop((1.0, 1.0)), stop((1.0, 1.0), (9.0, 9.0)))
    one, two = (find(finder, stop((9.0, 9.0)), stop((1.0, 1.0))) for finder in (used, fresh))
    np.testing.assert_array_equal(one.knots, two.knots)
    assert one.expanded == two.expanded


def test_who_may_come_nearer_to_its_own_chair_gets_there_after_somebody_else_has_not():
    finder = finder_on(room(10.0, 10.0, box(5.0, 5.0, 1.6, 1.6)))
    start, goal = stop((1.0, 1.0)), stop((5.0, 5.45), reach=0.85)
    own = finder_on(room(10.0, 10.0)).space.walking_grid
    assert find(finder_on(finder.space.stage), start, goal, grid=own).found
    assert not find(finder, start, goal).found
    assert find(finder, start, goal, grid=own).found
