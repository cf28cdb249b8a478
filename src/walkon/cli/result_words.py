"""Rows of results as text: one by one as they come, and side by side; all words are those of the declared columns."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from walkon.reproduce import ResultColumn, ResultColumns, ResultRow

__all__ = ["print_row", "print_table"]

INDENT = 4
"""Characters before what is told about a row."""
GAP = 2
"""Characters between two columns of the table."""


def print_row(console: "Console", row: "ResultRow", files: Sequence[Path] = ()) -> None:
    """Print a row that has just come: its name, what it is, its headlines, notes and pictures."""
    console.print(f"{row.name:{INDENT - 2}}  {row.what}", highlight=False, markup=False)
    told = [_headline(row, column) for column in row.columns.headlines if _has(row, column)]
    _print_indented(console, _packed(told, console.width - INDENT))
    for note in row.notes:
        _print_indented(console, wrap(note, max(console.width - INDENT, INDENT)), style="yellow")
    _print_indented(console, [f"wrote {file}" for file in files])


def print_table(console: "Console", columns: "ResultColumns", rows: Sequence["ResultRow"]) -> None:
    """Print all columns for which there is a number, rows side by side, the paper's numbers under ours."""
    from rich.table import Table

    from walkon.reproduce.results import columns_told

    told = columns_told(columns, rows)
    first = max((len(column.heading) for column in told), default=0)
    # As many rows side by side as fit, about as many in each table where one is not enough.
    widest = max(len(text) for row in rows for text in (row.name, *_cells(row, told)))
    side = max((console.width - first) // (widest + GAP), 1)
    side = ceil(len(rows) / ceil(len(rows) / side))
    for start in range(0, len(rows), side):
        some = rows[start : start + side]
        table = Table(box=None, header_style="bold", padding=(0, GAP, 0, 0), pad_edge=False)
        table.add_column("", no_wrap=True, min_width=first)
        for row in some:
            table.add_column(row.name, justify="right", no_wrap=True, min_width=widest)
        for column in told:
            table.add_row(column.heading, *(column.write(row.ours(column.key)) for row in some))
            if column.paper:
                table.add_row("  the paper's", *(column.write(row.theirs(column.key)) for row in some))
        console.print()
        console.print(table)


def _cells(row: "ResultRow", columns: Sequence["ResultColumn"]) -> list[str]:
    return [c.write(value) for c in columns for value in (row.ours(c.key), row.theirs(c.key))]


def _has(row: "ResultRow", column: "ResultColumn") -> bool:
    return row.ours(column.key) is not None or row.theirs(column.key) is not None


def _headline(row: "ResultRow", column: "ResultColumn") -> str:
    """Tell one number, and the paper's beside it where the paper has that column."""
    ours, theirs = (_with_unit(column, value) for value in (row.ours(column.key), row.theirs(column.key)))
    return f"{column.label} {ours} (paper {theirs})" if column.paper else f"{column.label} {ours}"


def _with_unit(column: "ResultColumn", value: float | None) -> str:
    unit = "" if value is None else column.shown_unit
    return f"{column.write(value)} {unit}".rstrip()


def _packed(words: Sequence[str], width: int) -> list[str]:
    """Return lines of whole pieces, at most so wide where a piece is no wider itself."""
    lines: list[str] = []
    for piece in words:
        if lines and len(lines[-1]) + len(piece) + len("; ") <= width:
            lines[-1] += f"; {piece}"
        else:
            lines.append(piece)
    return lines


def _print_indented(console: "Console", lines: Sequence[str], *, style: str = "") -> None:
    for line in lines:
        console.print(" " * INDENT + line, style=style, highlight=False, markup=False, soft_wrap=True)
