"""What published gait studies call normal, as ranges over walking speed, and how a gait report compares.

Every row is a range, low to high, at a walking speed in m/s; between the speeds of `NORM_SPEEDS_M_S` ranges are
interpolated. Rows of joints and of the pelvis are ranges of motion, never absolute angles, and each is wide enough that
the CMU subjects 16 and 69, measured by the same code, lie within. docs/gait.md quotes the values found in each source,
and says which sources could only be read second-hand.

    cadence   √(60 v / w) per minute        step length      w × cadence, with the walk ratio w = step length / cadence
    stance    66 % at 0.7 m/s falling to 59 % at 1.9 m/s      double support      2 × stance − 1
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from walkon.motion.gait.report import GaitReport

__all__ = ["NORMS", "NORM_SPEEDS_M_S", "WALK_RATIO", "Judged", "Norm", "judge"]

NORM_SPEEDS_M_S = (0.7, 1.0, 1.35, 1.7)
"""m/s at which the ranges are given: strolling, slow, comfortable and brisk."""
MIN_JUDGED_SPEED_M_S, MAX_JUDGED_SPEED_M_S = 0.6, 2.0
"""m/s outside which nothing is judged: there is hardly a source."""
WALK_RATIO = 0.0063
"""m per (step/min): 0.0068 for the men of Murray 1964, 0.0056 for the women of Murray 1970, 0.0060 in Bogen 2018."""

Range = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Norm:
    """One row: which value of a `GaitReport`, its normal range at a speed, and who says so."""

    value: str
    """Name of the field of `GaitReport`."""
    name: str
    unit: str
    factor: float = 1.0
    """From the report's unit to the one shown."""
    range: Range
    """Speed in m/s → (low, high) in the report's unit."""
    source: str
    """Author, year, and table, page or place; more in docs/gait.md."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One measured value beside its norm."""

    value: str
    name: str
    unit: str
    measured: float
    low: float | None
    """In `unit`; None where there is no norm for this value or speed."""
    high: float | None
    within: bool | None


def _table(*ranges: tuple[float, float]) -> Range:
    """Return a range that is given at each of `NORM_SPEEDS_M_S`, interpolated between them and kept beyond."""
    low, high = zip(*ranges, strict=True)

    def at(speed: float) -> tuple[float, float]:
        return float(np.interp(speed, NORM_SPEEDS_M_S, low)), float(np.interp(speed, NORM_SPEEDS_M_S, high))

    return at


def _about(centre: Callable[[float], float], off: float) -> Range:
    """Return the range from `off` below a curve to `off` above it."""
    return lambda speed: (centre(speed) - off, centre(speed) + off)


def _near(centre: Callable[[float], float]) -> Range:
    """Return the range about a curve of 20 % at 0.7 m/s and slower, 12 % from 1.0 m/s on.

    Slow walkers differ most in how they share out speed.
    """

    def at(speed: float) -> tuple[float, float]:
        share = float(np.interp(speed, (0.7, 1.0), (0.20, 0.12)))
        return float(centre(speed)) * (1.0 - share), float(centre(speed)) * (1.0 + share)

    return at


def _stance(speed: float) -> float:
    return 0.66 - 0.07 * (speed - 0.7) / 1.2


NORMS = (
    Norm(
        value="cadence_per_min",
        name="cadence",
        unit="/min",
        range=_near(lambda speed: np.sqrt(60.0 * speed / WALK_RATIO)),
        source="walk ratio of Murray 1964 and 1970 (as cited in Thompson, table), Bogen 2018 (abstract)",
    ),
    Norm(
        value="step_length_m",
        name="step length",
        unit="m",
        range=_near(lambda speed: np.sqrt(60.0 * speed * WALK_RATIO)),
        source="walk ratio of Murray 1964 and 1970 (as cited in Thompson, table), Bogen 2018 (abstract)",
    ),
    Norm(
        value="step_width_m",
        name="step width",
        unit="mm",
        factor=1e3,
        range=_table((0.05, 0.16), (0.05, 0.16), (0.05, 0.15), (0.05, 0.14)),
        source="Murray 1964 and 1970 (as cited in Thompson, table); Donelan 2001 (second-hand)",
    ),
    Norm(
        value="stance_share",
        name="stance",
        unit="%",
        factor=1e2,
        range=_about(_stance, 0.03),
        source="Alexander 2003, ch. 1, and Perry 1992 (second-hand); Kirtley 1985 (as told by its author)",
    ),
    Norm(
        value="double_support",
        name="double support",
        unit="%",
        factor=1e2,
        range=_about(lambda speed: 2.0 * _stance(speed) - 1.0, 0.06),
        source="from the stance share, 2 s − 1; Perry 1992 (second-hand)",
    ),
    Norm(
        value="pelvis_rise_m",
        name="pelvis rise",
        unit="mm",
        factor=1e3,
        range=_table((0.015, 0.040), (0.017, 0.045), (0.020, 0.055), (0.025, 0.060)),
        source="Orendurff 2004, JRRD 41:829 (second-hand); Smith 2002 (abstract)",
    ),
    Norm(
        value="pelvis_sway_m",
        name="pelvis sway",
        unit="mm",
        factor=1e3,
        range=_about(lambda speed: 0.070 - 0.031 * (speed - 0.7) / 0.9, 0.020),
        source="Orendurff 2004, JRRD 41:829 (second-hand)",
    ),
    Norm(
        value="pelvis_rotation_deg",
        name="pelvis rotation",
        unit="deg",
        range=_table((5.0, 17.0), (5.0, 17.0), (5.0, 18.0), (6.0, 20.0)),
        source="Saunders 1953 (as cited in Podiapaedia); a citation of Liang 2014 (as quoted by scite)",
    ),
    Norm(
        value="pelvis_list_deg",
        name="pelvis list",
        unit="deg",
        range=_table((4.0, 14.0), (4.0, 15.0), (4.0, 16.0), (5.0, 17.0)),
        source="Smith 2002 (abstract)",
    ),
    Norm(
        value="hip_range_deg",
        name="hip range",
        unit="deg",
        range=_table((30.0, 48.0), (34.0, 52.0), (38.0, 57.0), (42.0, 62.0)),
        source="Perry 1992, Kadaba 1990 (second-hand); Otto Bock, eight phases of gait (poster)",
    ),
    Norm(
        value="knee_range_deg",
        name="knee range",
        unit="deg",
        range=_table((43.0, 68.0), (45.0, 70.0), (48.0, 72.0), (48.0, 74.0)),
        source="Perry 1992, Kadaba 1990 (second-hand); Otto Bock, eight phases of gait (poster)",
    ),
    Norm(
        value="ankle_range_deg",
        name="ankle range",
        unit="deg",
        range=_table((18.0, 38.0), (20.0, 40.0), (20.0, 44.0), (20.0, 48.0)),
        source="Perry 1992 (second-hand); Otto Bock, eight phases of gait (poster)",
    ),
    Norm(
        value="toe_clearance_m",
        name="toe clearance",
        unit="mm",
        factor=1e3,
        range=_table((0.008, 0.045), (0.008, 0.045), (0.008, 0.050), (0.008, 0.055)),
        source="Winter 1991, p. 9 (as cited in Kirtley); Schulz 2011 (abstract); Moosabhoy 2006 (abstract)",
    ),
)
"""The rows, in the order of the report."""


def judge(report: GaitReport) -> tuple[Judged, ...]:
    """Return every row of the norms with what the report measured and whether it lies within."""
    judged = []
    for norm in NORMS:
        measured = float(getattr(report, norm.value))
        low, high = norm.range(report.speed_m_s)
        known = MIN_JUDGED_SPEED_M_S <= report.speed_m_s <= MAX_JUDGED_SPEED_M_S
        judged.append(
            Judged(
                value=norm.value,
                name=norm.name,
                unit=norm.unit,
                measured=measured * norm.factor,
                low=low * norm.factor if known else None,
                high=high * norm.factor if known else None,
                within=low <= measured <= high if known else None,
            )
        )
    return tuple(judged)
