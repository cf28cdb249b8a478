"""Threads over fixed chunks: the chunks, and with them the result, do not depend on the number of threads.

One pool of threads is kept per process. The caller works along: it takes chunks like every other thread, and waits only
for chunks that are being worked on. So work may itself share out work, from any thread, without running out of threads;
only threads that are free are asked, or what waits for a busy one would be held in memory until that has time.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from walkon._base.errors import InvalidValue
from walkon._base.profiling import open_stages, within

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


def in_chunks(work: Callable[[int, int], None], count: int, *, chunk: int, threads: int | None = None) -> None:
    """Call `work(start, stop)` for consecutive ranges of `chunk` items; `work` must release the GIL to gain time.

    At most `threads` work at once, `thread_count()` if not given. The first of the chunks that fail decides which error
    is raised; no other chunk is begun after an error.
    """
    starts = range(0, count, chunk)
    most = min(thread_count() if threads is None else max(threads, 1), len(starts))
    if most <= 1:
        for start in starts:
            work(start, min(start + chunk, count))
        return
    left, stages, lock = iter(starts), open_stages(), threading.Lock()
    failed: dict[int, BaseException] = {}

    def take() -> None:
        """Work on one chunk after the other, as long as there are any."""
        while True:
            with lock:
                start = None if failed else next(left, None)
            if start is None:
                return
            try:
                with within(stages):
                    work(start, min(start + chunk, count))
            except BaseException as error:
                with lock:
                    failed[start] = error
                return

    helpers = _pool.ask(take, most - 1)
    take()
    _pool.wait(helpers)
    if failed:
        raise failed[min(failed)]


class _Pool:
    """The threads that are kept, and how many of them have been asked to work."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.executor: ThreadPoolExecutor | None = None
        self.count = self.asked = 0

    def ask(self, work: Callable[[], None], most: int) -> "list[Future[None]]":
        """Let those threads that are free work along, `most` at most."""
        with self.lock:
            if self.executor is None or self.count < most:
                if self.executor is not None:
                    self.executor.shutdown(wait=False)
                self.executor, self.count = ThreadPoolExecutor(most, thread_name_prefix="walkon"), most
            free = max(min(most, self.count - self.asked), 0)
            self.asked += free
            return [self.executor.submit(work) for _ in range(free)]

    def wait(self, helpers: "list[Future[None]]") -> None:
        """Wait until these are done; those that have not begun need not begin any more."""
        try:
            for helper in helpers:
                if not helper.cancel():
                    helper.result()
        finally:
            with self.lock:
                self.asked -= len(helpers)


_pool = _Pool()


def _forget_pool() -> None:
    """Threads do not survive a fork: the child makes its own."""
    _pool.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
