"""Results in long form: a paper declares its columns once, a row holds our numbers and the paper's under their keys.

What describes a number (its label, its unit, how it is written, whether the paper prints it) stands in the
declaration alone: tables and JSON are made from it. A row is checked against it when it is made. Where there is no
number there is none here: null in JSON, a dash in a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from numbers import Integral
from types import MappingProxyType
from typing import Any

from walkon._base.errors import InvalidValue, UnknownName
from walkon.drawing.picture import Image

__all__ = ["Pictures", "Reproduction", "ResultColumn", "ResultColumns", "ResultRow", "filled_columns"]

Pictures = tuple[tuple[str, Image], ...]
"""(name of the file without its ending, picture)."""
SMALLER_UNITS: dict[str, tuple[str, float]] = {"m": ("mm", 1e3), "m/s": ("mm/s", 1e3), "share": ("%", 100.0)}
"""Unit of a number → the unit in which it reads better, and how many of these it is."""
WHOLE_FROM = 100.0
"""From here on numbers without `decimals` are written whole; below, with three figures."""


@dataclass(frozen=True)
class ResultColumn:
    """One quantity that a paper's experiments tell."""

    key: str
    """Its name in rows and JSON; ends in its unit where it has one: `mean_synthesis_s`."""
    label: str
    """What tables call it."""
    _: KW_ONLY
    unit: str = ""
    """s, m, m/s, deg, deg/s, 1/m, 1/s or share (of 1); nothing for what is counted or a ratio."""
    decimals: int | None = None
    """Digits behind the point in tables; None: three figures."""
    small: bool = False
    """Shown in the smaller unit: m as mm, shares as %."""
    paper: bool = False
    """The paper prints a number of its own for at least one experiment."""
    headline: bool = False
    """Told as soon as a row is there, before the table of all columns."""
    meaning: str = ""
    """What the label leaves open."""

    def __post_init__(self) -> None:
        if self.small and self.unit not in SMALLER_UNITS:
            raise InvalidValue(
                f"the column {self.key} has the unit {self.unit!r}, which is not shown in a smaller one; "
                f"those that are: {', '.join(SMALLER_UNITS)}"
            )

    @property
    def shown_unit(self) -> str:
        """The unit of what `write` writes."""
        return SMALLER_UNITS[self.unit][0] if self.small else self.unit

    @property
    def heading(self) -> str:
        """Label and unit, for tables."""
        return f"{self.label}, {self.shown_unit}" if self.shown_unit else self.label

    def write(self, value: float | None) -> str:
        """Return a number as tables have it, without its unit; a dash for none."""
        if value is None:
            return "-"
        number = value * (SMALLER_UNITS[self.unit][1] if self.small else 1.0)
        if self.decimals is not None:
            return f"{number:.{self.decimals}f}"
        return f"{number:.0f}" if abs(number) >= WHOLE_FROM else f"{number:.3g}"

    def to_json(self) -> dict[str, Any]:
        """Return the declaration."""
        return {name: getattr(self, name) for name in ("key", "label", "unit", "meaning", "paper")}


class ResultColumns:
    """The columns that a paper declares, in the order in which they are shown; each key once."""

    def __init__(self, *columns: ResultColumn) -> None:
        self._columns = {column.key: column for column in columns}
        if len(self._columns) < len(columns):
            keys = [column.key for column in columns]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise InvalidValue(f"columns are declared once, {', '.join(twice)} more often")

    def __iter__(self) -> Iterator[ResultColumn]:
        return iter(self._columns.values())

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, key: str) -> ResultColumn:
        """Return the column of this key; an unknown key is refused, with those that there are."""
        UnknownName.check("column", key, self._columns)
        return self._columns[key]

    @property
    def keys(self) -> tuple[str, ...]:
        """Their keys, in order."""
        return tuple(self._columns)

    @property
    def headlines(self) -> tuple[ResultColumn, ...]:
        """What is printed as soon as a row is there."""
        return tuple(column for column in self if column.headline)


@dataclass(frozen=True, eq=False, kw_only=True)
class ResultRow:
    """What came of one experiment, or of one part of it; the paper's numbers beside ours."""

    columns: ResultColumns = field(repr=False)
    """The paper's."""
    experiment: str
    """Its key."""
    part: str = ""
    """Which of the experiment's rows: a letter, or what was varied; empty where it has one."""
    what: str
    """What was done, with which motion."""
    values: Mapping[str, float | None] = field(default_factory=dict)
    """Key → our number, in the column's unit."""
    printed: Mapping[str, float | None] = field(default_factory=dict)
    """Key → the number that the paper prints."""
    notes: tuple[str, ...] = ()
    pictures: Pictures = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for key in self.printed:
            if not self.columns[key].paper:
                raise InvalidValue(f"the column {key} is declared as one for which the paper prints no number")
        for name in ("values", "printed"):
            object.__setattr__(self, name, self._check_numbers(getattr(self, name)))

    def _check_numbers(self, numbers: Mapping[str, float | None]) -> Mapping[str, float]:
        """Return the numbers that there are as plain ones, in the columns' order."""
        known = {self.columns[key].key: number for key, number in numbers.items() if number is not None}
        return MappingProxyType({key: _plain(known[key]) for key in self.columns.keys if key in known})

    @property
    def name(self) -> str:
        """A short name for tables: 7a for part a of figure7, "joined b" for words."""
        short = self.experiment.removeprefix("figure")
        together = short[-1:].isdecimal() and len(self.part) == 1
        return f"{short}{self.part}" if together else f"{short} {self.part}".rstrip()

    def ours(self, key: str) -> float | None:
        """Return our number; None where there is none."""
        return self.values.get(self.columns[key].key)

    def theirs(self, key: str) -> float | None:
        """Return the paper's number; None where it prints none."""
        return self.printed.get(self.columns[key].key)

    def to_json(self) -> dict[str, Any]:
        """Return the row with an entry per declared column, null where there is no number."""
        return {
            "experiment": self.experiment,
            "name": self.name,
            "what": self.what,
            "values": [{"key": key, "ours": self.ours(key), "paper": self.theirs(key)} for key in self.columns.keys],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Reproduction:
    """What became of a paper's experiments."""

    paper: str
    title: str
    motion: str
    """Which motion was used."""
    columns: ResultColumns
    rows: tuple[ResultRow, ...]
    not_run: tuple[str, ...] = ()
    """Keys of experiments that were left out because they take long."""

    @property
    def pictures(self) -> Pictures:
        """The pictures of all rows."""
        return tuple(picture for row in self.rows for picture in row.pictures)

    def to_json(self) -> dict[str, Any]:
        """Return what `walkon reproduce --json` prints."""
        return {
            "paper": self.paper,
            "title": self.title,
            "motion": self.motion,
            "columns": [column.to_json() for column in self.columns],
            "rows": [row.to_json() for row in self.rows],
            "not_run": list(self.not_run),
        }


def _plain(number: Any) -> float:
    """Return a number of Python's own, because JSON knows no others."""
    return int(number) if isinstance(number, Integral) else float(number)


def filled_columns(columns: ResultColumns, rows: Sequence[ResultRow]) -> tuple[ResultColumn, ...]:
    """Return the columns for which some row has a number, ours or the paper's."""
    present = {key for row in rows for key in (*row.values, *row.printed)}
    return tuple(column for column in columns if column.key in present)
