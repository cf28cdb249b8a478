"""JuPedSim SQLite, schema 1 to 3: places (`trajectory_data`), rate (`metadata`) and walkable area (`geometry`).

Schema 1 and 2 have a facing (`ori_x`, `ori_y`), 3 has none; a file that was lifted from 2 to 3 still has the columns,
and they are read. Where the geometry changes over time, the union of all of it is taken. The database is opened for
reading only, and nothing in it is run: only plain tables are read.

Written is schema 2, which has a facing, or 3 on request:

    trajectory_data(frame, id, pos_x, pos_y[, ori_x, ori_y])    metres; ori is the unit vector of the heading
    metadata(key, value)                                        version, fps, xmin … ymax of the area
    geometry(hash, wkt), frame_data(frame, geometry_hash)       the walkable area, the same in every frame

JuPedSim's programs count frames by the rows of `frame_data`: every frame has one, also where nobody is there. What only
Walkon reads stands beside it: the key `walkon_start_s`, the time of frame 0, and the table
`walkon_characters(id, name)`. The hash is the first 63 bits of the area's BLAKE2b. The database is made in a folder of
its own beside the target, and put in place when it is whole.
"""

import contextlib
import hashlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import BinaryIO

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon import __version__
from walkon._base.arrays import Array
from walkon._base.errors import CannotWrite, InvalidValue, UnreadableFile
from walkon._base.files import reading, write_atomically
from walkon.geometry.tracks import Trajectories
from walkon.io.trajectories.assembling import assemble, check_area
from walkon.io.trajectories.trajectory_stream import TrajectoryStream

__all__ = ["SCHEMAS", "read_jupedsim_sqlite", "write_jupedsim_sqlite"]

SCHEMAS = (1, 2, 3)
BLOCK_ROWS = 65_536
"""Rows that are fetched at once."""


def read_jupedsim_sqlite(path: Path, *, rate: float | None, scale: float | None) -> Trajectories:
    """Read a recording; `rate` and `scale` where the file is wrong about them."""
    _check_length(path)
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            return _read(database, path, rate, 1.0 if scale is None else scale)
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
        raise UnreadableFile(
            f"SQLite cannot read it ({error}); it is damaged, cut off or still being written: copy it again when its "
            "writer is done",
            path=path,
        ) from None


def _check_length(path: Path) -> None:
    """Refuse a database that lost its end: SQLite itself would take half a page for one full of zeros."""
    with reading(path) as file:
        head, size = file.read(100), os.fstat(file.fileno()).st_size
    page = int.from_bytes(head[16:18]) or 1
    page, pages = (65_536 if page == 1 else page), int.from_bytes(head[28:32])
    known = head[24:28] == head[92:96]  # writers older than 2010 do not count pages
    if len(head) < 100 or size % page or (known and size < pages * page):
        raise UnreadableFile(
            f"this database is cut off: {size} of {max(pages, 1) * page} bytes are there; copy it again", path=path
        )


def _read(database: sqlite3.Connection, path: Path, rate: float | None, scale: float) -> Trajectories:
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in ("trajectory_data", "metadata"):
        if table not in tables:
            raise UnreadableFile(f"a database without the table {table!r}; JuPedSim's recordings have it", path=path)
    notes = {str(key): value for key, value in database.execute("SELECT key, value FROM metadata")}
    version = str(notes.get("version", "missing"))
    if version not in map(str, SCHEMAS):
        raise UnreadableFile(
            f"its schema version is {version}; versions {SCHEMAS[0]} to {SCHEMAS[-1]} of JuPedSim's schema can be read",
            path=path,
        )
    own = {name for _, name, *_ in database.execute("PRAGMA table_info(trajectory_data)")}
    wanted = ["frame", "id", "pos_x", "pos_y"]
    if missing := [name for name in wanted if name not in own]:
        raise UnreadableFile(f"the table 'trajectory_data' has no column {', '.join(missing)}", path=path)
    if {"ori_x", "ori_y"} <= own:
        wanted += ["ori_x", "ori_y"]
    roles = ["frame", "id", "x", "y", "ori_x", "ori_y"]
    columns = dict(zip(roles, _fetch(database, wanted, path).T, strict=False))
    called = database.execute("SELECT id, name FROM walkon_characters") if "walkon_characters" in tables else ()
    return assemble(
        columns | {"x": scale * columns["x"], "y": scale * columns["y"]},
        path=path,
        rate=_metadata_number(notes, "fps", path) if rate is None else rate,
        start=_metadata_number(notes, "walkon_start_s", path) or 0.0,
        geometry=_area(database, path) if "geometry" in tables else None,
        names={int(number): str(name) for number, name in called},
    )


def _fetch(database: sqlite3.Connection, wanted: list[str], path: Path) -> Array:
    cursor = database.execute(f"SELECT {', '.join(wanted)} FROM trajectory_data")
    parts, row = [np.zeros((0, len(wanted)))], 0
    while rows := cursor.fetchmany(BLOCK_ROWS):
        try:
            part = np.array(rows, dtype=np.float64)
        except (TypeError, ValueError):
            k = next(k for k, values in enumerate(rows) if not all(isinstance(v, int | float) for v in values))
            raise _row_error(rows[k], wanted, row + k, path) from None
        if not np.isfinite(part[:, :4]).all():
            k = int(np.argmin(np.isfinite(part[:, :4]).all(axis=1)))
            raise _row_error(rows[k], wanted, row + k, path)
        parts.append(part)
        row += len(rows)
    return np.concatenate(parts)


def _row_error(values: tuple[object, ...], wanted: list[str], row: int, path: Path) -> UnreadableFile:
    shown = ", ".join(f"{name} {str(value)[:20]!r}" for name, value in zip(wanted, values, strict=True))
    return UnreadableFile(f"row {row + 1} of 'trajectory_data' is not all numbers: {shown}", path=path)


def _metadata_number(notes: dict[str, object], key: str, path: Path) -> float | None:
    if key not in notes:
        return None
    try:
        return float(str(notes[key]))
    except ValueError:
        raise UnreadableFile(f"{key} in 'metadata' is {str(notes[key])[:40]!r}, not a number", path=path) from None


def _area(database: sqlite3.Connection, path: Path) -> str | None:
    texts = [check_area(str(wkt), path) for (wkt,) in database.execute("SELECT DISTINCT wkt FROM geometry")]
    if len(texts) < 2:
        return texts[0] if texts else None
    return str(shapely.to_wkt(shapely.union_all(shapely.from_wkt(texts)), rounding_precision=-1))


def write_jupedsim_sqlite(stream: TrajectoryStream, path: Path, *, version: int = 2) -> None:
    """Write a recording as JuPedSim does."""
    if version not in (2, 3):
        raise InvalidValue(f"version must be 2 (with facings) or 3 (without), got {version!r}")

    def content(file: BinaryIO) -> None:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", suffix=".part", dir=path.parent) as folder:
            made = Path(folder) / "trajectories"
            try:
                with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as database:
                    _fill(database, stream, version)
            except sqlite3.Error as error:
                raise CannotWrite(f"writing failed ({error}); the old file, if any, is untouched", path=path) from error
            with made.open("rb") as source:
                shutil.copyfileobj(source, file, 1 << 20)

    write_atomically(path, content)


def _fill(database: sqlite3.Connection, stream: TrajectoryStream, version: int) -> None:
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
    for rows in stream.blocks:
        x, y, heading = rows.planar.T
        columns = [rows.frames, rows.ids, x, y, *((np.cos(heading), np.sin(heading)) if version == 2 else ())]
        database.executemany(insert, zip(*(column.tolist() for column in columns), strict=True))
        low = np.minimum(low, rows.planar[:, :2].min(axis=0, initial=np.inf))
        high = np.maximum(high, rows.planar[:, :2].max(axis=0, initial=-np.inf))
    corners = (low, high) if np.isfinite(low).all() else (np.zeros(2), np.zeros(2))
    area = stream.area_around(*corners) if stream.geometry is None else stream.geometry
    key = int.from_bytes(hashlib.blake2b(area.encode(), digest_size=8).digest()) >> 1
    database.execute("INSERT INTO geometry VALUES(?, ?)", (key, area))
    database.executemany("INSERT INTO frame_data VALUES(?, ?)", ((frame, key) for frame in range(stream.count)))
    xmin, ymin, xmax, ymax = shapely.from_wkt(area).bounds
    notes = {"version": version, "fps": stream.rate, "xmin": xmin, "xmax": xmax, "ymin": ymin, "ymax": ymax}
    notes |= {"walkon_version": __version__, "walkon_start_s": stream.start}
    database.executemany("INSERT INTO metadata VALUES(?, ?)", ((name, str(value)) for name, value in notes.items()))
    names = (name.encode("utf-8", "replace").decode() for name in stream.names)
    database.executemany("INSERT INTO walkon_characters VALUES(?, ?)", zip(stream.ids.tolist(), names, strict=True))
    database.execute("CREATE UNIQUE INDEX geometry_hash ON geometry(hash)")
    database.execute("CREATE INDEX frame_id_idx ON trajectory_data(frame, id)")
    database.execute("COMMIT")
