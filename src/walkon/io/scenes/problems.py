"""What is wrong with a scene file: collected line by line, and raised together."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from walkon._base.errors import UnreadableFile, WalkonError

__all__ = ["Problems", "closest_name", "suggest"]

MAX_LISTED_PROBLEMS = 40
"""Problems listed in one message; a file with more is named with how many there are."""


class Problems:
    """Sentences, each with the line of the file that it is about."""

    def __init__(self) -> None:
        self._found: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, line: int, sentence: str) -> None:
        """Note a problem once."""
        if (line, sentence) not in self._found[-MAX_LISTED_PROBLEMS:]:
            self._found.append((line, sentence))

    @contextmanager
    def on(self, line: int) -> Iterator[None]:
        """Turn an error raised within a `with` block into a problem on this line; the rest of the block is not run."""
        try:
            yield
        except WalkonError as error:
            self.add(line, str(error))

    def raise_if_any(self, path: str | Path) -> None:
        """Raise one `UnreadableFile` that lists everything in order of lines, `path:line: sentence` each."""
        if not self._found:
            return
        ordered = sorted(self._found, key=lambda problem: problem[0])
        (first, sentence), *rest = ordered[:MAX_LISTED_PROBLEMS]
        lines = [sentence, *(f"{path}:{line}: {words}" for line, words in rest)]
        if len(ordered) > MAX_LISTED_PROBLEMS:
            lines.append(f"{path}: and {len(ordered) - MAX_LISTED_PROBLEMS} more problems")
        raise UnreadableFile("\n".join(lines), path=path, line=first)


def closest_name(name: str, known: list[str]) -> str | None:
    """Return the known name that was probably meant, if any."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return close[0] if close else None


def suggest(name: str, known: list[str]) -> str:
    """Return a question for the closest of the known names, or the list of them."""
    if (close := closest_name(name, known)) is not None:
        return f"did you mean {close!r}?"
    return f"known: {', '.join(known[:30])}{' …' if len(known) > 30 else ''}" if known else "there is none"
