import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from walkon.motion.contacts.runs import close_gaps, drop_short, find_runs, with_hysteresis

flags = st.lists(st.booleans(), min_size=1, max_size=60).map(lambda values: np.array(values, bool))


@given(flags)
def test_runs_rebuild_the_flags(values):
    rebuilt = np.zeros(len(values), bool)
    for start, stop in zip(*find_runs(values), strict=True):
        rebuilt[start:stop] = True
    assert np.array_equal(rebuilt, values)


def test_gaps_are_closed_only_between_runs():
    values = np.array([0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0], bool)
    assert close_gaps(values, 2).astype(int).tolist() == [0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0]


def test_short_runs_are_dropped_but_not_at_the_ends_of_the_clip():
    values = np.array([1, 0, 0, 1, 0, 1, 1, 1, 0, 1], bool)
    assert drop_short(values, 2).astype(int).tolist() == [1, 0, 0, 0, 0, 1, 1, 1, 0, 1]


def test_hysteresis_keeps_loose_runs_that_are_strict_somewhere():
    loose = np.array([1, 1, 1, 0, 1, 1, 0], bool)
    strict = np.array([0, 1, 0, 0, 0, 0, 0], bool)
    assert with_hysteresis(strict, loose).astype(int).tolist() == [1, 1, 1, 0, 0, 0, 0]
