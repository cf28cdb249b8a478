"""The clip's own feet: where heel, ball and ankle of a character would be without plants. World, metres."""

from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.take.posing.posing import pose_pairs
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["OwnFeet", "own_feet"]


class OwnFeet(NamedTuple):
    """One foot of each of K (character, time): [K, 3] m each."""

    ankles: Array
    heels: Array
    joints: Array
    """Ball joints, about which toes turn."""
    balls: Array


def own_feet(take: Take, who: IntArray, foot: IntArray, when: Array) -> OwnFeet:
    """Return the clip's own feet of these characters at these times."""
    poses = pose_pairs(take.score, who, when, legs=False)
    rigs, k = take.score.rigs, np.arange(len(who))
    body, scale = take.characters.body[who], take.characters.scale[who].astype(np.float64)
    ankle, ball = rigs.legs[body, foot, 2], rigs.legs[body, foot, 3]
    ankles, places = poses.positions[k, ankle], poses.positions[k, ball]
    heels = ankles + quat.rotate(poses.rotations[k, ankle], scale[:, None] * rigs.heels[body, foot])
    balls = places + quat.rotate(poses.rotations[k, ball], scale[:, None] * rigs.balls[body, foot])
    return OwnFeet(ankles, heels, places, balls)
