"""The order in which marks are planned, circles of them, and between which times each lies."""

from math import inf

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.script import Action, Character, Mark, Moment, Scene, timing_order
from walkon.script.timing import find_circles, find_stays


def somebody(name, *marks, enters=0.0):
    return Character(name=name, place=(0, 0, 0), enters=enters, marks=marks)


def waiting(name, clock, **more):
    who, what = clock.split(".")
    return Mark(name=name, window=(0, 5), clock=Moment(character=who, mark=what), **more)


def test_marks_come_after_those_that_they_wait_for() -> None:
    scene = Scene(
        characters=(
            somebody("a", Mark(name="x", pose="stand"), waiting("y", "c.x")),
            somebody("b", waiting("x", "a.y")),
            somebody("c", waiting("x", "a.x"), Mark(name="y", pose="stand")),
        )
    )
    order = timing_order(scene)
    assert order == [(0, 0), (2, 0), (0, 1), (1, 0), (2, 1)]


def test_picking_up_comes_after_putting_down_in_the_order_of_windows() -> None:
    def moving(name, start):
        up, down = Action(kind="pick_up", prop="box"), Action(kind="put_down", prop="box", place=(1.0, 0.0, 0.1))
        return somebody(name, Mark(name="lift", action=up, window=(start, inf)), Mark(name="drop", action=down))

    scene = Scene(characters=[moving("ann", 50.0), moving("bob", 5.0), moving("cy", 20.0)])
    assert timing_order(scene) == [(1, 0), (1, 1), (2, 0), (2, 1), (0, 0), (0, 1)]


def test_without_clocks_the_order_is_that_of_the_scene() -> None:
    scene = Scene(characters=tuple(somebody(f"p{i}", Mark(name="m", pose="stand")) for i in range(20)))
    assert timing_order(scene) == [(i, 0) for i in range(20)]


def test_circles_are_named() -> None:
    scene = Scene(
        characters=(
            somebody("a", waiting("x", "b.y")),
            somebody("b", Mark(name="first", pose="stand"), waiting("y", "a.x")),
            somebody("c", waiting("after", "b.y")),
            somebody("d", waiting("self", "d.self")),
        )
    )
    with pytest.raises(InvalidValue, match=r"in a circle: a\.x → b\.y → a\.x; d\.self → d\.self; give one"):
        timing_order(scene)
    assert len(list(find_circles(scene))) == 2
    assert set(find_stays(scene, fastest=np.full(len(scene.characters), 2.0))) == {(1, 0)}


def test_an_earlier_mark_of_ones_own_is_part_of_the_circle() -> None:
    scene = Scene(
        characters=(
            somebody("a", waiting("x", "b.y"), Mark(name="z", pose="stand")),
            somebody("b", waiting("y", "a.z")),
        )
    )
    with pytest.raises(InvalidValue, match=r"a\.x → b\.y → a\.z → a\.x"):
        timing_order(scene)


def test_clocks_that_name_nobody_are_passed_over() -> None:
    assert timing_order(Scene(characters=(somebody("a", waiting("x", "nobody.y")),))) == [(0, 0)]


def test_times_add_up_along_ways_holds_and_clocks() -> None:
    scene = Scene(
        characters=(
            somebody(
                "a",
                Mark(name="x", position=(4, 0), hold=3.0),
                Mark(name="y", position=(4, 6), window=(0, 20)),
                enters=1.0,
            ),
            somebody("b", waiting("z", "a.y", until=40.0), Mark(name="end", pose="stand", hold=inf)),
        )
    )
    found = find_stays(scene, fastest=np.full(len(scene.characters), 2.0))
    assert (found[0, 0].earliest, found[0, 0].latest, found[0, 0].free) == (3.0, inf, 6.0)
    assert (found[0, 1].earliest, found[0, 1].latest) == (9.0, 20.0)
    assert found[0, 1].walk == pytest.approx(6 / 14)
    assert (found[1, 0].earliest, found[1, 0].latest, found[1, 0].free) == (9.0, 25.0, 40.0)
    assert found[1, 1].free == inf


def test_a_hundred_thousand_marks_are_sorted() -> None:
    marks = tuple(Mark(name=f"m{i}", window=(i, i + 1)) for i in range(1000))
    scene = Scene(characters=tuple(somebody(f"p{i}", *marks) for i in range(100)))
    order = np.array(timing_order(scene))
    assert (np.diff(order[:, 0] * 1000 + order[:, 1]) == 1).all()
