"""CSV trajectories: a header that names the columns (see `column_names`), then a row per person and frame.

Needed are `id`, `x`, `y` and `frame` or `time`; a heading, or a vector `ori_x`, `ori_y`, is taken along, and so are
names. People may be called by words. Commas, semicolons and tabs are told apart by the header; without any of them
white space separates.

Written are `COLUMNS`: metres to a tenth of a millimetre, seconds to a microsecond, radians to 1e-5, metres per second;
UTF-8, lines end in LF. Speed and velocity are empty for somebody who is there for a single frame.
"""

import csv
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon._base.errors import UnreadableFile
from walkon._base.files import write_atomically
from walkon.geometry.tracks import Trajectories
from walkon.io.bvh_numbers import format_numbers
from walkon.io.trajectories.assembling import assemble
from walkon.io.trajectories.column_names import columns_of
from walkon.io.trajectories.comments import Comments
from walkon.io.trajectories.number_rows import PersonNumbers, number_rows
from walkon.io.trajectories.trajectory_stream import TrajectoryRows, TrajectoryStream

__all__ = ["COLUMNS", "read_csv", "write_csv"]

COLUMNS = ("id", "name", "frame", "time_s", "x", "y", "heading", "speed", "vx", "vy")
DECIMALS = np.array([0, 6, 4, 4, 5, 4, 4, 4], dtype=np.int64)
"""Of all columns from `frame` on."""


def read_csv(
    header: str,
    lines: Iterator[str],
    comments: Comments,
    *,
    path: Path,
    line: int,
    rate: float | None,
    scale: float | None,
) -> Trajectories:
    """Read a header and the lines under it, the first of which is number `line`."""
    separator = max(",;\t", key=header.count)
    split = None if not header.count(separator) else separator
    heads = header.split() if split is None else next(csv.reader([header], delimiter=split), [])
    columns = columns_of(heads)
    if "id" not in columns and "name" in columns:
        columns["id"] = columns["name"]._replace(role="id")
    missing = [role for role in ("id", "x", "y") if role not in columns]
    if not columns.keys() & {"frame", "time"}:
        missing.append("frame or time")
    if missing:
        raise UnreadableFile(
            f"no column {', '.join(missing)} among {', '.join(repr(head.strip()) for head in heads[:20])[:300]}; "
            "name the columns id, frame (or time), x and y in the first line",
            path=path,
            line=line - 1,
        )
    for role in ("x", "y"):
        factor = scale if scale is not None else columns[role].factor
        if scale is None and not columns[role].said and comments.unit is not None:
            factor = comments.unit
        columns[role] = columns[role]._replace(factor=factor)
    # Words for people are compared as they stand: 'ann' and ' ann' would be two.
    rows = (text.split() for text in lines) if split is None else _quoted(lines, split, path, line)
    people = PersonNumbers()
    found = number_rows(rows, columns, path=path, line=line, width=len(heads), people=people)
    found["id"], names = people.numbered(found["id"])
    return assemble(
        found,
        path=path,
        rate=comments.rate if rate is None else rate,
        start=comments.start or 0.0,
        geometry=comments.geometry,
        names=names,
    )


def _quoted(lines: Iterator[str], separator: str, path: Path, line: int) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    while True:
        before = reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise UnreadableFile(f"this is no row of a table ({error})", path=path, line=line + before) from None
        # A field with line breaks in it takes several lines: empty rows keep the numbers of lines right.
        yield from ([] for _ in range(reader.line_num - before - 1))
        yield [] if len(row) == 1 and not row[0].strip() else row


def write_csv(stream: TrajectoryStream, path: Path) -> None:
    """Write one row per person and frame."""
    heads = [
        f"{number},{_in_quotes(name)},".encode("utf-8", "replace")
        for number, name in zip(stream.ids.tolist(), stream.names, strict=True)
    ]

    def content(file: BinaryIO) -> None:
        file.write((",".join(COLUMNS) + "\n").encode())
        for rows in stream.blocks:
            file.write(_lines(rows, heads))

    write_atomically(path, content)


def _lines(rows: TrajectoryRows, heads: list[bytes]) -> bytes:
    values = np.column_stack([rows.frames, rows.times, rows.planar, rows.speeds, rows.velocities])
    unknown = np.isnan(values[:, -1])
    lines = format_numbers(np.nan_to_num(values), DECIMALS).replace(b" ", b",").splitlines(keepends=True)
    for k in np.flatnonzero(unknown).tolist():
        lines[k] = b",".join(lines[k].split(b",")[:5]) + b",,,\n"
    return b"".join(chain.from_iterable(zip((heads[k] for k in rows.columns.tolist()), lines, strict=True)))


def _in_quotes(name: str) -> str:
    """Return a field of a table: in quotes where it has a comma, a quote, a line break, or a space at its ends."""
    return '"' + name.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', name) else name
