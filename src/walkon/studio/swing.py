"""A foot in swing: from lift-off to landing by the curves of recorded walks, tied to how it rolls at both ends.

The ankle's progress along its way, its height and its pitch at eleven equal times of the swing are means of CMU walks
at 0.8, 1.0 and 1.31 m/s; their shape hardly changes with speed. The heel lifts first, the ankle is highest after a
quarter of the time, then it skims low over the floor: a sine lift would look like marching. The curves are splines that
begin with the velocity the rolling foot has at lift-off, and their ends are moved to its poses. Late in the swing the
recorded ankles are some millimetres too low for this foot, whose heel would drag; the last values let it come down.

Metres, radians; u is the share of the swing, from 0 to 1.
"""

import numpy as np
from scipy.interpolate import CubicSpline

from walkon._base.arrays import Array, IntArray
from walkon.studio.foot_roll import FootShape, Roll, pitched, rolling
from walkon.studio.footsteps import Footsteps
from walkon.studio.styles import Style

__all__ = ["Swings", "lowest_ankle"]

CLEARANCE = 0.012
"""m by which the toes at least clear the floor in mid-swing."""
LANDING = -0.12
"""m/s, the ankle's way down at landing."""
END = 0.2
"""Slope of the progress at landing: the ankle still moves then, about as fast as it rolls on over the heel."""

KNOTS = np.linspace(0.0, 1.0, 11)
PROGRESS = np.array([0.0, 0.07, 0.15, 0.25, 0.361, 0.483, 0.611, 0.741, 0.866, 0.960, 1.0])
"""Share of the ankle's way."""
TABLE_SPEEDS = np.array([0.8, 1.0, 1.31])
HEIGHTS = 1e-3 * np.array(
    [
        [95, 117, 129, 126, 106, 77, 49, 28, 18, 13, 8],
        [101, 124, 138, 138, 122, 90, 54, 29, 19, 13, 8],
        [113, 142, 158, 152, 128, 93, 57, 31, 20, 14, 8],
    ]
)
"""m, the ankle above its height when flat, at those speeds; bodies of 1.75 m."""
PITCHES = np.deg2rad(
    np.array(
        [
            [-44, -52, -51, -44, -34, -23, -11, -1, 9, 16, 17],
            [-44, -50, -50, -48, -39, -25, -12, -1, 9, 18, 19],
            [-54, -61, -60, -52, -40, -26, -12, 1, 13, 22, 24],
        ]
    )
)
"""rad, + toes up."""
TOES = np.deg2rad(np.array([24.0, 19, 14, 10, 8, 7, 6, 6, 6, 6, 5]))
"""rad, the toes above the line of the foot."""


class Swings:
    """The curves of the M − 1 swings of one foot, from each of its prints `mine` [M] to the next."""

    start: Array
    """[M − 1] m, the ankle ahead of its print at lift-off."""
    stop: Array
    """[M − 1] m, the ankle ahead of the next print at landing."""

    def __init__(
        self, roll: Roll, steps: Footsteps, *, mine: IntArray, shape: FootShape, style: Style, scale: float
    ) -> None:
        M = len(mine) - 1
        k = np.arange(M)
        seconds = roll.landing[1:] - roll.leaving[:-1]
        leave, land, eps = roll.leaving[:-1], roll.landing[1:], 1e-4
        x0, z0, p0, t0 = rolling(roll, k, t=leave, shape=shape)
        xb, zb, pb, tb = rolling(roll, k, t=leave - eps, shape=shape)
        x1, z1, p1, t1 = rolling(roll, k + 1, t=land, shape=shape)
        pc = rolling(roll, k + 1, t=land + eps, shape=shape)[2]
        self.start, self.stop, self.ankle = x0, x1, shape.ankle
        arcs = steps.arcs[mine]
        way = arcs[1:] + x1 - arcs[:-1] - x0
        speed = steps.speeds[mine][1:] / np.sqrt(scale)
        # Short steps are low and flat; the tables are of whole ones.
        size = np.clip(way / scale / np.interp(speed, [0.0, 0.8, 1.31], [0.55, 0.9, 1.2]), 0.25, 1.0)
        heights = _tied(style.lift * scale * size * _table(HEIGHTS, speed), z0 - shape.ankle, z1 - shape.ankle)
        pitches = _tied(size * _table(PITCHES, speed), p0, p1)
        toes = _tied(np.repeat(TOES[:, None], M, axis=1), t0 - p0, t1 - p1, sharp=4)
        progress = np.repeat(PROGRESS[:, None], M, axis=1)
        begin = np.clip((x0 - xb) / eps * seconds / np.maximum(way, 0.05), 0.3, 1.2)
        self.splines = [
            _spline(progress, begin, np.full(M, END)),
            _spline(heights, (z0 - zb) / eps * seconds, LANDING * seconds),
            _spline(pitches, (p0 - pb) / eps * seconds, 0.5 * (pc - p1) / eps * seconds),
            _spline(toes, ((t0 - p0) - (tb - pb)) / eps * seconds, np.zeros(M)),
        ]

    def at(self, a: IntArray, u: Array) -> tuple[Array, Array, Array, Array]:
        """Return progress, height of the ankle above the floor, pitch and toes [F] of swings a [F] at shares u [F]."""
        progress, height, pitch, toes = (_evaluate(spline, a, u) for spline in self.splines)
        return progress, height + self.ankle, pitch, toes


def lowest_ankle(pitch: Array, toes: Array, *, u: Array, shape: FootShape, scale: float) -> Array:
    """Return the height [F] of the ankle at which the lowest point of the foot is as low as it may be."""
    ball = pitched(shape.ball, pitch)[1]
    tip = ball + pitched(shape.tip, pitch + toes)[1]
    sole = ball + pitched(np.array([0.0, shape.tip[1]]), pitch + toes)[1]
    heel = pitched(shape.heel, pitch)[1]
    # Nothing at both ends, where a point bears; full in the middle.
    room = CLEARANCE * scale * np.clip(6 * u * (1 - u), 0.0, 1.0)
    return np.asarray(np.maximum(room - np.minimum(tip, sole), -heel))


def _table(rows: Array, speed: Array) -> Array:
    """Return [11, M]: rows [3, 11] at `TABLE_SPEEDS`, linear in speed and carried on a little beyond."""
    v = np.clip(speed, 0.55, 1.75)
    j = np.clip(np.searchsorted(TABLE_SPEEDS, v) - 1, 0, len(TABLE_SPEEDS) - 2)
    w = np.clip((v - TABLE_SPEEDS[j]) / (TABLE_SPEEDS[j + 1] - TABLE_SPEEDS[j]), -0.5, 1.3)
    return np.asarray(((1 - w)[:, None] * rows[j] + w[:, None] * rows[j + 1]).T)


def _tied(values: Array, begin: Array, end: Array, *, sharp: int = 2) -> Array:
    """Return columns [11, M] moved so that they begin and end at given values [M]; the middle moves least."""
    u = KNOTS[:, None]
    return np.asarray(values + (begin - values[0]) * (1 - u) ** sharp + (end - values[-1]) * u**2)


def _spline(values: Array, begin: Array, end: Array) -> CubicSpline:
    """Return the spline through columns [11, M] with these slopes at the ends."""
    # The knot beside lift-off would fight a slope that it was not recorded with.
    keep = np.setdiff1d(np.arange(len(KNOTS)), (1,))
    return CubicSpline(KNOTS[keep], values[keep], bc_type=((1, begin), (1, end)))


def _evaluate(spline: CubicSpline, column: IntArray, u: Array) -> Array:
    """Return each frame's own column of a spline at its own place [F]."""
    j = np.clip(np.searchsorted(spline.x, u, side="right") - 1, 0, len(spline.x) - 2)
    x, c = u - spline.x[j], spline.c[:, j, column]
    return np.asarray(((c[0] * x + c[1]) * x + c[2]) * x + c[3])
