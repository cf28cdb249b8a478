"""What becomes of errors on the command line.

Bad input gives exit code 2 and one sentence on the error stream, never a traceback; an interrupt gives 130 and leaves
no half-written file, because files are renamed into place.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec

import typer

from walkon._base.errors import WalkonError

__all__ = ["told"]

P = ParamSpec("P")


def told(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command tell its errors in one sentence."""

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
