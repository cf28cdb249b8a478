"""Who performs: a body, a way of moving, a frame rate, and chance. Every performance begins by checking them."""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.skeleton import Skeleton
from walkon.studio.skeleton import LEG_SHARE, STATURE, performer_skeleton
from walkon.studio.styles import Style, named_style

__all__ = ["LONGEST", "Performer", "within"]

LONGEST = 3600.0
"""s, longer clips are a mistake in nearly all cases."""


class Performer(NamedTuple):
    """Who performs."""

    skeleton: Skeleton
    scale: float
    """Size of the legs over those of a body of 1.75 m."""
    style: Style
    rng: np.random.Generator
    fps: float

    @classmethod
    def of(
        cls, seed: int | np.random.Generator, *, skeleton: Skeleton | None, style: Style | str, fps: float
    ) -> "Performer":
        """Check what a performance was asked for with."""
        if not isinstance(seed, np.random.Generator) and (
            isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0
        ):
            raise InvalidValue(f"seed must be a whole number from 0, or a numpy Generator, got {seed!r}")
        within("fps", fps, 10.0, 1000.0)
        default = performer_skeleton()
        skeleton = default if skeleton is None else skeleton
        if skeleton.names != default.names:
            raise InvalidValue(
                f"the studio's performer has its own joints, but the skeleton has {len(skeleton)} others; "
                "make it with walkon.studio.performer_skeleton(height=...), and retarget the clip to other bodies"
            )
        bones = skeleton.offsets[[skeleton.role("left_knee"), skeleton.role("left_ankle")]]
        scale = float(np.linalg.norm(bones, axis=1).sum()) / (LEG_SHARE * STATURE)
        return cls(skeleton, scale, named_style(style), np.random.default_rng(seed), float(fps))

    def frames(self, duration: float) -> Array:
        """Return the times [T] s of the frames of a performance of that length."""
        return np.arange(round(duration * self.fps) + 1) / self.fps


def within(name: str, value: float, low: float, high: float, unit: str = "") -> None:
    """Refuse a value outside its range, naming both."""
    if not (np.isfinite(value) and low <= value <= high):
        raise InvalidValue(f"{name} must be {low:g} to {high:g}{unit and ' ' + unit}, got {value}")
