"""Parquet trajectories: columns named as in CSV (see `column_names`); rate, start and geometry from the metadata.

Written are the columns of the CSV, with types, in row groups of time. Places and times are float64, the rest float32;
names are a dictionary. Under the key `walkon` the file's metadata hold JSON: version, fps, start_s, units, geometry
(WKT or null). Needs the extra `parquet`.
"""

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from walkon import __version__
from walkon._base.arrays import Array
from walkon._base.errors import MissingExtra, UnreadableFile
from walkon._base.files import write_atomically
from walkon.geometry.tracks import Trajectories
from walkon.io.trajectories.assembling import assemble, check_area
from walkon.io.trajectories.column_names import columns_of, missing_columns
from walkon.io.trajectories.text_trajectories import COLUMNS
from walkon.io.trajectories.trajectory_stream import TrajectoryRows, TrajectoryStream

__all__ = ["read_parquet", "write_parquet"]

GROUP_ROWS = 1 << 17
"""Rows after which a row group is written: some 8 MB."""
UNITS = {"time_s": "s", "x": "m", "y": "m", "heading": "rad", "speed": "m/s", "vx": "m/s", "vy": "m/s"}


def read_parquet(path: Path, *, rate: float | None, scale: float | None) -> Trajectories:
    """Read a table; `rate` and `scale` where the file is wrong about them."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.named("parquet", "reading Parquet") from None
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            columns = columns_of(schema.names)
            if missing := missing_columns(columns):
                raise UnreadableFile(f"no column {', '.join(missing)} among {', '.join(schema.names)[:300]}", path=path)
            table = file.read(columns=[schema.names[column.number] for column in columns.values()])
    except UnreadableFile:
        raise
    except (arrow.ArrowException, OSError) as error:
        raise UnreadableFile(f"Parquet cannot read it ({str(error)[:200]}); copy it again", path=path) from None
    notes = _notes(schema.metadata or {}, path)
    found: dict[str, Array] = {}
    called = table[schema.names[columns.pop("name").number]].to_pylist() if "name" in columns else []
    for role, column in columns.items():
        try:
            given = table[schema.names[column.number]]
            values = given.cast(arrow.float64()).to_numpy().astype(np.float64)
        except (arrow.ArrowException, TypeError, ValueError) as error:
            raise UnreadableFile(
                f"the column {schema.names[column.number]!r} is not of numbers ({str(error)[:80]})", path=path
            ) from None
        if role not in ("z", "heading", "ori_x", "ori_y") and not np.isfinite(values).all():
            k = int(np.argmin(np.isfinite(values)))
            raise UnreadableFile(f"{role} is missing or not finite in row {k + 1}", path=path)
        factor = scale if scale is not None and role in ("x", "y", "z") else column.factor
        found[role] = values * factor
    first = np.unique(found["id"], return_index=True)[1] if called else ()
    given_rate = notes.get("fps")
    return assemble(
        found,
        path=path,
        rate=rate if rate is not None else None if given_rate is None else float(given_rate),
        start=float(notes.get("start_s", 0.0)),
        geometry=check_area(str(notes["geometry"]), path) if notes.get("geometry") else None,
        names={int(found["id"][k]): str(called[k]) for k in first if called[k] is not None},
    )


def _notes(metadata: dict[bytes, bytes], path: Path) -> dict[str, Any]:
    try:
        notes = json.loads(metadata.get(b"walkon", b"{}"))
        wrong = not isinstance(notes, dict) or any(
            not isinstance(notes.get(key, 0.0), int | float) for key in ("fps", "start_s")
        )
    except ValueError:
        wrong, notes = True, {}
    if wrong:
        raise UnreadableFile("what its metadata say under 'walkon' is damaged; write it again", path=path)
    return dict(notes)


def write_parquet(stream: TrajectoryStream, path: Path) -> None:
    """Write one row per person and frame."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.named("parquet", "writing Parquet") from None
    notes = {
        "version": __version__,
        "fps": stream.rate,
        "start_s": stream.start,
        "units": UNITS,
        "geometry": stream.geometry,
    }
    called = arrow.dictionary(arrow.int32(), arrow.string())
    types = [arrow.int64(), called, arrow.int64(), *[arrow.float64()] * 4, *[arrow.float32()] * 4]
    schema = arrow.schema(list(zip(COLUMNS, types, strict=True)), metadata={b"walkon": json.dumps(notes).encode()})
    names = arrow.array([name.encode("utf-8", "replace").decode() for name in stream.names], arrow.string())

    def table(waiting: list[TrajectoryRows]) -> Any:
        rows = TrajectoryRows(*(np.concatenate(parts) for parts in zip(*waiting, strict=True)))
        who = arrow.DictionaryArray.from_arrays(arrow.array(rows.columns.astype(np.int32)), names)
        floats = [rows.planar[:, 2], rows.speeds, rows.velocities[:, 0], rows.velocities[:, 1]]
        arrays = [rows.ids, who, rows.frames, rows.times, rows.planar[:, 0], rows.planar[:, 1], rows.floor]
        arrays += [np.asarray(values, np.float32) for values in floats]
        return arrow.Table.from_arrays(
            [a if a is who else arrow.array(a, kind) for a, kind in zip(arrays, types, strict=True)], schema=schema
        )

    def content(file: BinaryIO) -> None:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            waiting: list[TrajectoryRows] = []
            for rows in stream.blocks:
                waiting.append(rows)
                if sum(len(some.ids) for some in waiting) >= GROUP_ROWS:
                    writer.write_table(table(waiting))
                    waiting = []
            if waiting:
                writer.write_table(table(waiting))

    write_atomically(path, content)
