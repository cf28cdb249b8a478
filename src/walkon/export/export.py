"""`walkon.export(take, "crowd.usdc")`: hands a take to other programs, by the end of the file's name.

Each format is a module of its own with one function `write(excerpt, path, *, progress, **options)` that writes
atomically: the old file is there until the new one is whole, whatever happens in between.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from walkon._base.errors import CannotWrite, InvalidValue
from walkon.export.excerpt import Excerpt
from walkon.take.take import Take

__all__ = ["FORMATS", "Format", "export", "format_of"]

Progress = Callable[[float], None]


class Format(NamedTuple):
    """One kind of file."""

    name: str
    """As in `--format`."""
    suffix: str
    """End of the file's name; "" where a folder is written."""
    module: str
    words: str
    """What it is, for people."""
    options: tuple[str, ...] = ()
    """Options of its own, see its module."""


FORMATS = (
    Format("bvh", "", "walkon.export.bvh_folder", "one BVH file per character, in a folder", ("character",)),
    Format(
        "gltf",
        ".glb",
        "walkon.export.gltf",
        "glTF, for Blender, Unreal, game engines and browsers",
        ("character", "rotations", "stage"),
    ),
    Format(
        "usd",
        ".usdc",
        "walkon.export.usd",
        "USD with UsdSkel, for Houdini, Unreal, Omniverse and Maya",
        ("per_character", "instanceable"),
    ),
    Format("csv", ".csv", "walkon.export.trajectory_csv", "trajectories: a row per person and frame"),
    Format("parquet", ".parquet", "walkon.export.trajectory_parquet", "trajectories as Parquet", ("geometry",)),
    Format(
        "jupedsim",
        ".sqlite",
        "walkon.export.trajectory_sqlite",
        "trajectories as JuPedSim has them",
        ("geometry", "version"),
    ),
    Format("pedpy", ".txt", "walkon.export.trajectory_text", "trajectories as PedPy text", ("geometry",)),
    Format("html", ".html", "walkon.export.html", "a page that plays it", ("audit", "character", "title")),
)


def format_of(path: str | Path, name: str | None = None, *, others: Mapping[str, str] = MappingProxyType({})) -> Format:
    """Return the format of a file by name, or by the end of its path; a folder is BVH.

    `others` are ends of names, with words, that the caller handles itself; they are named where nothing fits.
    """
    path = Path(path)
    if name is not None:
        for one in FORMATS:
            if one.name == name:
                return one
        raise InvalidValue(f"unknown format {name!r}; the formats are {', '.join(f.name for f in FORMATS)}")
    for one in FORMATS:
        if one.suffix and path.suffix.lower() == one.suffix:
            return one
    if path.is_dir():
        return next(one for one in FORMATS if one.name == "bvh")
    told = dict(others) | {one.suffix: one.words for one in FORMATS if one.suffix}
    known = "; ".join(f"{suffix}: {words}" for suffix, words in told.items())
    raise InvalidValue(
        f"cannot write {path.name!r}: the end of its name must be one of {known}; or give a folder and --format bvh"
    )


def export(
    take: Take,
    path: str | Path,
    *,
    format: str | None = None,
    fps: float | None = None,
    start: float | None = None,
    stop: float | None = None,
    characters: Sequence[str | int] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Path:
    """Write a take, or a part of it, as the file's name asks for; further options are those of the format.

    `fps` frames per second (the take's own if None), `start` and `stop` in seconds, `characters` by name or row.
    """
    path = Path(path)
    chosen = format_of(path, format)
    if chosen.suffix and not path.absolute().parent.is_dir():
        raise CannotWrite("the folder does not exist; make it, or choose another place", path=path)
    for option in options:
        if option not in chosen.options:
            takes = f"takes the options {', '.join(chosen.options)}" if chosen.options else "takes no options"
            others = " or ".join(one.name for one in FORMATS if option in one.options)
            out = f"leave it out, or write {others}, which can" if others else "leave it out"
            raise InvalidValue(f"{chosen.name} {takes}, got {option!r}; {out}")
    excerpt = Excerpt.of(take, fps=fps, start=start, stop=stop, characters=characters)
    module = import_module(chosen.module)
    module.write(excerpt, path, progress=progress or (lambda share: None), **options)
    return path
