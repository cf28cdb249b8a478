"""The recipe of a motion graph: everything beside the clips that decides what graph they give.

It travels with the graph as plain names and numbers, so that a graph can be grown later by the same recipe.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from walkon._base.errors import InvalidValue
from walkon.graphs.point_clouds import Taper
from walkon.graphs.thresholds import LabelThresholds, check_threshold

__all__ = ["ROUGHEST", "Recipe", "label_sets"]

ROUGHEST = 0.35
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
    roughest: float = ROUGHEST
    """m/s by which a blend may change a joint's velocity more than both of its clips do."""
    labels: tuple[tuple[str, ...], ...] = ()
    """Sets of labels in which the graph must be able to go on for ever."""

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
