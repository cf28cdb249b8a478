"""`walkon graph design`: the hubs of a snap-together graph chosen by eye, in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from walkon._base.errors import CannotWrite
from walkon.cli.errors import check_place
from walkon.cli.graph import read_library
from walkon.cli.reading import step_bar

__all__ = ["design"]

OTHERS = (".bvh", ".csv", ".library", ".take", ".html", ".png")


def design(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A snap-together graph; it need not exist yet.")],
    library: Annotated[
        Path | None,
        typer.Option(help="Where a new graph begins: a library file, a folder of recordings, or the word builtin."),
    ] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Add the mirror image of every clip of the library.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port to listen to; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Design the hubs of a snap-together graph by eye, in the browser, until Ctrl-C.

    Only FILE is ever written, and only when you save. A new one begins with suggested hubs.
    """
    from walkon.viewer.designer import DesignSession, serve_designer
    from walkon.viewer.designer.session import check_start

    if file.suffix.lower() in OTHERS:
        raise CannotWrite("this is no name for a graph; call it NAME.graph", path=file)
    check_place(file)
    check_start(file, new=library is not None)
    with step_bar("reading") as show:
        source = None if library is None else read_library(library, mirrored=mirror, show=show)
        session = DesignSession.open(file, library=source, progress=show)

    def ready(address: str) -> None:
        typer.echo(f"{file.name} is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()

    serve_designer(session, port=port, open_browser=browser, ready=ready)
    typer.echo("stopped" if session.saved else "stopped; changes since the last save are gone")
