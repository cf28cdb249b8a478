"""Thresholds: how far apart two moments may be and still be joined. Metres of the frame distance.

A low threshold gives good seams, a high one many ways to go (Kovar 2002, section 3.2, where a user sets it by hand).
Here it is chosen by one of these rules:

* *typical* (the default): 0.8 of the median distance between moving windows 0.1 s apart in the same clip;
* *given*: a number;
* *percentile*: under which so many percent of all local minima lie;
* *connect*: the smallest one with which the largest strongly connected component holds a given share of the motion.

Different kinds of motion may need different care: `label_thresholds` sets one for pairs of labels, as
{("walk", "walk"): 0.04}. A pair holds in both directions unless the other one is given too. It applies where the frame
that is left has the first label and the frame that is entered the second; of several that apply the lowest decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.components import Components, components_of
from walkon.graphs.minima import Minima
from walkon.graphs.point_clouds import FrameSet, library_frames
from walkon.motion.library import Library

__all__ = [
    "LabelThresholds",
    "TradeOff",
    "check_threshold",
    "connecting_threshold",
    "largest_share",
    "percentile_threshold",
    "special_limits",
    "trade_off",
]

LabelThresholds = Mapping[tuple[str, str], float]
MULTIPLES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
"""Of the typical distance: the rows of a trade-off table, where none are given."""


@dataclass(frozen=True, kw_only=True)
class TradeOff:
    """What one threshold gives."""

    threshold: float
    """Metres."""
    transitions: int
    """Transitions under it, before pruning."""
    largest_share: float
    """Share of all motion (seconds) in the largest component."""
    worst_distance: float
    """Metres, of the worst transition within that component; 0 where it has none."""
    worst_seam: float | None = None
    """m/s: the largest velocity change beyond both sources (see `seams`), where it was measured."""


def largest_share(frames: FrameSet, minima: Minima) -> float:
    """Return the share of all motion that the largest component holds when these transitions join the clips."""
    return _joined(frames, minima)[1]


def _joined(frames: FrameSet, minima: Minima, keep: BoolArray | None = None) -> tuple[Components, float]:
    """Join all compared frames: each to the next in its clip, and across by transitions.

    Returns the components and the share of all motion in the largest.
    """
    inner = np.ones(len(frames), bool)
    inner[frames.stops - 1] = False
    here = np.flatnonzero(inner)
    chosen = slice(None) if keep is None else keep
    a, b = minima.frame_a[chosen], minima.frame_b[chosen]
    start, stop = np.concatenate([here, a]), np.concatenate([here + 1, b])
    seconds = np.concatenate([np.full(len(here), 1 / frames.rate), np.zeros(len(a))])
    found = components_of(len(frames), start, stop, seconds)
    return found, float(found.seconds[found.largest]) * frames.rate / max(len(here), 1)


def special_limits(library: Library, frames: FrameSet, *, minima: Minima, limits: LabelThresholds) -> Array:
    """Return [M] the threshold that pairs of labels set for each minimum; NaN where none applies."""
    chosen = np.full(len(minima), np.nan)
    if not limits:
        return chosen
    for pair, limit in limits.items():
        for label in pair:
            if label not in library.label_names:
                raise UnknownName.among("label", label, library.label_names)
        check_threshold(f"the threshold from {pair[0]!r} to {pair[1]!r}", limit)
    both = dict(limits)
    for (a, b), limit in limits.items():
        both.setdefault((b, a), limit)
    at = library_frames(library, frames)
    column = {label: k for k, label in enumerate(library.label_names)}
    for (a, b), limit in both.items():
        applies = library.labels[at[minima.frame_a], column[a]] & library.labels[at[minima.frame_b], column[b]]
        chosen[applies] = np.fmin(chosen[applies], limit)
    return chosen


def percentile_threshold(minima: Minima, percent: float) -> float:
    """Return the distance under which this many percent of all minima lie; `minima` must be all of them."""
    if not 0 < percent <= 100:
        raise InvalidValue(f"the percentile must be over 0 and at most 100, got {percent:g}")
    if not len(minima):
        raise InvalidValue("there are no local minima to take a percentile of; give more or longer clips")
    return float(np.nextafter(np.percentile(minima.distance, percent, method="inverted_cdf"), np.inf))


def connecting_threshold(
    frames: FrameSet, minima: Minima, *, share: float, special: Array | None = None
) -> tuple[float, float]:
    """Return the smallest threshold whose largest component holds this share of the motion, and the share it holds.

    Where no threshold does, it is the smallest of those that come closest. More transitions never take a component
    apart, so the share grows with the threshold and halving finds it. `special` are the limits of `special_limits`.
    """
    if not 0 < share <= 1:
        raise InvalidValue(f"the share to connect must be over 0 and at most 1 (all motion), got {share:g}")
    special = np.full(len(minima), np.nan) if special is None else special
    free = np.isnan(special)
    steps = np.unique(minima.distance[free])
    settled = ~free & (minima.distance < np.where(free, 0.0, special))

    def reached(step: int) -> float:
        keep = settled if step < 0 else settled | (free & (minima.distance <= steps[step]))
        return _joined(frames, minima, keep)[1]

    best = reached(len(steps) - 1)
    goal = min(share, best)
    low, high = -1, len(steps) - 1
    if len(steps) == 0 or reached(-1) >= goal:
        return (float(np.nextafter(steps[0], 0.0)) if len(steps) else 0.0), best if not len(steps) else reached(-1)
    while high - low > 1:
        middle = (low + high) // 2
        if reached(middle) >= goal:
            high = middle
        else:
            low = middle
    return float(np.nextafter(steps[high], np.inf)), reached(high)


def trade_off(
    frames: FrameSet, minima: Minima, *, thresholds: ArrayLike, special: Array | None = None
) -> list[TradeOff]:
    """Return what each of these thresholds (metres) gives; `minima` must hold all under the highest."""
    rows = []
    special = np.full(len(minima), np.nan) if special is None else special
    for threshold in np.atleast_1d(np.asarray(thresholds, dtype=np.float64)):
        keep = minima.distance < np.where(np.isnan(special), threshold, special)
        found, share = _joined(frames, minima, keep)
        inside = found.of_node == found.largest
        used = keep & inside[minima.frame_a] & inside[minima.frame_b]
        rows.append(
            TradeOff(
                threshold=float(threshold),
                transitions=int(np.count_nonzero(keep)),
                largest_share=share,
                worst_distance=float(minima.distance[used].max(initial=0.0)),
            )
        )
    return rows


def check_threshold(name: str, value: float) -> None:
    """Refuse a threshold that is no positive length, or one that someone meant in centimetres."""
    if not (np.isfinite(value) and value > 0):
        raise InvalidValue(f"{name} must be positive metres, got {value:g}")
    if value > 1:
        raise InvalidValue(f"{name} is {value:g} m, more than a body can be off; thresholds are metres, 0.05 is 5 cm")
