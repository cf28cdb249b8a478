"""Words in one stroke: a cursive "Hello" as a path to walk along (Kovar 2002, figure 7).

Letters are points on paper (baseline y = 0, small letters up to y = 1, tall ones to y = 2) in the order of the pen;
each begins where the one before ends. A curve is laid through them with the root of the chord as its parameter, which
keeps tight loops round. The paper prints neither its path nor its length; this one is as long as asked for.
"""

import numpy as np
from scipy.interpolate import CubicSpline

from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry.path import Path

__all__ = ["LETTERS", "hello", "write"]

LETTERS: dict[str, tuple[float, tuple[tuple[float, float], ...]]] = {
    "H": (
        1.55,
        (
            (0.05, 1.95),
            (0.10, 1.40),
            (0.04, 0.60),
            (-0.12, 0.08),
            (-0.50, 0.02),
            (-0.62, 0.42),
            (-0.25, 0.78),
            (0.40, 1.00),
            (0.95, 1.38),
            (1.26, 1.82),
            (1.04, 2.06),
            (0.82, 1.76),
            (0.82, 1.00),
            (0.90, 0.36),
            (1.20, 0.02),
        ),
    ),
    "e": (
        0.95,
        (
            (0.06, 0.16),
            (0.48, 0.46),
            (0.64, 0.82),
            (0.40, 1.02),
            (0.16, 0.76),
            (0.16, 0.34),
            (0.42, 0.02),
        ),
    ),
    "l": (
        0.90,
        (
            (0.00, 0.16),
            (0.34, 0.60),
            (0.62, 1.30),
            (0.66, 1.80),
            (0.42, 2.04),
            (0.18, 1.76),
            (0.18, 1.00),
            (0.22, 0.36),
            (0.48, 0.02),
        ),
    ),
    "o": (
        1.55,
        (
            (0.04, 0.14),
            (0.52, 0.44),
            (0.76, 0.84),
            (0.54, 1.06),
            (0.22, 0.84),
            (0.14, 0.42),
            (0.42, 0.04),
            (0.84, 0.12),
            (1.02, 0.56),
            (0.86, 0.98),
            (0.58, 1.16),
            (0.40, 0.98),
            (0.60, 0.78),
            (1.05, 0.80),
            (1.50, 0.92),
        ),
    ),
}
"""Letter → (where the next one begins, points of the pen)."""

PATH_STEP_M = 0.02
"""m between the points of the path, about."""


def write(word: str, *, length: float) -> Path:
    """Return the path that writes a word, `length` metres long, from the origin on."""
    if not word:
        raise InvalidValue("there is nothing to write; give at least one letter")
    pen, points = 0.0, []
    for letter in word:
        UnknownName.check("letter", letter, LETTERS)
        advance, strokes = LETTERS[letter]
        points.append(np.array(strokes) + np.array([pen, 0.0]))
        pen += advance
    corners = np.concatenate(points)
    knots = np.concatenate([[0.0], np.cumsum(np.sqrt(np.linalg.norm(np.diff(corners, axis=0), axis=1)))])
    curve = CubicSpline(knots, corners - corners[0])
    fine = Path(points=curve(np.linspace(0.0, knots[-1], 200 * len(corners)))).scaled_to(length)
    return Path(points=fine.at(np.linspace(0.0, fine.length, max(int(length / PATH_STEP_M), 2) + 1)))


def hello(*, length: float = 60.0) -> Path:
    """Return the path of figure 7: "Hello" in one stroke, 60 m long unless told otherwise."""
    return write("Hello", length=length)
