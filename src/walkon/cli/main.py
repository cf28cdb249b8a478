"""The `walkon` command: its verbs."""

from typing import Annotated

import typer

from walkon import __version__
from walkon.cli import check, demo, export, graph, library, pages, reproduce, run, warm_up
from walkon.cli.reading import report_errors

__all__ = ["app", "main"]

app = typer.Typer(
    name="walkon",
    help="Turns motion capture into crowds that hit their marks, touch nobody and slide no foot.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(library.app, name="library")
app.add_typer(graph.app, name="graph")
graph.app.command()(report_errors(pages.design))
for command in (demo.demo, run.run, check.check, export.export, pages.view, reproduce.reproduce, warm_up.warm_up):
    app.command()(report_errors(command))


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
    app()
