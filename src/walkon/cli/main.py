"""The `walkon` command: its verbs, and what becomes of errors.

Bad input gives exit code 2 and one sentence on the error stream, never a traceback; an interrupt gives 130 and leaves
no half-written file (files are written atomically).
"""

import sys
from typing import Annotated

import typer

from walkon import __version__
from walkon._base.errors import WalkonError
from walkon.cli import demo, library, warm_up

__all__ = ["app", "main"]

app = typer.Typer(
    name="walkon",
    help="Turns motion capture into crowds that hit their marks, touch nobody and slide no foot.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(library.app, name="library")
app.command("demo")(demo.demo)
app.command("warm-up")(warm_up.warm_up)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"walkon {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Hold the options of `walkon` itself."""


def main() -> None:
    """Run the command line; the entry point of the `walkon` script."""
    try:
        app()
    except WalkonError as error:
        typer.echo(f"walkon: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("walkon: interrupted; nothing was left half-written", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough.
        sys.stderr.close()
        sys.exit(0)
