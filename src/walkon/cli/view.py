"""`walkon view`: a take in the browser, served from this machine to this machine."""

from pathlib import Path
from typing import Annotated

import typer

from walkon.cli.reading import bar, fit_character, open_take

__all__ = ["view"]


def view(
    file: Annotated[Path, typer.Argument(metavar="TAKE", help="A take file.")],
    port: Annotated[int, typer.Option(help="Port to listen to; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on; others can then watch.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
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
        typer.echo(f"{file.name} is at {address} (Ctrl-C ends it)")
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
