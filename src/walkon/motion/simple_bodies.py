"""Simple bodies that are no persons: a bird with two wings to flap, and a car on four wheels to turn.

Small skeletons with tapered capsules for drawing, sized in metres, facing +x. They follow tracks at rest, or play clips
along them (`TakeWriter.follow`): a bird's joints are Body, LeftWing and RightWing, which turn about the way it flies,
and the outer halves of both; a car's are Body and its wheels, which turn about their axles. A bird's root is in its
middle, a car's on the road between its wheels, so that a track on the floor is where it drives.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.body import DENSITY_KG_M3, Body
from walkon.motion.skeleton import Skeleton

__all__ = ["make_bird", "make_car"]

BIRD_COLOUR, CAR_COLOUR = (0.42, 0.44, 0.48), (0.55, 0.22, 0.20)
BIRD_MASS_KG_M3 = 0.45
"""Mass over the cube of the wingspan: 0.45 kg at 1 m, a crow."""
CAR_DENSITY_SHARE = 0.18
"""Of that of water: a car is mostly empty."""

Joint = tuple[str, str | None, tuple[float, float, float]]
"""Name, the joint that it hangs on, and where, over the size of the body."""
Flesh = tuple[str, str, tuple[float, float, float], tuple[float, float, float], tuple[float, float]]
"""Joint, part, both ends in the joint's frame, and radii."""
TYRE_SIDES = 10


def make_bird(wingspan: float = 1.0, *, colour: tuple[float, float, float] = BIRD_COLOUR) -> Body:
    """Return a bird with wings outstretched, so many metres from tip to tip."""
    joints: list[Joint] = [("Body", None, (0.0, 0.0, 0.0)), ("Head", "Body", (0.17, 0.0, 0.045))]
    flesh: list[Flesh] = [
        ("Body", "trunk", (0.10, 0.0, 0.005), (-0.08, 0.0, 0.0), (0.062, 0.050)),
        ("Body", "trunk", (-0.08, 0.0, 0.0), (-0.24, 0.0, 0.005), (0.045, 0.012)),
        ("Body", "tail", (-0.20, 0.018, 0.005), (-0.32, 0.045, 0.010), (0.014, 0.010)),
        ("Body", "tail", (-0.20, 0.0, 0.005), (-0.33, 0.0, 0.010), (0.014, 0.012)),
        ("Body", "tail", (-0.20, -0.018, 0.005), (-0.32, -0.045, 0.010), (0.014, 0.010)),
        ("Body", "trunk", (0.10, 0.0, 0.005), (0.16, 0.0, 0.040), (0.055, 0.038)),
        ("Head", "crown", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.045, 0.045)),
        ("Head", "beak", (0.030, 0.0, -0.004), (0.080, 0.0, -0.012), (0.016, 0.004)),
    ]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints += [
            (f"{side}Wing", "Body", (0.03, 0.045 * sign, 0.025)),
            (f"{side}WingTip", f"{side}Wing", (0.0, 0.21 * sign, 0.0)),
        ]
        for behind, radius in ((0.0, 0.017), (-0.035, 0.014), (-0.07, 0.011), (-0.10, 0.008)):  # broad and thin
            inner = (behind, 0.0, 0.0), (0.85 * behind, 0.21 * sign, 0.0)
            outer = (0.85 * behind, 0.0, 0.0), (0.7 * behind - 0.035, (0.225 + 0.9 * behind) * sign, 0.0)
            flesh.append((f"{side}Wing", "wing", *inner, (radius + 0.004, radius)))
            flesh.append((f"{side}WingTip", "wing", *outer, (radius, 0.008)))
    return _build(joints, flesh, "wingspan", wingspan, colour=colour, mass=BIRD_MASS_KG_M3 * wingspan**3)


def make_car(
    length: float = 4.3,
    *,
    width: float = 1.75,
    height: float = 1.5,
    colour: tuple[float, float, float] = CAR_COLOUR,
) -> Body:
    """Return a car of these sizes in metres, its wheels on z = 0 under the root, which is between them."""
    for name, value in (("length", length), ("width", width), ("height", height)):
        _check_size(name, value)
    W, H = width / length, height / length
    joints: list[Joint] = [("Body", None, (0.0, 0.0, 0.0))]
    flesh: list[Flesh] = []
    low, roof = 0.19 * H, 0.10 * H
    for y in np.linspace(-1.0, 1.0, 8) * (0.5 * W - low):  # from bonnet to boot, bars side by side
        flesh.append(("Body", "hull", (0.5 - low, y, 0.38 * H), (-0.5 + low, y, 0.40 * H), (0.95 * low, low)))
    for y in np.linspace(-1.0, 1.0, 11) * (0.44 * W - roof):
        corners = ((0.17, 0.52 * H), (0.05, H - roof), (-0.22, H - 1.1 * roof), (-0.36, 0.55 * H))
        for ((x0, z0), (x1, z1)), part in zip(pairwise(corners), ("window", "roof", "window"), strict=True):
            r = roof if part == "roof" else 0.96 * roof
            flesh.append(("Body", part, (x0, y, z0), (x1, y, z1), (r, r)))
    for sign in (1.0, -1.0):
        side = (0.04, 0.40 * sign * W, 0.68 * H), (-0.24, 0.40 * sign * W, 0.68 * H)
        flesh.append(("Body", "window", *side, (0.96 * roof, 0.96 * roof)))
    wheel, tread = 0.21 * H, 0.055 * H
    for name, x, sign in (
        ("FrontLeft", 0.30, 1.0),
        ("FrontRight", 0.30, -1.0),
        ("BackLeft", -0.30, 1.0),
        ("BackRight", -0.30, -1.0),
    ):
        joints.append((f"{name}Wheel", "Body", (x, (0.5 * W - 0.8 * tread) * sign, wheel)))
        rim = [
            ((wheel - tread) * float(np.cos(a)), 0.0, (wheel - tread) * float(np.sin(a)))
            for a in np.linspace(0.0, 2.0 * np.pi, TYRE_SIDES + 1)
        ]
        for here, there in pairwise(rim):
            flesh.append((f"{name}Wheel", "tyre", here, there, (tread, tread)))
        hub = (0.0, -0.6 * tread * sign, 0.0), (0.0, 0.0, 0.0)
        flesh.append((f"{name}Wheel", "hub", *hub, (0.075 * H, 0.04 * H)))
    mass = CAR_DENSITY_SHARE * DENSITY_KG_M3 * length * width * height
    return _build(joints, flesh, "length", length, colour=colour, mass=mass)


def _build(
    joints: Sequence[Joint],
    flesh: Sequence[Flesh],
    name: str,
    size: float,
    *,
    colour: tuple[float, float, float],
    mass: float,
) -> Body:
    """Return a body whose joints and flesh are given over its size in metres; its mass is shared out by volume."""
    _check_size(name, size)
    names = [joint for joint, _, _ in joints]
    skeleton = Skeleton(
        names=tuple(names),
        parents=np.array([-1 if parent is None else names.index(parent) for _, parent, _ in joints]),
        offsets=size * np.array([place for _, _, place in joints]),
    )
    held = np.array([names.index(piece[0]) for piece in flesh])
    starts, ends, radii = (size * np.array([piece[k] for piece in flesh]) for k in (2, 3, 4))
    volumes = _weigh(starts, ends, radii)
    middles = skeleton.rest_positions[held, 2, None] + np.stack([starts[:, 2], ends[:, 2]], axis=1)
    return Body(
        skeleton=skeleton,
        capsule_joints=held,
        capsule_starts=starts,
        capsule_ends=ends,
        capsule_radii=radii,
        capsule_parts=tuple(piece[1] for piece in flesh),
        masses=mass * np.bincount(held, volumes, len(names)) / volumes.sum(),
        height=float((middles + radii).max() - (middles - radii).min()),
        colour=colour,
    )


def _weigh(starts: Array, ends: Array, radii: Array) -> Array:
    """Return about how much space capsules take, by which the mass is shared out."""
    mean = radii.mean(axis=1)
    return np.asarray(np.pi * mean**2 * (np.linalg.norm(ends - starts, axis=1) + 4.0 / 3.0 * mean))


def _check_size(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0.0):
        raise InvalidValue(f"{name} must be a positive number of metres, got {value}")
