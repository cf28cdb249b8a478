"""Rigs: the skeletons of a take's bodies as the posing kernel reads them, padded to one size. Metres."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from walkon._base.arrays import BoolArray
from walkon.motion.body import Body
from walkon.motion.limbs.legs import leg_length
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.clips import channels, foot_columns, stands
from walkon.take.posing.score_rule import Rigs

__all__ = ["make_rigs", "size_of"]


def make_rigs(bodies: Sequence[Body], clip_skeletons: Sequence[Skeleton], *, plays: BoolArray) -> Rigs:
    """Return the rigs of bodies that play clips of these skeletons; those that never do (`plays` [B]) are one joint."""
    joints = np.where(plays, [len(body.skeleton) for body in bodies], 1).astype(np.int32)
    B, J = len(bodies), int(joints.max(initial=1))
    rigs = SimpleNamespace(
        joints=joints,
        parents=np.zeros((B, J), np.int32),
        channels=np.full((B, J), -1, np.int32),
        offsets=np.zeros((B, J, 3)),
        legs=np.full((B, 2, 4), -1, np.int32),
        leg_of=np.full((B, J), -1, np.int8),
        heels=np.zeros((B, 2, 3)),
        balls=np.zeros((B, 2, 3)),
        heights=np.ones((B, max(len(clip_skeletons), 1))),
        rest_height=np.zeros(B),
    )
    for b, body in enumerate(bodies):
        skeleton, n = body.skeleton, int(joints[b])
        rigs.parents[b, :n] = skeleton.parents[:n]
        rigs.channels[b, :n] = channels(skeleton)[:n]
        rigs.offsets[b, :n] = skeleton.offsets[:n]
        if stands(skeleton):
            feet = foot_columns(skeleton)
            contact = skeleton.rest_positions[skeleton.contact_joints[feet]] + skeleton.contact_offsets[feet]
            rigs.rest_height[b] = skeleton.rest_positions[0, 2] - contact[:, 2].min()
        if stands(skeleton) and plays[b]:
            for f, side in enumerate(SIDES):
                leg = [skeleton.role(f"{side}_{part}") for part in ("hip", "knee", "ankle", "ball")]
                rigs.legs[b, f] = leg
                rigs.leg_of[b, leg[0]] = f
                rigs.heels[b, f] = skeleton.contact_offsets[skeleton.contact(f"{side}_heel")]
                rigs.balls[b, f] = skeleton.contact_offsets[skeleton.contact(f"{side}_ball")]
            for j in range(1, n):
                if rigs.leg_of[b, skeleton.parents[j]] >= 0:
                    rigs.leg_of[b, j] = rigs.leg_of[b, skeleton.parents[j]]
        for k, other in enumerate(clip_skeletons):
            rigs.heights[b, k] = size_of(skeleton) / size_of(other)
    return Rigs(**vars(rigs))


def size_of(skeleton: Skeleton) -> float:
    """Return the length of the legs in metres, by which the heights of roots are scaled; without legs the reach."""
    return leg_length(skeleton) if skeleton.has_feet else max(skeleton.reach, 1e-6)
