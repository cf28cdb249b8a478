"""What commands about takes share: opening one, reading times and sizes from words, and a bar while one waits."""

import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["bar", "open_take", "parse_seconds", "parse_size"]

PATIENCE = 1.0
"""Seconds before a bar is shown."""


def open_take(file: Path) -> "Take":
    """Load a take; a note on the error stream tells that it is unfinished."""
    from walkon.take.storing.file import load_take

    take = load_take(file)
    if not take.complete:
        sys.stderr.write(
            f"walkon: note: {file} is unfinished: its writer is at work or was stopped; this is what is there so far\n"
        )
    return take


def parse_seconds(text: str | None, name: str) -> float | None:
    """Return seconds from "3", "3s", "250ms" or "1:30"."""
    from walkon._base.errors import InvalidValue

    if text is None:
        return None
    minutes, colon, rest = text.strip().rpartition(":")
    found = re.fullmatch(r"(-?\d+(?:\.\d*)?|-?\.\d+)\s*(ms|s|)", rest.strip())
    if not found or (colon and not minutes.isdecimal()):
        raise InvalidValue(f"{name} is a time such as 3s, 2.5 or 1:30, got {text!r}")
    seconds = float(found[1]) * (0.001 if found[2] == "ms" else 1.0)
    return seconds + 60.0 * int(minutes) if colon else seconds


def parse_size(text: str, name: str) -> tuple[int, int]:
    """Return (width, height) from "1280x720"."""
    from walkon._base.errors import InvalidValue

    found = re.fullmatch(r"(\d{1,6})\s*[x×]\s*(\d{1,6})", text.strip())
    if not found or not (int(found[1]) and int(found[2])):
        raise InvalidValue(f"{name} is WIDTHxHEIGHT in pixels, such as 1280x720, got {text!r}")
    return int(found[1]), int(found[2])


@contextlib.contextmanager
def bar(words: str) -> Iterator[Callable[[float], None]]:
    """Give a function that takes a share from 0 to 1 and shows it on the error stream, once a second has passed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = progress.add_task(words, total=1.0)
    began, shown = time.monotonic(), False

    def show(share: float) -> None:
        nonlocal shown
        if not shown and time.monotonic() - began > PATIENCE:
            progress.start()
            shown = True
        progress.update(task, completed=share)

    try:
        yield show
    finally:
        progress.stop()
