"""`walkon.export(take, "crowd.usdc")`: hands a take to other programs, by the end of the file's name.

Each format has a function `write(excerpt, path, *, progress, **options)` that writes atomically: the old file is there
until the new one is whole, whatever happens in between. Its module is imported when it is needed.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from walkon._base.errors import CannotWrite, InvalidValue
from walkon.export.excerpt import Excerpt, Progress
from walkon.take.take import Take

__all__ = ["FORMATS", "Format", "export", "format_of"]


class Format(NamedTuple):
    """One kind of file."""

    name: str
    """As in `--format`."""
    suffix: str
    """End of the file's name; "" where a folder is written."""
    writer: str
    """"module:function"."""
    words: str
    """What it is, for people."""
    options: tuple[str, ...] = ()
    """Options of its own, see its writer."""

    def load_writer(self) -> Callable[..., object]:
        """Import its writer."""
        module, _, function = self.writer.partition(":")
        return getattr(import_module(module), function)


TRAJECTORIES = "walkon.export.trajectories"
FORMATS = (
    Format("bvh", "", "walkon.export.bvh:write", "one BVH file per character, in a folder", ("character",)),
    Format(
        "gltf",
        ".glb",
        "walkon.export.gltf:write",
        "glTF, for Blender, Unreal, game engines and browsers",
        ("character", "rotations", "stage"),
    ),
    Format(
        "usd",
        ".usdc",
        "walkon.export.usd:write",
        "USD with UsdSkel, for Houdini, Unreal, Omniverse and Maya",
        ("per_character", "instanceable"),
    ),
    Format("csv", ".csv", f"{TRAJECTORIES}:write_csv", "trajectories: a row per person and frame"),
    Format("parquet", ".parquet", f"{TRAJECTORIES}:write_parquet", "trajectories as Parquet", ("geometry",)),
    Format(
        "jupedsim",
        ".sqlite",
        f"{TRAJECTORIES}:write_jupedsim",
        "trajectories as JuPedSim has them",
        ("geometry", "version"),
    ),
    Format("pedpy", ".txt", f"{TRAJECTORIES}:write_pedpy", "trajectories as PedPy text", ("geometry",)),
    Format("html", ".html", "walkon.export.export:write_html", "a page that plays it", ("audit", "character", "title")),
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
    listed = dict(others) | {one.suffix: one.words for one in FORMATS if one.suffix}
    known = "; ".join(f"{suffix}: {words}" for suffix, words in listed.items())
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
    chosen.load_writer()(excerpt, path, progress=progress or (lambda share: None), **options)
    return path


def write_html(
    excerpt: Excerpt,
    path: Path,
    *,
    progress: Progress,
    audit: bool = False,
    character: str | Path | None = None,
    title: str | None = None,
) -> None:
    """Write a page that poses by itself, at any rate; `audit` measures the take and lists its worst cases."""
    from walkon.take.editing.editing import cut, delete
    from walkon.viewer.page_file import write_page

    take = excerpt.take
    gone = np.setdiff1d(np.arange(len(take)), excerpt.characters)
    start, stop = excerpt.start, excerpt.start + (excerpt.count - 1) / excerpt.fps
    if start > take.start or stop < take.stop - 1 / excerpt.fps:
        take = cut(take, start, stop, audit=False).take
        gone = np.array([row for row, name in enumerate(take.names) if name not in excerpt.names], np.int64)
    if len(gone):
        take = delete(take, gone.tolist(), audit=False).take
    measured = take.audit(progress=lambda share: progress(0.9 * share)) if audit else None
    write_page(take, path, title=title, audit=measured, character=character)
    progress(1.0)
