"""Parquet trajectories: columns named as in CSV (see `column_names`); rate, start and geometry from the metadata.

Needs the extra `parquet`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import MissingExtra, UnreadableFile
from walkon.geometry.tracks import Trajectories
from walkon.io.trajectories.assembling import assemble, check_area
from walkon.io.trajectories.column_names import columns_of

__all__ = ["read_parquet"]


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
            if missing := [role for role in ("id", "x", "y") if role not in columns]:
                raise UnreadableFile(f"no column {', '.join(missing)} among {', '.join(schema.names)[:300]}", path=path)
            if not columns.keys() & {"frame", "time"}:
                raise UnreadableFile(f"no column frame or time among {', '.join(schema.names)[:300]}", path=path)
            table = file.read(columns=[schema.names[column.number] for column in columns.values()])
    except (arrow.ArrowException, OSError) as error:
        if isinstance(error, UnreadableFile):
            raise
        raise UnreadableFile(f"Parquet cannot read it ({str(error)[:200]}); copy it again", path=path) from None
    notes = _notes(schema.metadata or {}, path)
    found: dict[str, Array] = {}
    for role, column in columns.items():
        if role == "name":
            continue
        try:
            given = table[schema.names[column.number]]
            values = given.cast(arrow.float64()).to_numpy().astype(np.float64)
        except (arrow.ArrowException, TypeError, ValueError) as error:
            raise UnreadableFile(
                f"the column {schema.names[column.number]!r} is not of numbers ({str(error)[:80]})", path=path
            ) from None
        if role not in ("heading", "ori_x", "ori_y") and not np.isfinite(values).all():
            k = int(np.argmin(np.isfinite(values)))
            raise UnreadableFile(f"{role} is missing or not finite in row {k + 1}", path=path)
        factor = scale if scale is not None and role in ("x", "y") else column.factor
        found[role] = values * factor
    names = {}
    if "name" in columns:
        called = table[schema.names[columns["name"].number]].to_pylist()
        _, first = np.unique(found["id"], return_index=True)
        names = {int(found["id"][k]): str(called[k]) for k in first if called[k] is not None}
    given_rate = notes.get("fps")
    return assemble(
        found,
        path=path,
        rate=rate if rate is not None else None if given_rate is None else float(given_rate),
        start=float(notes.get("start_s", 0.0)),
        geometry=check_area(str(notes["geometry"]), path) if notes.get("geometry") else None,
        names=names,
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
