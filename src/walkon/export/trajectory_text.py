"""PedPy text: comments that tell rate and unit, then `id frame x y z`, one line per person and frame.

Metres to a tenth of a millimetre; z is the height of the floor. The format knows neither names nor facings. PedPy takes
the rate from the first number in a line with `framerate`, and the unit from the last line that names one, so that the
line with the columns comes last.
"""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon import __version__
from walkon._base.files import write_atomically
from walkon.export.excerpt import Excerpt
from walkon.export.trajectory_rows import trajectory_rows
from walkon.export.walkable_area import checked_area, walkable_area
from walkon.io.bvh_numbers import format_numbers

__all__ = ["write"]

DECIMALS = np.array([0, 0, 4, 4, 4], dtype=np.int64)


def write(excerpt: Excerpt, path: Path, *, progress: Callable[[float], None], geometry: str | None = None) -> None:
    """Write an excerpt as PedPy text."""
    area = walkable_area(excerpt.take.stage) if geometry is None else checked_area(geometry)
    head = [f"description: walkon {__version__}", f"framerate: {excerpt.fps!r}", f"start: {excerpt.start!r} s"]
    if area is not None:
        head.append(f"geometry: {' '.join(area.split())}")
    head.append("id frame x/m y/m z/m")

    def content(file: BinaryIO) -> None:
        file.write("".join(f"# {line}\n" for line in head).encode())
        for rows in trajectory_rows(excerpt, progress):
            floor, _ = excerpt.take.stage.floor(rows.planar[:, :2])
            file.write(format_numbers(np.column_stack([rows.ids, rows.frames, rows.planar[:, :2], floor]), DECIMALS))

    write_atomically(path, content)
