"""Props: known shapes, positive sizes, sane colours."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.stage import Prop


def test_a_prop_is_a_box_unless_told() -> None:
    prop = Prop(name="crate", size=np.array([1, 2, 3]))
    assert prop.shape == "box"
    assert prop.size == (1.0, 2.0, 3.0)
    assert hash(prop) == hash(Prop(name="crate", size=(1.0, 2.0, 3.0)))


def test_an_unknown_shape_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="'cylinder'"):
        Prop(name="pipe", shape="cylindre")


@pytest.mark.parametrize("size", [(1, 2), (1, 2, 0), (1, 2, -1), (1, 2, np.nan), (1, 2, 1e9)])
def test_a_size_is_three_positive_numbers(size: tuple[float, ...]) -> None:
    with pytest.raises(InvalidValue, match="the size of prop 'crate' must be three numbers"):
        Prop(name="crate", size=size)


@pytest.mark.parametrize("colour", [(0.5, 0.5), (0, 0, 1.1), (-0.1, 0, 0)])
def test_a_colour_is_three_numbers_from_0_to_1(colour: tuple[float, ...]) -> None:
    with pytest.raises(InvalidValue, match="the colour of prop 'crate'"):
        Prop(name="crate", colour=colour)


def test_black_and_white_are_colours() -> None:
    assert Prop(name="a", colour=(0, 0, 0)).colour == (0.0, 0.0, 0.0)
    assert Prop(name="a", colour=(1, 1, 1)).colour == (1.0, 1.0, 1.0)
