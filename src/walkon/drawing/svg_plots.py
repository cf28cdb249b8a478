"""What HTML reports look like: one style sheet, light and dark, for wide windows and for phones; and small plots over
time as inline SVG: no library, no script, sharp at any width, in the colours of the page around.

The curve is stretched to the width that the page has; its labels are plain HTML, so that they stay readable on a
phone. Colours are the page's own: classes `plot-line`, `plot-area`, `plot-limit` and `plot-mark` under `figure.plot`
(see `STYLE`).

Long curves are drawn by the smallest and the largest value of each of `MAX_BINS` bins, so that no peak is lost, however
short.
"""

from collections.abc import Iterable
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_array
from walkon._base.errors import InvalidShape
from walkon.motion.contacts.runs import find_runs

__all__ = ["STYLE", "plot_svg", "short_number"]

MAX_BINS = 400
PLOT_WIDTH, PLOT_HEIGHT = 1000.0, 240.0
"""The drawing's own units; the page stretches them."""
HEADROOM_SHARE = 0.08
"""Share of the height left free above the largest value."""

STYLE = """
:root {
  --paper: #fbfbfc; --card: #ffffff; --ink: #23262d; --faint: #6b7280; --rule: #e3e6ea;
  --line: #3c6fa8; --good: #1f7a4d; --good-back: #e5f4eb; --bad: #b3392c; --bad-back: #fbe9e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171b; --card: #1d2026; --ink: #e4e7ec; --faint: #969ead; --rule: #31353d;
    --line: #7fb0e6; --good: #7fd3a6; --good-back: #17312a; --bad: #f2938a; --bad-back: #3b2220;
  }
  img { filter: brightness(.88); }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem clamp(.9rem, 3vw, 2rem) 3rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
h3 { font-size: .98rem; margin: 0 0 .2rem; }
header p, footer, .where { color: var(--faint); margin: .3rem 0 0; }
footer { margin-top: 3rem; font-size: .85rem; }
header .verdict {
  display: flex; gap: .7rem; align-items: baseline; margin-top: 1rem; padding: .75rem 1rem; border-radius: .6rem;
  font-weight: 600; color: var(--good); background: var(--good-back); overflow-wrap: anywhere;
}
header .verdict.bad { color: var(--bad); background: var(--bad-back); }
.tick { font-weight: 800; }
.figures { columns: 27rem 2; column-gap: 3rem; }
.figures table {
  width: 100%; margin-bottom: 1.6rem; break-inside: avoid;
  border-collapse: collapse; font-variant-numeric: tabular-nums;
}
.figures th, .figures td { padding: .3rem 0 .3rem .9rem; text-align: right; vertical-align: baseline; }
.figures th:first-child, .figures td:first-child { text-align: left; padding-left: 0; width: 50%; }
.figures td + td { white-space: nowrap; }
.figures th { color: var(--faint); font-weight: 500; font-size: .85rem; }
.figures th:first-child { color: var(--ink); font-weight: 650; font-size: 1rem; }
.figures tbody tr { border-top: 1px solid var(--rule); }
.figures td:nth-child(3) { color: var(--faint); }
.figures code, .figures small { display: block; color: var(--faint); font-size: .74rem; }
.figures .over td:nth-child(2), .figures .over small { color: var(--bad); font-weight: 650; }
.figures .kept small { color: var(--good); }
.figures .entry td { color: var(--faint); font-size: .88rem; padding-left: 1rem; overflow-wrap: anywhere; }
.figures .entry { border-top: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.6rem 2.2rem; }
.cases { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19.5rem), 1fr)); gap: 1.1rem; }
.case { background: var(--card); border: 1px solid var(--rule); border-radius: .7rem; overflow: hidden; }
.case.over { border-color: var(--bad); }
.case img { display: block; width: 100%; aspect-ratio: 4 / 3; object-fit: cover; }
.case > div { padding: .75rem .9rem .9rem; overflow-wrap: anywhere; }
.case p { margin: 0; font-size: .92rem; }
.case .where { font-size: .82rem; margin-top: .35rem; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .4rem 1.2rem; font-size: .9rem; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--faint); overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .5rem; }
  .figures th, .figures td { padding-left: .6rem; font-size: .9rem; }
  .figures th:first-child, .figures td:first-child { width: auto; }
  .figures code { display: none; }
}
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
"""CSS of a page."""


def plot_svg(
    times: ArrayLike,
    values: ArrayLike,
    *,
    title: str,
    unit: str = "",
    marks: Iterable[tuple[float, str]] = (),
    limit: float | None = None,
    least: float = 0.0,
    note: str | None = None,
) -> str:
    """Return a `<figure>` with a curve of values [T] over times [T] s; NaN is a gap.

    The height runs from the smaller of 0 and the smallest value up to the largest value, the limit or `least`,
    whichever is highest. `marks` are moments (seconds) to point at, with what is shown when the pointer rests there.
    `note` stands at the right of the title; the largest value if not given.
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
        return np.asarray(PLOT_WIDTH * (np.asarray(time) - span[0]) / max(span[1] - span[0], 1e-9))

    def y(value: Array | float) -> Array:
        return np.asarray(PLOT_HEIGHT * (1.0 - (1.0 - HEADROOM_SHARE) * (np.asarray(value) - low) / (high - low)))

    pieces = [f'<line class="plot-base" x1="0" y1="{y(0.0):.1f}" x2="{PLOT_WIDTH:g}" y2="{y(0.0):.1f}"/>']
    across, up = x(when), y(np.where(known, what, 0.0))
    for part_x, part_y in (_thin_curve(across[a:b], up[a:b]) for a, b in zip(*find_runs(known), strict=True)):
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in zip(part_x, part_y, strict=True))
        if len(part_x) > 1:
            down = f"L{part_x[-1]:.1f} {y(0.0):.1f}Z"
            pieces.append(f'<path class="plot-area" d="M{part_x[0]:.1f} {y(0.0):.1f}L{path}{down}"/>')
        pieces.append(f'<path class="plot-line" d="M{path}h0"/>')
    if limit is not None:
        pieces.append(f'<line class="plot-limit" x1="0" y1="{y(limit):.1f}" x2="{PLOT_WIDTH:g}" y2="{y(limit):.1f}"/>')
    for time, text in marks:
        if known.any() and span[0] <= time <= span[1]:
            nearest = what[known][np.abs(when[known] - time).argmin()]
            place = f"M{x(time):.1f} {np.clip(y(nearest), 0.0, PLOT_HEIGHT):.1f}h0"
            pieces.append(f'<path class="plot-mark" d="{place}"><title>{escape(text)}</title></path>')
    if note is None:
        note = f"{short_number(what[known].max())} {unit}".strip() if known.any() else "nothing"
    ticks = "".join(f"<span>{short_number(time)} s</span>" for time in np.linspace(*span, 5))
    return (
        f'<figure class="plot"><figcaption><b>{escape(title)}</b><span>{escape(note)}</span></figcaption>'
        f'<svg viewBox="0 0 {PLOT_WIDTH:g} {PLOT_HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(title)}, {escape(note)}">{"".join(pieces)}</svg>'
        f'<div class="ticks">{ticks}</div></figure>'
    )


def _thin_curve(x: Array, y: Array) -> tuple[Array, Array]:
    """Return an unbroken part of a curve in two points per bin."""
    if len(x) <= 2 * MAX_BINS:
        return x, y
    starts = np.unique(np.linspace(0, len(x), MAX_BINS + 1).astype(np.int64)[:-1])
    stops = np.append(starts[1:], len(x))
    chosen = [0, len(x) - 1]
    for a, b in zip(starts, stops, strict=True):
        chosen += [a + int(y[a:b].argmin()), a + int(y[a:b].argmax())]
    order = np.unique(chosen)
    return x[order], y[order]


def short_number(value: float) -> str:
    """Return a number in about three digits."""
    if value != 0.0 and abs(value) < 1e-4:
        return "under 0.0001" if value > 0.0 else "0"
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"
