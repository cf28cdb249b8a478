"""What a writer is given, as numbers: checked, each with a sentence. Seconds."""

from operator import index
from typing import Any

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip

__all__ = ["as_number", "as_positive", "as_rates", "as_row", "played_seconds"]


def played_seconds(
    clip: Clip, start: float, stop: float | None, *, clip_start: float, rates: tuple[float, float]
) -> float:
    """Return for how many seconds a clip is played; half a frame beyond its end is forgiven."""
    grace, mean = 0.5 / clip.fps, 0.5 * (rates[0] + rates[1])
    left = clip.duration - as_number(clip_start, "clip_start")
    if not (-grace <= left <= clip.duration + grace):
        raise InvalidValue(
            f"clip_start must be a time of the clip {clip.name!r}, 0 to {clip.duration:g} s, got {clip_start:g} s"
        )
    if stop is None:
        if len(clip) == 1:
            raise InvalidValue(f"the clip {clip.name!r} has one frame; hold it with rate 0 and give stop")
        if mean <= 0 or left <= 0:
            raise InvalidValue(
                f"a clip that is held (rate {mean:g}) or over (at {clip_start:g} s) has no end; give stop"
            )
        return left / mean
    length = as_number(stop, "stop") - start
    if mean * length > left + grace:
        raise InvalidValue(
            f"the clip {clip.name!r} lasts {clip.duration:g} s, but from {clip_start:g} s it would be played for "
            f"{mean * length:g} s, until {stop:g} s of the take; hold it with rate 0 or end it earlier"
        )
    return length


def as_number(value: float, name: str) -> float:
    """Return a finite number, whatever kind of number it is."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidValue(f"{name} must be a number, got {value!r}") from None
    if not np.isfinite(number):
        raise InvalidValue(f"{name} must be finite, got {value!r}")
    return number


def as_positive(value: float, name: str) -> float:
    """Return a number above 0."""
    number = as_number(value, name)
    if number <= 0:
        raise InvalidValue(f"{name} must be above 0 a second, got {value!r}")
    return number


def as_row(value: Any, kind: str) -> int:
    """Return a row number."""
    try:
        return index(value)
    except TypeError:
        raise InvalidValue(f"a {kind} is given as such or by its row, got {value!r}") from None


def as_rates(rate: float | tuple[float, float]) -> tuple[float, float]:
    """Return the rates at the start and at the end."""
    given = np.ravel(np.asarray(rate, dtype=object))
    if len(given) not in (1, 2):
        raise InvalidValue(f"rate must be one number, or those at the start and the end, got {rate!r}")
    return as_number(given[0], "rate"), as_number(given[-1], "rate")
