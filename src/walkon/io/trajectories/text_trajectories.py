"""Trajectories as text: comments, then a row per person and frame. Text that begins with a number is PedPy's, text that
names columns is CSV.

CSV: a header names the columns (see `column_names`). Needed are `id`, `x`, `y` and `frame` or `time`; a heading, or a
vector `ori_x`, `ori_y`, is taken along, and so are z and names. People may be called by words. Commas, semicolons and
tabs are told apart by the header; without any of them white space separates. Written are `COLUMNS`: metres to a tenth
of a millimetre, seconds to a microsecond, radians to 1e-5, metres per second; UTF-8, lines end in LF. Speed and
velocity are empty for a person who is there for a single frame.

PedPy: lines `id frame x y [z …]` of numbers apart by white space, under comments that give rate and unit.

    # framerate: 25.00
    # id frame x/m y/m z/m
    1 98 4.6012 1.8892 1.76

Where a comment names the columns, they may come in another order. Lines that begin with `#` are comments anywhere.
Without a unit, lengths may be metres or centimetres: a file that does not say is refused unless `scale` is given.
Written are metres to a tenth of a millimetre; z is the height of the floor. The format knows neither names nor facings.
PedPy takes the rate from the first number in a line with `framerate`, and the unit from the last line that names one,
so that the line with the columns comes last.

Nothing is guessed: a line with fewer or more values than the others, a word where a number belongs, an infinite place
end the reading with a sentence that names the line.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon import __version__
from walkon._base.arrays import Array
from walkon._base.errors import UnreadableFile
from walkon._base.files import write_atomically
from walkon.geometry.tracks import Trajectories
from walkon.io.bvh_numbers import format_numbers
from walkon.io.trajectories.assembling import assemble
from walkon.io.trajectories.column_names import Column, Comments, columns_of, missing_columns, read_comments
from walkon.io.trajectories.trajectory_stream import TrajectoryRows, TrajectoryStream

__all__ = ["COLUMNS", "read_text", "write_csv", "write_pedpy_text"]

COLUMNS = ("id", "name", "frame", "time_s", "x", "y", "z", "heading", "speed", "vx", "vy")
CSV_DECIMALS = np.array([0, 6, 4, 4, 4, 5, 4, 4, 4], dtype=np.int64)
"""Of all columns of CSV from `frame` on."""
BLOCK_LINES = 50_000
"""Lines that are turned into numbers at once."""
PEDPY_DECIMALS = np.array([0, 0, 4, 4, 4], dtype=np.int64)
PEDPY_ORDER = {role: Column(role, number, 1.0, said=False) for number, role in enumerate(("id", "frame", "x", "y"))}


def read_text(lines: Iterator[str], *, path: Path, rate: float | None, scale: float | None) -> Trajectories:
    """Read the lines of a file; `rate` and `scale` where it is wrong or silent about them."""
    comments, number = [], 0
    for first in lines:
        number += 1
        if first.lstrip().startswith("#"):
            comments.append(first)
        elif first.strip():
            break
    else:
        raise UnreadableFile("it has comments, but no rows", path=path)
    said = read_comments(comments, path)
    names: dict[int, str] = {}
    if _is_number(first.split()[0]):
        found = _read_pedpy(chain([first], lines), said, path=path, line=number, scale=scale)
    else:
        found, names = _read_csv(first, lines, said, path=path, line=number + 1, scale=scale)
    return assemble(
        found,
        path=path,
        rate=said.rate if rate is None else rate,
        start=said.start or 0.0,
        geometry=said.geometry,
        names=names,
    )


def _read_pedpy(
    lines: Iterator[str], comments: Comments, *, path: Path, line: int, scale: float | None
) -> dict[str, Array]:
    """Read the lines under the comments, the first of which is number `line`."""
    unit = comments.unit if scale is None else scale
    if unit is None:
        raise UnreadableFile(
            "it does not say whether places are metres or centimetres; give scale=1 or scale=0.01, or name the columns "
            "'# id frame x/m y/m' at its head",
            path=path,
        )
    columns = comments.columns or PEDPY_ORDER
    columns = columns | {role: columns[role]._replace(factor=unit) for role in ("x", "y", "z") if role in columns}
    rows = ([] if text.lstrip().startswith("#") else text.split() for text in lines)
    return _number_rows(rows, columns, path=path, line=line)[0]


def _read_csv(
    header: str, lines: Iterator[str], comments: Comments, *, path: Path, line: int, scale: float | None
) -> tuple[dict[str, Array], dict[int, str]]:
    """Read a header and the lines under it, the first of which is number `line`, as columns and names by number."""
    separator = max(",;\t", key=header.count)
    split = separator if separator in header else None
    heads = header.split() if split is None else next(csv.reader([header], delimiter=split), [])
    columns = columns_of(heads)
    if "id" not in columns and "name" in columns:
        columns["id"] = columns["name"]._replace(role="id")
    if missing := missing_columns(columns):
        raise UnreadableFile(
            f"no column {', '.join(missing)} among {', '.join(repr(head.strip()) for head in heads[:20])[:300]}; "
            "name the columns id, frame (or time), x and y in the first line",
            path=path,
            line=line - 1,
        )
    for role in (role for role in ("x", "y", "z") if role in columns):
        unit = columns[role].factor if columns[role].said or comments.unit is None else comments.unit
        columns[role] = columns[role]._replace(factor=unit if scale is None else scale)
    # Words for people are compared as they stand: 'ann' and ' ann' would be two.
    rows = (text.split() for text in lines) if split is None else _split_quoted(lines, split, path, line)
    return _number_rows(rows, columns, path=path, line=line, width=len(heads), words=True)


def _split_quoted(lines: Iterator[str], separator: str, path: Path, line: int) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    before = 0
    try:
        for row in reader:
            # A field with line breaks in it takes several lines: empty rows keep the numbers of lines right.
            yield from ([] for _ in range(reader.line_num - before - 1))
            yield [] if len(row) == 1 and not row[0].strip() else row
            before = reader.line_num
    except csv.Error as error:
        raise UnreadableFile(f"this is no row of a table ({error})", path=path, line=line + before) from None


def _number_rows(
    rows: Iterator[list[str]],
    columns: Mapping[str, Column],
    *,
    path: Path,
    line: int,
    width: int | None = None,
    words: bool = False,
) -> tuple[dict[str, Array], dict[int, str]]:
    """Return arrays [n] by role, and people's names by number; empty rows are passed over.

    `line` is the number of the first row's line. Every row must have `width` values, or as many as the first. Where
    people may be called by `words`, whole numbers stay what they are, and words are counted.
    """
    parts: dict[str, list[Array]] = {role: [] for role in columns if role != "name"}
    codes: dict[str, int] = {}
    called: dict[str, str] = {}
    while block := list(islice(rows, BLOCK_LINES)):
        numbers = [line + k for k, row in enumerate(block) if row]
        full = [row for row in block if row]
        line += len(block)
        if not full:
            continue
        width = len(full[0]) if width is None else width
        if set(map(len, full)) != {width}:
            k = next(k for k, row in enumerate(full) if len(row) != width)
            raise UnreadableFile(
                f"{len(full[k])} values where the lines before have {width}; is the file cut off, or a separator lost?",
                path=path,
                line=numbers[k],
            )
        for role, part in parts.items():
            column = columns[role]
            if column.number >= width:
                raise UnreadableFile(
                    f"{width} values, but {role!r} should be number {column.number + 1}", path=path, line=numbers[0]
                )
            given = [row[column.number] for row in full]
            if role == "id" and words:
                part.append(np.array([codes.setdefault(word, len(codes)) for word in given], dtype=np.float64))
            else:
                part.append(_numbers(given, role, path, numbers) * column.factor)
        if words and "name" in columns:
            people = ((row[columns["id"].number], row[columns["name"].number]) for row in full)
            called.update((who, name) for who, name in people if name)
    found = {role: np.concatenate(part) if part else np.zeros(0) for role, part in parts.items()}
    if not words:
        return found, {}
    try:
        ids = np.array([float(word) for word in codes])
        whole = all(number == round(number) for number in ids.tolist())
    except (ValueError, OverflowError):
        whole = False
    if not whole:
        return found, {k: _decode_name(called.get(word, word)) for word, k in codes.items()}
    found["id"] = ids[found["id"].astype(np.int64)]
    return found, {int(float(who)): _decode_name(name) for who, name in called.items()}


def _decode_name(name: str) -> str:
    """Return a name that was read byte for byte as text that can be shown."""
    return name.strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _numbers(words: list[str], role: str, path: Path, lines: list[int]) -> Array:
    try:
        values = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        k = next(k for k, word in enumerate(words) if not _is_number(word))
        hint = "; write decimals with a point" if "," in words[k] else ""
        raise UnreadableFile(
            f"{role} is {_quote_word(words[k])}, not a number{hint}", path=path, line=lines[k]
        ) from None
    if role not in ("heading", "z") and not np.isfinite(values).all():
        k = int(np.argmin(np.isfinite(values)))
        raise UnreadableFile(
            f"{role} is {_quote_word(words[k])}; leave out frames in which a person is not seen",
            path=path,
            line=lines[k],
        )
    return values


def _is_number(word: str) -> bool:
    """Say whether a word is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _quote_word(word: str) -> str:
    text = word[:40].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return repr(text) + ("…" if len(word) > 40 else "")


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
    poses = rows.planar[:, :2], rows.floor, rows.planar[:, 2]
    values = np.column_stack([rows.frames, rows.times, *poses, rows.speeds, rows.velocities])
    unknown = np.isnan(values[:, -1])
    lines = format_numbers(np.nan_to_num(values), CSV_DECIMALS).replace(b" ", b",").splitlines(keepends=True)
    for k in np.flatnonzero(unknown).tolist():
        lines[k] = b",".join(lines[k].split(b",")[:6]) + b",,,\n"
    return b"".join(chain.from_iterable(zip((heads[k] for k in rows.columns.tolist()), lines, strict=True)))


def _in_quotes(name: str) -> str:
    """Return a field of a table: in quotes where it has a comma, a quote, a line break, or a space at its ends."""
    return '"' + name.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', name) else name


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
            file.write(format_numbers(values, PEDPY_DECIMALS))

    write_atomically(path, content)
