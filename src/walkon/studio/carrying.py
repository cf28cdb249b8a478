"""A box in both hands: where it is held, how the hands hold it, and walking with it.

The box is held in front of the belly, fixed to the chest; its own axes are x ahead, y left, z up when held. Each hand
lies flat on one side of it, wrist near its back edge, fingers forward and down, and moves with it exactly:

    box = chest ∘ HELD        wrist = box ∘ GRIP

As in recorded carriers the wrists are a hand's breadth ahead of the hip joints, elbows bent by about 80 degrees, the
trunk a few degrees further back, and pelvis and shoulders turn less than in a free walk. Metres, degrees, seconds.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES
from walkon.studio.arms import hand_rotation, reach
from walkon.studio.performer import OUTWARD, Performer, Style, check_range, named_style
from walkon.studio.poise import hold, neutral_poise
from walkon.studio.walk import walk
from walkon.transforms import quaternions as quat

__all__ = [
    "BOX_SIZE_M",
    "BoxPoses",
    "box_in_chest",
    "box_on_chest",
    "carry",
    "carry_walk",
    "check_box",
    "grip",
    "hold_box",
]

BOX_SIZE_M = (0.30, 0.40, 0.25)
"""m ahead, across and up: the box unless told otherwise."""
HOLDABLE_RANGES_M = ((0.12, 0.5), (0.2, 0.6), (0.08, 0.5))
"""m, least and largest depth, width and height of a box that two hands can hold."""
CARRY_LEAN_BACK_DEG = 3.5
"""Degrees by which the trunk is further back with a box in front."""
WRISTS_ABOVE_HIPS_M, HIPS_TO_BOX_M = 0.115, 0.135
"""m: wrists above the hip joints, and from the hip joints ahead to the back of the box; bodies of 1.75 m."""
CARRY_ELBOW_DIRECTION = (-0.75, 0.55, -0.35)
"""Where elbows point when holding a box, see `walkon.studio.arms`."""


BoxPoses = tuple[Array, Array]
"""A box over T frames: its middle [T, 3] m and its rotations [T, 4], box → world."""


def check_box(size: ArrayLike) -> tuple[float, float, float]:
    """Return a box's size, or refuse one that two hands cannot hold."""
    sides = np.asarray(size, dtype=np.float64)
    if sides.shape != (3,):
        raise InvalidValue(f"size must be three lengths (ahead, across, up), got {size!r}")
    for name, value, (low, high) in zip(("depth", "width", "height"), sides, HOLDABLE_RANGES_M, strict=True):
        check_range(f"the box's {name}", float(value), low, high, "m")
    return float(sides[0]), float(sides[1]), float(sides[2])


def grip(size: tuple[float, float, float], *, side: int, scale: float) -> tuple[Array, Array]:
    """Return where the wrist is in the box's frame [3] and the hand's rotation there [4]."""
    depth, width, height = size
    back, sign = min(0.115 * scale, 0.5 * depth), OUTWARD[side]
    place = np.array([-back, sign * (0.5 * width + 0.028 * scale), min(0.045 * scale, 0.3 * height)])
    return place, hand_rotation([0.74, -0.10 * sign, -0.62], [0.0, -sign, 0.0], side=side)


def hold_box(
    clip: Clip,
    box: BoxPoses,
    *,
    size: tuple[float, float, float],
    scale: float,
    weight: Array,
    open_by: Array | float = 0.0,
) -> Clip:
    """Put both hands on a box; `weight` [T] as in `reach`, `open_by` [T] m how far each hand is off its side."""
    off = np.broadcast_to(np.asarray(open_by, dtype=np.float64), (len(clip),))
    for side, sign in enumerate(OUTWARD):
        place, turned = grip(size, side=side, scale=scale)
        at = place + off[:, None] * np.array([-0.3, sign, 0.45])
        wrists = box[0] + quat.rotate(box[1], at)
        clip = reach(
            clip,
            side=side,
            wrists=wrists,
            hands=quat.multiply(box[1], turned),
            elbows=CARRY_ELBOW_DIRECTION,
            weight=weight,
        )
    return clip


def box_in_chest(actor: Performer, size: tuple[float, float, float]) -> tuple[Array, Array]:
    """Return the held box's place [3] and rotation [4] in the frame of the chest."""
    poise = neutral_poise(actor, 1)
    still = hold(poise._replace(chest=poise.chest - [0.0, CARRY_LEAN_BACK_DEG, 0.0]), actor, labels=(), name="")
    skeleton, positions = actor.skeleton, still.world.positions[0]
    hips = np.mean([positions[skeleton.role(f"{side}_hip")] for side in SIDES], axis=0)
    wrist, _ = grip(size, side=0, scale=actor.scale)
    middle = hips + np.array(
        [actor.scale * HIPS_TO_BOX_M + 0.5 * size[0], 0.0, actor.scale * WRISTS_ABOVE_HIPS_M - wrist[2]]
    )
    chest = skeleton.role("chest")
    back = quat.conjugate(still.world.rotations[0, chest])
    return quat.rotate(back, middle - positions[chest]), back


def box_on_chest(clip: Clip, held: tuple[Array, Array]) -> BoxPoses:
    """Return the box that is fixed to the chest of a clip."""
    chest = clip.skeleton.role("chest")
    turned = clip.world.rotations[:, chest]
    return clip.world.positions[:, chest] + quat.rotate(turned, held[0]), quat.multiply(turned, held[1])


def carry(clip: Clip, *, size: ArrayLike = BOX_SIZE_M, style: Style | str = "neutral") -> Clip:
    """Return a clip of the performer (a walk, a turn) with a box in its hands, and the label "carry".

    The legs are untouched, so contacts stay exact; the chest turns less against the pelvis and leans further back.
    """
    sides = check_box(size)
    actor = Performer.of(0, skeleton=clip.skeleton, style=style, fps=clip.fps)
    rotations = np.array(clip.local_rotations)
    lean = np.deg2rad(CARRY_LEAN_BACK_DEG)
    for name, share in (("Spine", 0.30), ("Spine1", 0.35), ("Spine2", 0.35)):
        joint = clip.skeleton.index(name)
        bend = quat.log(rotations[:, joint]) * np.array([0.9, 1.0, 0.6])
        rotations[:, joint] = quat.exp(bend - share * lean * np.array([0.0, 1.0, 0.0]))
    changed = clip.with_motion(clip.root_positions, rotations)
    # The head stays as it was in the world.
    neck, head = clip.skeleton.role("neck"), clip.skeleton.role("head")
    above = changed.world.rotations[:, clip.skeleton.parents[neck]]
    half = quat.exp(0.5 * quat.log(quat.multiply(quat.conjugate(above), clip.world.rotations[:, head])))
    rotations[:, neck] = rotations[:, head] = half
    changed = clip.with_motion(clip.root_positions, rotations)
    box = box_on_chest(changed, box_in_chest(actor, sides))
    held = hold_box(changed, box, size=sides, scale=actor.scale, weight=np.ones(len(clip)))
    return replace(held, labels={**held.labels, "carry": np.ones(len(clip), bool)}, name=f"{clip.name}, carrying")


def carry_walk(
    *, size: ArrayLike = BOX_SIZE_M, speed: float | ArrayLike = 0.9, style: Style | str = "neutral", **walking: Any
) -> Clip:
    """Walk with a box in both hands: the arguments of `walk`, at 0.9 m/s unless told otherwise."""
    free = named_style(style)
    loaded = replace(free, pelvis=0.8 * free.pelvis, shoulders=0.7 * free.shoulders)
    return carry(walk(speed=speed, style=loaded, **walking), size=size, style=loaded)
