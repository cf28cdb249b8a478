"""A character of the user's own on the command line: reads it, and tells what matched and what did not."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from walkon.take.take import Take
    from walkon.viewer.character import Character

__all__ = ["fitted"]


def fitted(path: Path, take: "Take") -> "Character":
    """Read a rigged character and match it to a take; what matched is told, what did not as notes."""
    from walkon.viewer.character import read_character

    character = read_character(path, take)
    first, *notes = character.notes()
    typer.echo(first)
    for note in notes:
        typer.echo(f"walkon: note: {note}", err=True)
    return character
