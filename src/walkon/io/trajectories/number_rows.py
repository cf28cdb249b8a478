"""Lines of text with numbers in columns → arrays, block by block; what does not fit is told with its line.

Nothing is guessed: a line with fewer or more values than the others, a word where a number belongs, an infinite place
end the reading with a sentence.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import UnreadableFile
from walkon.io.trajectories.column_names import Column

__all__ = ["is_number", "number_rows"]

BLOCK = 50_000
"""Lines that are turned into numbers at once."""
Row = list[str]


def number_rows(
    rows: Iterator[Row],
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
    while block := list(islice(rows, BLOCK)):
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
        return found, {k: _readable(called.get(word, word)) for word, k in codes.items()}
    found["id"] = ids[found["id"].astype(np.int64)]
    return found, {int(float(who)): _readable(name) for who, name in called.items()}


def _readable(name: str) -> str:
    """Return a name that was read byte for byte as text that can be shown."""
    return name.strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _numbers(words: list[str], role: str, path: Path, lines: list[int]) -> Array:
    try:
        values = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        k = next(k for k, word in enumerate(words) if not is_number(word))
        hint = "; write decimals with a point" if "," in words[k] else ""
        raise UnreadableFile(f"{role} is {_shown(words[k])}, not a number{hint}", path=path, line=lines[k]) from None
    if role != "heading" and not np.isfinite(values).all():
        k = int(np.argmin(np.isfinite(values)))
        raise UnreadableFile(
            f"{role} is {_shown(words[k])}; leave out frames in which a person is not seen", path=path, line=lines[k]
        )
    return values


def is_number(word: str) -> bool:
    """Say whether a word is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _shown(word: str) -> str:
    text = word[:40].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return repr(text) + ("…" if len(word) > 40 else "")
