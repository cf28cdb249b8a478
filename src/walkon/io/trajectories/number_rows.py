"""Lines of text with numbers in columns → arrays, block by block; what does not fit is told with its line.

Nothing is guessed: a line with fewer or more values than the others, a word where a number belongs, an infinite place
end the reading with a sentence.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import UnreadableFile
from walkon.io.trajectories.column_names import Column

__all__ = ["PersonNumbers", "is_number", "number_rows"]

BLOCK = 50_000
"""Lines that are turned into numbers at once."""
Row = list[str]


class PersonNumbers:
    """Numbers for whatever a file calls its people: whole numbers stay what they are, words are counted."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._names: dict[str, str] = {}

    def codes(self, words: list[str]) -> list[int]:
        """Return a number for each word, in order of appearance."""
        known = self._codes
        return [known.setdefault(word, len(known)) for word in words]

    def call(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Take note of what people are called."""
        self._names.update((who, name) for who, name in pairs if name)

    def numbered(self, codes: Array) -> tuple[Array, dict[int, str]]:
        """Return the people's numbers for codes [n], and their names by number."""
        words = list(self._codes)
        try:
            numbers = [float(word) for word in words]
            whole = all(number == round(number) for number in numbers)
        except (ValueError, OverflowError):
            whole = False
        if whole:
            return np.array(numbers)[codes.astype(np.int64)], {
                int(float(who)): readable(name) for who, name in self._names.items()
            }
        return codes, {k: readable(self._names.get(word, word)) for k, word in enumerate(words)}


def readable(name: str) -> str:
    """Return a name that was read byte for byte as text that can be shown."""
    return name.strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def number_rows(
    rows: Iterator[Row],
    columns: Mapping[str, Column],
    *,
    path: Path,
    line: int,
    width: int | None = None,
    people: PersonNumbers | None = None,
) -> dict[str, Array]:
    """Return arrays [n] by role; `line` is the number of the first row's line, empty rows are passed over.

    Every row must have `width` values, or as many as the first. With `people`, ids may be words.
    """
    parts: dict[str, list[Array]] = {role: [] for role in columns if role != "name"}
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
            words = [row[column.number] for row in full]
            if role == "id" and people is not None:
                part.append(np.array(people.codes(words), dtype=np.float64))
            else:
                part.append(_numbers(words, role, path, numbers) * column.factor)
        if people is not None and "name" in columns:
            people.call({(row[columns["id"].number], row[columns["name"].number]) for row in full})
    return {role: np.concatenate(part) if part else np.zeros(0) for role, part in parts.items()}


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
