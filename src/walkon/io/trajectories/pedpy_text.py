"""PedPy text: lines `id frame x y [z …]` of numbers apart by white space, under comments that tell rate and unit.

    # framerate: 25.00
    # id frame x/m y/m z/m
    1 98 4.6012 1.8892 1.76

Where a comment names the columns, they may come in another order. Lines that begin with `#` are comments anywhere.
Without a unit, lengths may be metres or centimetres: a file that does not say is refused unless `scale` is given.
"""

from collections.abc import Iterator
from pathlib import Path

from walkon._base.errors import UnreadableFile
from walkon.geometry.tracks import Trajectories
from walkon.io.trajectories.assembling import assemble
from walkon.io.trajectories.column_names import Column
from walkon.io.trajectories.comments import Comments
from walkon.io.trajectories.number_rows import number_rows

__all__ = ["read_pedpy_text"]

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
