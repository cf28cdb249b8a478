"""What the coarse plan asks of each person: stops, with what takes time on the spot."""

import numpy as np
import pytest

from crowd_worlds import at, context_on, hub, person, plan_graph_of
from roadmap_scenes import box
from walkon.crowd.itineraries import STRICT, Itineraries
from walkon.crowd.people import draw_people
from walkon.navigation.coarse.coarse_rule import NO_STEP, STEP_S
from walkon.script import Mark, Scene
from walkon.script.mark import Action
from walkon.script.scene import PlacedProp
from walkon.stage import Door, Prop, Stage

WIDE_DOOR = Door(name="wide", ends=np.array([(5.0, -1.2), (5.0, 1.2)]))
NARROW_DOOR = Door(name="narrow", ends=np.array([(-5.0, -0.45), (-5.0, 0.45)]))
FLOOR = np.array([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)])
HALL = Stage(bounds=FLOOR, doors=(WIDE_DOOR, NARROW_DOOR))
ENTRY = (4.7, 0.0, np.pi)


def itineraries_of(*people, stage=None, props=()):
    scene = Scene(characters=people, stage=stage or Stage(), props=props)
    return Itineraries(scene, context_on(scene.stage), draw_people(scene, seed=0))


def itinerary_of(one, leniency=STRICT, **options):
    return itineraries_of(one, **options).of(0, leniency)


def ann(*marks, **options):
    return person("ann", options.pop("place", (0.0, 0.0, 0.0)), *marks, **options)


def test_a_mark_is_a_stop_at_its_place_and_the_last_one_is_for_ever():
    itinerary = itinerary_of(ann(at(3.0, 1.0, 10, 20, hold=4.0), at(5.0, 5.0)))
    one, two = itinerary.stops
    np.testing.assert_allclose([one.spots[0], two.spots[0]], [(3.0, 1.0), (5.0, 5.0)])
    assert one.dwell * STEP_S >= 4.0 + itinerary.tails[0]
    assert one.dwell * STEP_S <= 4.0 + itinerary.tails[0] + 3.0
    assert two.dwell == NO_STEP
    assert two.window == (0, NO_STEP)
    assert not itinerary.vanishes


@pytest.mark.parametrize("window", [(10.0, 20.0), (10.2, 19.8), (0.0, 0.3)])
def test_who_arrives_within_a_stops_window_meets_its_mark_within_half_a_second(window):
    itinerary = itinerary_of(ann(at(3.0, 1.0, *window)))
    low, high = (step * STEP_S + itinerary.tails[0] for step in itinerary.stops[0].window)
    assert window[0] - STEP_S < low <= max(window[0], itinerary.tails[0])
    assert window[1] <= high < max(window[1], itinerary.tails[0]) + STEP_S


def test_what_is_taken_up_at_a_stop_are_the_discs_of_who_stands_there():
    itinerary = itinerary_of(ann(at(3.0, 1.0, facing=np.pi / 2)))
    discs = plan_graph_of().hub_discs[hub("stand")]
    discs = discs[discs[:, 2] > 0]
    expected = np.column_stack([3.0 - discs[:, 1], 1.0 + discs[:, 0], discs[:, 2]])
    np.testing.assert_allclose(itinerary.stops[0].rests[0], expected, atol=1e-6)


def test_who_only_passes_a_mark_loses_no_time_there():
    passes = Mark(name="by", position=(3.0, 0.0))
    assert itinerary_of(ann(passes, at(6.0, 0.0))).tails[0] == 0.0
    assert itinerary_of(ann(at(3.0, 0.0), at(6.0, 0.0))).tails[0] > 0.0
    assert itinerary_of(ann(at(6.0, 0.0), passes)).tails[1] > 0.0


def test_a_mark_without_a_place_is_met_where_one_is():
    itinerary = itinerary_of(ann(at(3.0, 1.0), Mark(name="wait", window=(20.0, 30.0))))
    np.testing.assert_array_equal(itinerary.stops[1].spots, itinerary.stops[0].spots)
    assert itinerary.stops[1].window == (40, 60)


@pytest.mark.parametrize("facing", [0.0, 2.0])
def test_a_seat_is_reached_from_the_standing_place_before_it(facing):
    seat = Mark(name="seat", position=(3.0, 1.0), facing=facing, pose="sit")
    itinerary = itinerary_of(ann(seat, at(0.0, 5.0)))
    seconds, out = context_on().act_seconds(hub("sit"), rising=True)
    away = itinerary.stops[0].spots[0] - (3.0, 1.0)
    assert np.hypot(*away) == pytest.approx(np.hypot(*out[:2]), abs=1e-6)
    assert np.dot(away, (np.cos(facing), np.sin(facing))) > 0.2, "it is before the seat"
    np.testing.assert_array_equal(itinerary.sits, [(3.0, 1.0)])
    assert itinerary.tails[0] > 1.0, "sitting down takes its time"
    rising = itinerary_of(ann(at(0.0, 5.0), place=(3.0, 1.0, facing), pose="sit"))
    np.testing.assert_allclose(rising.start.spots, itinerary.stops[0].spots, atol=0.05)
    assert rising.start.window[0] * STEP_S >= seconds
    np.testing.assert_array_equal(rising.sits, [(3.0, 1.0)])


def test_until_a_time_is_until_that_time_for_who_is_there_when_its_window_opens():
    itinerary = itinerary_of(ann(at(3.0, 0.0, 10, 12, until=30.0), at(0.0, 4.0)))
    stop, _ = itinerary.stops
    assert 30.0 <= max(stop.window[0] + stop.dwell, stop.until) * STEP_S <= 34.0


# Props and doors


def table(*others):
    placed = PlacedProp(prop=Prop(name="cup", size=(0.1, 0.1, 0.1)), place=(2.0, 0.0, 0.8))
    return {"props": (placed,), "stage": Stage(obstacles=others)}


def test_a_prop_is_lifted_from_any_free_place_around_it():
    lift = Mark(name="lift", action=Action(kind="pick_up", prop="cup"))
    spots = itinerary_of(ann(lift), **table()).stops[0].spots
    assert len(spots) == 8
    np.testing.assert_allclose(np.hypot(*(spots - (2.0, 0.0)).T), 0.55)
    walled = itinerary_of(ann(lift), **table(box(3.1, 0.0, 1.8, 4.0))).stops[0].spots
    assert 3 <= len(walled) < 8
    assert (walled[:, 0] < 2.2).all()


def test_a_prop_that_was_put_down_is_lifted_there():
    down = Mark(name="down", action=Action(kind="put_down", prop="cup", place=(6.0, 1.0, 0.8)))
    lift = Mark(name="lift", action=Action(kind="pick_up", prop="cup"))
    stops = itinerary_of(ann(lift, down, lift), **table()).stops
    np.testing.assert_allclose(stops[0].spots.mean(axis=0), (2.0, 0.0), atol=1e-9)
    for stop in stops[1:]:
        np.testing.assert_allclose(stop.spots.mean(axis=0), (6.0, 1.0), atol=1e-9)


@pytest.mark.parametrize(("door", "count"), [("wide", 4), ("narrow", 1)])
def test_a_door_is_gone_through_side_by_side_over_its_whole_width(door, count):
    itinerary = itinerary_of(ann(at(0.0, 0.0), leaves=door), stage=HALL)
    spots = itinerary.stops[-1].spots
    assert itinerary.vanishes
    assert spots.shape == (count, 2)
    assert (np.abs(spots[:, 1]) <= 0.9 + 1e-9).all()
    gaps = np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1))[np.triu_indices(count, 1)]
    assert (gaps >= 2 * itinerary.stops[-1].near).all(), "who is side by side keeps what it needs"


def test_who_comes_in_through_a_door_is_on_its_way_and_loses_no_time():
    through = itinerary_of(ann(at(0.0, 0.0), place=ENTRY, door="wide", enters=3.2), stage=HALL)
    inside = itinerary_of(ann(at(0.0, 0.0), place=(4.0, 0.0, 0.0), enters=3.2), stage=HALL)
    assert through.start.window[0] == 6
    assert inside.start.window[0] > 6, "it turns around first"
    assert through.start.spots.shape == (4, 2)


# What gives way


def test_what_gives_way_gives_way_and_nothing_else():
    one = ann(at(0.0, 0.0, 10, 20, hold=3.0), at(2.0, 2.0, 30, 40), place=ENTRY, door="wide", leaves="narrow")
    itineraries = itineraries_of(one, stage=HALL)
    strict, late = itineraries.of(0), itineraries.of(0, STRICT._replace(late=4.0))
    assert len(strict.stops) == 3
    for a, b in zip(strict.stops[:2], late.stops[:2], strict=True):
        assert b.window == (a.window[0], a.window[1] + 8)
        np.testing.assert_array_equal(a.spots, b.spots)
    assert late.stops[2].window == strict.stops[2].window
    later = itineraries.of(0, STRICT._replace(later=5.0))
    assert later.start.window[0] == strict.start.window[0] + 10
    assert [stop.window for stop in later.stops] == [stop.window for stop in strict.stops]
    places = np.array([(1.0, 0.0), (0.0, 1.0)])
    near = itineraries.of(0, STRICT._replace(near={0: places}))
    np.testing.assert_array_equal(near.stops[0].spots, places)
    assert near.stops[0].rests.shape[0] == 2
    np.testing.assert_array_equal(near.stops[1].spots, strict.stops[1].spots)


# Laws


@pytest.mark.parametrize("turn", [0.7, -2.0])
def test_a_turned_and_moved_scene_asks_the_same_there(turn):
    c, s, by = np.cos(turn), np.sin(turn), np.array([3.0, -7.0])
    out = np.array([[c, s], [-s, c]])

    def made(there, heading):
        marks = [
            at(*there((3.0, 1.0)), 10, 20, facing=1.0 + heading, hold=2.0),
            Mark(name="seat", position=tuple(there((1.0, 4.0))), facing=2.0 + heading, pose="sit"),
            at(*there((-2.0, 0.0)), 40, 60),
        ]
        return itinerary_of(ann(*marks, place=(*there((0.5, 0.5)), 0.3 + heading)))

    one, two = made(np.array, 0.0), made(lambda p: np.array(p) @ out + by, turn)
    for a, b in zip((one.start, *one.stops), (two.start, *two.stops), strict=True):
        np.testing.assert_allclose(b.spots, a.spots @ out + by, atol=1e-9)
        np.testing.assert_allclose(b.rests[..., :2], a.rests[..., :2] @ out + by, atol=1e-6)
        assert (a.window, a.dwell, a.reach, a.near) == (b.window, b.dwell, b.reach, b.near)
    assert one.tails == pytest.approx(two.tails)


def test_what_one_is_asked_does_not_depend_on_others_or_on_rows():
    people = [person(f"p{k}", (k, 0.0, 0.0), at(k, 4.0 + k, 3, 9 + k)) for k in range(4)]
    one, two = itineraries_of(*people), itineraries_of(*people[::-1])
    for k in range(4):
        a, b, alone = one.of(k), two.of(3 - k), itineraries_of(people[k]).of(0)
        assert a.tails == b.tails == alone.tails
        np.testing.assert_array_equal(a.stops[0].rests, b.stops[0].rests)
        assert a.stops[0].window == b.stops[0].window == alone.stops[0].window
