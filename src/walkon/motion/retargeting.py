"""Motion retargeting: the same motion on a skeleton with the same joints and other bone lengths.

1. Joints keep their rotations, except that every limb bone points in the world where it pointed before: bone
   directions at rest differ a little between bodies, and the difference is taken out joint by joint.
2. The root's path is scaled by the ratio of leg lengths, so that steps stay in proportion to the legs; about the
   path's middle, so that people recorded together stay together.
3. The soles are set on the floor: the root is raised or lowered so that planted points are at their supports in the
   median, and `foot_lock` holds each contact, so that feet neither float nor slide on the new legs.

Timing is kept. Contacts are carried over from the source, not detected again.
"""

from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.contacts.foot_lock import FootLock, LockRule, lock_feet
from walkon.motion.kinematics import forward, points_on_joints
from walkon.motion.limbs.legs import leg_length
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["retarget"]

MAX_LOWERING_M = 0.03
"""m by which the whole motion may be lowered on a body whose legs are too short for it."""


def retarget(clip: Clip, skeleton: Skeleton, *, rule: LockRule | None = None) -> FootLock:
    """Play a clip with detected contacts on another skeleton of the same topology; says what holding the feet took."""
    source = clip.skeleton
    for is_broken, words in (
        (
            not source.same_topology(skeleton),
            f"{clip.name!r} has {len(source)} joints and the target {len(skeleton)}, or other names or parents; "
            "retargeting needs the same joints on the same parents",
        ),
        (
            source.contact_names != skeleton.contact_names,
            "source and target need the same contact points; call walkon.ground on both first",
        ),
        (clip.local_translations is not None, "a clip with local translations cannot be retargeted"),
    ):
        if is_broken:
            raise InvalidValue(words)
    scale = leg_length(skeleton) / leg_length(source)
    rotations = _keep_directions(clip, skeleton)
    middle = np.array([*clip.root_positions[:, :2].mean(axis=0), 0.0])
    roots = middle + (clip.root_positions - middle) * scale
    heights = clip.contact_heights * scale
    pose = forward(skeleton, roots, rotations)
    above = points_on_joints(pose, skeleton.contact_joints, skeleton.contact_offsets)[:, :, 2] - heights
    if clip.contacts.any():
        roots = roots - np.array([0.0, 0.0, float(np.median(above[clip.contacts]))])
    moved = replace(
        clip,
        skeleton=skeleton,
        root_positions=roots,
        local_rotations=quat.continuous(quat.normalize(rotations)),
        contact_heights=heights,
    )
    result = lock_feet(moved, rule=rule)
    if result.missed.max() > 0:
        # Other proportions can leave the legs too short by a little: walk that much lower, once.
        lower = np.array([0.0, 0.0, min(float(result.missed.max()), MAX_LOWERING_M)])
        again = lock_feet(replace(moved, root_positions=roots - lower), rule=rule)
        result = again if again.missed.max() < result.missed.max() else result
    return result


def _keep_directions(clip: Clip, skeleton: Skeleton) -> Array:
    """Return local rotations [T, J, 4] for the new skeleton with which limb bones keep their world directions.

    Joint j gets world rotation R_j D_j, where D_j turns the new rest direction of its bone onto the old one; feet use
    the line heel → ball of the sole instead of the bone, so that a flat foot stays flat over another ankle height.
    """
    source = clip.skeleton
    turns = np.tile(quat.IDENTITY, (len(source), 1))
    for joint, children in enumerate(source.children):
        # Bones that a joint has to itself: limbs, not the fans at hips, chest and hands.
        if len(children) == 1:
            turns[joint] = _turn(skeleton.offsets[children[0]], source.offsets[children[0]])
    for side in SIDES:
        if f"{side}_heel" in source.contact_names:
            turns[source.role(f"{side}_ankle")] = _turn(_sole(skeleton, side), _sole(source, side))
    above = np.concatenate([quat.IDENTITY[None], turns[source.parents[1:]]])
    return quat.multiply(quat.conjugate(above), quat.multiply(clip.local_rotations, turns))


def _turn(new: Array, old: Array) -> Array:
    is_point = np.linalg.norm(new) < 1e-6 or np.linalg.norm(old) < 1e-6
    return quat.IDENTITY if is_point else quat.between(new, old)


def _sole(skeleton: Skeleton, side: str) -> Array:
    """Return heel → sole below the ball in the foot's frame, toes straight."""
    heel, ball = skeleton.contact(f"{side}_heel"), skeleton.contact(f"{side}_ball")
    to_ball = skeleton.offsets[skeleton.role(f"{side}_ball")]
    return to_ball + skeleton.contact_offsets[ball] - skeleton.contact_offsets[heel]
