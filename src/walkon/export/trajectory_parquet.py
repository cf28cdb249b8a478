"""Parquet trajectories: the columns of the CSV, with types, in row groups of time; the metadata tell rate and area.

Places and times are float64, the rest float32; names are a dictionary. Under the key `walkon` the file's metadata hold
JSON: version, fps, start_s, units, geometry (WKT or null). Needs the extra `parquet`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from walkon import __version__
from walkon._base.errors import MissingExtra
from walkon._base.files import write_atomically
from walkon.export.excerpt import Excerpt
from walkon.export.trajectory_csv import COLUMNS
from walkon.export.trajectory_rows import Rows, trajectory_rows
from walkon.export.walkable_area import checked_area, walkable_area

__all__ = ["write"]

GROUP = 1 << 17
"""Rows after which a row group is written: some 8 MB."""


def write(excerpt: Excerpt, path: Path, *, progress: Callable[[float], None], geometry: str | None = None) -> None:
    """Write an excerpt as Parquet."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.named("parquet", "writing Parquet") from None
    notes = {
        "version": __version__,
        "fps": excerpt.fps,
        "start_s": excerpt.start,
        "units": {"time_s": "s", "x": "m", "y": "m", "heading": "rad", "speed": "m/s", "vx": "m/s", "vy": "m/s"},
        "geometry": walkable_area(excerpt.take.stage) if geometry is None else checked_area(geometry),
    }
    called = arrow.dictionary(arrow.int32(), arrow.string())
    types = [arrow.int64(), called, arrow.int64(), *[arrow.float64()] * 3, *[arrow.float32()] * 4]
    schema = arrow.schema(list(zip(COLUMNS, types, strict=True)), metadata={b"walkon": json.dumps(notes).encode()})
    names = arrow.array([name.encode("utf-8", "replace").decode() for name in excerpt.names], arrow.string())

    def table(waiting: list[Rows]) -> Any:
        rows = Rows(*(np.concatenate(parts) for parts in zip(*waiting, strict=True)))
        who = arrow.DictionaryArray.from_arrays(arrow.array(rows.columns.astype(np.int32)), names)
        floats = [rows.planar[:, 2], rows.speeds, rows.velocities[:, 0], rows.velocities[:, 1]]
        arrays = [rows.ids, who, rows.frames, rows.times, rows.planar[:, 0], rows.planar[:, 1]]
        arrays += [np.asarray(values, np.float32) for values in floats]
        return arrow.Table.from_arrays(
            [a if a is who else arrow.array(a, kind) for a, kind in zip(arrays, types, strict=True)], schema=schema
        )

    def content(file: BinaryIO) -> None:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            waiting: list[Rows] = []
            for rows in trajectory_rows(excerpt, progress):
                waiting.append(rows)
                if sum(len(some.ids) for some in waiting) >= GROUP:
                    writer.write_table(table(waiting))
                    waiting = []
            if waiting:
                writer.write_table(table(waiting))

    write_atomically(path, content)
