"""From channel values to motion: rotations, root places and, where joints slide, their translations.

A joint's rotation is the product of its turns in channel order, R = R₁(a₁) R₂(a₂) R₃(a₃): `Zrotation Yrotation
Xrotation` is Rz Ry Rx, x applied first. A position channel replaces that part of the joint's OFFSET (for the root too),
as in Blender's importer and bvhio; parts without a channel stay at the OFFSET. File units and degrees in, metres and
unit quaternions in Walkon's axes out.

From the axes of the file to Walkon's, z up, the body facing +x, is an exact signed permutation of three numbers: a
rotation M of the whole world that takes axes to axes changes vectors to M v and rotations to M R M⁻¹, whose quaternion
has the same w and the vector part M u. Both only move and negate numbers, so nothing is rounded. The base case, a y-up
body facing +Z, is `walkon.transforms.axes.y_up_to_z_up`.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from walkon._base.arrays import Array, IntArray, lock
from walkon._base.threads import in_chunks
from walkon.io.bvh_document import BvhDocument
from walkon.transforms import axes

__all__ = [
    "FILE_AXES",
    "AxisMap",
    "Up",
    "axis_map",
    "channel_rotations",
    "channel_turns",
    "joint_range",
    "translations",
]

Up = Literal["y", "z"]


@dataclass(frozen=True, eq=False, kw_only=True)
class AxisMap:
    """Part i of the new axes is part source[i] of the old ones times signs[i]."""

    source: IntArray
    """[3] a permutation of 0, 1, 2."""
    signs: Array
    """[3] +1 or −1, so that left-handed never becomes right-handed."""

    def __post_init__(self) -> None:
        lock(self, "source", (3,), np.int64)
        lock(self, "signs", (3,))

    def vectors(self, values: Array) -> Array:
        """Map vectors [..., 3]."""
        return values[..., self.source] * self.signs

    def quaternions(self, values: Array) -> Array:
        """Map w-first quaternions [..., 4]."""
        return np.concatenate([values[..., :1], self.vectors(values[..., 1:])], axis=-1)

    def turned(self, quarters: int) -> "AxisMap":
        """Return this map followed by `quarters` quarter turns about +z, counter-clockwise."""
        source, signs = self.source.copy(), self.signs.copy()
        for _ in range(quarters % 4):  # (x, y) → (−y, x)
            source[:2], signs[:2] = source[1::-1].copy(), signs[1::-1] * np.array([-1.0, 1.0])
        return AxisMap(source=source, signs=signs)


FILE_AXES = AxisMap(source=np.arange(3), signs=np.ones(3))
"""Change nothing: z is up already, or the file's own axes are wanted."""


def axis_map(up: Up) -> AxisMap:
    """Return the map for a file in which `up` is up: y-up bodies face +Z as a rule, z-up bodies +x."""
    if up == "z":
        return FILE_AXES
    return AxisMap(source=axes.y_up_to_z_up(np.arange(3.0)).astype(np.int64), signs=np.ones(3))


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
