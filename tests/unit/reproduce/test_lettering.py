import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.reproduce.lettering import LETTERS, hello, write


@pytest.mark.parametrize("length", [50.0, 60.0, 70.0])
def test_hello_is_as_long_as_asked_for_and_goes_from_left_to_right(length):
    path = hello(length=length)
    assert path.length == pytest.approx(length, rel=1e-3)
    assert path.points[-1, 0] > path.points[0, 0]
    assert np.ptp(path.points[:, 0]) > 2 * np.ptp(path.points[:, 1])


def test_hello_has_round_corners():
    assert hello(length=60.0).tightest > 0.3


def test_each_letter_can_be_written_alone():
    for letter in LETTERS:
        assert write(letter, length=10.0).length == pytest.approx(10.0, rel=1e-2)


def test_unknown_letters_and_no_letters_are_told():
    with pytest.raises(UnknownName, match="letter"):
        write("Hi!", length=10.0)
    with pytest.raises(InvalidValue, match="nothing to write"):
        write("", length=10.0)
