"""The coarse plan of a whole crowd: stories that must end well, laws, and bad luck."""

import time

import numpy as np
import pytest

from coarse_worlds import crowd_of, promised_gaps, trips_of
from crowd_worlds import at, person, swapping
from roadmap_scenes import box, room, two_rooms
from walkon.script import Mark
from walkon.stage import Door, Stage

ROUNDING = 1e-4
"""m: pieces are kept with 32 bits."""
WIDE_OPEN = Stage(
    bounds=np.array([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)]),
    doors=[Door(name="door", ends=np.array([(5.0, -0.6), (5.0, 0.6)]))],
)


def all_go_well(crowd):
    """Every mark is met, in time, and everybody keeps the distances that are promised."""
    for one, trip in zip(crowd.scene.characters, crowd.trips, strict=True):
        assert trip is not None, one.name
        assert len(trip.arrivals) == len(one.marks) + bool(one.leaves), one.name
    assert promised_gaps(crowd)[0] >= -ROUNDING


def same_trips(one, two):
    """Whether trips by name are equal, bit for bit."""
    a, b = trips_of(one), trips_of(two)
    return a.keys() == b.keys() and all(np.array_equal(a[n].knots, b[n].knots) for n in a)


# Stories


@pytest.mark.parametrize("order", [range(12), range(11, -1, -1)])
def test_twelve_go_through_a_narrow_door_from_both_sides(order):
    people = []
    for k in range(6):
        people.append(person(f"l{k}", (2.0, 1.5 + k, 0.0), at(9.5, 1.5 + k, 0, 60)))
        people.append(person(f"r{k}", (10.0, 2.0 + k, np.pi), at(2.5, 2.0 + k, 0, 60)))
    crowd = crowd_of(*(people[k] for k in order), stage=two_rooms(0.9))
    all_go_well(crowd)
    assert all(trip.arrivals[0] < 60.0 for trip in crowd.trips)


@pytest.mark.parametrize("pose", ["stand", "sit"])
def test_a_row_with_one_end_is_filled_from_the_inside_out(pose):
    """Those for the outer places stand nearest to the row."""
    row = room(9.0, 6.0, box(2.5, 1.275, 5.0, 2.55), box(2.5, 4.725, 5.0, 2.55))
    depths = [4.0, 0.6, 2.3, 1.45, 3.15]
    people = [
        person(f"p{k}", (8.7 - 0.8 * d, 1.0 + d, np.pi), at(d, 3.0, 0, 60, pose=pose, facing=0.0))
        for k, d in enumerate(depths)
    ]
    crowd = crowd_of(*people, stage=row)
    all_go_well(crowd)
    assert crowd.order == np.argsort(depths).tolist()


@pytest.mark.parametrize("stage", [None, room(9.0, 2.2)])
def test_two_who_swap_places_pass_each_other(stage):
    people = swapping()
    if stage is not None:
        y = stage.bounds[:, 1].max() / 2
        people = (person("ann", (1, y, 0), at(8, y, 0, 40)), person("bob", (8, y, np.pi), at(1, y, 0, 40)))
    all_go_well(crowd_of(*people, stage=stage))


@pytest.mark.parametrize("order", [range(5), range(4, -1, -1), (2, 0, 4, 1, 3)])
def test_a_queue_moves_up_slot_by_slot_and_who_leaves_goes_first(order):
    slots = [(0.8 * k, 0.0) for k in range(5)]
    people = [person("q0", (*slots[0], np.pi), at(-4.0, 0.0, 0, 30))]
    for k in range(1, 5):
        ups = [at(*slots[j], 10 * (k - j), 10 * (k - j) + 9, name=f"slot {j}") for j in range(k - 1, -1, -1)]
        people.append(person(f"q{k}", (*slots[k], np.pi), *ups, at(-4.0, k, 10 * k + 5, 10 * k + 40, name="off")))
    crowd = crowd_of(*(people[k] for k in order))
    all_go_well(crowd)
    assert [crowd.scene.characters[i].name for i in crowd.order] == ["q0", "q1", "q2", "q3", "q4"]
    # Whoever comes to a slot finds it left by the one before.
    for k in range(1, 5):
        before, mine = (trips_of(crowd)[f"q{j}"].rests for j in (k - 1, k))
        for number in range(k):
            assert before[number][1] <= mine[number + 1][0]


def test_people_come_in_through_a_door_side_by_side_and_one_after_another():
    people = [person(f"d{k}", (4.7, 0.0, np.pi), at(-3.0, k - 3.0), door="door") for k in range(6)]
    crowd = crowd_of(*people, person("out", (0.0, 4.0, 0.0), at(2.0, 2.0, hold=1.0), leaves="door"), stage=WIDE_OPEN)
    all_go_well(crowd)
    begun = sorted((float(trip.knots[0, 2]), tuple(trip.knots[0, :2])) for trip in crowd.trips[:-1])
    assert len(set(begun)) == 6
    assert [when for when, _ in begun[:2]] == [0.0, 0.0]
    assert not [first for first, stop, _ in crowd.trips[-1].rests if stop == np.inf], "who has left rests nowhere"


def test_who_stands_where_a_way_leads_is_walked_around():
    still = person("still", (0.0, 0.0, 0.0))
    crowd = crowd_of(still, person("ann", (-3.0, 0.0, 0.0), at(3.0, 0.0, 0, 20)))
    trip = trips_of(crowd)["ann"]
    assert len(trip.arrivals) == 1
    assert promised_gaps(crowd)[0] >= -ROUNDING
    assert np.abs(trip.knots[:, 1]).max() > 0.4


# Laws


def scattered(seed):
    """A small room full of people who all go somewhere else."""
    rng = np.random.default_rng(seed)
    size, count = [((6.0, 6.0), 14), ((9.0, 2.2), 8)][seed % 2]
    ends = []
    for _ in range(2):
        found = []
        while len(found) < count:
            place = rng.uniform(0.5, np.array(size) - 0.5)
            if all(np.hypot(*(place - other)) > 0.75 for other in found):
                found.append(place)
        ends.append(found)
    people = [person(f"p{k}", (*a, 0.0), at(*b, 0, 60)) for k, (a, b) in enumerate(zip(*ends, strict=True))]
    return people, room(*size), rng.permutation(count)


@pytest.mark.parametrize("seed", [*range(6), 22, 39, 43, 47])
def test_in_a_full_room_all_get_where_they_go_and_the_order_of_rows_has_no_say(seed):
    people, stage, order = scattered(seed)
    crowd = crowd_of(*people, stage=stage)
    all_go_well(crowd)
    assert same_trips(crowd, crowd_of(*(people[k] for k in order), stage=stage))


def test_somebody_far_away_changes_no_trip():
    people, _, _ = scattered(0)
    far = person("a far one", (90.0, 0.0, 0.0), at(95.0, 0.0, 0, 60))
    stage = Stage(bounds=np.array([(-1.0, -1.0), (99.0, -1.0), (99.0, 8.0), (-1.0, 8.0)]))
    one, two = trips_of(crowd_of(*people, stage=stage)), trips_of(crowd_of(far, *people, stage=stage))
    assert all(np.array_equal(one[name].knots, two[name].knots) for name in one)


@pytest.mark.parametrize("enters", [0.0, 20.0, 60.0])
def test_nobody_stays_where_somebody_else_is_to_come_in(enters):
    bob = person("bob", (3.0, 0.0, 0.0), at(3.0, 5.0, enters, enters + 30), enters=enters)
    ann = person("ann", (0.0, 0.0, 0.0), at(3.0, 0.0, 0, 300, hold=100.0), at(0.0, 3.0, name="home"))
    crowd = crowd_of(ann, bob, horizon=450.0)
    all_go_well(crowd)
    there = [rest for rest in crowd.trips[0].rests if np.hypot(*(rest[2][0, :2] - (3.0, 0.0))) < 0.1]
    assert [stop - first >= 100 for first, stop, _ in there] == [True]
    kept = crowd.trips[1].rests[0]
    assert there[0][1] <= kept[0] or there[0][0] >= kept[1]


def test_who_is_held_until_a_time_goes_on_then():
    ann = person(
        "ann",
        (0.0, 0.0, 0.0),
        Mark(name="wait", position=(9.0, 0.0), pose="stand", until=30.0),
        at(9.0, 4.0, 33, 40, name="on"),
    )
    crowd = crowd_of(ann)
    all_go_well(crowd)
    assert crowd.trips[0].rests[1][1] == pytest.approx(30.0, abs=1.5)


# Bad luck


def test_who_cannot_get_to_its_goal_stays_and_keeps_nobody_else_waiting():
    people = [
        person("shut out", (2.0, 2.0, 0.0), at(10.0, 4.0)),
        person("fine", (2.0, 6.0, 0.0), at(4.0, 1.0, 0, 30)),
        person("outside", (0.2, 4.0, 0.0), at(10.0, 6.0), door="door"),
    ]
    walls = two_rooms(0.3)
    door = Door(name="door", ends=np.array([(0.0, 3.4), (0.0, 4.6)]))
    stage = Stage(bounds=walls.bounds, obstacles=walls.obstacles, doors=(door,))
    crowd_of(*people, stage=stage)
    begun = time.perf_counter()
    trips = trips_of(crowd_of(*people, stage=stage))
    assert time.perf_counter() - begun < 2.0
    assert trips["shut out"].arrivals == ()
    assert [rest[1] for rest in trips["shut out"].rests] == [np.inf]
    assert trips["outside"] is None
    assert len(trips["fine"].arrivals) == 1


def test_who_wants_a_place_where_somebody_stands_for_ever_stays_where_it_is():
    crowd = crowd_of(person("still", (3.0, 0.0, 0.0)), person("ann", (0.0, 0.0, 0.0), at(3.0, 0.1)), horizon=60.0)
    trip = trips_of(crowd)["ann"]
    assert trip.arrivals == ()
    assert trip.knots.shape == (1, 4)


def test_nobody_is_planned_where_nobody_is():
    crowd = crowd_of(stage=room(5.0, 5.0))
    assert (crowd.trips, crowd.order) == ([], [])
