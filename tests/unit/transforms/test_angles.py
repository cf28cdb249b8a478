"""Angles are wrapped to (−π, π]: the upper end is in, the lower is out."""

import numpy as np
import pytest

from walkon.transforms import angles


@pytest.mark.parametrize(
    ("angle", "wrapped"),
    [(0.0, 0.0), (np.pi, np.pi), (-np.pi, np.pi), (1.5 * np.pi, -0.5 * np.pi), (-7.0, -7 + 2 * np.pi)],
)
def test_known_angles_wrap(angle: float, wrapped: float) -> None:
    assert angles.wrap(angle) == pytest.approx(wrapped)


def test_the_difference_takes_the_shorter_way() -> None:
    assert angles.difference(-3.1, 3.1) == pytest.approx(2 * np.pi - 6.2)
    assert angles.difference([0.0, 1.0], 0.5).tolist() == [-0.5, 0.5]
