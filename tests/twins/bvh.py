"""Numbers and rotations of BVH files, token by token and joint by joint: what `io._kernels` is held equal to."""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.io.bvh_document import AxisMap, BvhDocument
from walkon.io.bvh_numbers import _BREAK
from walkon.transforms import quaternions as quat

__all__ = ["channel_rotations_numpy", "format_numbers_python", "parse_numbers_python"]


def channel_rotations_numpy(document: BvhDocument, joints: range, *, axes: AxisMap) -> Array:
    """Do what `channel_rotations` does, joint by joint in NumPy: the twin that proves the kernels right."""
    rotations = np.empty((len(document.values), len(joints), 4))
    for index, joint in enumerate(joints):
        first = document.columns[joint]
        turning = [k for k, channel in enumerate(document.channels[joint]) if channel.endswith("rotation")]
        order = "".join(document.channels[joint][k][0].lower() for k in turning)
        degrees = document.values[:, [first + k for k in turning]]
        rotations[:, index] = axes.quaternions(quat.from_euler(np.radians(degrees), order))
    return quat.continuous(rotations)


def parse_numbers_python(content: bytes, *, channels: int) -> Array:
    """Do what `parse_numbers` does for whole lines of good numbers, token by token: the twin of the kernel."""
    rows = [[float(token) for token in line.split()] for line in _BREAK.split(content) if line.strip()]
    return np.array(rows, dtype=np.float64).reshape(-1, channels)


def format_numbers_python(values: Array, decimals: IntArray) -> bytes:
    """Do what `format_numbers` does, number by number: the twin of the kernel."""
    lines = []
    for row in values:
        words = []
        for value, places in zip(row.tolist(), decimals.tolist(), strict=True):
            whole = int(np.rint(abs(value) * 10.0**places))
            digits = f"{whole:0{places + 1}d}"
            point = f"{digits[:-places]}.{digits[-places:]}" if places else digits
            words.append(("-" if value < 0 and whole else "") + point)
        lines.append(" ".join(words) + "\n")
    return "".join(lines).encode()
