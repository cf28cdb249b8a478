"""Picking a box up and putting it down, from the floor to a high table.

The lower the box, the deeper the body goes: δ from 0 (standing) to 1 (hands at the floor) sets how far the hips sink
and go back and how far the trunk leans, a stoop at first and more and more of a squat:

    hips down ∝ δ^1.4          hips back ∝ δ          trunk ∝ δ^0.75

and the δ of a performance is the least at which the arms reach the sides of the box without being straight. As in
recordings the trunk leads on the way down (half its lean in the first third), and the hips on the way up.

    stand → down → hands close on the box → up, the box coming to the belly → stand carrying      (or the other way)

Events "grasp" and "release" have the box's pose relative to the body's planar pose at that moment. From one to the
other (or to the end of the clip) hands and box move as one. The body stands at the origin facing +x, the box before it.
Metres, degrees, seconds.
"""

from dataclasses import replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip, Event
from walkon.motion.skeleton import SIDES
from walkon.studio.arms import arm_length, shoulders_towards
from walkon.studio.carrying import (
    BOX_SIZE_M,
    CARRY_LEAN_BACK_DEG,
    BoxPoses,
    box_in_chest,
    box_on_chest,
    check_box,
    grip,
    hold_box,
)
from walkon.studio.performer import Casting, Performer, check_range
from walkon.studio.poise import FORWARD, Poise, curve_through, ease, hold, liven, neutral_poise
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

__all__ = ["FLOOR_HEIGHT_M", "MAX_SURFACE_HEIGHT_M", "TABLE_HEIGHT_M", "pick_up", "put_down"]

FLOOR_HEIGHT_M, TABLE_HEIGHT_M, MAX_SURFACE_HEIGHT_M = 0.0, 0.75, 0.88
"""m: what a box can stand on; the highest is about where a body of 1.75 m carries it."""
HIPS_DOWN_M, HIPS_BACK_M = 0.50, 0.24
"""m: hips at δ = 1; bodies of 1.75 m."""
PELVIS_LEAN_DEG, CHEST_LEAN_DEG, HEAD_LEAN_DEG = 28.0, 80.0, 54.0
"""Degrees forward at δ = 1."""
GRASP_REACH_BY_HEIGHT = ((0.0, 0.75), (0.935, 0.89))
"""Share of the arm's length at which a box is grasped (shoulders coming to help), at heights in m: near the floor
people stretch rather than sink."""
KNEE_TO_BOX_M = 0.085
"""m from the joint of the knee to a box that passes it; bodies of 1.75 m."""
MAX_CARRY_REACH_SHARE = 0.935
"""Share of the arm's length to which it is stretched while it carries the box."""
BOX_LAG_S = 0.12
"""s by which the box moves before the body does, or after it."""
BOX_DISTANCE_BY_HEIGHT_M = ((0.0, 0.2, 0.45, 0.6), (0.27, 0.32, 0.30, 0.24))
"""Heights in m, and m from the ankles to the back of a box there: past toes, past knees, or at the edge of a table."""
STILL_ENDS_S, HANDS_ON_BOX_S = 0.3, 0.34
"""s: standing at either end; hands on the box before it moves, or after it stands."""


Moments = tuple[float, float, float]
"""s: when the body is down, when it begins to rise, and when it has risen; it begins to bend at `STILL_ENDS_S`."""


def pick_up(
    height: float = TABLE_HEIGHT_M,
    *,
    size: ArrayLike = BOX_SIZE_M,
    distance: float | None = None,
    **casting: Unpack[Casting],
) -> Clip:
    """Pick a box up from a surface of this height (0, the floor, to 0.88 m) and stand holding it.

    `size` is m ahead, across and up; `distance` m from the ankles to the middle of the box (None: what suits). Labels:
    "pickup", and "carry" from the grasp on.
    """
    return _perform(Performer.of(**casting), height, size, distance, picking=True)


def put_down(
    height: float = TABLE_HEIGHT_M,
    *,
    size: ArrayLike = BOX_SIZE_M,
    distance: float | None = None,
    **casting: Unpack[Casting],
) -> Clip:
    """Put a held box down on a surface of this height (0, the floor, to 0.88 m) and stand.

    Begins in the pose in which `pick_up` ends. Labels: "putdown", and "carry" until the release.
    """
    return _perform(Performer.of(**casting), height, size, distance, picking=False)


def _perform(actor: Performer, height: float, size: ArrayLike, distance: float | None, *, picking: bool) -> Clip:
    sides = check_box(size)
    check_range("height", height, FLOOR_HEIGHT_M, MAX_SURFACE_HEIGHT_M * actor.scale, "m")
    if distance is None:
        distance = actor.scale * float(np.interp(height, *BOX_DISTANCE_BY_HEIGHT_M)) + 0.5 * sides[0]
    check_range("distance", distance, 0.15, 0.8, "m")
    rest = np.array([distance, 0.0, height + 0.5 * sides[2]])
    depth = _depth(actor, rest, sides, float(np.interp(height, *GRASP_REACH_BY_HEIGHT)))
    tempo = float(np.clip(1.0 + 0.07 * actor.style.life * actor.rng.standard_normal(), 0.85, 1.2))
    tempo *= float(np.clip(1.0 + 0.02 * (actor.style.slump + actor.style.lean - 2.0), 0.9, 1.25)) * actor.scale**0.5
    bottom = STILL_ENDS_S + tempo * (0.55 + 0.45 * depth)
    leave = bottom + HANDS_ON_BOX_S * tempo
    end = leave + tempo * (0.75 + 0.40 * depth) + STILL_ENDS_S
    when, t = (bottom, leave, end - STILL_ENDS_S), actor.frames(end)
    grasp = float(np.round(0.5 * (bottom + leave) * actor.fps) / actor.fps)

    poise = _poise(t, actor, depth, when, picking=picking)
    poise = liven(poise, actor, ends=(0.3, 0.3), hips=0.6)
    held = t >= grasp if picking else t <= grasp
    labels = {"pickup" if picking else "putdown": np.ones(len(t), bool), "carry": held}
    name = f"{actor.style.name} {'picks up' if picking else 'puts down'} a box at {height:.2f} m"
    clip = hold(poise, actor, labels=labels, name=name)
    box = _box_way(clip, actor, rest, sides, when=when, t=t, picking=picking)
    near, opened = _hands(t, when, picking=picking)
    clip = hold_box(clip, box, size=sides, scale=actor.scale, weight=near, open_by=actor.scale * opened)
    frame = clip.frame_at(grasp)
    here = planar.inverse(clip.planar_poses[frame])
    place, turned = planar.apply_3d(here, box[0][frame]), quat.multiply(quat.turn(here[2]), box[1][frame])
    event = Event(
        time=grasp,
        kind="grasp" if picking else "release",
        joints=("LeftHand", "RightHand"),
        object_pose=(*place.tolist(), *turned.tolist()),
    )
    return replace(clip, events=(event,))


def _bend_body(actor: Performer, *, hips: Array, trunk: Array) -> Poise:
    """Return the poise with hips and trunk at depths [T]; the head looks down at the box."""
    poise = neutral_poise(actor, len(hips))
    lean, sunk = (np.clip(trunk, 0.0, None) ** 0.75)[:, None], np.clip(hips, 0.0, None)
    return poise._replace(
        hips=actor.scale * np.stack([-HIPS_BACK_M * sunk, np.zeros_like(sunk), -HIPS_DOWN_M * sunk**1.4], axis=1),
        pelvis=poise.pelvis + PELVIS_LEAN_DEG * lean * FORWARD,
        chest=poise.chest + CHEST_LEAN_DEG * lean * FORWARD,
        head=poise.head + HEAD_LEAN_DEG * lean * FORWARD,
        # Arms go on hanging down from a chest that leans.
        arms=poise.arms + 0.9 * CHEST_LEAN_DEG * lean[:, None] * np.array([1.0, 0.0, 0.0, 0.0]),
    )


def _depth(actor: Performer, rest: Array, size: tuple[float, float, float], comfort: float) -> float:
    """Return the least depth at which both hands reach a box at rest."""
    depths = np.linspace(0.0, 1.0, 201)
    clip = hold(_bend_body(actor, hips=depths, trunk=depths), actor, labels=(), name="")
    place, _ = grip(size, side=0, scale=actor.scale)
    wrists = np.tile(rest + place, (len(depths), 1))
    arm = arm_length(actor.skeleton)
    far = np.linalg.norm(wrists - shoulders_towards(clip, side=0, wrists=wrists), axis=1)
    reached = np.flatnonzero(far <= comfort * arm)
    if len(reached) == 0:
        raise InvalidValue(
            f"the box is out of reach: its middle is {rest[0]:.2f} m ahead and {rest[2]:.2f} m high, and the hands "
            f"stay {far.min() - comfort * arm:.2f} m away; bring it nearer with distance=..., or make it smaller"
        )
    return float(depths[reached[0]])


def _poise(t: Array, actor: Performer, depth: float, when: Moments, *, picking: bool) -> Poise:
    bottom, leave, risen = when
    downward = STILL_ENDS_S + (bottom - STILL_ENDS_S) * np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    knots = np.concatenate([downward, leave + (risen - leave) * np.array([0.0, 0.25, 0.5, 0.75, 1.0])])
    # Down: the trunk leads. Up: the hips lead.
    hips = curve_through(
        t, knots, depth * np.array([0.0, 0.06, 0.30, 0.66, 0.93, 1.0, 1.0, 0.66, 0.26, 0.05, 0.0]), soft=0.06
    )
    trunk = curve_through(
        t, knots, depth * np.array([0.0, 0.20, 0.55, 0.84, 0.98, 1.0, 1.0, 0.92, 0.58, 0.18, 0.0]), soft=0.06
    )
    poise = _bend_body(actor, hips=hips, trunk=trunk)
    back = CARRY_LEAN_BACK_DEG * _held_share(t, bottom, leave, risen, picking=picking)
    # Looking at the box comes before bending to it, and ends before standing straight.
    look = ease((t - STILL_ENDS_S + 0.25) / 0.5) * ease((risen - 0.25 * (risen - leave) - t) / 0.6)
    return poise._replace(
        chest=poise.chest - back[:, None] * FORWARD, head=poise.head + (12.0 * look)[:, None] * FORWARD
    )


def _held_share(t: Array, bottom: float, leave: float, risen: float, *, picking: bool) -> Array:
    """Return how far the box is on its way from rest, 0, to the belly, 1."""
    return ease((t - leave) / (risen - leave)) if picking else 1.0 - ease((t - STILL_ENDS_S) / (bottom - STILL_ENDS_S))


def _box_way(
    clip: Clip,
    actor: Performer,
    rest: Array,
    size: tuple[float, float, float],
    *,
    when: Moments,
    t: Array,
    picking: bool,
) -> BoxPoses:
    """Return the box: at rest, on its way between rest and belly within reach of the arms, or held."""
    places, held = box_on_chest(clip, box_in_chest(actor, size))
    # It leaves a little before the body rises and stands a little after the body is down: arms are never pulled long.
    bottom, leave = when[0] + BOX_LAG_S, when[1] - BOX_LAG_S
    share = _held_share(t, bottom, leave, when[2], picking=picking)
    moving = ease((t - leave if picking else bottom - t) / 0.18)
    # Up before back, out before down: clear of knees and of the table's edge.
    up, near = 1.0 - (1.0 - share) ** 1.3, share**2.2
    middle = rest + (places - rest) * np.stack([near, near, up], axis=1)
    # It is kept level as long as the trunk is bent.
    rotations = quat.slerp(np.tile(quat.IDENTITY, (len(t), 1)), held, near**4)
    for _ in range(3):
        middle[:, 0] += moving * _past_knees(clip, middle, size, actor.scale)
        middle += moving[:, None] * _within_reach(clip, middle, rotations, size, actor.scale)
    return middle, rotations


def _within_reach(clip: Clip, middle: Array, rotations: Array, size: tuple[float, float, float], scale: float) -> Array:
    """Return [T, 3] m by which a box must be nearer to the shoulders for both hands to reach it."""
    moves = np.zeros_like(middle)
    longest = MAX_CARRY_REACH_SHARE * arm_length(clip.skeleton)
    for side in range(len(SIDES)):
        wrists = middle + quat.rotate(rotations, grip(size, side=side, scale=scale)[0])
        away = wrists - shoulders_towards(clip, side=side, wrists=wrists)
        far = np.linalg.norm(away, axis=1)
        excess = 0.5 * (far - longest + np.hypot(far - longest, 0.02))
        moves -= 0.5 * (excess / far)[:, None] * away
    return moves


def _past_knees(clip: Clip, middle: Array, size: tuple[float, float, float], scale: float) -> Array:
    """Return [T] m by which a box must be further ahead to pass the knees, where it is as high as they are."""
    knees = np.mean([clip.world.positions[:, clip.skeleton.role(f"{side}_knee")] for side in SIDES], axis=0)
    short = knees[:, 0] + scale * KNEE_TO_BOX_M + 0.5 * size[0] - middle[:, 0]
    level = ease((middle[:, 2] + 0.5 * size[2] - knees[:, 2]) / 0.15 + 1.0)
    level = level * ease((knees[:, 2] - middle[:, 2] + 0.5 * size[2]) / 0.15 + 1.0)
    push = level * 0.5 * (short + np.hypot(short, 0.02))
    # Long before and after: a box does not swerve.
    wide = maximum_filter1d(push, 2 * max(1, round(0.14 * clip.fps)) + 1, mode="nearest")
    return np.asarray(gaussian_filter1d(wide, 0.09 * clip.fps, mode="nearest"))


def _hands(t: Array, when: Moments, *, picking: bool) -> tuple[Array, Array]:
    """Return how near the hands are to the box, 0 to 1, and how far they are open, m."""
    bottom, leave, risen = when
    if picking:
        near = ease((t - STILL_ENDS_S - 0.05) / (bottom - STILL_ENDS_S))
        return near, 0.075 * (1.0 - ease((t - bottom + 0.12) / (0.12 + 0.4 * (leave - bottom))))
    middle = 0.5 * (bottom + leave)
    near = 1.0 - ease((t - middle - 0.06) / (0.8 * (risen - leave)))
    return near, 0.075 * ease((t - middle - 0.02) / 0.35)
