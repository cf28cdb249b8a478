"""Tables: declared columns, locked rows, joins, and the names columns have in files."""

from dataclasses import dataclass

import numpy as np
import pytest

from walkon._base.errors import InvalidShape, InvalidValue
from walkon._base.table import Column, Table, column


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps(Table):
    start: Column = column("float64")
    place: Column = column("float32", 3)
    foot: Column = column("int8")


def three() -> Steps:
    return Steps(start=[0.0, 1.0, 2.5], place=np.arange(9).reshape(3, 3), foot=[0, 1, 0])


def test_a_table_has_the_declared_types_and_is_locked() -> None:
    table = three()
    assert (table.start.dtype, table.place.dtype, table.foot.dtype) == (np.float64, np.float32, np.int8)
    assert len(table) == 3
    assert repr(table) == "Steps(3 rows)"
    for values in table.columns.values():
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def test_an_empty_table_has_no_rows_but_all_columns() -> None:
    assert len(Steps()) == 0
    assert Steps().place.shape == (0, 3)


def test_columns_of_different_length_are_refused_with_their_name() -> None:
    with pytest.raises(InvalidShape, match=r"Steps\.place must have shape \(2, 3\)"):
        Steps(start=[0.0, 1.0], place=np.zeros((3, 3)), foot=[0, 1])


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"Steps\.start must be finite"):
        Steps(start=[np.nan], place=np.zeros((1, 3)), foot=[0])


@pytest.mark.parametrize("index", [[2, 0], np.array([2, 0]), slice(None, None, -2)])
def test_rows_come_in_the_order_asked_for(index: object) -> None:
    assert three().rows(index).start.tolist() == [2.5, 0.0]


def test_rows_can_be_chosen_by_flags() -> None:
    assert three().rows(three().foot == 0).start.tolist() == [0.0, 2.5]


def test_no_rows_can_be_chosen() -> None:
    assert len(three().rows([])) == 0


def test_replaced_columns_leave_the_rest() -> None:
    changed = three().with_columns(foot=[1, 1, 1])
    assert changed.foot.tolist() == [1, 1, 1]
    assert changed.start is three().start or np.array_equal(changed.start, three().start)


def test_joined_tables_keep_their_order() -> None:
    table = three()
    assert Steps.joined([table, Steps(), table.rows([1])]).start.tolist() == [0.0, 1.0, 2.5, 1.0]
    assert Steps.joined([Steps(), table]) is table
    assert len(Steps.joined([])) == 0


def test_filling_broadcasts_what_is_given_and_zeroes_the_rest() -> None:
    table = Steps.filled(2, place=[1, 2, 3], start=[4, 5])
    assert table.place.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert table.start.tolist() == [4, 5]
    assert table.foot.tolist() == [0, 0]


def test_filling_an_unknown_column_names_the_known_ones() -> None:
    with pytest.raises(InvalidShape, match=r"no column 'hand'.*start, place, foot"):
        Steps.filled(1, hand=0)


def test_a_table_comes_back_from_its_arrays() -> None:
    arrays = three().to_arrays()
    assert set(arrays) == {"Steps.start", "Steps.place", "Steps.foot"}
    back = Steps.from_arrays(arrays)
    assert all(np.array_equal(back.columns[name], values) for name, values in three().columns.items())


def test_missing_and_wrong_columns_in_a_file_are_named() -> None:
    arrays = three().to_arrays()
    with pytest.raises(InvalidShape, match=r"column Steps\.foot is missing"):
        Steps.from_arrays({name: values for name, values in arrays.items() if name != "Steps.foot"})
    with pytest.raises(InvalidShape, match=r"Steps\.foot must be int8, not int64"):
        Steps.from_arrays(arrays | {"Steps.foot": np.zeros(3, np.int64)})
