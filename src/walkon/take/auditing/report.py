"""What an audit says: figures, the thresholds that define them, the source clips' own, the worst cases, timelines.

Figures are nested by topic, `audit.figures["foot_slide"]["max_m_s"]`; a dotted name, "foot_slide.max_m_s", means the
same wherever one name is wanted (limits, worst cases). Units are in the names.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, UnknownName

__all__ = ["Audit", "WorstCase"]

Figures = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """One of the worst cases of a figure: how bad, who, when and where."""

    figure: str
    """Dotted name: "foot_slide.max_m_s"."""
    value: float
    character: str
    row: int = -1
    """Row of the character in the take, because names may be the same; −1: nobody's."""
    other: str = ""
    """The other side: a character, obstacle, prop, mark, joint or part of the body, in words."""
    time: float
    """Seconds of the take's clock."""
    place: tuple[float, float, float]
    """Metres."""
    text: str
    """One plain sentence."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit:
    """The measured figures of a take."""

    figures: Figures
    thresholds: Figures
    """Every threshold that defines a figure, nested like the figures."""
    source: Figures
    """The same figures of the source clips, played raw; None where a figure means nothing for a single clip."""
    worst: tuple[WorstCase, ...] = ()
    """The worst cases of each figure, the worst first; figures that found nothing have none."""
    source_clips: Mapping[str, str] = field(default_factory=dict)
    """Figure → the source clip that is the worst of all in it."""
    inherited: tuple[Mapping[str, Any], ...] = ()
    """What is beyond a good limit, as its source is: figure, value, source, clip (see `limits`)."""
    timelines: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    """Name → (times [T] s, values [T]); NaN where there is nothing to measure."""

    def __post_init__(self) -> None:
        for name in ("figures", "thresholds", "source"):
            object.__setattr__(self, name, _freeze(getattr(self, name)))
        object.__setattr__(self, "worst", tuple(self.worst))
        object.__setattr__(self, "source_clips", MappingProxyType(dict(self.source_clips)))
        object.__setattr__(self, "inherited", tuple(_freeze(row) for row in self.inherited))
        for times, values in self.timelines.values():
            times.flags.writeable = values.flags.writeable = False
        object.__setattr__(self, "timelines", MappingProxyType(dict(self.timelines)))

    def __repr__(self) -> str:
        f = self.figures
        return (
            f"Audit({f['characters']} characters, {f['duration_s']:.1f} s: "
            f"slide {f['foot_slide']['max_m_s']:.4f} m/s at most, "
            f"{f['marks']['count'] - len(f['marks']['unmet'])} of {f['marks']['count']} marks met, "
            f"{f['bodies']['pair_frames']} frames of bodies touching)"
        )

    def __getitem__(self, name: str) -> Any:
        """Return one figure by its dotted name."""
        known = dict(_flatten(self.figures))
        if name not in known:
            raise UnknownName.among("figure", name, known)
        return known[name]

    def broken(self, limits: Mapping[str, float]) -> list[tuple[str, float, float]]:
        """Return (name, value, limit) of every figure over its limit; limits are given by dotted names.

        A list (stuck characters, unmet marks) counts by its length. A figure that is None could not be measured, though
        there was something to measure: it breaks any limit, with the value NaN.
        """
        found = []
        for name, limit in limits.items():
            value = self[name]
            if isinstance(value, tuple | list):
                value = len(value)
            value = math.nan if value is None else value
            if not isinstance(value, int | float) or math.isnan(limit):
                raise InvalidValue(f"a limit compares a figure with a number, but {name} = {value!r} against {limit!r}")
            # Written so that a figure which is no number breaks any limit.
            if not value <= limit:
                found.append((name, float(value), float(limit)))
        return found

    def to_json(self) -> dict[str, Any]:
        """Return figures (at the top level) and all that stands beside them as plain types; no number is None."""
        more = {
            "thresholds": self.thresholds,
            "source": self.source,
            "inherited": self.inherited,
            "worst": [asdict(case) for case in self.worst],
        }
        return {name: _as_plain(value) for name, value in {**self.figures, **more}.items()}


def _flatten(figures: Figures, above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{above}{name}.")
        else:
            yield above + name, value


def _freeze(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({str(name): _freeze(inner) for name, inner in value.items()})
    if isinstance(value, list | tuple):
        return [_freeze(inner) for inner in value]
    return value.item() if isinstance(value, np.generic) else value


def _as_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _as_plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_as_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
