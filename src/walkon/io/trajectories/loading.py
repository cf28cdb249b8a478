"""`load_trajectories(path)`: which kind of file it is, found by its content and not by its name.

A SQLite database is JuPedSim's, a Parquet file a table; text that begins with a number under its comments is PedPy's,
and text that names columns there is CSV.
"""

import io
from pathlib import Path

import numpy as np

from walkon._base.errors import InvalidValue, UnreadableFile
from walkon._base.files import reading
from walkon.geometry.tracks import Trajectories
from walkon.io.trajectories.jupedsim_sqlite import read_jupedsim_sqlite
from walkon.io.trajectories.parquet_trajectories import read_parquet
from walkon.io.trajectories.text_trajectories import read_text

__all__ = ["load_trajectories"]

SQLITE_MAGIC, PARQUET_MAGIC = b"SQLite format 3\0", b"PAR1"
HEAD_BYTES = 1 << 16
"""Bytes in which a zero means that this is no text."""


def load_trajectories(path: str | Path, *, rate: float | None = None, scale: float | None = None) -> Trajectories:
    """Read who is where and when from JuPedSim SQLite (schema 1 to 3), PedPy text, CSV or Parquet.

    `rate` is frames per second and `scale` metres per unit of length, where the file is wrong or silent about them.
    """
    for name, value in (("rate", rate), ("scale", scale)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise InvalidValue(f"{name} must be over 0, got {value:g}")
    path = Path(path)
    with reading(path) as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(SQLITE_MAGIC):
            return read_jupedsim_sqlite(path, rate=rate, scale=scale)
        if head.startswith(PARQUET_MAGIC):
            return read_parquet(path, rate=rate, scale=scale)
        if not head.strip():
            raise UnreadableFile("this file is empty", path=path)
        if b"\0" in head:
            raise UnreadableFile(
                "neither a SQLite database, nor Parquet, nor text; trajectories come as one of these", path=path
            )
        file.seek(0)
        # Bytes that are no UTF-8 are kept as they are, and found where they do harm: with their line.
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline=None)
        try:
            return read_text(text, path=path, rate=rate, scale=scale)
        finally:
            text.detach()
