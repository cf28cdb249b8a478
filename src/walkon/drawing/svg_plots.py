"""Small plots over time as inline SVG: no library, no script, sharp at any width, in the colours of the page around.

The curve is stretched to the width that the page has; its labels are plain HTML, so that they stay readable on a
phone. Colours are the page's own: classes `plot-line`, `plot-area`, `plot-limit` and `plot-mark` under `figure.plot`
(see `PLOT_STYLE`).

Long curves are drawn by the smallest and the largest value of each of `MAX_BINS` bins, so that no peak is lost, however
short.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_array
from walkon._base.errors import InvalidShape
from walkon.motion.runs import find_runs

__all__ = ["PLOT_STYLE", "PlotMark", "plot_svg", "short_number"]

MAX_BINS = 400
WIDE, HIGH = 1000.0, 240.0
"""The drawing's own units; the page stretches them."""
HEADROOM = 0.08
"""Share of the height left free above the largest value."""

PLOT_STYLE = """
figure.plot { margin: 0; min-width: 0; }
figure.plot figcaption { display: flex; justify-content: space-between; gap: 1em; font-size: .9rem; }
figure.plot figcaption span { color: var(--faint); white-space: nowrap; }
figure.plot svg { display: block; width: 100%; height: 7.5rem; overflow: visible; }
figure.plot .ticks { display: flex; justify-content: space-between; color: var(--faint); font-size: .8rem; }
.plot-line { fill: none; stroke: var(--line); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.plot-area { fill: var(--line); opacity: .14; stroke: none; }
.plot-base { stroke: var(--rule); stroke-width: 1; vector-effect: non-scaling-stroke; }
.plot-limit { stroke: var(--bad); stroke-width: 1.25; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.plot-mark { stroke: var(--bad); stroke-width: 8; stroke-linecap: round; vector-effect: non-scaling-stroke; }
""".strip()


@dataclass(frozen=True, kw_only=True)
class PlotMark:
    """A moment of the curve to point at."""

    time: float
    """Seconds."""
    text: str = ""
    """What is shown when the pointer rests on it."""


def plot_svg(
    times: ArrayLike,
    values: ArrayLike,
    *,
    title: str,
    unit: str = "",
    marks: Sequence[PlotMark] = (),
    limit: float | None = None,
    least: float = 0.0,
    note: str | None = None,
) -> str:
    """Return a `<figure>` with a curve of values [T] over times [T] s; NaN is a gap.

    The height runs from the smaller of 0 and the smallest value up to the largest value, the limit or `least`,
    whichever is highest. `note` stands at the right of the title; the largest value if not given.
    """
    when: Array = lock_array(times, (None,), name="times")
    what = np.asarray(values, dtype=np.float64)
    if what.shape != when.shape:
        raise InvalidShape(f"a plot needs one value per time, got {what.shape} values and {when.shape} times")
    known = np.isfinite(what)
    low = float(np.min(what[known], initial=0.0))
    high = float(np.max(what[known], initial=max(least, 0.0 if limit is None else limit)))
    high = high if high > low else low + 1.0
    span = (float(when[0]), float(when[-1])) if len(when) else (0.0, 1.0)

    def x(time: Array | float) -> Array:
        return np.asarray(WIDE * (np.asarray(time) - span[0]) / max(span[1] - span[0], 1e-9))

    def y(value: Array | float) -> Array:
        return np.asarray(HIGH * (1.0 - (1.0 - HEADROOM) * (np.asarray(value) - low) / (high - low)))

    pieces = [f'<line class="plot-base" x1="0" y1="{y(0.0):.1f}" x2="{WIDE:g}" y2="{y(0.0):.1f}"/>']
    for part_x, part_y in _curves(x(when), y(np.where(known, what, 0.0)), known):
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in zip(part_x, part_y, strict=True))
        if len(part_x) > 1:
            down = f"L{part_x[-1]:.1f} {y(0.0):.1f}Z"
            pieces.append(f'<path class="plot-area" d="M{part_x[0]:.1f} {y(0.0):.1f}L{path}{down}"/>')
        pieces.append(f'<path class="plot-line" d="M{path}h0"/>')
    if limit is not None:
        pieces.append(f'<line class="plot-limit" x1="0" y1="{y(limit):.1f}" x2="{WIDE:g}" y2="{y(limit):.1f}"/>')
    for mark in marks:
        at = _at(when, what, mark.time)
        if not (span[0] <= mark.time <= span[1] and np.isfinite(at)):
            continue
        height = float(np.clip(y(at), 0.0, HIGH))
        pieces.append(
            f'<path class="plot-mark" d="M{x(mark.time):.1f} {height:.1f}h0"><title>{escape(mark.text)}</title></path>'
        )
    told = (
        note
        if note is not None
        else (f"{short_number(what[known].max())} {unit}".strip() if known.any() else "nothing")
    )
    ticks = "".join(f"<span>{short_number(time)} s</span>" for time in np.linspace(*span, 5))
    return (
        f'<figure class="plot"><figcaption><b>{escape(title)}</b><span>{escape(told)}</span></figcaption>'
        f'<svg viewBox="0 0 {WIDE:g} {HIGH:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(title)}, {escape(told)}">{"".join(pieces)}</svg>'
        f'<div class="ticks">{ticks}</div></figure>'
    )


def _curves(x: Array, y: Array, known: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> list[tuple[Array, Array]]:
    """Return the unbroken parts of a curve, thinned to two points per bin."""
    return [_thinned(x[a:b], y[a:b]) for a, b in zip(*find_runs(known), strict=True)]


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    if len(x) <= 2 * MAX_BINS:
        return x, y
    starts = np.unique(np.linspace(0, len(x), MAX_BINS + 1).astype(np.int64)[:-1])
    stops = np.append(starts[1:], len(x))
    chosen = [0, len(x) - 1]
    for a, b in zip(starts, stops, strict=True):
        chosen += [a + int(y[a:b].argmin()), a + int(y[a:b].argmax())]
    order = np.unique(chosen)
    return x[order], y[order]


def _at(times: Array, values: Array, time: float) -> float:
    """Return the value nearest in time that is known."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) == 0:
        return float("nan")
    return float(values[known[np.abs(times[known] - time).argmin()]])


def short_number(value: float) -> str:
    """Return a number in about three digits."""
    if value != 0.0 and abs(value) < 1e-4:
        return "under 0.0001" if value > 0.0 else "0"
    if abs(value) >= 1000.0:
        return f"{value:,.0f}"
    return f"{value:.3g}"
