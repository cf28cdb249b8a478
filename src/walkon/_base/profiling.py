"""Where the time goes: named stages of work, nested, counted while a profile is recorded.

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

__all__ = ["Profile", "open_stages", "recording", "stage", "within"]


@dataclass(eq=False)
class Profile:
    """What was recorded."""

    spent: dict[tuple[str, ...], list[float]] = field(default_factory=dict)
    """Path of a stage → s and calls; in the order in which they were first entered."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def rows(self) -> list[tuple[tuple[str, ...], float, int]]:
        """Return path, seconds and calls of the stages, each followed by those within it, as they were first entered.

        A path has the names of the stages that one is within, itself last; its seconds include those of stages within.
        """
        order = {path: place for place, path in enumerate(self.spent)}
        keys = {path: tuple(order.get(path[: k + 1], 0) for k in range(len(path))) for path in self.spent}
        return [
            (path, self.spent[path][0], int(self.spent[path][1])) for path in sorted(self.spent, key=keys.__getitem__)
        ]

    def add(self, path: tuple[str, ...], seconds: float, *, calls: int) -> None:
        """Note that a stage is entered, or that it has ended."""
        with self.lock:
            row = self.spent.setdefault(path, [0.0, 0.0])
            row[0] += seconds
            row[1] += calls


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
    path = (*open_stages(), name)
    profile.add(path, 0.0, calls=0)
    begun = time.perf_counter()
    try:
        with within(path):
            yield
    finally:
        profile.add(path, time.perf_counter() - begun, calls=1)


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
