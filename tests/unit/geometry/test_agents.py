"""Agents: who is who is told by ids, whatever the order of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkon._base.errors import InvalidValue
from walkon.geometry.agents import NOBODY, Agents


def crowd(rng, n=20):
    ids = rng.choice(1000, n, replace=False)
    return Agents.filled(n, ids=ids, places=rng.normal(size=(n, 3)), radii=rng.uniform(0.2, 0.3, n), goals=NOBODY)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_permuting_rows_permutes_what_is_found(seed):
    rng = np.random.default_rng(seed)
    agents = crowd(rng)
    asked = np.append(rng.permutation(agents.ids), [5000, 0, -7])
    shuffled = agents.rows(rng.permutation(len(agents)))
    for table in (agents, shuffled):
        found = table.rows_of(asked)
        there = found != NOBODY
        assert np.array_equal(there, np.isin(asked, agents.ids))
        assert np.array_equal(table.ids[found[there]], asked[there])
    here, after = agents.rows_of(agents.ids), shuffled.rows_of(agents.ids)
    assert np.array_equal(agents.places[here], shuffled.places[after])


def test_nobody_is_found_among_nobody():
    assert Agents().rows_of(np.array([3, 4])).tolist() == [NOBODY, NOBODY]
    assert Agents.filled(1, ids=3).rows_of(np.array([NOBODY])).tolist() == [NOBODY]


def test_ids_are_unique_and_sizes_are_sizes(rng):
    agents = crowd(rng)
    with pytest.raises(InvalidValue, match="twice"):
        Agents.joined([agents, agents.rows([3])])
    with pytest.raises(InvalidValue, match="radii"):
        agents.with_columns(radii=-agents.radii)
