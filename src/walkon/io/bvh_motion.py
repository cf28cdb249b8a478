"""From channel values to motion: rotations, root places and, where joints slide, their translations.

A joint's rotation is the product of its turns in channel order, R = R₁(a₁) R₂(a₂) R₃(a₃): `Zrotation Yrotation
Xrotation` is Rz Ry Rx, x applied first. A position channel replaces that part of the joint's OFFSET (for the root too),
as in Blender's importer and bvhio; parts without a channel stay at the OFFSET. File units and degrees in, metres and
unit quaternions in Walkon's axes out.
"""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.threads import in_chunks
from walkon.io.bvh_axes import AxisMap
from walkon.io.bvh_document import BvhDocument

__all__ = ["channel_rotations", "channel_turns", "joint_range", "translations"]

CHUNK = 4096
"""Frames per task of the thread pool."""


def joint_range(document: BvhDocument, root: int) -> range:
    """Return the joints that hang on this root, itself first."""
    later = [other for other in document.roots if other > root]
    return range(root, later[0] if later else len(document.names))


def channel_turns(document: BvhDocument, joints: range) -> IntArray:
    """Return [K, 3] = (joint counted from the first of `joints`, axis 0 to 2, column) of each rotation channel."""
    turns = [
        (joint - joints.start, "XYZ".index(channel[0]), document.columns[joint] + k)
        for joint in joints
        for k, channel in enumerate(document.channels[joint])
        if channel.endswith("rotation")
    ]
    return np.array(turns, dtype=np.int64).reshape(-1, 3)


def channel_rotations(document: BvhDocument, joints: range, *, axes: AxisMap, values: Array | None = None) -> Array:
    """Return locked local rotations [T, J, 4] of these joints, sign-continuous; `values` [T, ·] may be a selection."""
    from walkon.io import _kernels

    values = np.ascontiguousarray(document.values if values is None else values)
    turns = channel_turns(document, joints)
    rotations = np.empty((len(values), len(joints), 4))

    def turn(start: int, stop: int) -> None:
        _kernels.channel_rotations(values[start:stop], turns, axes.source, axes.signs, rotations[start:stop])

    in_chunks(turn, len(values), chunk=CHUNK)
    _kernels.make_continuous(rotations)
    rotations.flags.writeable = False
    return rotations


def translations(document: BvhDocument, joint: int, *, axes: AxisMap, scale: float) -> Array | None:
    """Return the joint's places [T, 3] in its parent's frame, metres; None if it has no position channels."""
    moving = [(k, channel) for k, channel in enumerate(document.channels[joint]) if channel.endswith("position")]
    if not moving:
        return None
    places = np.tile(document.offsets[joint], (len(document.values), 1))
    for k, channel in moving:
        places[:, "XYZ".index(channel[0])] = document.values[:, document.columns[joint] + k]
    return axes.vectors(places) * scale
