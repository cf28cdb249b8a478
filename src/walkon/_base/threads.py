"""Threads over fixed chunks: the chunks, and with them the result, do not depend on the number of threads."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from walkon._base.errors import InvalidValue

__all__ = ["in_chunks", "thread_count"]


def thread_count() -> int:
    """Return how many threads to use: `WALKON_THREADS`, or the processors this process may run on."""
    given = os.environ.get("WALKON_THREADS", "").strip()
    if given:
        if not (given.isascii() and given.isdecimal() and int(given) > 0):
            raise InvalidValue(f"WALKON_THREADS must be a whole number from 1, got {given!r}; unset it to use all")
        return int(given)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_chunks(work: Callable[[int, int], None], count: int, *, chunk: int) -> None:
    """Call `work(start, stop)` for consecutive ranges of `chunk` items; `work` must release the GIL to gain time."""
    starts = range(0, count, chunk)
    threads = min(thread_count(), len(starts))
    if threads <= 1:
        for start in starts:
            work(start, min(start + chunk, count))
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, start, min(start + chunk, count)) for start in starts]:
            done.result()
