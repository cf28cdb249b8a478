"""A stroke font: capital letters and digits as curves for people to stand on.

Coordinates are in letter heights, baseline at y = 0, the left edge at x = 0. A letter is a list of curves [K, 2] that
share end points where they meet: ends, corners and junctions are ends of curves, and smooth bends lie within one. A
curve that ends where it begins is a closed loop. Bends have no radius under a fifth of the height and lines that run
side by side stay two fifths apart, so that the letter is still read when somebody stands every sixth of its height.
"""

from functools import cache
from itertools import pairwise
from math import cos, radians, sin

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import UnknownName

__all__ = ["BLANK_WIDTH_RATIO", "LETTER_GAP_RATIO", "letter", "letters"]

LETTER_GAP_RATIO, BLANK_WIDTH_RATIO = 0.32, 0.45
"""Room between two letters, and width of a blank, over the height of a letter."""

Points = list[tuple[float, float]]
TURN_CHORD_COUNT = 24


def letters() -> str:
    """Return every character that can be written, without the blank."""
    return "".join(_DRAWN)


@cache
def letter(character: str) -> tuple[float, tuple[Array, ...]]:
    """Return a letter's width and its curves [K, 2], in letter heights; small letters are written as capitals."""
    drawn = _DRAWN.get(character.upper())
    if drawn is None:
        raise UnknownName.among("letter", character, _DRAWN)
    curves = tuple(np.array(points, dtype=np.float64) for points in drawn)
    left = min(float(curve[:, 0].min()) for curve in curves)
    width = max(float(curve[:, 0].max()) for curve in curves) - left
    return width, tuple(curve - (left, 0.0) for curve in curves)


def _arc(x: float, y: float, rx: float, ry: float, start: float, stop: float) -> Points:
    """Return points of an ellipse around (x, y) from one angle to another, degrees; exact at quarter turns."""
    turns = np.linspace(start, stop, max(2, int(TURN_CHORD_COUNT * abs(stop - start) / 360) + 1))
    return [(round(x + rx * cos(radians(a)), 9), round(y + ry * sin(radians(a)), 9)) for a in turns]


def _lines(*corners: tuple[float, float]) -> list[Points]:
    """Return the straight lines from corner to corner, each a curve of its own."""
    return [[a, b] for a, b in pairwise(corners)]


def _bowl(x: float, low: float, high: float, reach: float) -> Points:
    """Return the bowl of a B, P or R: from (x, high) around the right to (x, low)."""
    r = (high - low) / 2
    return [(x, high), *_arc(x + reach - r, (low + high) / 2, r, r, 90, -90), (x, low)]


_SIX = [
    [(0.5, 1), *_arc(0.6, 0.34, 0.6, 0.66, 100, 180)[1:]],
    [(0, 0.34), *_arc(0.31, 0.31, 0.31, 0.31, 190, 460), (0, 0.34)],
]
"""The bowl comes back to the stem at an angle: side by side, nobody could stand on both."""

_DRAWN: dict[str, list[Points]] = {
    "A": [
        *_lines((0, 0), (0.14, 0.35), (0.40, 1), (0.66, 0.35), (0.80, 0)),
        *_lines((0.14, 0.35), (0.66, 0.35)),
    ],
    "B": [
        *_lines((0, 0), (0, 0.53), (0, 1)),
        *_lines((0, 0.53), (0.42, 0.53)),
        [(0, 1), *_arc(0.3, 0.76, 0.24, 0.24, 90, -40), (0.42, 0.53)],
        [(0.42, 0.53), *_arc(0.33, 0.27, 0.3, 0.27, 50, -90), (0, 0)],
    ],
    "C": [_arc(0.42, 0.5, 0.42, 0.5, 45, 315)],
    "D": [*_lines((0, 0), (0, 1)), _bowl(0, 0, 1, 0.68)],
    "E": [*_lines((0.6, 1), (0, 1), (0, 0.5), (0, 0), (0.6, 0)), *_lines((0, 0.5), (0.5, 0.5))],
    "F": [*_lines((0.6, 1), (0, 1), (0, 0.5), (0, 0)), *_lines((0, 0.5), (0.5, 0.5))],
    "G": [
        [*_arc(0.42, 0.5, 0.42, 0.5, 45, 325), (0.764, 0.45)],
        *_lines((0.764, 0.45), (0.45, 0.45)),
    ],
    "H": [
        *_lines((0, 0), (0, 0.5), (0, 1)),
        *_lines((0.66, 0), (0.66, 0.5), (0.66, 1)),
        *_lines((0, 0.5), (0.66, 0.5)),
    ],
    "I": [*_lines((0, 0), (0, 1))],
    "J": [[(0.5, 1), *_arc(0.25, 0.25, 0.25, 0.25, 0, -180)]],
    "K": [*_lines((0, 0), (0, 0.5), (0, 1)), *_lines((0.62, 1), (0, 0.5), (0.62, 0))],
    "L": [*_lines((0, 1), (0, 0), (0.58, 0))],
    "M": [*_lines((0, 0), (0, 1), (0.42, 0.3), (0.84, 1), (0.84, 0))],
    "N": [*_lines((0, 0), (0, 1), (0.68, 0), (0.68, 1))],
    "O": [_arc(0.43, 0.5, 0.43, 0.5, 90, 450)],
    "P": [*_lines((0, 0), (0, 0.44), (0, 1)), _bowl(0, 0.44, 1, 0.6)],
    "Q": [_arc(0.43, 0.5, 0.43, 0.5, -45, 315), *_lines(_arc(0.43, 0.5, 0.43, 0.5, -45, 0)[0], (0.94, -0.12))],
    "R": [
        *_lines((0, 0), (0, 0.44), (0, 1)),
        *_lines((0, 0.44), (0.3, 0.44), (0.62, 0)),
        [(0, 1), *_arc(0.32, 0.72, 0.28, 0.28, 90, -90), (0.3, 0.44)],
    ],
    "S": [[*_arc(0.32, 0.75, 0.3, 0.25, 30, 270), *_arc(0.32, 0.25, 0.3, 0.25, 90, -150)[1:]]],
    "T": [*_lines((0, 1), (0.37, 1), (0.74, 1)), *_lines((0.37, 1), (0.37, 0))],
    "U": [[(0, 1), *_arc(0.33, 0.33, 0.33, 0.33, 180, 360), (0.66, 1)]],
    "V": [*_lines((0, 1), (0.4, 0), (0.8, 1))],
    "W": [*_lines((0, 1), (0.3, 0), (0.6, 0.75), (0.9, 0), (1.2, 1))],
    "X": [*_lines((0, 0), (0.36, 0.5), (0.72, 1)), *_lines((0, 1), (0.36, 0.5), (0.72, 0))],
    "Y": [*_lines((0, 1), (0.38, 0.48), (0.76, 1)), *_lines((0.38, 0.48), (0.38, 0))],
    "Z": [*_lines((0, 1), (0.68, 1), (0, 0), (0.68, 0))],
    "0": [_arc(0.34, 0.5, 0.34, 0.5, 90, 450)],
    "1": [*_lines((0, 0.75), (0.3, 1), (0.3, 0))],
    "2": [
        [*_arc(0.31, 0.69, 0.31, 0.31, 160, -35), (0, 0)],
        *_lines((0, 0), (0.64, 0)),
    ],
    "3": [
        [*_arc(0.28, 0.75, 0.27, 0.25, 155, -45), (0.36, 0.53)],
        [(0.36, 0.53), *_arc(0.3, 0.27, 0.31, 0.27, 55, -155)],
    ],
    "4": [*_lines((0.48, 0), (0.48, 0.28), (0.48, 1), (0, 0.28), (0.48, 0.28), (0.7, 0.28))],
    "5": [
        *_lines((0.58, 1), (0.06, 1), (0.03, 0.56)),
        [(0.03, 0.56), *_arc(0.3, 0.31, 0.31, 0.31, 118, -150)],
    ],
    "6": _SIX,
    "7": [*_lines((0, 1), (0.64, 1), (0.2, 0))],
    "8": [
        [(0.32, 0.53), *_arc(0.32, 0.76, 0.26, 0.24, -45, 225), (0.32, 0.53)],
        [(0.32, 0.53), *_arc(0.32, 0.26, 0.32, 0.26, 130, 410), (0.32, 0.53)],
    ],
    "9": [[(round(0.62 - x, 9), round(1 - y, 9)) for x, y in curve] for curve in _SIX],
}
"""Character → curves. Corners and junctions end a curve; where curves meet, their ends are written alike."""
