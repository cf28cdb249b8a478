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

A `Recipe` is everything that decides what graph a library gives, as it stands in a graph's settings.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.components import Components, components_of
from walkon.graphs.minima import Minima
from walkon.graphs.point_clouds import FrameSet, Taper, library_frames
from walkon.motion.library import Library

__all__ = [
    "ROUGHEST_SEAM_M_S",
    "LabelThresholds",
    "Recipe",
    "check_threshold",
    "connecting_threshold",
    "join_clips",
    "label_sets",
    "percentile_threshold",
    "special_limits",
    "trade_off",
]

LabelThresholds = Mapping[tuple[str, str], float]
TRADE_OFF_RATIOS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
"""Of the typical distance: the rows of a trade-off table, where none are given."""


def join_clips(frames: FrameSet, minima: Minima, keep: BoolArray | None = None) -> tuple[Components, float]:
    """Join all compared frames: each to the next in its clip, and across by transitions (those to `keep` [M]).

    Returns the components and the share of all motion in the largest.
    """
    here = np.delete(np.arange(len(frames)), frames.stops - 1)
    across = minima if keep is None else minima.rows(keep)
    start, stop = np.concatenate([here, across.frame_a]), np.concatenate([here + 1, across.frame_b])
    seconds = np.concatenate([np.full(len(here), 1 / frames.rate), np.zeros(len(across))])
    found = components_of(len(frames), start, stop, seconds)
    return found, float(found.seconds[found.largest]) * frames.rate / max(len(here), 1)


def special_limits(library: Library, frames: FrameSet, *, minima: Minima, limits: LabelThresholds) -> Array:
    """Return [M] the threshold that pairs of labels set for each minimum; NaN where none applies."""
    chosen = np.full(len(minima), np.nan)
    at = library_frames(library, frames)
    both = {**limits, **{(b, a): limit for (a, b), limit in limits.items() if (b, a) not in limits}}
    for (a, b), limit in both.items():
        for label in (a, b):
            UnknownName.check("label", label, library.label_names)
        check_threshold(f"the threshold from {a!r} to {b!r}", limit)
        leaves, enters = (library.labels[:, library.label_names.index(label)] for label in (a, b))
        applies = leaves[at[minima.frame_a]] & enters[at[minima.frame_b]]
        chosen[applies] = np.fmin(chosen[applies], limit)
    return chosen


def percentile_threshold(minima: Minima, percent: float) -> float:
    """Return the distance under which this many percent of all minima lie; `minima` must be all of them."""
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
    special = np.full(len(minima), np.nan) if special is None else special
    free = np.isnan(special)
    steps = np.unique(minima.distance[free])
    settled = ~free & (minima.distance < np.where(free, 0.0, special))

    def reached(step: int) -> float:
        keep = settled if step < 0 else settled | (free & (minima.distance <= steps[step]))
        return join_clips(frames, minima, keep)[1]

    least, goal = reached(-1), min(share, reached(len(steps) - 1))
    if least >= goal:
        return (float(np.nextafter(steps[0], 0.0)) if len(steps) else 0.0), least
    lowest = bisect_left(range(len(steps)), goal, key=reached)
    return float(np.nextafter(steps[lowest], np.inf)), reached(lowest)


def trade_off(
    frames: FrameSet, minima: Minima, *, thresholds: ArrayLike, special: Array | None = None
) -> Iterator[dict[str, Any]]:
    """Return what each of these thresholds (metres) gives; `minima` must hold all under the highest.

    "transitions" under it, before pruning; "largest_share" of all motion (seconds) in the largest component; and
    "worst_distance", metres, of the worst transition within that component, 0 where it has none.
    """
    special = np.full(len(minima), np.nan) if special is None else special
    for threshold in np.atleast_1d(np.asarray(thresholds, dtype=np.float64)):
        keep = minima.distance < np.where(np.isnan(special), threshold, special)
        found, share = join_clips(frames, minima, keep)
        inside = found.of_node == found.largest
        used = keep & inside[minima.frame_a] & inside[minima.frame_b]
        yield {
            "threshold": float(threshold),
            "transitions": int(np.count_nonzero(keep)),
            "largest_share": share,
            "worst_distance": float(minima.distance[used].max(initial=0.0)),
        }


def check_threshold(name: str, value: float) -> None:
    """Refuse a threshold that is no positive length, or one that someone meant in centimetres."""
    if not (np.isfinite(value) and value > 0):
        raise InvalidValue(f"{name} must be positive metres, got {value:g}")
    if value > 1:
        raise InvalidValue(f"{name} is {value:g} m, more than a body can be off; thresholds are metres, 0.05 is 5 cm")


ROUGHEST_SEAM_M_S = 0.35
"""m/s per compared frame; a landing changes a foot's own velocity by 1 to 2."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides what graph a library gives."""

    rate: float = 30.0
    """Compared frames per second."""
    window: float = 1 / 3
    """Seconds that are compared at a time."""
    taper: Taper = "triangular"
    joint_weights: Mapping[str, float] | None = None
    threshold: float | None = None
    """Metres; where this, `percentile` and `connect` are None, it is chosen by the typical distance."""
    percentile: float | None = None
    """Percent of all minima that lie under the threshold."""
    connect: float | None = None
    """Share of the motion that the largest component must hold, 0 to 1."""
    label_thresholds: LabelThresholds | None = None
    roughest: float = ROUGHEST_SEAM_M_S
    """m/s by which a blend may change a joint's velocity more than both of its clips do."""
    labels: tuple[tuple[str, ...], ...] = ()
    """Sets of labels within each of which the graph must have no dead end."""

    def __post_init__(self) -> None:
        chosen = [name for name in ("threshold", "percentile", "connect") if getattr(self, name) is not None]
        if len(chosen) > 1:
            raise InvalidValue(f"{' and '.join(chosen)} are different ways to choose one threshold; give one of them")
        if not self.roughest > 0:
            raise InvalidValue(f"roughest must be positive m/s (infinite: no check), got {self.roughest:g}")
        if self.threshold is not None:
            check_threshold("the threshold", self.threshold)
        if self.percentile is not None and not 0 < self.percentile <= 100:
            raise InvalidValue(f"the percentile must be over 0 and at most 100, got {self.percentile:g}")
        if self.connect is not None and not 0 < self.connect <= 1:
            raise InvalidValue(f"the share to connect must be over 0 and at most 1 (all motion), got {self.connect:g}")

    @property
    def rule(self) -> str:
        """How the threshold is chosen, in a word."""
        for name in ("percentile", "connect"):
            if getattr(self, name) is not None:
                return name
        return "typical" if self.threshold is None else "given"

    def to_settings(self) -> dict[str, Any]:
        """Return the recipe as plain names and numbers."""
        return {
            "rate": self.rate,
            "window": self.window,
            "taper": self.taper,
            "joint_weights": dict(self.joint_weights or {}),
            "rule": self.rule,
            "asked": self.threshold or self.percentile or self.connect,
            "roughest": self.roughest if math.isfinite(self.roughest) else None,
            "label_thresholds": [[*pair, limit] for pair, limit in (self.label_thresholds or {}).items()],
            "labels": [list(labels) for labels in self.labels],
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Recipe":
        """Read a graph's settings back."""
        chosen = {"given": "threshold", "percentile": "percentile", "connect": "connect"}.get(settings["rule"])
        return cls(
            rate=settings["rate"],
            window=settings["window"],
            taper=settings["taper"],
            joint_weights=dict(settings["joint_weights"]) or None,
            label_thresholds={(a, b): limit for a, b, limit in settings["label_thresholds"]} or None,
            roughest=math.inf if settings["roughest"] is None else settings["roughest"],
            labels=label_sets([tuple(labels) for labels in settings["labels"]]),
            **({chosen: settings["asked"]} if chosen else {}),
        )


def label_sets(given: Sequence[str | Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return sets of labels as tuples: "walk" and ("walk",) are the same set."""
    return tuple((item,) if isinstance(item, str) else tuple(item) for item in given)
