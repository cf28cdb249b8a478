"""What props are made of: parts of a compound, and grips, each with a pose in the prop's frame.

Poses are (x, y, z, qw, qx, qy, qz), metres and unit quaternions; as tuples, so that parts and grips can be compared.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry.solids import SIMPLE_SHAPES
from walkon.transforms import quaternions as quat

__all__ = ["GRIP_HANDS", "GRIP_HAND_SHAPES", "Colour", "Pose", "PropGrip", "PropPart", "check_colour", "check_size"]

GRIP_HANDS = ("left", "right", "either")
"""Whose hand a grip is for."""
GRIP_HAND_SHAPES = ("open", "flat", "hook", "cylinder", "pinch")
"""What a hand looks like while it holds something."""
MAX_EXTENT_M = 1e3
"""m: nothing is larger, or farther from its prop's origin."""

Colour = tuple[float, float, float]
Pose = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class PropPart:
    """A box, ball or cylinder that is part of a prop."""

    shape: str = "box"
    """One of `SIMPLE_SHAPES`; a cylinder stands along its own z."""
    size: tuple[float, float, float]
    """Full extent along its own x, y and z, metres; see `Prop.size`."""
    pose: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    """[7] of its middle in the prop's frame."""
    colour: Colour | None = None
    """Red, green, blue in 0 to 1; None: that of the prop."""

    def __post_init__(self) -> None:
        UnknownName.check("shape of a part of a prop", self.shape, SIMPLE_SHAPES)
        object.__setattr__(self, "size", check_size(self.size, "a part of a prop"))
        object.__setattr__(self, "pose", _check_pose(self.pose, "a part of a prop"))
        if self.colour is not None:
            object.__setattr__(self, "colour", check_colour(self.colour, "a part of a prop"))


@dataclass(frozen=True, kw_only=True)
class PropGrip:
    """Where and how a hand holds a prop.

    A grip for either hand is one pose for both: fingers and palm point the same ways, and the thumbs of the two hands
    opposite ways, because palm frames are mirrored. Who turns a suitcase half round carries it by the same grip in the
    other hand; a cup, which must stay upright, has a grip for each.
    """

    pose: Pose
    """[7] of the palm in the prop's frame: x to the fingers, z out of the palm, the origin on its skin."""
    hand: str = "either"
    """One of `GRIP_HANDS`."""
    shape: str = "cylinder"
    """One of `GRIP_HAND_SHAPES`."""

    def __post_init__(self) -> None:
        UnknownName.check("hand of a grip", self.hand, GRIP_HANDS)
        UnknownName.check("hand shape of a grip", self.shape, GRIP_HAND_SHAPES)
        object.__setattr__(self, "pose", _check_pose(self.pose, "a grip"))

    @classmethod
    def facing(
        cls, place: ArrayLike, *, fingers: ArrayLike, palm: ArrayLike, hand: str = "either", shape: str = "cylinder"
    ) -> "PropGrip":
        """Return the grip with the palm at a place [3], fingers along one direction [3] and the palm facing another.

        Where the two are not square to each other, the palm's is turned until they are.
        """
        x, z = (_check_numbers(way, 3, f"the direction of {what} of a grip") for way, what in _ways(fingers, palm))
        long = np.linalg.norm(x)
        x = x / (long if long > 0 else 1.0)
        z = z - (z @ x) * x
        if long < 1e-9 or np.linalg.norm(z) < 1e-6 * max(float(np.linalg.norm(np.asarray(palm))), 1e-9):
            raise InvalidValue(f"fingers and palm of a grip must point different ways, got {fingers!r} and {palm!r}")
        z /= np.linalg.norm(z)
        turn = quat.from_matrix(np.column_stack([x, np.cross(z, x), z]))
        at = _check_numbers(place, 3, "the place of a grip")
        return cls(pose=(*at.tolist(), *quat.normalize(turn).tolist()), hand=hand, shape=shape)


def _ways(fingers: ArrayLike, palm: ArrayLike) -> tuple[tuple[ArrayLike, str], ...]:
    return (fingers, "the fingers"), (palm, "the palm")


def check_size(size: ArrayLike, whose: str) -> tuple[float, float, float]:
    """Return full extents as three positive numbers; raises `InvalidValue`."""
    return _check_three(size, "size", whose, above=0.0, most=MAX_EXTENT_M)


def check_colour(colour: ArrayLike, whose: str) -> Colour:
    """Return a colour as three numbers from 0 to 1; raises `InvalidValue`."""
    return _check_three(colour, "colour", whose, above=-1e-12, most=1.0)


def _check_three(given: ArrayLike, what: str, whose: str, *, above: float, most: float) -> tuple[float, float, float]:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    # NaN is neither over nor under anything.
    if values.shape != (3,) or not ((values > above) & (values <= most)).all():
        raise InvalidValue(
            f"the {what} of {whose} must be three numbers over {max(above, 0):g} and up to {most:g}, got {given!r}"
        )
    x, y, z = values.tolist()
    return (x, y, z)


def _check_numbers(given: ArrayLike, count: int, what: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != (count,) or not (np.abs(values) <= MAX_EXTENT_M).all():
        raise InvalidValue(f"{what} must be {count} numbers of up to {MAX_EXTENT_M:g} m, got {given!r}")
    return values


def _check_pose(given: ArrayLike, whose: str) -> Pose:
    """Return a pose as seven numbers; a quaternion that is nearly unit is made so."""
    values = _check_numbers(given, 7, f"the pose of {whose} (x, y, z, qw, qx, qy, qz)")
    length = float(np.linalg.norm(values[3:]))
    if abs(length - 1.0) > 1e-3:
        raise InvalidValue(f"the rotation of {whose} must be a unit quaternion, got {given!r} of length {length:.4g}")
    # One that is unit to rounding stays as it is: written and read again it is the same to the last bit.
    turn = values[3:] if abs(length - 1.0) < 1e-12 else values[3:] / length
    return (*values[:3].tolist(), *turn.tolist())
