"""PedPy text: lines `id frame x y [z …]` of numbers apart by white space, under comments that tell rate and unit.

    # framerate: 25.00
    # id frame x/m y/m z/m
    1 98 4.6012 1.8892 1.76

Where a comment names the columns, they may come in another order. Lines that begin with `#` are comments anywhere.
Without a unit, lengths may be metres or centimetres: a file that does not say is refused unless `scale` is given.

Written are metres to a tenth of a millimetre; z is the height of the floor. The format knows neither names nor facings.
PedPy takes the rate from the first number in a line with `framerate`, and the unit from the last line that names one,
so that the line with the columns comes last.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon import __version__
from walkon._base.errors import UnreadableFile
from walkon._base.files import write_atomically
from walkon.geometry.tracks import Trajectories
from walkon.io.bvh_numbers import format_numbers
from walkon.io.trajectories.assembling import assemble
from walkon.io.trajectories.column_names import Column
from walkon.io.trajectories.comments import Comments
from walkon.io.trajectories.number_rows import number_rows
from walkon.io.trajectories.trajectory_stream import TrajectoryStream

__all__ = ["read_pedpy_text", "write_pedpy_text"]

DECIMALS = np.array([0, 0, 4, 4, 4], dtype=np.int64)
ORDER = {role: Column(role, number, 1.0, said=False) for number, role in enumerate(("id", "frame", "x", "y"))}


def read_pedpy_text(
    lines: Iterator[str], comments: Comments, *, path: Path, line: int, rate: float | None, scale: float | None
) -> Trajectories:
    """Read the lines under the comments, the first of which is number `line`."""
    unit = comments.unit if scale is None else scale
    if unit is None:
        raise UnreadableFile(
            "it does not say whether places are metres or centimetres; give scale=1 or scale=0.01, or name the columns "
            "'# id frame x/m y/m' at its head",
            path=path,
        )
    columns = dict(comments.columns or ORDER)
    for role in ("x", "y"):
        columns[role] = columns[role]._replace(factor=unit)
    columns.pop("name", None)
    rows = ([] if text.lstrip().startswith("#") else text.split() for text in lines)
    found = number_rows(rows, columns, path=path, line=line)
    return assemble(
        found,
        path=path,
        rate=comments.rate if rate is None else rate,
        start=comments.start or 0.0,
        geometry=comments.geometry,
    )


def write_pedpy_text(stream: TrajectoryStream, path: Path) -> None:
    """Write one line per person and frame."""
    head = [f"description: walkon {__version__}", f"framerate: {stream.rate!r}", f"start: {stream.start!r} s"]
    if stream.geometry is not None:
        head.append(f"geometry: {' '.join(stream.geometry.split())}")
    head.append("id frame x/m y/m z/m")

    def content(file: BinaryIO) -> None:
        file.write("".join(f"# {line}\n" for line in head).encode())
        for rows in stream.blocks:
            values = np.column_stack([rows.ids, rows.frames, rows.planar[:, :2], rows.floor])
            file.write(format_numbers(values, DECIMALS))

    write_atomically(path, content)
