"""The HIERARCHY section of a BVH file: which joints there are, where they hang, and which numbers move them.

Read token by token with a stack of its own, so that nesting costs no recursion, and stopped at `MAX_JOINTS`, so that
a file of another kind is refused at once. Keywords are read in any case; braces may stand on any line; a name runs to
the end of its line.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from walkon._base.errors import UnreadableFile
from walkon.io.bvh_numbers import MAX_MAGNITUDE, MAX_TOKEN_BYTES, NUMBER, line_at, quote_token

__all__ = ["CHANNELS", "MAX_JOINTS", "MAX_NAME_LENGTH", "FileJoint", "parse_hierarchy"]

MAX_JOINTS = 1000
"""Joints and end sites in one file; a body with hands and face has about 150."""
MAX_NAME_LENGTH = 200
"""Characters; a longer name is damage."""
CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
"""The channels that a joint can have, in any order, each once."""

_KNOWN = {name.lower(): name for name in CHANNELS}
_WORD = re.compile(rb"[{}]|[^\s{}]+")
_NAME = re.compile(rb"[^\r\n{]*")
_KEYWORDS = "HIERARCHY, ROOT, JOINT, End Site, OFFSET, CHANNELS, MOTION, { and }"


@dataclass(slots=True, eq=False)
class FileJoint:
    """A joint or end site as the file has it."""

    name: str
    """Empty for an end site without one."""
    parent: int
    """−1 for a root; parents come before children and each root's joints are together."""
    end_site: bool
    offset: tuple[float, float, float] | None = None
    channels: tuple[str, ...] | None = None


class _HierarchyReader:
    """The words of the file in turn, and the joints found so far."""

    def __init__(self, content: bytes, start: int, path: str | Path | None) -> None:
        self.content, self.path = content, path
        self.at = self.position = start
        """Where the last word starts and stops, for messages."""
        self.joints: list[FileJoint] = []
        self.stack: list[FileJoint] = []
        """The joints that are open."""
        self.tree: set[str] = set()

    def next(self) -> bytes:
        """Return the next word, b"" at the end."""
        found = _WORD.search(self.content, self.position)
        self.at, self.position = found.span() if found else (len(self.content), len(self.content))
        # Slicing before copying keeps a damaged gigabyte without spaces from being copied for a message.
        return self.content[self.at : min(self.position, self.at + MAX_TOKEN_BYTES)]

    def rest_of_line(self) -> str:
        """Return what stands between the last word and the end of the line or an opening brace, as text."""
        found = _NAME.match(self.content, self.position)
        raw = found.group() if found else b""
        self.position += len(raw)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        return " ".join(text.split())

    def fail(self, message: str) -> NoReturn:
        raise UnreadableFile(message, path=self.path, line=line_at(self.content, self.at))

    def expect(self, right: bool, message: str) -> None:
        if not right:
            self.fail(message)

    def number(self, what: str) -> float:
        """Read a finite number of at most `MAX_MAGNITUDE`."""
        word = self.next()
        self.expect(word != b"", f"the file ends inside {what}; it is cut off")
        sound = NUMBER.fullmatch(word) is not None and len(word) < MAX_TOKEN_BYTES
        self.expect(sound, f"{quote_token(word)} in {what} is not a finite number")
        value = float(word)
        self.expect(
            abs(value) <= MAX_MAGNITUDE,
            f"{quote_token(word)} in {what} is larger than any length can be (at most {MAX_MAGNITUDE:g})",
        )
        return value

    def open(self, name: str, *, end_site: bool) -> None:
        self.expect(
            len(self.joints) < MAX_JOINTS,
            f"more than {MAX_JOINTS} joints; this is no body (write one file per character for a crowd)",
        )
        if not self.stack:
            self.tree = set()  # several people in one file may share their names
        if not end_site:
            self.expect(name != "", "a joint without a name")
            self.expect(
                len(name) <= MAX_NAME_LENGTH,
                f"a joint name of {len(name)} characters; at most {MAX_NAME_LENGTH} are allowed",
            )
            self.expect(
                name not in self.tree, f"joint names must differ, but {name!r} occurs twice; rename one of them"
            )
            self.tree.add(name)
        self.stack.append(FileJoint(name, self.joints.index(self.stack[-1]) if self.stack else -1, end_site))
        self.joints.append(self.stack[-1])
        self.expect(self.next() == b"{", f"{self.label()} must be followed by an opening brace")

    def label(self) -> str:
        """Name the joint that is open."""
        joint = self.stack[-1]
        return f"the end site of {self.joints[joint.parent].name!r}" if joint.end_site else f"joint {joint.name!r}"

    def read_offset(self) -> None:
        self.expect(self.stack[-1].offset is None, f"{self.label()} has two OFFSET lines")
        x, y, z = (self.number(f"the OFFSET of {self.label()}") for _ in range(3))
        self.stack[-1].offset = (x, y, z)

    def read_channels(self) -> None:
        joint = self.stack[-1]
        self.expect(joint.channels is None, f"{self.label()} has two CHANNELS lines")
        count = self.number(f"the CHANNELS of {self.label()}")
        self.expect(
            count in range(1 if joint.end_site else 7),
            f"{self.label()} has {count:g} channels; a joint may have 0 to 6, an end site none",
        )
        joint.channels = ()
        for _ in range(int(count)):
            word = self.next()
            name = _KNOWN.get(word.decode("latin-1").lower())
            if name is None:
                self.fail(
                    f"{quote_token(word)} is not a channel ({self.label()} announces {count:g}); "
                    f"known: {', '.join(CHANNELS)}"
                    if word
                    else f"the file ends inside the CHANNELS of {self.label()}; it is cut off"
                )
            self.expect(name not in joint.channels, f"{self.label()} has the channel {name} twice")
            joint.channels += (name,)

    def close(self) -> None:
        self.expect(len(self.stack) > 0, "a closing brace too many: no joint is open here")
        self.expect(self.stack[-1].offset is not None, f"{self.label()} has no OFFSET")
        self.stack.pop()


def parse_hierarchy(
    content: bytes, *, start: int = 0, path: str | Path | None = None
) -> tuple[list[FileJoint], int | None]:
    """Read the joints of a BVH file up to its MOTION section; `UnreadableFile` says what is wrong and where.

    Returns the joints in file order, end sites among them and all named, and the offset in bytes of what follows the
    word MOTION; None if the file has no such section.
    """
    file = _HierarchyReader(content, start, path)
    word = file.next()
    file.expect(
        word.upper() == b"HIERARCHY", f"this is not a BVH file: it starts with {quote_token(word)} instead of HIERARCHY"
    )
    while word := file.next():
        key, inside = word.upper(), bool(file.stack)
        if key == b"}":
            file.close()
        elif key == b"ROOT" and not inside:
            file.open(file.rest_of_line(), end_site=False)
        elif key == b"MOTION" and not inside:
            break
        elif not inside:
            file.fail(
                f"{quote_token(word)} stands outside of all joints; expected ROOT or MOTION, or a brace is too many"
            )
        elif key in (b"ROOT", b"MOTION"):
            file.fail(f"{key.decode()} inside {file.label()}, which is still open; a closing brace is missing")
        elif key == b"OFFSET":
            file.read_offset()
        elif key == b"CHANNELS":
            file.read_channels()
        elif key in (b"JOINT", b"END"):
            file.expect(not file.stack[-1].end_site, f"{file.label()} cannot have joints of its own")
            if key == b"END" and (second := file.next()).upper() != b"SITE":
                file.fail(f"'End' must be followed by 'Site', not by {quote_token(second)}")
            file.open(file.rest_of_line(), end_site=key == b"END")
        elif word.decode("latin-1").lower() in _KNOWN:
            file.fail(f"{file.label()} lists more channels than its CHANNELS line announces: {quote_token(word)}")
        else:
            file.fail(f"unknown keyword {quote_token(word)} in {file.label()}; known: {_KEYWORDS}")
    if file.stack:
        file.fail(
            f"the file ends inside {file.label()}; it is cut off, or {len(file.stack)} closing braces are missing"
        )
    file.expect(len(file.joints) > 0, "the hierarchy has no ROOT; a body needs one")
    _name_end_sites(file.joints)
    return file.joints, file.position if word else None


def _name_end_sites(joints: list[FileJoint]) -> None:
    """Name each end site as the file does, or `<Parent>_end`, so that names differ within each root's tree."""
    roots: list[int] = []
    for index, joint in enumerate(joints):
        roots.append(index if joint.parent < 0 else roots[joint.parent])
    taken = {(root, joint.name) for root, joint in zip(roots, joints, strict=True) if not joint.end_site}
    for root, joint in zip(roots, joints, strict=True):
        if joint.end_site:
            name, number = joint.name if len(joint.name) <= MAX_NAME_LENGTH else "", 1
            while not name or (root, name) in taken:
                name = f"{joints[joint.parent].name}_end{number if number > 1 else ''}"
                number += 1
            joint.name = name
            taken.add((root, name))
