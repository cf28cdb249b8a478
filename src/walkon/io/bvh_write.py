"""Clips to BVH files that Blender, Maya, MotionBuilder and this package read.

Written as the tools expect it: y up, the body facing +Z, centimetres, degrees, one ROOT per clip of an ensemble. The
numbers keep 10⁻⁶ degrees and 10⁻⁸ m, and the frame time as many digits as bring the frame rate back exactly. Reading
the file again gives the same clip: names (end sites too), parents, rate; joints come in depth-first order, which is
the only one that BVH has. Contacts, labels and events have no place in BVH and are left out.
"""

from io import StringIO
from pathlib import Path
from typing import BinaryIO

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.files import write_atomically
from walkon.io.bvh_hierarchy import MAX_JOINTS, MAX_NAME_LENGTH
from walkon.io.bvh_numbers import MAX_MAGNITUDE, format_frame_time, format_numbers
from walkon.motion.clip import Clip, Ensemble
from walkon.transforms import axes
from walkon.transforms import quaternions as quat

__all__ = ["write_bvh"]

ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
ANGLE_DECIMALS = 6
LENGTH_STEP_M = 1e-8
"""Metres; lengths are rounded to this or finer."""
OFFSET_DECIMALS = 10
CHUNK_FRAMES = 2048
"""Frames that are turned into text at a time: bounds memory whatever the length of the clip."""
MIN_SLIDE_M = 1e-9
"""Metres; a joint that strays this far from its rest offset gets position channels."""


Layout = list[tuple[int, bool]]
"""The joints of a clip that have channels, in file order, and whether each has position channels."""


def write_bvh(motion: Clip | Ensemble, path: str | Path, *, scale: float = 0.01, order: quat.Axes = "zyx") -> Path:
    """Write a clip, or the clips of an ensemble as several roots, to a BVH file; what was there is replaced atomically.

    `scale` is metres per file unit (0.01: centimetres). `order` is the order of the rotation channels in the file's
    axes: "zyx" is `Zrotation Yrotation Xrotation`, x applied first. Raises `CannotWrite` and `InvalidValue`.
    """
    clips = motion.clips if isinstance(motion, Ensemble) else (motion,)
    if order not in ORDERS:
        raise InvalidValue(f"order must be one of {', '.join(ORDERS)}, got {order!r}")
    if not (np.isfinite(scale) and scale > 0):
        raise InvalidValue(f"scale must be positive metres per file unit, got {scale}")
    total = sum(len(clip.skeleton) for clip in clips)
    if total > MAX_JOINTS:
        raise InvalidValue(
            f"a BVH file may have {MAX_JOINTS} joints, but this has {total}; write one file per character"
        )
    lengths = [a for c in clips for a in (c.root_positions, c.skeleton.offsets, c.local_translations) if a is not None]
    largest = max(float(np.abs(array).max()) for array in lengths) / scale
    if largest > MAX_MAGNITUDE:
        raise InvalidValue(f"a length of {largest:.3g} file units is more than {MAX_MAGNITUDE:g}; use a larger scale")
    head = StringIO()
    head.write("HIERARCHY\n")
    layouts = [_write_hierarchy(head, clip, scale=scale, order=order) for clip in clips]
    frames = len(clips[0])
    head.write(f"MOTION\nFrames: {frames}\nFrame Time: {format_frame_time(clips[0].fps)}\n")

    def write(file: BinaryIO) -> None:
        file.write(head.getvalue().encode())
        decimals = np.concatenate([_decimals(layout, scale) for layout in layouts])
        for start in range(0, frames, CHUNK_FRAMES):
            part = slice(start, start + CHUNK_FRAMES)
            values = [
                _channel_values(clip, layout, part, scale=scale, order=order)
                for clip, layout in zip(clips, layouts, strict=True)
            ]
            file.write(format_numbers(np.concatenate(values, axis=1), decimals))

    return write_atomically(path, write)


def _write_hierarchy(text: StringIO, clip: Clip, *, scale: float, order: str) -> Layout:
    """Write the joints of one clip and return its layout."""
    skeleton = clip.skeleton
    offsets = axes.z_up_to_y_up(skeleton.offsets) / scale
    moved = np.zeros(len(skeleton), dtype=bool)
    if clip.local_translations is not None:
        moved |= np.abs(clip.local_translations - skeleton.offsets).max(axis=(0, 2)) > MIN_SLIDE_M
    moved[0] = True
    names = skeleton.names
    joints: list[int] = []
    rotating = " ".join(f"{letter.upper()}rotation" for letter in order)
    closing = -1  # marks a brace to close on the stack, which replaces recursion
    stack = [(0, 0)]
    while stack:
        joint, depth = stack.pop()
        indent = "\t" * depth
        if joint == closing:
            text.write(f"{indent}}}\n")
            continue
        name, parent = names[joint], int(skeleton.parents[joint])
        _check_name(name)
        # An end site that holds joints or slides needs channels, which only a joint can have.
        end_site = bool(skeleton.end_sites[joint]) and parent >= 0 and not skeleton.children[joint] and not moved[joint]
        if end_site:
            plain = f"{names[parent]}_end" == name
            text.write(f"{indent}End Site{'' if plain else ' ' + name}\n{indent}{{\n")
        else:
            text.write(f"{indent}{'ROOT' if parent < 0 else 'JOINT'} {name}\n{indent}{{\n")
        text.write(f"{indent}\tOFFSET {' '.join(_format_decimal(value) for value in offsets[joint])}\n")
        if not end_site:
            sliding = "6 Xposition Yposition Zposition" if moved[joint] else "3"
            text.write(f"{indent}\tCHANNELS {sliding} {rotating}\n")
            joints.append(joint)
        stack.append((closing, depth))
        stack.extend((child, depth + 1) for child in reversed(skeleton.children[joint]))
    return [(joint, bool(moved[joint])) for joint in joints]


def _format_decimal(value: float) -> str:
    """Return a decimal without exponent or trailing zeros: some readers know neither."""
    text = f"{value:.{OFFSET_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _check_name(name: str) -> None:
    sane = name == " ".join(name.split()) and name.isprintable() and 0 < len(name) <= MAX_NAME_LENGTH
    if not sane or "{" in name or "}" in name:
        raise InvalidValue(
            f"joint name {name[:MAX_NAME_LENGTH]!r} cannot be written to BVH: names may not be empty, over "
            f"{MAX_NAME_LENGTH} long, hold braces, line ends or spaces other than single ones between words; "
            "rename the joint"
        )


def _decimals(layout: Layout, scale: float) -> IntArray:
    """Return how many decimals each channel needs."""
    length = int(np.clip(np.ceil(np.log10(scale / LENGTH_STEP_M) - 1e-9), 1, 8))
    return np.array([d for _, slides in layout for d in ([length] * 3 if slides else []) + [ANGLE_DECIMALS] * 3])


def _channel_values(clip: Clip, layout: Layout, part: slice, *, scale: float, order: str) -> Array:
    """Return the channel values [T, ·] of some frames: file units and degrees."""
    rotations = axes.z_up_to_y_up(clip.local_rotations[part][:, [joint for joint, _ in layout]])
    angles = np.degrees(quat.to_euler(rotations, order))
    columns: list[Array] = []
    for index, (joint, slides) in enumerate(layout):
        if slides:
            places = clip.root_positions[part] if joint == 0 else clip.local_translations[part, joint]  # type: ignore[index]
            columns.append(axes.z_up_to_y_up(places) / scale)
        columns.append(angles[:, index])
    return np.concatenate(columns, axis=1)
