"""Marks: anything may be left free, but not everything, and numbers are numbers."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.script import Mark


def test_what_is_not_given_is_free() -> None:
    mark = Mark(name="door", position=np.array([1, 2]))
    assert mark.position == (1.0, 2.0)
    assert mark.facing is None
    assert mark.pose is None
    assert mark.window is None
    assert mark.hold == 0.0


@pytest.mark.parametrize(
    "given", [{"position": (0, 0)}, {"facing": 0.0}, {"pose": "sit"}, {"window": (3, 3)}], ids=lambda g: next(iter(g))
)
def test_any_one_demand_is_enough(given: dict[str, object]) -> None:
    Mark(**given)


def test_a_mark_that_asks_for_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue, match="'idle' asks for nothing; give a position"):
        Mark(name="idle", hold=2.0)


@pytest.mark.parametrize("position", [(1,), (1, 2, 3), (np.nan, 0), "ab", 5, (1, "x")])
def test_a_position_is_two_finite_numbers(position: object) -> None:
    with pytest.raises(InvalidValue, match="the position of mark 'a' must be 2 finite numbers"):
        Mark(name="a", position=position)


def test_a_window_ends_after_it_begins() -> None:
    assert Mark(window=(1, 2)).window == (1.0, 2.0)
    with pytest.raises(InvalidValue, match="must end after it begins, got 2 to 1 s"):
        Mark(name="a", window=(2, 1))


@pytest.mark.parametrize("facing", [np.nan, np.inf])
def test_a_facing_is_an_angle(facing: float) -> None:
    with pytest.raises(InvalidValue, match="the facing of mark 'a' must be an angle in radians"):
        Mark(name="a", facing=facing)


@pytest.mark.parametrize("hold", [-1.0, np.nan])
def test_a_mark_is_held_for_a_while_or_not_at_all(hold: float) -> None:
    with pytest.raises(InvalidValue, match="must be held for 0 s or more"):
        Mark(name="a", position=(0, 0), hold=hold)
