"""Fingers as joints of a handed-over skin: for those whose hands take other shapes than the relaxed one.

A take's skeletons end at the wrists, and hand shapes are a byte and a weight (`walkon.motion.limbs.hands`). Files know
joints only, so a body whose hands are shaped gets six more under each wrist, whose frames at rest, the hand relaxed,
are parallel to all others. With Q palm → wrist, and q, q₀ the rotations of a segment now and relaxed,

    G = Q q q₀⁻¹ Q⁻¹        first segment: G₁ to its wrist        second: G₁⁻¹ G₂ to the first

Hands that are relaxed all the time have their fingers in the mesh, as still as the palm, and cost nothing more.
Metres, quaternions w first.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon.drawing.hand_flesh import fingers_of, keep_flesh, with_hand_flesh
from walkon.export.excerpt import fill_frames
from walkon.motion.body import Body
from walkon.motion.limbs.hands import FINGER_SEGMENTS, SEGMENT_PARENTS, finger_poses
from walkon.motion.skeleton import SIDES
from walkon.take.posing.posing import Poses
from walkon.transforms import quaternions as quat

__all__ = ["find_shaped_hands", "finger_turns", "with_finger_joints"]

_known: "WeakKeyDictionary[Body, Body]" = WeakKeyDictionary()


def find_shaped_hands(poses: Poses) -> BoolArray:
    """Say of poses [T, n] who [n] has a hand that is not relaxed at some moment."""
    shaped = (poses.hand_shapes > 0) & (poses.hand_weights > 0.0) & poses.present[..., None]
    return np.asarray(shaped.any(axis=(0, 2)))


def with_finger_joints(body: Body) -> Body:
    """Return a body with finger joints after its own, which finger capsules hang on; itself where it has no hands."""
    fingers = fingers_of(body)
    if not len(fingers.capsules):
        return body
    if body not in _known:
        _known[body] = _add_joints(body)
    return _known[body]


def _add_joints(body: Body) -> Body:
    drawn, fingers, skeleton = with_hand_flesh(body), fingers_of(body), body.skeleton
    J, names = len(skeleton), list(skeleton.names)
    parents, offsets, places = skeleton.parents.tolist(), list(skeleton.offsets), []
    joints = np.array(drawn.capsule_joints)
    for number in np.unique(fingers.sides).tolist():
        wrist, first = skeleton.role(f"{SIDES[number]}_wrist"), len(names)
        own, _ = finger_poses(0, 0.0, side=SIDES[number])
        own = quat.rotate(fingers.palms[number], fingers.stature * own)
        for segment, parent in enumerate(SEGMENT_PARENTS):
            finger, count = FINGER_SEGMENTS[segment].split("_")
            name = f"{skeleton.names[wrist]}{finger.capitalize()}{count}"
            while name in names:
                name += "_"
            names.append(name)
            parents.append(wrist if parent < 0 else first + parent)
            offsets.append(own[segment] - (0.0 if parent < 0 else own[parent]))
            places.append(own[segment])
        mine = fingers.sides == number
        joints[fingers.capsules[mine]] = first + fingers.segments[mine]
    starts, ends = np.array(drawn.capsule_starts), np.array(drawn.capsule_ends)
    moved = np.array(places)[joints[fingers.capsules] - J]
    starts[fingers.capsules] -= moved
    ends[fingers.capsules] -= moved
    jointed = replace(
        skeleton,
        names=tuple(names),
        parents=np.array(parents),
        offsets=np.array(offsets),
        end_sites=np.append(skeleton.end_sites, np.zeros(len(names) - J, bool)),
    )
    masses = np.append(body.masses, np.zeros(len(names) - J))
    made = replace(
        drawn, skeleton=jointed, masses=masses, capsule_joints=joints, capsule_starts=starts, capsule_ends=ends
    )
    return keep_flesh(made, fingers)


def finger_turns(body: Body, poses: Poses, column: int) -> Array:
    """Return rotations [T, F, 4], joint → parent, of the finger joints of a body (`with_finger_joints`) that is the
    `column` of poses [T, n]; who is absent holds a pose.
    """
    fingers, source = fingers_of(body), fill_frames(poses.present[:, column, None])[:, 0]
    shapes, weights = poses.hand_shapes[source, column], poses.hand_weights[source, column]
    parts = [np.zeros((len(source), 0, 4))]
    for number in np.unique(fingers.sides).tolist():
        palm = fingers.palms[number]
        _, turns = finger_poses(shapes[:, number], weights[:, number], side=SIDES[number])
        _, relaxed = finger_poses(0, 0.0, side=SIDES[number])
        whole = quat.multiply(palm, quat.multiply(turns, quat.conjugate(quat.multiply(palm, relaxed))))
        local = whole.copy()
        for segment, parent in enumerate(SEGMENT_PARENTS):
            if parent >= 0:
                local[:, segment] = quat.multiply(quat.conjugate(whole[:, parent]), whole[:, segment])
        parts.append(local)
    return quat.continuous(np.concatenate(parts, axis=1))
