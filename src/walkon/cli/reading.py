"""What commands share: what becomes of errors, opening takes and libraries, reading words, and bars while one waits.

Bad input gives exit code 2 and one sentence on the error stream, never a traceback; an interrupt gives 130 and leaves
no half-written file, because files are renamed into place.
"""

import contextlib
import functools
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import typer

from walkon._base.errors import CannotWrite, InvalidValue, WalkonError

if TYPE_CHECKING:
    from rich.progress import Progress

    from walkon.motion.library import Library
    from walkon.take.take import Take
    from walkon.viewer.character import RiggedCharacter

__all__ = [
    "bar",
    "check_place",
    "fit_character",
    "open_library",
    "open_take",
    "parse_seconds",
    "parse_size",
    "report_errors",
    "step_bar",
]

P = ParamSpec("P")

PATIENCE_S, LINE_EVERY_S = 1.0, 10.0
"""Seconds before a bar is shown; and between lines that say the same where there is no terminal."""


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command say its errors in one sentence each."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except WalkonError as error:
            typer.echo(f"walkon: {error}", err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("walkon: interrupted; nothing was left half-written", err=True)
            raise typer.Exit(130) from None

    return run


def check_place(path: Path, *, option: str = "") -> None:
    """Refuse to write where there is no folder: said now, not after a minute of work; `option` names the place."""
    if not path.absolute().parent.is_dir():
        other = f"choose another place with {option}" if option else "choose another place"
        raise CannotWrite(f"the folder does not exist; make it, or {other}", path=path)


def open_take(file: Path) -> "Take":
    """Load a take; a note on the error stream says that it is unfinished."""
    from walkon.take.storing.file import load_take

    take = load_take(file)
    if not take.complete:
        sys.stderr.write(
            f"walkon: note: {file} is unfinished: its writer is at work or was stopped; this is what is there so far\n"
        )
    return take


def open_library(file: Path, show: Callable[[int, int, str], None]) -> "Library":
    """Load a library; the word "builtin" stands for the performer's own, made on first use."""
    from walkon.capture import builtin_library
    from walkon.io import load_library

    return builtin_library(progress=show) if str(file) == "builtin" and not file.exists() else load_library(file)


def fit_character(path: Path, take: "Take") -> "RiggedCharacter":
    """Read a rigged character and match it to a take; what matched is printed, what did not as notes."""
    from walkon.viewer.character import read_character

    character = read_character(path, take)
    first, *notes = character.notes()
    sys.stdout.write(f"{first}\n")
    sys.stderr.writelines(f"walkon: note: {note}\n" for note in notes)
    return character


def parse_seconds(text: str | None, name: str) -> float | None:
    """Return seconds from "3", "3s", "250ms" or "1:30"."""
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
    found = re.fullmatch(r"(\d{1,6})\s*[x×]\s*(\d{1,6})", text.strip())
    if not found or not (int(found[1]) and int(found[2])):
        raise InvalidValue(f"{name} is WIDTHxHEIGHT in pixels, such as 1280x720, got {text!r}")
    return int(found[1]), int(found[2])


@contextlib.contextmanager
def bar(words: str) -> Iterator[Callable[[float], None]]:
    """Give a function that takes a share from 0 to 1 and shows it on the error stream, once a second has passed.

    Where that is no terminal, it is a line every `LINE_EVERY_S`.
    """
    from rich.progress import TaskProgressColumn

    progress = _make_progress(TaskProgressColumn())
    task = progress.add_task(words, total=1.0)
    began = time.monotonic()
    line_due = began + LINE_EVERY_S

    def show(share: float) -> None:
        nonlocal line_due
        now = time.monotonic()
        if progress.disable and now >= line_due:
            typer.echo(f"walkon: {words}: {share:.0%} after {now - began:.0f} s", err=True)
            line_due = now + LINE_EVERY_S
        if now - began > PATIENCE_S:
            progress.start()  # nothing where it has started
        progress.update(task, completed=share)

    try:
        yield show
    finally:
        progress.stop()


@contextlib.contextmanager
def step_bar(words: str) -> Iterator[Callable[[int, int, str], None]]:
    """Give a function that shows done, total and what on the error stream."""
    from rich.markup import escape
    from rich.progress import MofNCompleteColumn

    with _make_progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(words, total=None)

        def show(done: int, total: int, what: str) -> None:
            progress.update(task, completed=done, total=total, description=escape(what) or "done")

        yield show


def _make_progress(count: Any) -> "Progress":
    """Return a bar on the error stream, so that --json stays clean; where that is no terminal, it is not shown."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
