"""What becomes of errors on the command line.

Bad input gives exit code 2 and one sentence on the error stream, never a traceback; an interrupt gives 130 and leaves
no half-written file, because files are renamed into place.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

import typer

from walkon._base.errors import CannotWrite, WalkonError

__all__ = ["check_place", "report_errors"]

P = ParamSpec("P")


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
