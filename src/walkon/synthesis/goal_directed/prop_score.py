"""The props of a scene as rows of a take: at rest, in hands from grasp to release, at rest where they were put; or on
their tracks.

The hold is measured on the body as it is posed, planted feet, scale, warps and all: with the joints' posed poses J and
the prop's resting poses X before and Z after,

    A_j = J_j(grasp)⁻¹ ∘ X          B_j = J_j(release)⁻¹ ∘ Z

A prop held by A_j leaves its place without a jump, one held by B_j arrives at the asked place without one. Were hands
and prop rigid, A and B would be equal; recordings, the cutting of edges and planting leave tenths of a millimetre
between them (and all of what a director asks beyond what hands were recorded to do). The hold goes evenly from A to B
over the whole time: the prop settles in the hand unseen. Of several joints the first carries it; hands among the others
grip it where their palms are when they grasp, and from there evenly to where they are when they release.
Metres, seconds, poses [7] = (x, y, z, qw, qx, qy, qz).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.motion.skeleton import SIDES
from walkon.script.scene import PlacedProp
from walkon.synthesis.goal_directed.lifting import prop_pose
from walkon.take.posing.posing import pose_pairs
from walkon.take.posing.props import palm_poses
from walkon.take.storing.writer import TakeWriter
from walkon.take.take import Take
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

__all__ = ["HoldInterval", "WrittenProps", "write_props"]


HAND_FADE_S = 0.1
"""s in which the second hand comes and goes, which is where it grips already, and hands take their shape."""
HAND_SHAPE = "flat"
"""Of hands that lift: palms against the sides of a box."""


@dataclass(frozen=True, kw_only=True)
class HoldInterval:
    """A prop in somebody's hands from a time to another."""

    prop: int
    """Number of the prop in the scene."""
    character: int
    """Row of the take."""
    grasp: float
    release: float = inf
    """s; infinite: it is never put down, and leaves with its holder."""
    joints: tuple[int, ...]
    """Joints that hold it."""
    laid: Array | None = None
    """[7] where it stands afterwards (`laid_pose`); None: where the hands are then, upright."""


class WrittenProps(NamedTuple):
    """What came of it."""

    rows: IntArray
    """[P] rows of the take's props."""
    slips: Array
    """[D] m by which each deed's prop was moved in the hand between grasp and release."""
    turns: Array
    """[D] rad by which it was turned in them."""


def write_props(
    writer: TakeWriter,
    props: Sequence[PlacedProp],
    holds: Sequence[HoldInterval],
    *,
    start: float = 0.0,
    stop: float,
) -> WrittenProps:
    """Add the props of a scene to a take that lasts from `start` to `stop`, when everybody's segments are in it.

    Flushes the writer, because holds are measured on planted bodies.
    """
    numbers = np.array([writer.add_prop(placed.prop) for placed in props], np.int64)
    _check(props, holds, start, stop)
    slips, turns = np.zeros(len(holds)), np.zeros(len(holds))
    writer.flush()
    hands = _Hands(writer.take, holds, stop)
    rest, since = [prop_pose(placed) for placed in props], [start] * len(props)
    for d in sorted(range(len(holds)), key=lambda d: (holds[d].prop, holds[d].grasp)):
        held, row = holds[d], int(numbers[holds[d].prop])
        if held.grasp > since[held.prop]:
            writer.rest(row, rest[held.prop], start=since[held.prop], stop=held.grasp)
        first = last = rigid.relative(hands.grasping(d), rest[held.prop])
        if held.release < stop:
            laid = hands.left(d, first) if held.laid is None else np.asarray(held.laid, dtype=np.float64)
            last = rigid.relative(hands.releasing(d), laid)
            rest[held.prop] = laid
        slips[d] = np.linalg.norm(last[0, :3] - first[0, :3])
        turns[d] = quat.angle_between(first[0, 3:], last[0, 3:])
        since[held.prop] = min(held.release, stop)
        joint, end = hands.names(d)[0], since[held.prop]
        writer.attach(row, held.character, joint, pose=first[0], pose_stop=last[0], start=held.grasp, stop=end)
        around: dict[str, Any] = {"start": held.grasp, "stop": end, "fade_in": HAND_FADE_S, "fade_out": HAND_FADE_S}
        if carrying := hands.carrying(d):
            writer.shape_hand(held.character, carrying, HAND_SHAPE, **around)
        taken = rigid.compose(hands.grasping(d)[0], first[0])
        put = rigid.compose(hands.releasing(d)[0], last[0])
        for hand, palms in hands.gripping(d).items():
            writer.grip(
                held.character,
                hand,
                prop=row,
                pose=rigid.relative(taken, palms[0]),
                pose_stop=rigid.relative(put, palms[1]),
                shape=HAND_SHAPE,
                **around,
            )
    for row, placed, pose, left in zip(numbers.tolist(), props, rest, since, strict=True):
        if placed.track is not None:
            writer.ride(row, placed.track)
        elif left < stop:
            writer.rest(row, pose, start=left, stop=stop)
    return WrittenProps(numbers, slips, turns)


def _check(props: Sequence[PlacedProp], holds: Sequence[HoldInterval], start: float, stop: float) -> None:
    """Refuse deeds that cannot all happen."""
    if not stop > start:
        raise InvalidValue(f"a take with props must last a while, but ends at {stop:g} s and begins at {start:g} s")
    until = [(start, "the take begins")] * len(props)
    for held in sorted(holds, key=lambda held: held.grasp):
        if not 0 <= held.prop < len(props):
            raise InvalidValue(f"there is no prop {held.prop}; there are {len(props)}: place it in the scene first")
        name = props[held.prop].prop.name
        if not (held.grasp < held.release and held.grasp < stop):
            raise InvalidValue(
                f"{name!r} must be grasped before it is released and before the take ends at {stop:g} s, got "
                f"{held.grasp:g} to {held.release:g} s"
            )
        if props[held.prop].track is not None:
            raise InvalidValue(f"{name!r} is on a track and cannot be grasped; let it rest, or leave it alone")
        if not held.joints:
            raise InvalidValue(f"{name!r} must be held by at least one joint, at {held.grasp:g} s it is by none")
        free, why = until[held.prop]
        if held.grasp < free:
            raise InvalidValue(
                f"{name!r} cannot be grasped at {held.grasp:g} s, before {why} at {free:g} s; let one deed wait "
                "for the other"
            )
        until[held.prop] = held.release, "it is put down"


class _Hands:
    """The joints of all deeds, posed when they grasp and when they release."""

    def __init__(self, take: Take, holds: Sequence[HoldInterval], stop: float) -> None:
        who = np.array([held.character for held in holds] * 2, np.int64)
        when = np.array([held.grasp for held in holds] + [min(held.release, stop) for held in holds])
        self._take, self._holds = take, holds
        self._poses = pose_pairs(take, who, when)
        self._palms = palm_poses(take, who, self._poses)
        for k in np.flatnonzero(~self._poses.present).tolist():
            held = holds[k % len(holds)]
            if k < len(holds) or held.release < stop:
                raise InvalidValue(
                    f"{take.names[held.character]!r} is not there at {when[k]:g} s and can neither grasp nor release "
                    "anything; end its deed earlier, or give it something to do then"
                )

    def names(self, d: int) -> list[str]:
        """Return the names of a deed's joints."""
        skeleton = self._take.bodies[int(self._take.characters.body[self._holds[d].character])].skeleton
        return [skeleton.names[joint] for joint in self._holds[d].joints]

    def grasping(self, d: int) -> Array:
        """Return poses [k, 7] of a deed's joints when they grasp."""
        return self._at(d, d)

    def releasing(self, d: int) -> Array:
        """Return poses [k, 7] of a deed's joints when they release."""
        return self._at(d, len(self._holds) + d)

    def carrying(self, d: int) -> str:
        """Return the hand, "left" or "right", of the joint that carries; "" where it hangs on no arm."""
        held = self._holds[d]
        side = int(self._take.holds.arms.side[int(self._take.characters.body[held.character]), held.joints[0]])
        return SIDES[side] if side >= 0 else ""

    def gripping(self, d: int) -> dict[str, Array]:
        """Return the palms [2, 7], at grasp and release, of a deed's hands but the one that carries."""
        held, body = self._holds[d], int(self._take.characters.body[self._holds[d].character])
        arms = self._take.holds.arms
        sides = [int(arms.side[body, joint]) for joint in held.joints]
        rows = [d, len(self._holds) + d]
        return {SIDES[side]: self._palms[rows, side] for side in sides[1:] if side >= 0 and side != sides[0]}

    def left(self, d: int, holds: Array) -> Array:
        """Return where a prop is let go, upright, if it is held by [k, 7] to the end."""
        pose = rigid.compose(self.releasing(d)[0], holds[0])
        return np.concatenate([pose[:3], quat.swing_twist(pose[3:], np.array([0.0, 0.0, 1.0]))[1]])

    def _at(self, d: int, row: int) -> Array:
        joints = list(self._holds[d].joints)
        return np.concatenate([self._poses.positions[row, joints], self._poses.rotations[row, joints]], axis=1)
