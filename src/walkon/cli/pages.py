"""`walkon view` and `walkon graph design`: pages in the browser, served from this machine to this machine.

`view` plays a take; with `design` the hubs of a snap-together graph are chosen by eye.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from walkon._base.errors import CannotWrite
from walkon.cli.graph import read_library
from walkon.cli.reading import bar, check_place, fit_character, open_take, step_bar

__all__ = ["design", "view"]

NOT_A_GRAPH = (".bvh", ".csv", ".library", ".take", ".html", ".png")
PORT = typer.Option(help="Port to listen to; 0 takes a free one.")
BROWSER = typer.Option("--browser/--no-browser", help="Open a browser window.")


def view(
    file: Annotated[Path, typer.Argument(metavar="TAKE", help="A take file.")],
    port: Annotated[int, PORT] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on; others can then watch.")] = "127.0.0.1",
    browser: Annotated[bool, BROWSER] = True,
    audit: Annotated[bool, typer.Option("--audit", help="Measure the take first: its worst cases are listed.")] = False,
    character: Annotated[
        Path | None, typer.Option(metavar="RIG.glb", help="Show people as this rigged character.")
    ] = None,
) -> None:
    """Play a take in the browser, until Ctrl-C.

    A take that is still being written is shown as it is now.
    """
    from walkon.viewer.server import LOOPBACK, serve

    take = open_take(file)
    worn = None if character is None else fit_character(character, take)
    measured = None
    if audit:
        with bar("measuring") as show:
            measured = take.audit(progress=show)

    def ready(address: str) -> None:
        _say_address(file, address)
        if host != LOOPBACK:
            typer.echo(f"walkon: note: whoever can reach {host} can watch", err=True)

    serve(
        take,
        port=port,
        host=host,
        open_browser=browser,
        audit=measured,
        character=worn,
        ready=ready,
        title=file.name,
    )
    typer.echo("stopped")


def design(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A snap-together graph; it need not exist yet.")],
    library: Annotated[
        Path | None,
        typer.Option(help="Where a new graph begins: a library file, a folder of recordings, or the word builtin."),
    ] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Add the mirror image of every clip of the library.")
    ] = False,
    port: Annotated[int, PORT] = 0,
    browser: Annotated[bool, BROWSER] = True,
) -> None:
    """Design the hubs of a snap-together graph by eye, in the browser, until Ctrl-C.

    Only FILE is ever written, and only when you save. A new one begins with suggested hubs.
    """
    from walkon.viewer.designer import DesignSession, serve_designer
    from walkon.viewer.designer.session import check_start

    if file.suffix.lower() in NOT_A_GRAPH:
        raise CannotWrite("this is no name for a graph; call it NAME.graph", path=file)
    check_place(file)
    check_start(file, new=library is not None)
    with step_bar("reading") as show:
        source = None if library is None else read_library(library, mirrored=mirror, show=show)
        session = DesignSession.open(file, library=source, progress=show)

    serve_designer(session, port=port, open_browser=browser, ready=partial(_say_address, file))
    typer.echo("stopped" if session.saved else "stopped; changes since the last save are gone")


def _say_address(file: Path, address: str) -> None:
    typer.echo(f"{file.name} is at {address} (Ctrl-C ends it)")
    sys.stdout.flush()
