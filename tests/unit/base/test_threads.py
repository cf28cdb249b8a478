"""Chunks are fixed, whatever the number of threads."""

import threading

import pytest

from walkon._base.errors import InvalidValue
from walkon._base.threads import in_chunks, thread_count


@pytest.mark.parametrize("threads", ["1", "2", "5"])
@pytest.mark.parametrize(("count", "chunks"), [(0, []), (3, [(0, 3)]), (10, [(0, 4), (4, 8), (8, 10)])])
def test_the_chunks_do_not_depend_on_the_threads(
    monkeypatch: pytest.MonkeyPatch, threads: str, count: int, chunks: list[tuple[int, int]]
) -> None:
    monkeypatch.setenv("WALKON_THREADS", threads)
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


def test_the_number_of_threads_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKON_THREADS", "3")
    assert thread_count() == 3
    monkeypatch.setenv("WALKON_THREADS", "")
    assert thread_count() >= 1
    for nonsense in ("0", "-1", "many", "²"):
        monkeypatch.setenv("WALKON_THREADS", nonsense)
        with pytest.raises(InvalidValue, match="whole number from 1"):
            thread_count()
