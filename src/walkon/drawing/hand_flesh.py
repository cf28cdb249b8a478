"""The flesh of hands, for drawing only: palm and fingers as capsules, in the place of a body's plain hands.

`Body` has two capsules a hand, which collision audits measure; they stay. What is drawn and handed over has a palm,
fixed to the wrist, and fingers posed by `walkon.motion.limbs.hands`: relaxed as they ride on the wrist, or bent anew
for those whose hands have another shape. Metres, in the frames of wrists.
"""

from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.motion.anatomy.anthropometry import Person, is_person
from walkon.motion.body import Body
from walkon.motion.limbs.arms import has_arm, palm_frame
from walkon.motion.limbs.hands import PALM_FLESH, SEGMENT_FLESH, finger_poses
from walkon.motion.skeleton import SIDES
from walkon.transforms import quaternions as quat

__all__ = ["Fingers", "bend_fingers", "fingers_of", "keep_flesh", "with_hand_flesh"]

MIRROR = np.array([1.0, -1.0, 1.0])


class Fingers(NamedTuple):
    """The F capsules of a body's fingers, relaxed and ready to be bent."""

    capsules: IntArray
    """[F] rows of the drawn body's capsules."""
    sides: IntArray
    """[F] 0 left, 1 right."""
    segments: IntArray
    """[F] number in `FINGER_SEGMENTS`."""
    starts: Array
    ends: Array
    """[F, 3] m in the segment's frame."""
    palms: Array
    """[2, 4] palm → wrist; no turn on a side without a hand."""
    stature: float
    """m."""


_known: "WeakKeyDictionary[Body, tuple[Body | None, Fingers]]" = WeakKeyDictionary()


def with_hand_flesh(body: Body) -> Body:
    """Return a body as it is drawn: with palms and relaxed fingers for hands. Its skeleton is the same."""
    return _drawn(body)[0] or body


def fingers_of(body: Body) -> Fingers:
    """Return the fingers of a body as `with_hand_flesh` draws it."""
    return _drawn(body)[1]


def bend_fingers(fingers: Fingers, shapes: Array, weights: Array) -> tuple[Array, Array]:
    """Return starts and ends [n, F, 3] of finger capsules in the wrists' frames; hands are [n, 2]."""
    starts, ends = (np.empty((len(shapes), len(fingers.capsules), 3)) for _ in range(2))
    for number, side in enumerate(SIDES):
        mine = np.flatnonzero(fingers.sides == number)
        places, turns = finger_poses(shapes[:, number], weights[:, number], side=side)
        at, turn = places[:, fingers.segments[mine]], turns[:, fingers.segments[mine]]
        for out, own in ((starts, fingers.starts), (ends, fingers.ends)):
            out[:, mine] = quat.rotate(fingers.palms[number], fingers.stature * at + quat.rotate(turn, own[mine]))
    return starts, ends


def keep_flesh(body: Body, fingers: Fingers) -> Body:
    """Return a body that is drawn as it is, because its hands have these fingers already."""
    _known[body] = None, fingers
    return body


def _drawn(body: Body) -> tuple[Body | None, Fingers]:
    if body not in _known:
        drawn, fingers = _known[body] = _dress(body)
        if drawn is not None:
            keep_flesh(drawn, fingers)
    return _known[body]


def _dress(body: Body) -> tuple[Body | None, Fingers]:
    """Return the body as it is drawn, None where that is the body itself, and its fingers."""
    skeleton, parts = body.skeleton, np.array(body.capsule_parts)
    stature = Person(skeleton).stature if is_person(skeleton) else 1.0
    joints: list[int] = body.capsule_joints.tolist()
    starts, ends, radii = (list(part) for part in (body.capsule_starts, body.capsule_ends, body.capsule_radii))
    names, palms = list(body.capsule_parts), np.tile(quat.IDENTITY, (2, 1))
    gone: list[int] = []
    held: list[tuple[int, int, int, Array, Array]] = []
    for number, side in enumerate(SIDES):
        wrist = skeleton.roles.get(f"{side}_wrist", -1)
        plain = np.flatnonzero((parts == f"{side}_hand") & (body.capsule_joints == wrist)).tolist()
        if not (plain and has_arm(skeleton, side)):
            continue
        gone += plain
        palms[number] = palm_frame(skeleton, side).rotation
        places, turns = finger_poses(0, 0.0, side=side)
        mirror = stature * (MIRROR if side == "right" else np.ones(3))
        for segment, pieces in enumerate([PALM_FLESH, *SEGMENT_FLESH], start=-1):
            for piece in pieces:
                a, b = mirror * piece.start, mirror * piece.end
                if segment >= 0:
                    held.append((len(joints), number, segment, a, b))
                    a, b = (stature * places[segment] + quat.rotate(turns[segment], point) for point in (a, b))
                joints.append(wrist)
                starts.append(quat.rotate(palms[number], a))
                ends.append(quat.rotate(palms[number], b))
                radii.append(stature * np.array(piece.radii))
                names.append(f"{side}_hand")
    kept = np.setdiff1d(np.arange(len(names)), gone)
    drawn = replace(
        body,
        capsule_joints=np.array(joints)[kept],
        capsule_starts=np.reshape(starts, (-1, 3))[kept],
        capsule_ends=np.reshape(ends, (-1, 3))[kept],
        capsule_radii=np.reshape(radii, (-1, 2))[kept],
        capsule_parts=tuple(names[k] for k in kept.tolist()),
    )
    rows, sides, segments = (np.array([row[k] for row in held], np.int64) for k in range(3))
    own_starts, own_ends = (np.reshape([row[k] for row in held], (-1, 3)) for k in (3, 4))
    rows = np.searchsorted(kept, rows)
    return (drawn if gone else None), Fingers(rows, sides, segments, own_starts, own_ends, palms, stature)
