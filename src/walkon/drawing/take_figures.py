"""Everyone in a take, dressed once: the capsules of all characters in their joints' frames, placed anew for each time.

All flesh, clothes and hair of a figure ride rigidly on one joint each, so a frame of a thousand people is one rotation
of some forty thousand points:

    world = p(owner, joint) + R(owner, joint) local
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.drawing.figures import figures
from walkon.drawing.solids import Capsules
from walkon.drawing.stage_picture import join_capsules
from walkon.motion.body import Body
from walkon.take.posing.posing import Poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["PAPER", "Wardrobe", "dressed", "wardrobe"]

PAPER = 0.93
"""What is mixed into pale colours: nearly white."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Wardrobe:
    """M capsules of N characters."""

    owner: IntArray
    """[M] row of the character."""
    joint: IntArray
    """[M] joint that the capsule rides on."""
    starts: Array
    """[M, 3] metres, in the joint's frame."""
    ends: Array
    radii: Array
    """[M, 2] metres."""
    colours: Array
    """[M, 3]."""
    kin: IntArray
    """[M, S] see `Capsules.kin`."""


_known: "WeakKeyDictionary[Take, Wardrobe]" = WeakKeyDictionary()


def wardrobe(take: Take) -> Wardrobe:
    """Dress everyone in a take; kept as long as the take."""
    if take not in _known:
        _known[take] = _made(take)
    return _known[take]


def dressed(clothes: Wardrobe, poses: Poses, *, shown: BoolArray, tint: Array | None = None) -> Capsules:
    """Return the capsules of those characters of poses [N] that are `shown` [N].

    `tint` [N], 0 to 1, is how much white is mixed into each character's colours.
    """
    keep = shown[clothes.owner]
    owner, joint = clothes.owner[keep], clothes.joint[keep]
    places, turns = poses.positions[owner, joint], poses.rotations[owner, joint]
    now = np.append(np.cumsum(keep) - 1, -1)  # where each capsule went, and −1 for none
    colours = clothes.colours[keep]
    if tint is not None:
        white = tint[owner][:, None]
        colours = (1.0 - white) * colours + PAPER * white
    return Capsules(
        starts=places + quat.rotate(turns, clothes.starts[keep]),
        ends=places + quat.rotate(turns, clothes.ends[keep]),
        radii=clothes.radii[keep],
        colours=colours,
        kin=now[clothes.kin[keep]],
    )


def _made(take: Take) -> Wardrobe:
    figured: dict[int, tuple[IntArray, Capsules]] = {}
    parts = []
    for row in range(len(take)):
        body = take.body(row)
        if id(body) not in figured:
            figured[id(body)] = _at_joints(body)
        joints, flesh = figured[id(body)]
        parts.append((np.full(len(flesh), row), joints, flesh))
    everyone = join_capsules([flesh for _, _, flesh in parts])
    empty = np.zeros(0, np.int64)
    return Wardrobe(
        owner=np.concatenate([empty, *(owner for owner, _, _ in parts)]),
        joint=np.concatenate([empty, *(joints for _, joints, _ in parts)]),
        starts=everyone.starts,
        ends=everyone.ends,
        radii=everyone.radii,
        colours=everyone.colours,
        kin=everyone.kin,
    )


def _at_joints(body: Body) -> tuple[IntArray, Capsules]:
    """Return the joints [K] and the capsules of a figure whose joints all are at the origin, unturned."""
    J = len(body.skeleton)
    flesh = figures(body, np.zeros((1, J, 3)), rotations=np.tile(quat.IDENTITY, (1, J, 1)))
    # Figures come as hair, a cap per head, and then the body's own capsules.
    heads = [k for k, part in enumerate(body.capsule_parts) if part == "head"]
    return np.concatenate([body.capsule_joints[heads], body.capsule_joints]), flesh
