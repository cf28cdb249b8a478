"""The mirror image of a motion: left and right change places across the vertical plane y = 0.

    (x, y, z) → (x, −y, z)          (w, qx, qy, qz) → (w, −qx, qy, −qz)

Local frames are parallel to the world's at rest, so the same reflection holds for every joint; then each left joint
takes the rotation of its right partner and the other way round. The image is played on the same skeleton, whose two
sides are never quite equal in capture: ground the feet again afterwards (`walkon.capture` does).
"""

import re
from dataclasses import replace

import numpy as np

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidSkeleton
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.transforms import quaternions as quat

__all__ = ["mirror", "mirror_partners", "mirrored_name"]

_SIDES = (
    ("Left", "Right"),
    ("left", "right"),
    ("LEFT", "RIGHT"),
)


def mirror_partners(skeleton: Skeleton) -> IntArray:
    """Return [J] the joint on the other side for each joint; joints in the middle are their own partners."""
    partners = np.arange(len(skeleton))
    for role, joint in skeleton.roles.items():
        if role.startswith("left_") and (other := skeleton.roles.get("right_" + role[5:])) is not None:
            partners[joint], partners[other] = other, joint
    index = {name: j for j, name in enumerate(skeleton.names)}
    for name, joint in index.items():
        if partners[joint] != joint:
            continue
        for other_name in _other_side(name):
            there = index.get(other_name, joint)
            if there != joint and partners[there] == there:
                partners[joint], partners[there] = there, joint
                break
    for joint, other in enumerate(partners.tolist()):
        parent = skeleton.parents[joint]
        if parent >= 0 and skeleton.parents[other] != partners[parent]:
            raise InvalidSkeleton(
                f"{skeleton.names[joint]!r} and {skeleton.names[other]!r} look like left and right, but hang on "
                f"joints that are not; give the roles of both sides with skeleton.with_roles(...)"
            )
    return partners


def _other_side(name: str) -> list[str]:
    """Return the names that the partner of a joint may have: Left ↔ Right, a lone L ↔ R at a word's edge."""
    words = [name.replace(a, b) for pair in _SIDES for a, b in (pair, pair[::-1]) if a in name]
    swap = {"L": "R", "R": "L", "l": "r", "r": "l"}
    letters = re.finditer(r"(?<![A-Za-z])[LRlr](?![a-z])|(?<=[_. ])[lr](?![A-Za-z])", name)
    return words + [name[: m.start()] + swap[m.group()] + name[m.end() :] for m in letters]


def mirror(clip: Clip) -> Clip:
    """Return the mirror image of a clip; mirroring twice gives the clip back."""
    partners = mirror_partners(clip.skeleton)
    flip = np.array([1.0, -1.0, 1.0])
    rotations = clip.local_rotations[:, partners] * np.array([1.0, -1.0, 1.0, -1.0])
    names = clip.skeleton.contact_names
    columns = [names.index(other) if (other := _mirror_word(n)) in names else i for i, n in enumerate(names)]
    translations = clip.local_translations
    return replace(
        clip,
        root_positions=clip.root_positions * flip,
        local_rotations=quat.continuous(rotations),
        local_translations=None if translations is None else translations[:, partners] * flip,
        contacts=clip.contacts[:, columns],
        contact_heights=clip.contact_heights[:, columns],
        labels={_mirror_word(label): frames for label, frames in clip.labels.items()},
        events=tuple(
            replace(
                event,
                joints=tuple(clip.skeleton.names[partners[clip.skeleton.index(joint)]] for joint in event.joints),
                object_pose=_mirror_pose(event.object_pose),
            )
            for event in clip.events
        ),
        name=mirrored_name(clip.name),
    )


def mirrored_name(name: str) -> str:
    """Return what the image of a clip of this name is called."""
    return name.removesuffix(":mirrored") if name.endswith(":mirrored") else f"{name}:mirrored"


def _mirror_pose(pose: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """Reflect (x, y, z, qw, qx, qy, qz)."""
    return None if pose is None else tuple(float(v) for v in np.array(pose) * [1, -1, 1, 1, -1, 1, -1])


def _mirror_word(label: str) -> str:
    """Swap the words left and right in a label or the name of a contact point, as in left_leg."""
    swap = {"left": "right", "right": "left"}
    return "_".join(swap.get(word, word) for word in label.split("_"))
