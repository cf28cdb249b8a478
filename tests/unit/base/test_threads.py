"""Chunks are fixed, whatever the number of threads."""

import os
import threading

import pytest

from walkon._base import threads
from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks, thread_count


@pytest.mark.parametrize("number", ["1", "2", "5"])
@pytest.mark.parametrize(("count", "chunks"), [(0, []), (3, [(0, 3)]), (10, [(0, 4), (4, 8), (8, 10)])])
def test_the_chunks_do_not_depend_on_the_threads(
    monkeypatch: pytest.MonkeyPatch, number: str, count: int, chunks: list[tuple[int, int]]
) -> None:
    monkeypatch.setenv("WALKON_THREADS", number)
    done = []
    in_chunks(lambda start, stop: done.append((start, stop)), count, chunk=4)
    assert sorted(done) == chunks


def test_chunks_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "2")
    both = threading.Barrier(2, timeout=10)
    in_chunks(lambda start, stop: both.wait() and None, 2, chunk=1)


def test_an_error_in_a_chunk_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "2")

    def work(start: int, stop: int) -> None:
        if start == 2:
            raise ValueError("in chunk 2")

    with pytest.raises(ValueError, match="in chunk 2"):
        in_chunks(work, 4, chunk=1)


def test_the_first_chunk_that_fails_decides_which_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "4")
    begun = threading.Barrier(4, timeout=10)

    def work(start: int, stop: int) -> None:
        begun.wait()
        raise ValueError(f"in chunk {start}")

    for _ in range(20):
        with pytest.raises(ValueError, match="in chunk 0"):
            in_chunks(work, 4, chunk=1)


def test_work_may_share_out_work_from_every_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "3")
    done: list[int] = []
    in_chunks(lambda a, b: in_chunks(lambda c, d: done.append(10 * a + c), 5, chunk=1), 6, chunk=1)
    assert sorted(done) == [10 * a + c for a in range(6) for c in range(5)]


def test_one_pool_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "2")
    in_chunks(lambda start, stop: None, 2, chunk=1)
    pool = threads._pool.executor
    for _ in range(10):
        both = threading.Barrier(2, timeout=10)
        in_chunks(lambda start, stop, both=both: both.wait() and None, 2, chunk=1)
        assert threads._pool.executor is pool
        assert threads._pool.asked == 0


def test_work_that_shares_out_work_leaves_nothing_behind_for_busy_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that waited for a busy thread would be kept, with all that it reads, until that thread has time."""
    monkeypatch.setenv("WALKON_THREADS", "2")
    monkeypatch.setattr(threads, "_pool", threads._Pool())
    waiting = []

    def outer(start: int, stop: int) -> None:
        for _ in range(20):
            in_chunks(lambda a, b: None, 4, chunk=1)
            waiting.append(threads._pool.executor._work_queue.qsize())

    in_chunks(outer, 8, chunk=1)
    assert max(waiting) <= 1


def test_at_most_so_many_threads_as_asked_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "8")
    seen = set()
    in_chunks(lambda start, stop: seen.add(threading.get_ident()), 8, chunk=1, threads=1)
    assert seen == {threading.get_ident()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "2")
    in_chunks(lambda start, stop: None, 2, chunk=1)
    child = os.fork()
    if child == 0:
        both = threading.Barrier(2, timeout=10)
        try:
            in_chunks(lambda start, stop: both.wait() and None, 2, chunk=1)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_the_number_of_threads_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "3")
    assert thread_count() == 3
    monkeypatch.setenv("WALKON_THREADS", "")
    assert thread_count() >= 1
    for nonsense in ("0", "-1", "many", "²"):
        monkeypatch.setenv("WALKON_THREADS", nonsense)
        with pytest.raises(InvalidValue, match="whole number from 1"):
            thread_count()
