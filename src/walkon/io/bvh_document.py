"""A BVH file as it is written: its own units, axes, channels and numbers, checked but not yet understood.

A BVH file has a HIERARCHY of joints, each with an OFFSET from its parent and up to six CHANNELS, and a MOTION section
with one line of channel values per frame. `parse_bvh` takes what real files hold (any line ends, any case, several
people, wrong frame counts, a cut-off last line) and reports what it put right; what cannot be right it refuses with the
line. `walkon.io.bvh_read` turns a document into clips.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon.io.bvh_hierarchy import parse_hierarchy
from walkon.io.bvh_numbers import LONGEST_TOKEN, NUMBER, line_at, parse_numbers, shown

__all__ = ["BvhDocument", "parse_bvh"]

SHORTEST_FRAME, LONGEST_FRAME = 1e-5, 60.0
"""Seconds; a frame time outside is a mistake."""

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
            if not SHORTEST_FRAME <= seconds <= LONGEST_FRAME:
                message = (
                    f"the frame time is {seconds:g} s, but must be {SHORTEST_FRAME:g} to {LONGEST_FRAME:g} s; "
                    "correct the line 'Frame Time:' (0.0083333 is 120 frames per second)"
                )
                raise UnreadableFile(message, path=path, line=line_at(content, found.start(1)))
            text = found.group(1)
        else:
            break
        position = found.end()
    if text is None:
        message = "the MOTION section has no line 'Frame Time:'; add it (0.0083333 is 120 frames per second)"
        raise UnreadableFile(message, path=path, line=line_at(content, position))
    return declared, text.decode("ascii"), position


def _header_number(found: re.Match[bytes], what: str, path: str | Path | None, *, most: float) -> float:
    first, stop = found.span(1)
    token = found.string[first : min(stop, first + LONGEST_TOKEN)]
    if not NUMBER.fullmatch(token) or len(token) == LONGEST_TOKEN or not abs(float(token)) <= most:
        problem = f"{shown(token)} is not a number" if token else "the value is missing"
        raise UnreadableFile(f"{what}: {problem}", path=path, line=line_at(found.string, first))
    return float(token)
