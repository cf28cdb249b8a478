"""A mark: what a character must meet. Any of a place, a facing, a pose and a time may be given."""

from dataclasses import dataclass

import numpy as np

from walkon._base.errors import InvalidValue

__all__ = ["Mark"]


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A demand on a character's planar pose, pose and time; what is None is free."""

    name: str = ""
    position: tuple[float, float] | None = None
    """(x, y) metres: where the root stands on the floor plan."""
    facing: float | None = None
    """Radians: heading of the hips."""
    pose: str | None = None
    """Label that the motion must have at that time (sit, stand, carry …)."""
    window: tuple[float, float] | None = None
    """Seconds: earliest and latest time."""
    hold: float = 0.0
    """Seconds for which position, facing and pose must then be kept."""

    def __post_init__(self) -> None:
        if self.position is not None:
            object.__setattr__(self, "position", _numbers(self.position, 2, f"the position of mark {self.name!r}"))
        if self.facing is not None and not np.isfinite(self.facing):
            raise InvalidValue(f"the facing of mark {self.name!r} must be an angle in radians, got {self.facing}")
        if self.window is not None:
            window = _numbers(self.window, 2, f"the window of mark {self.name!r}")
            if window[1] < window[0]:
                raise InvalidValue(
                    f"the window of mark {self.name!r} must end after it begins, got {window[0]:g} to {window[1]:g} s"
                )
            object.__setattr__(self, "window", window)
        if not (np.isfinite(self.hold) and self.hold >= 0):
            raise InvalidValue(f"mark {self.name!r} must be held for 0 s or more, got {self.hold} s")
        if self.position is None and self.facing is None and self.pose is None and self.window is None:
            raise InvalidValue(f"mark {self.name!r} asks for nothing; give a position, facing, pose or window")


def _numbers(values: object, count: int, whose: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(v) for v in values)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != count or not all(np.isfinite(v) for v in numbers):
        raise InvalidValue(f"{whose} must be {count} finite numbers, got {values!r}")
    return numbers
