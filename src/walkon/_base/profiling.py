"""Where the time goes: named stages of work, nested, counted while somebody listens.

    with profiling.recording() as profile:
        with stage("planning"):
            ...
    profile.rows()

A stage costs a microsecond while nobody listens. Work that is shared out among threads (`walkon._base.threads`) counts
within the stage that shared it out, so the sum over threads may exceed the time that passed.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Profile", "StageTime", "open_stages", "recording", "stage", "within"]


class StageTime(NamedTuple):
    """How long one stage took in all."""

    path: tuple[str, ...]
    """Names of the stages that it is within, itself last."""
    seconds: float
    """s, those of the stages within it included."""
    calls: int


@dataclass(eq=False)
class Profile:
    """What was recorded."""

    spent: dict[tuple[str, ...], list[float]] = field(default_factory=dict)
    """Path of a stage → s and calls; in the order in which they were first entered."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def rows(self) -> list[StageTime]:
        """Return the stages, each followed by those within it, in the order in which they were first entered."""
        order = {path: place for place, path in enumerate(self.spent)}
        keys = {path: tuple(order.get(path[: k + 1], 0) for k in range(len(path))) for path in self.spent}
        return [StageTime(path, *self._of(path)) for path in sorted(self.spent, key=keys.__getitem__)]

    def _of(self, path: tuple[str, ...]) -> tuple[float, int]:
        seconds, calls = self.spent[path]
        return seconds, int(calls)

    def enter(self, path: tuple[str, ...]) -> None:
        """Note that a stage is entered."""
        with self.lock:
            self.spent.setdefault(path, [0.0, 0.0])

    def add(self, path: tuple[str, ...], seconds: float) -> None:
        """Note that a stage has ended."""
        with self.lock:
            row = self.spent[path]
            row[0] += seconds
            row[1] += 1


_listening: Profile | None = None
_open = threading.local()


@contextmanager
def recording() -> Iterator[Profile]:
    """Record the stages of everything that runs within; one recording at a time."""
    global _listening  # noqa: PLW0603
    before, _listening = _listening, Profile()
    try:
        yield _listening
    finally:
        _listening = before


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name what is done within."""
    profile = _listening
    if profile is None:
        yield
        return
    outer = open_stages()
    path = (*outer, name)
    profile.enter(path)
    _open.path = path
    begun = time.perf_counter()
    try:
        yield
    finally:
        profile.add(path, time.perf_counter() - begun)
        _open.path = outer


def open_stages() -> tuple[str, ...]:
    """Return the names of the stages that this thread is in, the innermost last."""
    return getattr(_open, "path", ())


@contextmanager
def within(path: tuple[str, ...]) -> Iterator[None]:
    """Let this thread be in the stages of another one."""
    before, _open.path = open_stages(), path
    try:
        yield
    finally:
        _open.path = before
