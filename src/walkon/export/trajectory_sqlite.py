"""JuPedSim SQLite: schema 2, which has a facing, or 3 on request, which has none.

    trajectory_data(frame, id, pos_x, pos_y[, ori_x, ori_y])    metres; ori is the unit vector of the heading
    metadata(key, value)                                        version, fps, xmin … ymax of the area
    geometry(hash, wkt), frame_data(frame, geometry_hash)       the walkable area, the same in every frame

JuPedSim's programs count frames by the rows of `frame_data`: every frame has one, also where nobody is there. What only
Walkon reads stands beside it: the key `walkon_start_s`, the take's time of frame 0, and the table
`walkon_characters(id, name)`. The hash is the first 63 bits of the area's BLAKE2b.

The database is made in a folder of its own beside the target, and put in place when it is whole.
"""

import contextlib
import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon import __version__
from walkon._base.errors import CannotWrite, InvalidValue
from walkon._base.files import write_atomically
from walkon.export.excerpt import Excerpt
from walkon.export.trajectory_rows import trajectory_rows
from walkon.export.walkable_area import area_around, checked_area, walkable_area

__all__ = ["VERSIONS", "write"]

VERSIONS = (2, 3)


def write(
    excerpt: Excerpt,
    path: Path,
    *,
    progress: Callable[[float], None],
    version: int = 2,
    geometry: str | None = None,
) -> None:
    """Write an excerpt as JuPedSim does."""
    if version not in VERSIONS:
        raise InvalidValue(f"version must be 2 (with facings) or 3 (without), got {version!r}")
    area = walkable_area(excerpt.take.stage) if geometry is None else checked_area(geometry)

    def content(file: BinaryIO) -> None:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", suffix=".part", dir=path.parent) as folder:
            made = Path(folder) / "trajectories"
            try:
                with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as database:
                    _fill(database, excerpt, progress, version, area)
            except sqlite3.Error as error:
                raise CannotWrite(f"writing failed ({error}); the old file, if any, is untouched", path=path) from error
            with made.open("rb") as source:
                shutil.copyfileobj(source, file, 1 << 20)

    write_atomically(path, content)


def _fill(
    database: sqlite3.Connection, excerpt: Excerpt, progress: Callable[[float], None], version: int, area: str | None
) -> None:
    # Nobody sees this file before it is whole, so that nothing need be rolled back or waited for.
    for pragma in ("journal_mode = OFF", "synchronous = OFF"):
        database.execute(f"PRAGMA {pragma}")
    numbers = ["pos_x", "pos_y", *(["ori_x", "ori_y"] if version == 2 else [])]
    places = ", ".join(f"{name} REAL NOT NULL" for name in numbers)
    database.execute("BEGIN")
    for table in (
        f"trajectory_data(frame INTEGER NOT NULL, id INTEGER NOT NULL, {places})",
        "metadata(key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL)",
        "geometry(hash INTEGER NOT NULL, wkt TEXT NOT NULL)",
        "frame_data(frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL)",
        "walkon_characters(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
    ):
        database.execute(f"CREATE TABLE {table}")
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    insert = f"INSERT INTO trajectory_data VALUES({', '.join('?' * (2 + len(numbers)))})"
    for rows in trajectory_rows(excerpt, progress):
        x, y, heading = rows.planar.T
        columns = [rows.frames, rows.ids, x, y, *((np.cos(heading), np.sin(heading)) if version == 2 else ())]
        database.executemany(insert, zip(*(column.tolist() for column in columns), strict=True))
        low = np.minimum(low, rows.planar[:, :2].min(axis=0, initial=np.inf))
        high = np.maximum(high, rows.planar[:, :2].max(axis=0, initial=-np.inf))
    if area is None:
        found = np.isfinite(low).all()
        area = area_around(excerpt.take.stage, *((low, high) if found else (np.zeros(2), np.zeros(2))))
    key = int.from_bytes(hashlib.blake2b(area.encode(), digest_size=8).digest()) >> 1
    database.execute("INSERT INTO geometry VALUES(?, ?)", (key, area))
    database.executemany("INSERT INTO frame_data VALUES(?, ?)", ((frame, key) for frame in range(excerpt.count)))
    xmin, ymin, xmax, ymax = shapely.from_wkt(area).bounds
    notes = {"version": version, "fps": excerpt.fps, "xmin": xmin, "xmax": xmax, "ymin": ymin, "ymax": ymax}
    notes |= {"walkon_version": __version__, "walkon_start_s": excerpt.start}
    database.executemany("INSERT INTO metadata VALUES(?, ?)", ((name, str(value)) for name, value in notes.items()))
    names = (name.encode("utf-8", "replace").decode() for name in excerpt.names)
    database.executemany(
        "INSERT INTO walkon_characters VALUES(?, ?)", zip(excerpt.characters.tolist(), names, strict=True)
    )
    database.execute("CREATE UNIQUE INDEX geometry_hash ON geometry(hash)")
    database.execute("CREATE INDEX frame_id_idx ON trajectory_data(frame, id)")
    database.execute("COMMIT")
