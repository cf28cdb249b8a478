"""What commands print with: a console that shows text from files as it is, tables without lines, JSON."""

import sys
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["make_table", "plain_console", "print_facts", "print_json", "print_table"]


def print_json(value: object) -> None:
    """Print a value as JSON, indented."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def plain_console(**options: Any) -> "Console":
    """Return a console that prints brackets and numbers in text as they are."""
    from rich.console import Console

    return Console(highlight=False, markup=False, **options)


def make_table(headings: Iterable[str], *, left: Collection[str], whole: Collection[str] = (), **style: Any) -> "Table":
    """Return a table with these columns, those in `left` for words, those in `whole` never broken into lines."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", title_justify="left", **style)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in left else "right", no_wrap=heading in whole)
    return table


def print_table(
    console: "Console",
    headings: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    left: Collection[str],
    whole: Collection[str] = (),
    **style: Any,
) -> None:
    """Print rows under headings, as `make_table` has them."""
    table = make_table(headings, left=left, whole=whole, **style)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def print_facts(console: "Console", rows: Iterable[tuple[str, Any]]) -> None:
    """Print names in bold with what there is to say beside each."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    for row in rows:
        table.add_row(*row)
    console.print(table)
