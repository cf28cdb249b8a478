"""Tables: columns of equal length, declared once, from which checks, files and joins follow.

    class Segments(Table):
        start: Column = column("float64")          # [rows]
        place: Column = column("float32", 4)       # [rows, 4]

A table is a frozen dataclass of locked arrays. Rows are selected with `table.rows(index)`, tables of one kind joined
with `Kind.joined([...])`, and a table with no rows is `Kind()`. Kernels get `table.group`, its columns by name
(`walkon._base.jit.group_of`), and the page its declaration (`walkon.viewer.page_tables`).
"""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import lock, lock_array
from walkon._base.errors import InvalidShape

__all__ = ["Column", "Reference", "Table", "column", "span"]

Column = NDArray[Any]
Self = TypeVar("Self", bound="Table")


def column(dtype: str, *shape: int | None, to: str = "", none: bool = False) -> Any:
    """Declare a column of this type, [rows, *shape], None for any length; empty where it is not given.

    A reference holds rows of what is called `to`, and −1 for nothing where there may be `none`.
    """
    empty = tuple(n or 0 for n in shape)
    metadata = {"dtype": np.dtype(dtype), "shape": shape, "to": to, "none": none, "span": False}
    return field(default_factory=lambda: np.zeros((0, *empty), dtype), metadata=metadata)


def span(to: str) -> Any:
    """Declare a column of ranges, int64 [rows, 2] = (first, stop): rows first to stop − 1 of what is called `to`."""
    metadata = {"dtype": np.dtype("int64"), "shape": (2,), "to": to, "none": False, "span": True}
    return field(default_factory=lambda: np.zeros((0, 2), np.int64), metadata=metadata)


class Reference(NamedTuple):
    """A column that holds rows of something else."""

    name: str
    to: str
    """What it holds rows of."""
    none: bool
    """Whether it may hold −1, for nothing."""
    span: bool
    """Whether it holds ranges of rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """The base of all tables."""

    def __init_subclass__(cls) -> None:
        cls.__repr__ = Table.__repr__  # type: ignore[method-assign]  # or @dataclass would write out every number

    def __post_init__(self) -> None:
        count: int | None = None
        for spec in self._specs():
            lock(self, spec.name, (count, *spec.metadata["shape"]), spec.metadata["dtype"])
            count = len(getattr(self, spec.name))

    @classmethod
    @cache
    def group_type(cls) -> type[tuple[Any, ...]]:
        """Return the named tuple in which kernels get the columns; compiled kernels are kept with its name."""
        made = namedtuple("Columns", [spec.name for spec in cls._specs()], module=cls.__module__)  # type: ignore[misc]
        made.__qualname__ = f"{cls.__qualname__}.Columns"
        cls.Columns = made  # type: ignore[attr-defined]
        return made

    @classmethod
    @cache
    def references(cls) -> tuple[Reference, ...]:
        """Return the columns that refer to rows of something else."""
        refs = [(spec.name, spec.metadata) for spec in cls._specs() if spec.metadata["to"]]
        return tuple(Reference(name, told["to"], told["none"], told["span"]) for name, told in refs)

    @cached_property
    def group(self: Self) -> Self:
        """The columns as one argument of kernels: a named tuple, which has the table's columns and nothing else."""
        return cast(Self, self.group_type()(*self.columns.values()))

    @classmethod
    @cache
    def _specs(cls) -> tuple[Field[Any], ...]:
        """How the columns are declared."""
        return fields(cls)

    def __len__(self) -> int:
        return len(getattr(self, self._specs()[0].name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows)"

    @property
    def columns(self) -> dict[str, Any]:
        """The arrays by name."""
        return {spec.name: getattr(self, spec.name) for spec in self._specs()}

    def rows(self: Self, index: ArrayLike | slice) -> Self:
        """Return these rows, in this order: a slice, indices or flags."""
        chosen = index if isinstance(index, slice) else np.asarray(index)
        if not isinstance(chosen, slice) and chosen.size == 0:
            chosen = np.zeros(0, np.int64)  # an empty list has no type of its own
        return self._of_checked({name: _lock(values[chosen]) for name, values in self.columns.items()})

    def with_columns(self: Self, **changed: ArrayLike) -> Self:
        """Return a copy with some columns replaced; only these are checked."""
        specs, names = {spec.name: spec for spec in self._specs()}, list(changed)
        if not len(self) or not changed.keys() <= specs.keys() or names[0] == next(iter(specs)):
            return type(self)(**(self.columns | changed))
        columns = self.columns
        for name, values in changed.items():
            of, spec = f"{type(self).__name__}.{name}", specs[name]
            shape = (len(self), *spec.metadata["shape"])
            columns[name] = lock_array(values, shape, name=of, dtype=spec.metadata["dtype"])
        return self._of_checked(columns)

    @classmethod
    def joined(cls: type[Self], parts: Sequence[Self]) -> Self:
        """Return the rows of all parts, one part after the other."""
        kept = [part for part in parts if len(part)]
        if len(kept) <= 1:
            return kept[0] if kept else cls()
        names = [spec.name for spec in cls._specs()]
        return cls._of_checked({name: _lock(np.concatenate([getattr(part, name) for part in kept])) for name in names})

    @classmethod
    def _of_checked(cls: type[Self], columns: dict[str, Any]) -> Self:
        """Make a table of columns that come from tables of this kind: they need not be checked again.

        Planning takes rows of walks by the thousand. A kind that checks more than its columns is made as usual.
        """
        whole = all(values.flags.c_contiguous for values in columns.values())
        if cls.__post_init__ is not Table.__post_init__ or not whole:
            return cls(**columns)
        made = object.__new__(cls)
        made.__dict__.update(columns)
        return made

    @classmethod
    def filled(cls: type[Self], number: int, /, **given: ArrayLike) -> Self:
        """Return this number of rows: given columns are broadcast, the others are zero."""
        known = {spec.name: spec for spec in cls._specs()}
        for name in given:
            if name not in known:
                raise InvalidShape(f"{cls.__name__} has no column {name!r}; its columns are {', '.join(known)}")
        columns = {}
        for name, spec in known.items():
            values = np.zeros((number, *spec.metadata["shape"]), spec.metadata["dtype"])
            if name in given:
                try:
                    values[...] = np.asarray(given[name])
                except (TypeError, ValueError, OverflowError) as error:
                    raise InvalidShape(
                        f"the column {name} of {cls.__name__} must be numbers that fit {values.shape}, "
                        f"got {given[name]!r}"
                    ) from error
                if values.dtype.kind == "f" and not np.isfinite(values).all():
                    lock_array(values, values.shape, name=f"{cls.__name__}.{name}")  # which says where
            columns[name] = _lock(values)
        return cls._of_checked(columns)

    def to_arrays(self) -> dict[str, Any]:
        """Return the columns under the names they have in files, such as "Segments.start"."""
        return {f"{type(self).__name__}.{name}": values for name, values in self.columns.items()}

    @classmethod
    def from_arrays(cls: type[Self], arrays: Mapping[str, Any]) -> Self:
        """Read the columns back; a missing one is an error, because every version writes all it knows."""
        columns = {}
        for spec in cls._specs():
            name = f"{cls.__name__}.{spec.name}"
            if name not in arrays:
                raise InvalidShape(f"the column {name} is missing")
            if arrays[name].dtype != spec.metadata["dtype"]:
                raise InvalidShape(
                    f"the column {name} must be {spec.metadata['dtype'].name}, not {arrays[name].dtype.name}"
                )
            columns[spec.name] = arrays[name]
        return cls(**columns)


def _lock(values: Column) -> Column:
    """Lock an array that was made here: nobody else can write to it, so it need not be copied."""
    values.flags.writeable = False
    return values
