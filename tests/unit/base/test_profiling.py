"""Stages are counted where they are, whoever works; and cost nothing while nobody listens."""

import threading

import pytest

from walkon._base import profiling
from walkon._base.profiling import recording, stage
from walkon._base.threads import in_chunks


def paths(profile):
    return {path: calls for path, _, calls in profile.rows()}


def test_stages_within_stages_are_told_after_them_in_the_order_they_were_entered():
    with recording() as profile:
        for _ in range(2):
            with stage("plan"), stage("search"):
                pass
            with stage("write"):
                pass
        with stage("plan"), stage("beams"):
            pass
    assert list(paths(profile).items()) == [
        (("plan",), 3),
        (("plan", "search"), 2),
        (("plan", "beams"), 1),
        (("write",), 2),
    ]


def test_a_stage_holds_the_seconds_of_those_within_it(monkeypatch):
    now = iter([0.0, 1.0, 3.0, 10.0])
    monkeypatch.setattr(profiling.time, "perf_counter", lambda: next(now))
    with recording() as profile, stage("outer"), stage("inner"):
        pass
    assert [(path[-1], seconds) for path, seconds, _ in profile.rows()] == [("outer", 10.0), ("inner", 2.0)]


def test_work_that_is_shared_out_counts_within_the_stage_that_shares_it(monkeypatch):
    monkeypatch.setenv("WALKON_THREADS", "2")
    both = threading.Barrier(2, timeout=10)

    def work(start, stop):
        with stage("chunk"):
            both.wait()

    with recording() as profile, stage("planning"):
        in_chunks(work, 2, chunk=1)
    assert paths(profile) == {("planning",): 1, ("planning", "chunk"): 2}


def test_an_error_ends_its_stages():
    with recording() as profile:
        with pytest.raises(ValueError, match="no"), stage("outer"), stage("inner"):
            raise ValueError("no")
        with stage("after"):
            pass
    assert list(paths(profile)) == [("outer",), ("outer", "inner"), ("after",)]


def test_nothing_is_recorded_while_nobody_listens():
    with stage("before"):
        pass
    with recording() as profile:
        pass
    with stage("after"):
        pass
    assert profile.rows() == []
    assert profiling.open_stages() == ()
