"""Large OBJ files as exporters write them, read by columns: vertices and faces in some seconds per million.

Lines that begin with `v` or `f` are cut out of the text at once, names of texture places and normals are blanked, and
what is left is numbers, which the compiled reader of decimals takes (`bvh_numbers`), as exactly as `float` does. What
is not that plain (colours, comments behind numbers, indents, joined lines, anything wrong) is left to the reader of
lines in `triangles`, which also knows what to say about it.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import UnreadableFile

__all__ = ["PlainObj", "face_count", "read_plain_obj"]

NEWLINE, SPACE, TAB, SLASH, HASH = (ord(sign) for sign in "\n \t/#")


class PlainObj(NamedTuple):
    """What there is in a file."""

    vertices: Array
    """[V, 3] in its units."""
    corners: IntArray
    """All corners of all faces, from 0, face after face."""
    counts: IntArray
    """[F] corners of each face."""


def face_count(content: bytes) -> int:
    """Return how many faces a file has, at least."""
    return sum(content.count(b"\nf" + gap) for gap in (b" ", b"\t")) + content.startswith((b"f ", b"f\t"))


def read_plain_obj(text: bytes) -> PlainObj | None:
    """Return what lines say that end in LF, or None where they are not plain."""
    from walkon.io.bvh_numbers import parse_numbers  # most scenes have no large mesh

    signs = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    stops = np.flatnonzero(signs == NEWLINE)
    starts = np.append(0, stops[:-1] + 1)
    first, second = signs[starts], signs[np.minimum(starts + 1, len(signs) - 1)]
    if ((first == SPACE) | (first == TAB)).any():
        return None
    gap = (second == SPACE) | (second == TAB)
    v, f = (np.flatnonzero(gap & (first == ord(letter))) for letter in "vf")
    if not (len(v) and len(f)):
        return None
    faces = _cut(signs, starts[f], stops[f])
    if np.isin(faces, [HASH, ord("."), ord("e"), ord("E"), ord("+")]).any():
        return None
    faces = np.where(_after_slash(faces), np.uint8(SPACE), faces)
    try:
        vertices, cut_off, _ = parse_numbers(_cut(signs, starts[v], stops[v]).tobytes(), 0, channels=3)
        if cut_off or len(vertices) != len(v):
            return None
        counts = _words_per_line(faces)
        faces = np.where(faces == NEWLINE, np.uint8(SPACE), faces)
        values, cut_off, _ = parse_numbers(faces.tobytes(), 0, channels=int(counts.sum()))
    except UnreadableFile:
        return None
    if cut_off or len(values) != 1 or counts.min() < 3:
        return None
    named = values[0].astype(np.int64)
    before = np.repeat(np.searchsorted(v, f), counts)
    corners = np.where(named < 0, named + before, named - 1)
    if (named == 0).any() or corners.min() < 0 or corners.max() >= len(vertices):
        return None
    return PlainObj(vertices, corners, counts)


def _cut(signs: npt.NDArray[np.uint8], starts: IntArray, stops: IntArray) -> npt.NDArray[np.uint8]:
    """Return the bytes of lines behind their first letter, line ends included."""
    edges = np.zeros(len(signs) + 1, np.int8)
    edges[starts + 1] += 1
    edges[stops + 1] -= 1
    return signs[np.cumsum(edges[:-1], dtype=np.int8).astype(np.bool_)]


def _after_slash(signs: npt.NDArray[np.uint8]) -> BoolArray:
    """Say which bytes are a slash or behind one in the same word."""
    slash = signs == SLASH
    if not slash.any():
        return slash
    row = np.arange(1, len(signs) + 1, dtype=np.int32 if len(signs) < 2**31 - 2 else np.int64)
    gaps = (signs == SPACE) | (signs == TAB) | (signs == NEWLINE)
    return np.asarray(np.maximum.accumulate(row * slash) > np.maximum.accumulate(row * gaps))


def _words_per_line(signs: npt.NDArray[np.uint8]) -> IntArray:
    gaps = (signs == SPACE) | (signs == TAB) | (signs == NEWLINE)
    begins = ~gaps & np.append(True, gaps[:-1])
    ends = np.flatnonzero(signs == NEWLINE)
    return np.diff(np.cumsum(begins)[ends], prepend=0)
