"""Who is planned at once: those who are not expected to meet, a few more while that holds."""

import numpy as np
import pytest

from crowd_worlds import at, person, schedule_of, swapping
from walkon.crowd import batches as module
from walkon.crowd.batches import Batches, expected_track
from walkon.script import Mark, Scene
from walkon.script.mark import Moment


def batches_of(*people, size, most=9):
    made = Batches.of(Scene(characters=people), speeds=np.ones(len(people)), horizon=30.0, most=most)
    made.size = size
    return made


def test_people_are_expected_to_walk_straight_and_to_be_in_time():
    one = person("ann", (0.0, 0.0, 0.0), at(4.0, 0.0, 10, 12, hold=3.0), at(4.0, 5.0, 0, 99, name="on"))
    track = expected_track(one, speed=2.0, props={})
    assert track.times.tolist() == pytest.approx([0.0, 10.0, 13.0, 15.5])
    np.testing.assert_allclose(track.at([5.0, 11.0, 99.0]), [[2.0, 0.0], [4.0, 0.0], [4.0, 5.0]])


def test_a_mark_without_a_place_is_where_one_is():
    one = person("ann", (1.0, 2.0, 0.0), Mark(name="wait", window=(5.0, 6.0)))
    np.testing.assert_allclose(expected_track(one, speed=1.3, props={}).at([0.0, 5.0, 9.0]), [[1.0, 2.0]] * 3)


def test_the_first_tasks_are_taken_up_to_one_that_is_expected_to_meet_another():
    apart = [person(f"p{k}", (0.0, 9.0 * k, 0.0), at(3.0, 9.0 * k, 0, 20)) for k in range(4)]
    tasks = [(i, 1) for i in range(4)]
    assert batches_of(*apart, size=3).next(tasks) == tasks[:3]
    assert batches_of(*swapping(), *apart[1:3], size=4).next(tasks) == tasks[:1]
    assert batches_of(apart[1], *swapping(), apart[2], size=4).next(tasks) == tasks[:2]


def test_ways_that_cross_long_after_each_other_do_not_meet():
    soon = person("soon", (-9.0, 0.0, 0.0), at(9.0, 0.0, 0, 99))
    late = person("late", (0.0, -9.0, 0.0), Mark(name="wait", position=(0.0, -9.0), window=(20.0, 20.0)), at(0.0, 9.0))
    early = person("early", (0.0, -9.0, 0.0), at(0.0, 9.0))
    tasks = [(0, 1), (1, 2)]
    assert batches_of(soon, late, size=2).next(tasks) == tasks
    assert batches_of(soon, early, size=2).next(tasks) == tasks[:1]


def test_nobody_is_planned_twice_in_one_batch():
    people = (
        person("ann", (0.0, 0.0, 0.0), at(2.0, 0.0), at(4.0, 0.0, name="on")),
        person("bob", (0.0, 9.0, 0.0), at(2.0, 9.0), at(4.0, 9.0, name="on")),
    )
    tasks = schedule_of(*people, staged=True)._tasks()
    assert sorted(tasks[:2]) == [(0, 1), (1, 1)]
    batches = batches_of(*people, size=3)
    assert batches.next(tasks) == tasks[:2]
    assert batches.next(tasks[2:]) == tasks[2:]


def test_batches_grow_while_nobody_is_planned_again_and_shrink_when_somebody_is():
    batches = batches_of(person("ann", (0.0, 0.0, 0.0)), size=1, most=3)
    for size in (1, 2, 3):
        for _ in range(module.CLEAR_TASKS_PER_GROWTH):
            assert batches.size == size
            batches.settle(size, again=False)
    assert batches.size == 3
    batches.settle(3, again=True)
    assert batches.size == 1
    batches.settle(1, again=True)
    assert batches.size == 1


def test_with_clocks_a_schedule_plans_everybody_alone(monkeypatch):
    sizes = []
    choose = Batches.next
    monkeypatch.setattr(Batches, "next", lambda self, tasks: sizes.append(len(tasks)) or choose(self, tasks))
    cat = person("cat", (0.0, 10.0, 0.0), at(3.0, 10.0, 1, 5, clock=Moment(character="ann", mark="there")))
    schedule_of(*swapping(), cat, batch=3).run()
    assert set(sizes) == {1}
