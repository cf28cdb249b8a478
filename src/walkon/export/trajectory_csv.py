"""CSV trajectories: `id,name,frame,time_s,x,y,heading,speed,vx,vy`, one row per person and frame.

Metres to a tenth of a millimetre, seconds on the take's clock to a microsecond, radians to 1e-5, metres per second;
UTF-8, lines end in LF. Speed and velocity are empty for somebody who is there for a single frame.
"""

import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon._base.files import write_atomically
from walkon.export.excerpt import Excerpt
from walkon.export.trajectory_rows import Rows, trajectory_rows
from walkon.io.bvh_numbers import format_numbers

__all__ = ["COLUMNS", "write"]

COLUMNS = ("id", "name", "frame", "time_s", "x", "y", "heading", "speed", "vx", "vy")
DECIMALS = np.array([0, 6, 4, 4, 5, 4, 4, 4], dtype=np.int64)
"""Of all columns from `frame` on."""


def write(excerpt: Excerpt, path: Path, *, progress: Callable[[float], None]) -> None:
    """Write an excerpt as CSV."""
    heads = [
        f"{number},{_quoted(name)},".encode("utf-8", "replace")
        for number, name in zip(excerpt.characters.tolist(), excerpt.names, strict=True)
    ]

    def content(file: BinaryIO) -> None:
        file.write((",".join(COLUMNS) + "\n").encode())
        for rows in trajectory_rows(excerpt, progress):
            file.write(_lines(rows, heads))

    write_atomically(path, content)


def _lines(rows: Rows, heads: list[bytes]) -> bytes:
    values = np.column_stack([rows.frames, rows.times, rows.planar, rows.speeds, rows.velocities])
    unknown = np.isnan(values[:, -1])
    lines = format_numbers(np.nan_to_num(values), DECIMALS).replace(b" ", b",").splitlines(keepends=True)
    for k in np.flatnonzero(unknown).tolist():
        lines[k] = b",".join(lines[k].split(b",")[:5]) + b",,,\n"
    return b"".join(chain.from_iterable(zip((heads[k] for k in rows.columns.tolist()), lines, strict=True)))


def _quoted(name: str) -> str:
    """Return a field of a table: in quotes where it has a comma, a quote, a line break, or a space at its ends."""
    return '"' + name.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', name) else name
