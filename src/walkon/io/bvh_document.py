"""A BVH file as it is written: its own units, axes, channels and numbers, checked but not yet understood.

A BVH file has a HIERARCHY of joints, each with an OFFSET from its parent and up to six CHANNELS, and a MOTION section
with one line of channel values per frame. `parse_bvh` takes what real files hold (any line ends, any case, several
people, wrong frame counts, a cut-off last line) and reports what it put right; what cannot be right it refuses with the
line. `walkon.io.bvh_read` turns a document into clips.

From channel values to motion: a joint's rotation is the product of its turns in channel order, R = R₁(a₁) R₂(a₂)
R₃(a₃): `Zrotation Yrotation Xrotation` is Rz Ry Rx, x applied first. A position channel replaces that part of the
joint's OFFSET (for the root too), as in Blender's importer and bvhio; parts without a channel stay at the OFFSET. File
units and degrees in, metres and unit quaternions in Walkon's axes out.

From the axes of the file to Walkon's, z up, the body facing +x, is an exact signed permutation of three numbers: a
rotation M of the whole world that takes axes to axes changes vectors to M v and rotations to M R M⁻¹, whose quaternion
has the same w and the vector part M u. Both only move and negate numbers, so nothing is rounded. The base case, a y-up
body facing +Z, is `walkon.transforms.axes.y_up_to_z_up`.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon._base.threads import in_chunks
from walkon.io.bvh_hierarchy import parse_hierarchy
from walkon.io.bvh_numbers import MAX_TOKEN_BYTES, NUMBER, line_at, parse_numbers, quote_token
from walkon.transforms.axes import y_up_to_z_up

__all__ = [
    "FILE_AXES",
    "AxisMap",
    "BvhDocument",
    "Up",
    "axis_map",
    "channel_rotations",
    "parse_bvh",
    "translations",
]

Up = Literal["y", "z"]

MIN_FRAME_TIME_S, MAX_FRAME_TIME_S = 1e-5, 60.0
"""Seconds; a frame time outside is a mistake."""
CHUNK_FRAMES = 4096
"""Frames per task of the thread pool."""

_FRAMES = re.compile(rb"\s*frames\s*:\s*(\S*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame\s*time\s*:\s*(\S*)", re.IGNORECASE)


@dataclass(frozen=True, eq=False, kw_only=True)
class BvhDocument:
    """The content of a BVH file. Joints are in file order; a file may hold several people, one per root."""

    names: tuple[str, ...]
    """[J] joint names, different within each root's tree; end sites are named `<Parent>_end` unless the file does."""
    parents: IntArray
    """[J] index of each joint's parent, −1 for each root."""
    offsets: Array
    """[J, 3] file units and axes, place of each joint in its parent's frame."""
    end_sites: BoolArray
    """[J] True for end sites."""
    channels: tuple[tuple[str, ...], ...]
    """[J] channel names ("Xposition", …, "Zrotation") of each joint in file order; rotations apply in this order."""
    values: Array
    """[T, sum of channels] file units and degrees; columns are the channels of joint 0, then of joint 1, …"""
    frame_time: float
    """Seconds from frame to frame; 0 in a file without motion."""
    frame_time_text: str = ""
    """The frame time as it is printed: its digits tell how exact it is."""
    declared_frames: int | None = None
    """How many frames the header announces; None where it does not."""
    warnings: tuple[str, ...] = ()
    """What was put right or left out, one sentence each."""

    def __post_init__(self) -> None:
        J = len(self.names)
        lock(self, "parents", (J,), np.int64)
        lock(self, "offsets", (J, 3))
        lock(self, "end_sites", (J,), np.bool_)
        lock(self, "values", (None, sum(map(len, self.channels))))
        if len(self.values) and not self.frame_time > 0:
            raise InvalidValue(f"frame_time must be positive in a document with frames, got {self.frame_time}")

    def __repr__(self) -> str:
        people = f"{len(self.roots)} roots, " if len(self.roots) > 1 else ""
        motion = f"{len(self.values)} frames of {self.values.shape[1]} channels, {self.frame_time:g} s each"
        return f"BvhDocument({people}{len(self.names)} joints, {motion}, {len(self.warnings)} warnings)"

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The roots; the joints of each run from it to the next root."""
        return tuple(np.flatnonzero(self.parents < 0).tolist())

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """[J] the column of each joint's first channel."""
        return tuple(np.cumsum([0, *map(len, self.channels)])[:-1].tolist())


def parse_bvh(content: bytes, *, path: str | Path | None = None) -> BvhDocument:
    """Read the bytes of a BVH file; `path` is only named in messages. Raises `UnreadableFile`."""
    start = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableFile("this is UTF-16 text; save it as UTF-8 or plain text", path=path)
    if b"\0" in content:
        raise UnreadableFile(
            "this is a binary file, not BVH text", path=path, line=line_at(content, content.index(b"\0"))
        )
    if not content[start:].strip() if len(content) < 1000 else content[start:].isspace():
        raise UnreadableFile("the file is empty", path=path)
    joints, motion = parse_hierarchy(content, start=start, path=path)
    channels = sum(len(joint.channels or ()) for joint in joints)
    warnings: list[str] = []
    values, declared, frame_time, text = np.zeros((0, channels)), None, 0.0, ""
    if motion is None:
        warnings.append("the file has no MOTION section: a skeleton without frames")
    else:
        declared, text, position = _motion_header(content, motion, path)
        frame_time = float(text)
        values, cut_off, line = parse_numbers(content, position, channels=channels, path=path)
        if cut_off:
            warnings.append(f"line {line} is cut off after {cut_off} of {channels} numbers; left out")
        if declared is None:
            warnings.append(f"the header does not say how many frames there are; found {len(values)}")
        elif declared != len(values):
            warnings.append(f"the header announces {declared} frames, but there are {len(values)}; used what is there")
    return BvhDocument(
        names=tuple(joint.name for joint in joints),
        parents=np.array([joint.parent for joint in joints]),
        offsets=np.array([joint.offset for joint in joints]),
        end_sites=np.array([joint.end_site for joint in joints]),
        channels=tuple(joint.channels or () for joint in joints),
        values=values,
        frame_time=frame_time,
        frame_time_text=text,
        declared_frames=declared,
        warnings=tuple(warnings),
    )


def _motion_header(content: bytes, position: int, path: str | Path | None) -> tuple[int | None, str, int]:
    """Return the announced frames, the text of the frame time, and where the numbers start."""
    declared: int | None = None
    text: bytes | None = None
    for _ in range(2):
        if declared is None and (found := _FRAMES.match(content, position)):
            declared = int(_header_number(found, "the number of frames", path, most=1e15))
        elif text is None and (found := _FRAME_TIME.match(content, position)):
            seconds = _header_number(found, "the frame time", path, most=1e15)
            if not MIN_FRAME_TIME_S <= seconds <= MAX_FRAME_TIME_S:
                raise UnreadableFile(
                    f"the frame time is {seconds:g} s, but must be {MIN_FRAME_TIME_S:g} to {MAX_FRAME_TIME_S:g} s; "
                    "correct the line 'Frame Time:' (0.0083333 is 120 frames per second)",
                    path=path,
                    line=line_at(content, found.start(1)),
                )
            text = found.group(1)
        else:
            break
        position = found.end()
    if text is None:
        raise UnreadableFile(
            "the MOTION section has no line 'Frame Time:'; add it (0.0083333 is 120 frames per second)",
            path=path,
            line=line_at(content, position),
        )
    return declared, text.decode("ascii"), position


def _header_number(found: re.Match[bytes], what: str, path: str | Path | None, *, most: float) -> float:
    first, stop = found.span(1)
    token = found.string[first : min(stop, first + MAX_TOKEN_BYTES)]
    if not NUMBER.fullmatch(token) or len(token) == MAX_TOKEN_BYTES or not abs(float(token)) <= most:
        problem = f"{quote_token(token)} is not a number" if token else "the value is missing"
        raise UnreadableFile(f"{what}: {problem}", path=path, line=line_at(found.string, first))
    return float(token)


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

    def turn(self, quarters: int) -> "AxisMap":
        """Return this map followed by `quarters` quarter turns about +z, counter-clockwise."""
        source, signs = self.source.copy(), self.signs.copy()
        for _ in range(quarters % 4):  # (x, y) → (−y, x)
            source[:2], signs[:2] = source[1::-1].copy(), signs[1::-1] * np.array([-1.0, 1.0])
        return AxisMap(source=source, signs=signs)


FILE_AXES = AxisMap(source=np.arange(3), signs=np.ones(3))
"""Change nothing: z is up already, or the file's own axes are wanted."""


def axis_map(up: Up) -> AxisMap:
    """Return the map for a file in which `up` is up: y-up bodies face +Z as a rule, z-up bodies +x."""
    to_z_up = AxisMap(source=y_up_to_z_up(np.arange(3.0)).astype(np.int64), signs=np.ones(3))
    return FILE_AXES if up == "z" else to_z_up


def channel_rotations(document: BvhDocument, joints: range, *, axes: AxisMap) -> Array:
    """Return locked local rotations [T, J, 4] of these joints, sign-continuous."""
    from walkon.io import _kernels

    # [K, 3] = (joint counted from the first one, axis 0 to 2, column) of each rotation channel.
    turns = [
        (joint - joints.start, "XYZ".index(channel[0]), document.columns[joint] + k)
        for joint in joints
        for k, channel in enumerate(document.channels[joint])
        if channel.endswith("rotation")
    ]
    table = np.array(turns, dtype=np.int64).reshape(-1, 3)
    rotations = np.empty((len(document.values), len(joints), 4))

    def turn(start: int, stop: int) -> None:
        part = slice(start, stop)
        _kernels.channel_rotations(document.values[part], table, axes.source, axes.signs, rotations[part])

    in_chunks(turn, len(rotations), chunk=CHUNK_FRAMES)
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
