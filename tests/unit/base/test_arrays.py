"""Arrays of frozen dataclasses: checked once, copied only where they must be, locked."""

import numpy as np
import pytest

from walkon._base.arrays import lock_array
from walkon._base.errors import InvalidShape, InvalidValue


def test_a_list_becomes_a_locked_array_and_the_source_stays_free() -> None:
    source = np.ones((2, 3))
    locked = lock_array(source, (None, 3), name="offsets")
    with pytest.raises(ValueError, match="read-only"):
        locked[0, 0] = 7
    source[0, 0] = 7
    assert locked[0, 0] == 1


def test_a_locked_array_is_shared_not_copied() -> None:
    locked = lock_array([[1.0, 2.0]], (1, 2), name="points")
    assert lock_array(locked, (None, 2), name="points") is locked


def test_views_that_are_not_contiguous_are_made_so() -> None:
    locked = lock_array(np.arange(12.0).reshape(3, 4)[:, ::2], (3, 2), name="points")
    assert locked.flags.c_contiguous
    assert locked.tolist() == [[0, 2], [4, 6], [8, 10]]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.zeros((2, 2)), InvalidShape, r"points must have shape \(any, 3\), got \(2, 2\)"),
        (np.zeros(3), InvalidShape, r"got \(3,\)"),
        ([[0, 0, np.inf]], InvalidValue, r"points must be finite, but entry \(0, 2\) is inf"),
        ([["a", "b", "c"]], InvalidValue, "points must be an array of float64"),
        ([[1, 2, 3], [1]], InvalidValue, "points must be an array of float64"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(value: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        lock_array(value, (None, 3), name="points")
