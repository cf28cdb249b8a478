"""Trajectories for pedestrian tools and notebooks, by the end of the file's name: .csv, .parquet, .sqlite, .txt.

All have one row per person and frame, in metres and seconds; `id` is the character's row in the take and frames count
from 0, the first moment that is handed over. Who is absent has no row. Bodies, props and marks are left behind.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from walkon._base.errors import InvalidValue
from walkon.export.excerpt import Excerpt

__all__ = ["write"]

KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    ".csv": ("walkon.export.trajectory_csv", ()),
    ".parquet": ("walkon.export.trajectory_parquet", ("geometry",)),
    ".sqlite": ("walkon.export.trajectory_sqlite", ("geometry", "version")),
    ".txt": ("walkon.export.trajectory_text", ("geometry",)),
}
"""By the end of the name: the module, and the options that it takes."""


def write(excerpt: Excerpt, path: Path, *, progress: Callable[[float], None], **options: Any) -> None:
    """Write trajectories as the file's name asks for.

    Options: `geometry`, the walkable area as WKT instead of the stage's (all but CSV); `version`, 2 or 3, of JuPedSim's
    schema.
    """
    path = Path(path)
    if path.suffix.lower() not in KINDS:
        raise InvalidValue(f"trajectories are written to a name that ends in {', '.join(KINDS)}; got {path.name!r}")
    module, known = KINDS[path.suffix.lower()]
    for name in options:
        if name not in known:
            takes = f"the options {' and '.join(known)}" if known else "no options of its own"
            raise InvalidValue(f"{path.suffix} takes {takes}, got {name!r}")
    import_module(module).write(excerpt, path, progress=progress, **options)
