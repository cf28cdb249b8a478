"""Capsules: exact gaps at known values, equal to the twin and to brute force over balls."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from twins.capsules import gaps_numpy
from walkon._base.arrays import Array
from walkon._base.errors import InvalidShape
from walkon.geometry.capsules import Capsules, gaps, pair_gaps
from walkon.transforms import quaternions as quat

ROUNDING = 1e-12
NANOMETRE = 1e-9  # where axes meet, distances are rounded off by this much


def some(rng: np.random.Generator, count: int) -> Capsules:
    starts = rng.normal(size=(count, 3))
    return Capsules(starts, starts + rng.normal(size=(count, 3)), rng.uniform(0.01, 0.5, (count, 2)))


def point_gaps(capsules: Capsules, points: ArrayLike) -> Array:
    places = np.asarray(points, dtype=float)
    return gaps(capsules, Capsules(places, places, np.zeros(2)))


def awkward(rng: np.random.Generator) -> tuple[Capsules, Capsules]:
    """Parallel, collinear, crossing, equal, points, and cones in which one ball holds the other."""
    pieces = [
        ([0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]),
        ([0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]),
        ([0, 0, 0], [1, 0, 0], [0.5, 0, 0], [2, 0, 0]),
        ([0, 0, 0], [1, 0, 0], [0.5, -1, 0], [0.5, 1, 0]),
        ([0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]),
        ([0, 0, 0], [0, 0, 0], [1, 2, 2], [1, 2, 2]),
        ([0, 0, 0], [0, 0, 0], [1, -1, 0], [1, 1, 0]),
        ([0, 0, 0], [0.1, 0, 0], [1, -1, 0], [1, 1, 0]),
    ]
    table = np.array([piece for piece in pieces for _ in range(3)], dtype=float)
    radii = np.tile([[0.1, 0.1], [0.05, 0.4], [0.4, 0.05]], (len(pieces), 1))
    return Capsules(table[:, 0], table[:, 1], radii), Capsules(table[:, 2], table[:, 3], radii[::-1])


def test_the_kernel_is_its_twin(rng: np.random.Generator) -> None:
    a, b = some(rng, 3000), some(rng, 3000)
    assert np.abs(gaps(a, b) - gaps_numpy(a, b)).max() < ROUNDING
    a, b = awkward(rng)
    assert np.abs(gaps(a, b) - gaps_numpy(a, b)).max() < 5 * NANOMETRE


def test_the_gap_is_the_smallest_over_all_pairs_of_balls(rng: np.random.Generator) -> None:
    s = np.linspace(0, 1, 201)
    for a, b in ((some(rng, 40), some(rng, 40)), awkward(rng)):
        found = gaps(a, b)
        for k in range(len(found)):
            p = a.starts[k] + s[:, None] * (a.ends[k] - a.starts[k])
            q = b.starts[k] + s[:, None] * (b.ends[k] - b.starts[k])
            reach = (a.radii[k] @ [1 - s, s])[:, None] + b.radii[k] @ [1 - s, s]
            brute = (np.linalg.norm(p[:, None] - q, axis=-1) - reach).min()
            assert found[k] <= brute + 5 * NANOMETRE
            assert found[k] > brute - 0.02  # the grid of balls is 5 to 20 mm coarse


def test_known_gaps() -> None:
    a = Capsules(np.zeros(3), np.array([1.0, 0, 0]), np.array([0.1, 0.1]))
    b = Capsules(np.array([0.5, -1, 0.7]), np.array([0.5, 1, 0.7]), np.array([0.2, 0.2]))
    assert gaps(a, b) == pytest.approx(0.4)
    assert point_gaps(a, [0.5, 0.0, 0.05]) == pytest.approx(-0.05)
    assert point_gaps(a, [2.0, 0.0, 0.0]) == pytest.approx(0.9)
    # A cone from radius 0.3 to 0.1 over 1 m: its skin is a line inclined by asin(0.2), tangent to both balls.
    cone = Capsules(np.zeros(3), np.array([1.0, 0, 0]), np.array([0.3, 0.1]))
    normal = np.array([0.2, 0.0, np.sqrt(1 - 0.04)])
    for along in (0.1, 0.5, 0.9):
        skin = along * np.array([1.0, 0, 0]) + (0.3 - 0.2 * along) * normal
        assert point_gaps(cone, skin) == pytest.approx(0.0, abs=ROUNDING)
        assert point_gaps(cone, skin + 0.25 * normal) == pytest.approx(0.25)


def test_gaps_do_not_change_with_the_order_the_ends_or_the_world(rng: np.random.Generator) -> None:
    a, b = some(rng, 300), some(rng, 300)
    found = gaps(a, b)
    assert np.allclose(gaps(b, a), found, atol=ROUNDING)
    turned = Capsules(a.ends, a.starts, a.radii[:, ::-1])
    assert np.allclose(gaps(turned, b), found, atol=ROUNDING)
    q, shift = quat.normalize(rng.normal(size=4)), rng.normal(size=3)
    moved = [Capsules(quat.rotate(q, c.starts) + shift, quat.rotate(q, c.ends) + shift, c.radii) for c in (a, b)]
    assert np.allclose(gaps(*moved), found, atol=ROUNDING)


def test_segments_and_points_are_capsules_without_radius(rng: np.random.Generator) -> None:
    a, b = (Capsules(c.starts, c.ends, np.zeros(2)) for c in (some(rng, 50), some(rng, 50)))
    assert np.allclose(gaps(a, b), gaps_numpy(a, b), atol=ROUNDING)
    along = np.clip(((b.starts - a.starts) * (a.ends - a.starts)).sum(1) / ((a.ends - a.starts) ** 2).sum(1), 0, 1)
    nearest = a.starts + along[:, None] * (a.ends - a.starts)
    assert np.allclose(point_gaps(a, b.starts), np.linalg.norm(b.starts - nearest, axis=1), atol=NANOMETRE)


def test_every_pair_by_broadcasting_and_chosen_pairs_by_index(rng: np.random.Generator) -> None:
    a = some(rng, 12)
    matrix = gaps(Capsules(*(x[:, None] for x in a)), Capsules(*(x[None] for x in a)))
    assert matrix.shape == (12, 12)
    pairs = np.array([[0, 5], [7, 3], [11, 11]])
    assert np.allclose(pair_gaps(a, pairs), matrix[tuple(pairs.T)], atol=ROUNDING)
    assert pair_gaps(a, np.zeros((0, 2), int)).shape == (0,)


def test_wrong_shapes_and_indices_are_refused(rng: np.random.Generator) -> None:
    a = some(rng, 3)
    with pytest.raises(InvalidShape, match=r"radii \[\.\.\., 2\]"):
        gaps(a, Capsules(a.starts, a.ends, np.zeros(3)))
    with pytest.raises(InvalidShape, match="pairs must be 0 to 2, got 0 to 3"):
        pair_gaps(a, np.array([[0, 3]]))
