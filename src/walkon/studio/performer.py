"""Who performs, and how: a body, a style, a frame rate, and chance. Every performance begins by checking them.

A style is a handful of numbers, each with its unit and what moving it does. The norms themselves (cadence, joint curves
over the cycle, how they grow with speed) are not here: a style scales and shifts them. `NEUTRAL`, `TIRED` and `BRISK`
are three characters; `STYLES` finds them by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion.skeleton import Skeleton
from walkon.studio.skeleton import LEG_SHARE, OUTWARD, STATURE_M, check_range, performer_skeleton

__all__ = [
    "BRISK",
    "GRAVITY_M_S2",
    "HIP_HEIGHT_M",
    "MAX_CLIP_S",
    "MIN_STANDING_HALF_WIDTH_M",
    "NEUTRAL",
    "OUTWARD",
    "STYLES",
    "TIRED",
    "Casting",
    "Performer",
    "Style",
    "check_choice",
    "check_range",
    "named_style",
]

GRAVITY_M_S2 = 9.81
HIP_HEIGHT_M = 0.53 * STATURE_M
"""m, the hips of a body of 1.75 m."""
MAX_CLIP_S = 3600.0
"""s, longer clips are a mistake in nearly all cases."""
MIN_STANDING_HALF_WIDTH_M = 0.065
"""m, each foot beside the middle when standing, at least; of a body of 1.75 m."""


def check_choice(name: str, value: str | None, choices: Sequence[str | None]) -> None:
    """Refuse a value that is none of the choices, naming them."""
    if value not in choices:
        listed = " or ".join(repr(choice) for choice in choices if choice)
        raise InvalidValue(f"{name} must be {listed}, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class Style:
    """One way of walking."""

    name: str = "neutral"
    walk_ratio: float = 0.0063
    """m per (steps/min), of a 1.75 m body. Larger: longer, slower steps at the same speed."""
    step_width: float = 0.090
    """m between the ankles' lines of travel. Larger: more sway, a heavier gait."""
    toe_out: float = 6.0
    """Degrees by which each foot points outward."""
    heel_strike: float = 1.0
    """Factor on the pitch at landing. Smaller: flatter, shuffling steps."""
    push_off: float = 1.0
    """Factor on the pitch at lift-off. Smaller: less drive, and the hips come down a little."""
    lift: float = 1.06
    """Factor on the height of the swinging foot."""
    knee: float = 10.0
    """Degrees, the straightest that a knee becomes. Larger: the hips sink and the walk looks soft or old."""
    bounce: float = 1.0
    """Factor on the rise and fall of the hips."""
    sway: float = 1.0
    """Factor on the hips' way from side to side."""
    pelvis: float = 1.0
    """Factor on the turning and listing of the pelvis."""
    shoulders: float = 1.0
    """Factor on the turning and tilting of the chest."""
    arm_swing: float = 1.0
    """Factor on the swing of arms and elbows. People differ by a factor of three."""
    elbow: float = 0.0
    """Degrees added to the bend of the elbows."""
    lean: float = 2.0
    """Degrees by which the trunk leans forward."""
    slump: float = 0.0
    """Degrees by which the upper back rounds more than the lower."""
    gaze: float = -3.0
    """Degrees of the head's pitch; negative looks down."""
    life: float = 1.0
    """Factor on everything irregular: step to step, sway, arms, glances. 0 is a machine."""

    def __post_init__(self) -> None:
        for name, (low, high) in STYLE_RANGES.items():
            check_range(f"Style.{name}", getattr(self, name), low, high)


STYLE_RANGES = {
    "walk_ratio": (0.0045, 0.0085),
    "step_width": (0.0, 0.3),
    "toe_out": (-15.0, 30.0),
    "heel_strike": (0.0, 1.5),
    "push_off": (0.5, 1.3),
    "lift": (0.5, 2.0),
    "knee": (3.0, 40.0),
    "bounce": (0.0, 2.0),
    "sway": (0.0, 2.0),
    "pelvis": (0.0, 2.0),
    "shoulders": (0.0, 3.0),
    "arm_swing": (0.0, 3.0),
    "elbow": (-15.0, 60.0),
    "lean": (-5.0, 20.0),
    "slump": (0.0, 30.0),
    "gaze": (-40.0, 20.0),
    "life": (0.0, 2.0),
}
"""Field → least and largest value with which a walk still works."""

NEUTRAL = Style()
TIRED = Style(
    name="tired",
    walk_ratio=0.0060,
    step_width=0.112,
    toe_out=9.0,
    heel_strike=0.75,
    push_off=0.9,
    lift=0.9,
    knee=13.0,
    sway=1.2,
    bounce=0.8,
    pelvis=0.8,
    arm_swing=0.65,
    elbow=-6.0,
    lean=5.0,
    slump=8.0,
    gaze=-10.0,
    life=1.2,
)
BRISK = Style(
    name="brisk",
    walk_ratio=0.0060,
    step_width=0.086,
    toe_out=5.0,
    heel_strike=1.1,
    push_off=1.05,
    bounce=1.1,
    sway=0.9,
    pelvis=1.15,
    shoulders=1.3,
    arm_swing=1.4,
    elbow=10.0,
    lean=3.5,
    gaze=-1.0,
)
STYLES = {style.name: style for style in (NEUTRAL, TIRED, BRISK)}


def named_style(style: Style | str) -> Style:
    """Return a style as it is, or the one of that name."""
    if isinstance(style, Style):
        return style
    if style not in STYLES:
        raise UnknownName.among("style", style, STYLES)
    return STYLES[style]


class Casting(TypedDict, total=False):
    """Who performs, as every action can be asked for: see `Performer.of` for the defaults."""

    seed: int | np.random.Generator
    """The same seed gives the same performance."""
    skeleton: Skeleton | None
    """Of `performer_skeleton`; None is a body of 1.75 m."""
    style: Style | str
    """A style, or its name."""
    fps: float
    """Frames per second, 10 to 1000."""


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
        cls,
        seed: int | np.random.Generator = 0,
        skeleton: Skeleton | None = None,
        style: Style | str = "neutral",
        fps: float = 60.0,
    ) -> "Performer":
        """Check what a performance was asked for with."""
        if not isinstance(seed, np.random.Generator) and (
            isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0
        ):
            raise InvalidValue(f"seed must be a whole number from 0, or a numpy Generator, got {seed!r}")
        check_range("fps", fps, 10.0, 1000.0)
        default = performer_skeleton()
        skeleton = default if skeleton is None else skeleton
        if skeleton.names != default.names:
            raise InvalidValue(
                f"the studio's performer has its own joints, but the skeleton has {len(skeleton)} others; "
                "make it with walkon.studio.performer_skeleton(height=...), and retarget the clip to other bodies"
            )
        bones = skeleton.offsets[[skeleton.role("left_knee"), skeleton.role("left_ankle")]]
        scale = float(np.linalg.norm(bones, axis=1).sum()) / (LEG_SHARE * STATURE_M)
        return cls(skeleton, scale, named_style(style), np.random.default_rng(seed), float(fps))

    @property
    def half_width(self) -> float:
        """Metres from the middle to each ankle when standing."""
        return max(0.5 * self.style.step_width, MIN_STANDING_HALF_WIDTH_M) * self.scale

    def frames(self, duration: float) -> Array:
        """Return the times [T] s of the frames of a performance of that length."""
        return np.arange(round(duration * self.fps) + 1) / self.fps
