"""`walkon reproduce`: run a paper's experiments and print our numbers beside the paper's, as they come."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from walkon._base.errors import CannotWrite
from walkon.cli.printing import plain_console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from walkon.reproduce import Experiment, ResultColumn, ResultColumns, ResultRow, Selection

__all__ = ["reproduce"]

BAR_WIDTH = 10
"""Characters of the bar that is shown while one waits."""
INDENT = 4
"""Characters before what is printed about a row."""
COLUMN_GAP = 2
"""Characters between two columns of the table."""


def reproduce(
    paper: Annotated[str, typer.Argument(help="The paper, such as sung2005, kovar2002 or gleicher2003.")],
    experiment: Annotated[
        str | None, typer.Argument(help="One of its experiments; if not given, all that two minutes are enough for.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder for pictures; none are drawn without it.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Run every experiment, over all its seeds, however long it takes.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", min=1, help="How many seeds a crowd is run over; 1, with --full 5 in most experiments."
        ),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", help="Search of sung2005: default, or paper for the paper's own values.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON at the end instead of rows and a table.")] = False,
) -> None:
    """Run a paper's experiments and print our table beside theirs; a dash where the paper prints no number."""
    from walkon.reproduce import select_experiments

    if output is not None and not output.is_dir():
        raise CannotWrite("there is no such folder; make it first", path=output)
    selection = select_experiments(
        paper, experiment, full=full, pictures=output is not None, seeds=seeds, search=search
    )
    console = plain_console()
    if not json:
        console.print(f"{selection.paper.title}, on {selection.motion}")
    rows: list[ResultRow] = []
    try:
        with contextlib.closing(_Waiting(selection)) as waiting:
            for row in selection.run(waiting):
                rows.append(row)
                files = _save_pictures(row, output)
                if not json:
                    with waiting.hidden():
                        _print_row(console, row, files)
                        sys.stdout.flush()
    finally:
        # An interrupt leaves what was found so far.
        if rows and not json:
            _print_table(console, selection.paper.columns, rows)
    if json:
        print_json(selection.gather(tuple(rows)).to_json())
    elif selection.not_run:
        left = ", ".join(one.key for one in selection.not_run)
        console.print(f"not run: {left}; --full runs them, over all seeds")


def _save_pictures(row: "ResultRow", output: Path | None) -> list[Path]:
    from walkon.drawing import save_png

    return [save_png(image, output / f"{name}.png") for name, image in row.pictures] if output is not None else []


class _Waiting:
    """Shows on the error stream what is run and about how long it takes: a bar on a terminal, else a line each."""

    def __init__(self, selection: "Selection") -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._selection = selection
        costs = [selection.cost_s(one) for one in selection.experiments]
        total = sum(costs)
        self._before = {one.key: sum(costs[:k]) for k, one in enumerate(selection.experiments)}
        console = Console(stderr=True)
        after = TextColumn(f"of about {total:.0f} s")
        # What is left of a line for words, beside bar, elapsed time and `after`.
        self._room = max(console.width - BAR_WIDTH - len("0:00:00") - len(after.text_format) - len("   "), BAR_WIDTH)
        columns = (TextColumn("{task.description}"), BarColumn(bar_width=BAR_WIDTH), TimeElapsedColumn(), after)
        self._bar = Progress(
            *columns, console=console, transient=True, redirect_stdout=False, disable=not console.is_terminal
        )
        self._task = self._bar.add_task("", total=total)

    def __call__(self, experiment: "Experiment", share: float) -> None:
        """Show that so much of an experiment is done."""
        cost = self._selection.cost_s(experiment)
        words = f"{experiment.key}: {experiment.title}"
        done = self._before[experiment.key] + share * cost
        short = words if len(words) <= self._room else words[: self._room - 1] + "…"
        self._bar.update(self._task, completed=done, description=short)
        self._bar.start()
        if self._bar.disable and not share:
            sys.stderr.write(f"walkon: running {words}; about {max(cost, 1.0):.0f} s\n")
            sys.stderr.flush()

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the bar away while something is printed."""
        self._bar.stop()
        yield
        self._bar.start()

    def close(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def _print_row(console: "Console", row: "ResultRow", files: Sequence[Path] = ()) -> None:
    """Print a row that has just come: its name, what it is, its headlines, notes and pictures."""
    console.print(f"{row.name:{INDENT - 2}}  {row.what}")
    headlines = [_headline(row, column) for column in row.columns.headlines if _numbers(row, column) != (None, None)]
    _print_indented(console, _pack_lines(headlines, console.width - INDENT))
    for note in row.notes:
        _print_indented(console, wrap(note, max(console.width - INDENT, INDENT)), style="yellow")
    _print_indented(console, [f"wrote {file}" for file in files])


def _print_table(console: "Console", columns: "ResultColumns", rows: Sequence["ResultRow"]) -> None:
    """Print all columns for which there is a number, rows side by side, the paper's numbers under ours."""
    from rich.table import Table

    from walkon.reproduce.results import filled_columns

    shown = filled_columns(columns, rows)
    first = max((len(column.heading) for column in shown), default=0)
    # As many rows side by side as fit, about as many in each table where one is not enough.
    written = [column.write(value) for row in rows for column in shown for value in _numbers(row, column)]
    widest = max(map(len, [*(row.name for row in rows), *written]))
    side = max((console.width - first) // (widest + COLUMN_GAP), 1)
    side = ceil(len(rows) / ceil(len(rows) / side))
    for start in range(0, len(rows), side):
        some = rows[start : start + side]
        table = Table(box=None, header_style="bold", padding=(0, COLUMN_GAP, 0, 0), pad_edge=False)
        table.add_column("", no_wrap=True, min_width=first)
        for row in some:
            table.add_column(row.name, justify="right", no_wrap=True, min_width=widest)
        for column in shown:
            table.add_row(column.heading, *(column.write(row.ours(column.key)) for row in some))
            if column.paper:
                table.add_row("  the paper's", *(column.write(row.theirs(column.key)) for row in some))
        console.print()
        console.print(table)


def _numbers(row: "ResultRow", column: "ResultColumn") -> tuple[float | None, float | None]:
    """Return our number and the paper's."""
    return row.ours(column.key), row.theirs(column.key)


def _headline(row: "ResultRow", column: "ResultColumn") -> str:
    """Return one number in words, and the paper's beside it where the paper has that column."""
    ours, theirs = (
        f"{column.write(value)} {'' if value is None else column.shown_unit}".rstrip()
        for value in _numbers(row, column)
    )
    return f"{column.label} {ours} (paper {theirs})" if column.paper else f"{column.label} {ours}"


def _pack_lines(words: Sequence[str], width: int) -> list[str]:
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
        console.print(" " * INDENT + line, style=style, soft_wrap=True)
