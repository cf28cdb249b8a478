"""A mark: a spatio-temporal constraint on a character. Any of a place, a facing, a pose and a time may be given."""

from dataclasses import dataclass
from math import inf

import numpy as np

from walkon._base.errors import InvalidValue, UnknownName

__all__ = ["ACTIONS", "Action", "Mark", "Moment"]

ACTIONS = ("pick_up", "put_down")
"""What can be done with a prop."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A mark of a character, as the clock of another one: its windows count from when that mark is met."""

    character: str
    mark: str

    def __str__(self) -> str:
        return f"{self.character}.{self.mark}"


@dataclass(frozen=True, kw_only=True)
class Action:
    """Something done with a prop: it is picked up where it is, or put down at a place."""

    kind: str
    """One of `ACTIONS`."""
    prop: str
    """Name of the prop."""
    place: tuple[float, float, float] | None = None
    """(x, y, z) metres of the prop's centre where it is put down."""

    def __post_init__(self) -> None:
        UnknownName.check("action", self.kind, ACTIONS)
        if (self.kind == "put_down") != (self.place is not None):
            raise InvalidValue(f"give a place to put {self.prop!r} down, and none to pick it up, got {self.place}")
        if self.place is not None:
            object.__setattr__(self, "place", _as_numbers(self.place, 3, f"the place of prop {self.prop!r}"))


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A demand on a character's planar pose, pose and time; what is None is free."""

    name: str = ""
    position: tuple[float, float] | None = None
    """(x, y) metres: where the root stands on the floor plan."""
    z: float | None = None
    """Metres: the height of the floor that is meant, where several lie above each other; None: there is one."""
    facing: float | None = None
    """Radians: heading of the hips."""
    pose: str | None = None
    """Label that the motion must have at that time (sit, stand, carry …), or the name of a hub of the graph."""
    window: tuple[float, float] | None = None
    """Seconds: earliest and latest time, the latter possibly infinite; on the scene's clock, or after `clock`."""
    clock: Moment | None = None
    """The mark of a character from which the window counts."""
    hold: float = 0.0
    """Seconds for which position, facing and pose must then be kept; infinite: until the scene ends."""
    until: float | None = None
    """Seconds on the scene's clock until which it is held, instead of `hold`."""
    seat: str = ""
    """Name of the seat that the place is of, if any."""
    action: Action | None = None
    """What is done there; the place then follows from the prop's."""

    def __post_init__(self) -> None:
        for field, endless in (("position", False), ("window", True)):
            if (given := getattr(self, field)) is not None:
                numbers = _as_numbers(given, 2, f"the {field} of mark {self.name!r}", endless=endless)
                object.__setattr__(self, field, numbers)
        mark, (low, high) = f"mark {self.name!r}", self.window or (0.0, 0.0)
        held_twice = self.until is not None and not (np.isfinite(self.until) and self.hold == 0)
        wishes = (self.position, self.facing, self.pose, self.window, self.action)
        for is_broken, words in (
            (
                self.z is not None and not np.isfinite(self.z),
                f"z of {mark} is the height of its floor in metres, got {self.z}",
            ),
            (
                self.facing is not None and not np.isfinite(self.facing),
                f"the facing of {mark} must be an angle in radians, got {self.facing}",
            ),
            (high < low, f"the window of {mark} must end after it begins, got {low:g} to {high:g} s"),
            (self.clock and not self.window, f"{mark} has a clock ({self.clock}) but no window; give one"),
            (not self.hold >= 0, f"{mark} must be held for 0 s or more, got {self.hold} s"),
            (held_twice, f"{mark} is held either for some time or until one; give hold or until"),
            (
                all(wish is None for wish in wishes),
                f"{mark} asks for nothing; give a position, facing, pose or window",
            ),
        ):
            if is_broken:
                raise InvalidValue(words)


def _as_numbers(values: object, count: int, whose: str, *, endless: bool = False) -> tuple[float, ...]:
    try:
        numbers = tuple(float(v) for v in values)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = ()
    fine = all(np.isfinite(v) for v in numbers[:-1]) and all(
        np.isfinite(v) or (endless and v == inf) for v in numbers[-1:]
    )
    if len(numbers) != count or not fine:
        raise InvalidValue(f"{whose} must be {count} finite numbers, got {values!r}")
    return numbers
