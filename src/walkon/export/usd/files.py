"""`crowd.usdc`: a take as USD, with UsdSkel as its documentation recommends for crowds.

    /Models                     class: one model per body, skeleton and skin (`character`)
    /World                      default prim
        Characters/<name>       SkelRoot → its body's model, moved as the body moves (`character`)
            Animation           SkelAnimation, bound to it
        Looks                   materials, shared by all who wear the colour
        Stage, Props            what is around them (`crowd`)

Metres, z up; a time code is a frame, 0 at the start of the excerpt (its second is in the layer's custom data).

Options: `per_character=True` writes each character to a file of its own, NAME_characters/<name>.usdc beside a main
NAME.usdc that refers to all of them (the folder also has the models, which they share); `instanceable=True` marks the
characters as instances, for renderers and very large crowds: animations then are in /World/Animations, and a body has
one colour.

Characters are written one by one and go to the disk every few megabytes, so that memory does not grow with the crowd.
All files are made in a temporary folder beside the target and renamed into place when they are whole.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from walkon._base.errors import CannotWrite, FileError, InvalidValue, MissingExtra
from walkon._base.files import is_folder
from walkon.export.excerpt import Excerpt, Progress

__all__ = ["write"]

SUFFIXES = (".usdc", ".usd")
"""`.usda`, text, would take ten times the space."""


def write(
    excerpt: Excerpt,
    path: str | Path,
    *,
    progress: Progress,
    per_character: bool = False,
    instanceable: bool = False,
) -> Path:
    """Write an excerpt to `path`; see the module for the layout and the options."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidValue(f"a USD file must be called NAME.usdc, got {path.name!r}")
    if per_character and instanceable:
        raise InvalidValue(
            "per_character and instanceable exclude each other: an instance cannot bring its animation along in its "
            "own file; choose one"
        )
    if is_folder(path):
        raise CannotWrite("this is a folder; give a file name", path=path)
    try:
        import pxr  # noqa: F401
    except ImportError:
        raise MissingExtra.named("usd", "writing .usdc") from None
    from walkon.export.usd.crowd import write_crowd, write_files

    with _temporary_folder(path) as folder:
        made = folder / "crowd.usdc"
        if per_character:
            characters = path.with_name(f"{path.stem}_characters")
            if characters.exists() and not characters.is_dir():
                raise CannotWrite("the characters go into a folder of this name, but it is a file", path=characters)
            files = write_files(excerpt, made, folder=characters.name, progress=progress)
            _settle([*files, made])
            _move_all(files, characters)
        else:
            write_crowd(excerpt, made, progress=progress, instanceable=instanceable)
            _settle([made])
        made.replace(path)
    return path


@contextlib.contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside the target; it is gone afterwards, whatever happens. Errors become sentences."""
    from pxr import Tf

    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.stem[:40]}.", suffix=".part", dir=path.absolute().parent))
    except OSError as error:
        reason = "the folder does not exist" if not is_folder(path.absolute().parent) else error.strerror
        raise CannotWrite(f"cannot write here ({reason}); choose another place", path=path) from error
    try:
        yield folder
    except Tf.ErrorException as error:
        said = str(getattr(error.args[0], "commentary", error.args[0])) if error.args else "no reason was given"
        raise CannotWrite(f"writing USD failed ({said}); the old file, if any, is untouched", path=path) from error
    except OSError as error:
        if isinstance(error, FileError):
            raise
        reason = error.strerror or str(error)
        raise CannotWrite(f"writing failed ({reason}); the old file, if any, is untouched", path=path) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settle(files: list[Path]) -> None:
    """Give finished files the usual rights of new ones, and wait until they are on the disk."""
    umask = os.umask(0)
    os.umask(umask)
    for file in files:
        file.chmod(0o666 & ~umask)
        with file.open("rb") as written:
            os.fsync(written.fileno())


def _move_all(files: list[Path], folder: Path) -> None:
    """Move finished files into a folder, each over its elder; files of other names stay as they are."""
    folder.mkdir(exist_ok=True)
    for file in files:
        file.replace(folder / file.name)
