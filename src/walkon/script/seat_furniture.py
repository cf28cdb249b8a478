"""The furniture of a seat, which is in nobody's way who sits on it.

Obstacles named after the seat (`a_1.chair`), and solids no higher than its top that reach under it.
"""

from collections.abc import Collection

from walkon.stage import Obstacle, Seat
from walkon.stage.free_space import FreeSpace

__all__ = ["blocking_seat", "furniture_of"]

UNDER_SEAT_M = 0.02
"""m by which a solid may be higher than the seat that stands on it."""


def furniture_of(seat: Seat, *, space: FreeSpace) -> frozenset[int]:
    """Return which of a free space's `solids` are this seat's own furniture."""
    under = set(space.covering(seat.place[None, :2])[0])
    return frozenset(i for i, solid in enumerate(space.solids) if _belongs(solid, seat, under=i in under))


def blocking_seat(seat: Seat, *, space: FreeSpace, under: Collection[int]) -> str:
    """Return the name of what one would sit inside of on a seat, if anything; `under` it are these of the `solids`."""
    others = [i for i in under if not _belongs(space.solids[i], seat, under=True)]
    return space.name_of(others[0]) if others else ""


def _belongs(obstacle: Obstacle, seat: Seat, *, under: bool) -> bool:
    named = bool(seat.name) and obstacle.name.startswith(f"{seat.name}.")
    return named or (under and obstacle.height <= seat.height + UNDER_SEAT_M)
