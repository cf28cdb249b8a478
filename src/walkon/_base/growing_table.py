"""Growing tables (amortized arrays): rows are appended in time proportional to their number, and read as a `Table`.

Columns have room for more rows than there are; where there is none left it is doubled. What was read before stays as it
was: rows are never changed, and a larger column is another array.
"""

from typing import Any, Generic, TypeVar

import numpy as np

from walkon._base.table import Table

__all__ = ["GrowingTable"]

Kind = TypeVar("Kind", bound=Table)

MIN_ROOM_ROWS = 64
"""Rows for which a column has room from its first row on."""


class GrowingTable(Generic[Kind]):
    """A table to which rows are appended."""

    def __init__(self, kind: type[Kind]) -> None:
        self.kind = kind
        self._columns: dict[str, Any] = dict(kind().columns)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, rows: Kind) -> int:
        """Append rows and return the number of the first."""
        first = self._count
        if not len(rows):
            return first
        self._count += len(rows)
        for name, values in rows.columns.items():
            column = self._columns[name]
            if self._count > len(column):
                room = np.empty((max(2 * self._count, MIN_ROOM_ROWS), *values.shape[1:]), values.dtype)
                room[:first] = column[:first]
                column = self._columns[name] = room
            column[first : self._count] = values
        return first

    def rows(self, first: int = 0) -> Kind:
        """Return the rows from `first` on: views, locked."""
        columns = {name: column[first : self._count] for name, column in self._columns.items()}
        for column in columns.values():
            column.flags.writeable = False
        return self.kind._of_checked(columns)

    def cut(self, count: int) -> None:
        """Forget all rows but the first `count`; nobody may have read the others."""
        self._count = count
