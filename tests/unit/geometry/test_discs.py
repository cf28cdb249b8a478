"""Discs: gaps, overlaps and first contacts at known values and against a fine simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkon._base.errors import InvalidValue
from walkon.geometry import discs


def test_gaps_are_signed_and_broadcast() -> None:
    assert discs.gaps([0.0, 0.0], [3.0, 4.0], radii=1.0, other_radii=2.0) == pytest.approx(2.0)
    assert discs.gaps([0.0, 0.0], [0.3, 0.4], radii=0.3) == pytest.approx(-0.1)
    assert discs.gaps(np.zeros((5, 1, 2)), np.ones((3, 2))).shape == (5, 3)


def test_the_matrix_is_symmetric_and_no_disc_meets_itself(rng: np.random.Generator) -> None:
    matrix = discs.gap_matrix(rng.normal(size=(6, 2)), rng.uniform(0.1, 0.3, 6))
    assert np.array_equal(matrix, matrix.T)
    assert np.isinf(matrix.diagonal()).all()


def test_sets_are_as_near_as_their_nearest_discs() -> None:
    sitting = [[0.0, 0.0], [0.4, 0.0]]
    other = [[1.0, 0.0], [9.0, 9.0]]
    assert discs.set_gaps(sitting, other, radii=[0.2, 0.15], other_radii=[0.25, -np.inf]) == pytest.approx(0.2)
    assert discs.set_gaps(
        np.zeros((7, 2, 2)), np.ones((7, 3, 2)), radii=np.zeros(2), other_radii=np.zeros(3)
    ).shape == (7,)


def test_overlaps_are_those_of_the_whole_matrix(rng: np.random.Generator) -> None:
    centres, radii = rng.uniform(0, 12, (150, 2)), rng.uniform(0.05, 0.6, 150)
    matrix = np.triu(discs.gap_matrix(centres, radii), k=1)
    for margin in (0.0, 0.3):
        pairs, gaps = discs.overlaps(centres, radii, margin=margin)
        wanted = np.argwhere(np.triu(discs.gap_matrix(centres, radii) < margin, k=1))
        assert np.array_equal(pairs, wanted)
        assert np.allclose(gaps, matrix[tuple(wanted.T)])
    assert len(discs.overlaps(centres, 0.0)[0]) == 0
    with pytest.raises(InvalidValue, match="radii must be finite and not negative"):
        discs.overlaps(centres, -radii)


def test_first_contact_at_known_values() -> None:
    assert discs.first_contact([10.0, 0.0], [-2.0, 0.0], reach=1.0) == pytest.approx(4.5)
    assert discs.first_contact([10.0, 0.0], [2.0, 0.0], reach=1.0) == np.inf  # they part
    assert discs.first_contact([10.0, 3.0], [-2.0, 0.0], reach=1.0) == np.inf  # they pass
    assert discs.first_contact([0.5, 0.0], [1.0, 0.0], reach=1.0) == 0.0  # they overlap
    assert discs.first_contact([2.0, 0.0], [0.0, 0.0], reach=1.0) == np.inf  # they stand
    assert discs.first_contact([1.0, 0.0], [-1.0, 0.0], reach=1.0) == 0.0  # they touch and approach
    assert discs.first_contact([1.0, 0.0], [1.0, 0.0], reach=1.0) == np.inf  # they touch and part


COORDINATE = st.floats(-5, 5)


@settings(max_examples=150, deadline=None)
@given(COORDINATE, COORDINATE, COORDINATE, COORDINATE, st.floats(0.05, 1.0))
def test_until_first_contact_the_discs_are_apart_and_then_they_touch(
    x: float, y: float, u: float, v: float, r: float
) -> None:
    time = float(discs.first_contact([x, y], [u, v], reach=r))
    before = np.linspace(0, min(time, 50.0), 400, endpoint=False)
    if time > 0:
        assert np.hypot(x + u * before, y + v * before).min() > r - 1e-9
    if 0 < time < np.inf:
        assert np.hypot(x + u * time, y + v * time) == pytest.approx(r, abs=1e-9 * (1 + time * np.hypot(u, v)))
