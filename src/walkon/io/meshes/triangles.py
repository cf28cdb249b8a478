"""The triangles of meshes of places and things: Wavefront OBJ and glTF 2.0, `.gltf` or `.glb`.

Of an OBJ file `v` and `f` lines are read, everything else is passed over. Faces of more than three corners are cut into
fans; corners are counted from 1, or back from the last vertex so far where negative; `7/2/1` names a vertex, a texture
place and a normal. File units and axes.

Of a glTF file all meshes of the default scene are read, placed by their nodes. Meshes with a skin are people and
animals, and are left out; others stand as their nodes say, whatever moves them. File axes (y up), metres.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue, UnknownName, UnreadableFile
from walkon._base.files import read_whole
from walkon.io.gltf import GltfFile, local_matrix, refusing
from walkon.io.gltf.document import TRIANGLES, Primitive
from walkon.io.gltf.reading import COMPRESSIONS
from walkon.io.meshes.plain_obj import face_count, read_plain_obj

__all__ = ["gltf_triangles", "obj_triangles", "read_triangles"]

ENDINGS = (".obj", ".gltf", ".glb")
MAX_FILE_BYTES = 1 << 30
LARGE_FILE_BYTES = 1 << 20
"""Bytes of an OBJ file from which on it is read by columns where it is plain (`plain_obj`)."""
MAX_REACH_M = 1e5
"""m: places farther from the origin are a matter of units."""
STRIPS, FANS = 5, 6
MAX_NODES = 1_000_000
"""Nodes of a scene, each counted as often as it is reached."""
_VERTEX = re.compile(rb"^[ \t]*v[ \t]+([^\n#]*)", re.MULTILINE)
_FACE = re.compile(rb"^[ \t]*f[ \t]+([^\n#]*)", re.MULTILINE)
_REST = re.compile(rb"/[^\s]*")


def read_triangles(
    path: str | Path, *, up: str = "y", scale: float = 1.0, refused: Callable[[int], str] | None = None
) -> Array:
    """Return the triangles [T, 3, 3] of an OBJ, glTF or GLB file, metres, z up.

    `up` is the axis that points up in an OBJ file, "y" or "z" (in glTF it is y); `scale` is metres per file unit. From
    y up, (x, y, z) becomes (x, −z, y). `refused` says why so many triangles (at least) are not wanted, before they are
    read; empty: they are. Raises `UnreadableFile`.
    """
    path = Path(path)
    if not (np.isfinite(scale) and scale > 0):
        raise InvalidValue(f"scale must be over 0, got {scale:g} m per unit")
    UnknownName.check("axis to point up", up, ("y", "z"))
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnreadableFile(f"a mesh is a file that ends in {', '.join(ENDINGS)}", path=path)
    content = read_whole(path, limit=MAX_FILE_BYTES)
    if ending == ".obj":
        _refuse(face_count(content), refused, path)
        triangles = obj_triangles(content, path=path)
    else:
        triangles = gltf_triangles(content, path=path, refused=refused)
    if ending != ".obj" or up == "y":
        # The way back of what is written to glTF.
        x, y, z = np.moveaxis(triangles, -1, 0)
        triangles = np.stack([x, 0.0 - z, y], axis=-1)
    triangles = triangles * scale
    if len(triangles) and not np.abs(triangles).max() < MAX_REACH_M:
        far = np.abs(triangles).max()
        raise UnreadableFile(f"it reaches {far:.3g} m from its origin; set scale to metres per unit", path=path)
    return triangles


def obj_triangles(content: bytes, *, path: str | Path | None = None) -> Array:
    """Return triangles [T, 3, 3]; `path` is only named in messages. Raises `UnreadableFile`."""
    if b"\0" in content:
        raise UnreadableFile("this is a binary file, not OBJ text", path=path)
    text = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\\\n", b" ")
    if len(text) > LARGE_FILE_BYTES and b"\\" not in text and (plain := read_plain_obj(text)) is not None:
        return np.asarray(plain.vertices[_fans(plain.corners, plain.counts)])
    vertices = _vertices(text, path)
    faces = list(_FACE.finditer(text))
    if not faces:
        raise UnreadableFile("it has no faces (lines that begin with f); a mesh needs some", path=path)
    named = [_REST.sub(b"", face.group(1)).split() for face in faces]
    counts = np.array([len(corners) for corners in named])
    if counts.min() < 3:
        bad = faces[int(counts.argmin())]
        raise UnreadableFile(f"a face needs three corners, got {int(counts.min())}", path=path, line=_line(text, bad))
    try:
        flat = np.array([corner for corners in named for corner in corners]).astype(np.int64)
    except (ValueError, OverflowError):
        raise _number_error(text, faces, "corner", path) from None
    if (flat < 0).any():
        # How many vertices there are before a face.
        places = np.array([found.start() for found in _VERTEX.finditer(text)])
        before = np.searchsorted(places, [face.start() for face in faces])
        flat = np.where(flat < 0, flat + 1 + np.repeat(before, counts), flat)
    wrong = (flat < 1) | (flat > len(vertices))
    if wrong.any():
        at = faces[int(np.repeat(np.arange(len(faces)), counts)[int(wrong.argmax())])]
        message = f"a face has a corner that is none of the {len(vertices)} vertices; the file may be cut off"
        raise UnreadableFile(message, path=path, line=_line(text, at))
    return np.asarray(vertices[_fans(flat - 1, counts)])


def _vertices(text: bytes, path: str | Path | None) -> Array:
    found = list(_VERTEX.finditer(text))
    rows = [match.group(1).split()[:3] for match in found]
    short = next((k for k, row in enumerate(rows) if len(row) < 3), None)
    if short is not None:
        raise UnreadableFile(
            f"a vertex needs three numbers, got {len(rows[short])}", path=path, line=_line(text, found[short])
        )
    if not rows:
        raise UnreadableFile("it has no vertices (lines that begin with v); is this an OBJ file?", path=path)
    try:
        vertices = np.array(rows).astype(np.float64)
    except ValueError:
        raise _number_error(text, found, "vertex", path) from None
    if not np.isfinite(vertices).all():
        bad = found[int((~np.isfinite(vertices)).any(axis=1).argmax())]
        raise UnreadableFile("a vertex has a number that is not finite", path=path, line=_line(text, bad))
    return vertices


def _fans(corners: IntArray, counts: IntArray) -> IntArray:
    """Return [T, 3] the triangles of faces that are listed end to end."""
    firsts = np.cumsum(counts) - counts
    triangles = counts - 2
    face = np.repeat(np.arange(len(counts)), triangles)
    step = np.arange(len(face)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    first = firsts[face]
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1)


def _number_error(text: bytes, lines: list[re.Match[bytes]], what: str, path: str | Path | None) -> UnreadableFile:
    """Find the first line with something in it that is no number."""
    number = float if what == "vertex" else int
    for found in lines:
        for word in _REST.sub(b"", found.group(1)).split():
            try:
                if abs(number(word)) < 2**62:
                    continue
            except ValueError:
                pass
            shown = word[:40].decode("ascii", "replace")
            return UnreadableFile(f"a {what} has {shown!r} for a number", path=path, line=_line(text, found))
    return UnreadableFile(f"a {what} has something that is no number", path=path)


def _line(text: bytes, found: re.Match[bytes]) -> int:
    """Return the line of a match; lines that were joined by a backslash count as one."""
    return text.count(b"\n", 0, found.start()) + 1


def _refuse(count: int, refused: Callable[[int], str] | None, path: str | Path) -> None:
    """Refuse a file of so many triangles, if there are words for that."""
    if refused is not None and (words := refused(count)):
        raise UnreadableFile(words, path=path)


def gltf_triangles(content: bytes, *, path: str | Path, refused: Callable[[int], str] | None = None) -> Array:
    """Return triangles [T, 3, 3] in metres, y up; buffers beside the file are found from `path`."""
    file = GltfFile(content, path)
    file.refuse_extensions(COMPRESSIONS, file.document.extensions_required)
    with np.errstate(all="ignore"), refusing(path):  # what is not finite is found in the end
        triangles = np.concatenate([np.zeros((0, 3, 3)), *_place_meshes(file, refused)])
    if not len(triangles):
        raise UnreadableFile("it has no triangles; a mesh needs some", path=path)
    file.expect(bool(np.isfinite(triangles).all()), "some of its places are not finite numbers")
    return triangles


def _place_meshes(file: GltfFile, refused: Callable[[int], str] | None) -> list[Array]:
    """Return the triangles of each mesh of the scene, where its node places it."""
    meshes: dict[int, list[Array]] = {}
    placed: list[Array] = []
    waiting = [(number, np.eye(4), 0) for number in file.roots()]
    seen = count = 0
    while waiting:
        number, above, depth = waiting.pop()
        seen += 1
        file.expect(seen <= MAX_NODES and depth <= 1000, "its nodes are their own parents, or far too many")
        node = file.part("nodes", number)
        frame = above @ local_matrix(node)
        if node.mesh is not None and node.skin is None:
            count += sum(_triangle_count(file, part) for part in file.part("meshes", node.mesh).primitives)
            _refuse(count, refused, file.path)
            if node.mesh not in meshes:
                meshes[node.mesh] = [
                    _primitive_triangles(file, part) for part in file.part("meshes", node.mesh).primitives
                ]
            placed += [corners @ frame[:3, :3].T + frame[:3, 3] for corners in meshes[node.mesh]]
        waiting += [(child, frame, depth + 1) for child in node.children]
    return placed


def _triangle_count(file: GltfFile, primitive: Primitive) -> int:
    """Return how many triangles a primitive says it has."""
    if primitive.mode not in (TRIANGLES, STRIPS, FANS):
        return 0
    corners = primitive.attributes["POSITION"] if primitive.indices is None else primitive.indices
    count = int(file.part("accessors", corners).count)
    return count // 3 if primitive.mode == TRIANGLES else max(count - 2, 0)


def _primitive_triangles(file: GltfFile, primitive: Primitive) -> Array:
    if primitive.mode not in (TRIANGLES, STRIPS, FANS):
        return np.zeros((0, 3, 3))
    file.refuse_extensions(COMPRESSIONS, primitive.extensions)
    places = _array(file, primitive.attributes["POSITION"], "VEC3").astype(np.float64)
    order = (
        np.arange(len(places))
        if primitive.indices is None
        else _array(file, primitive.indices, "SCALAR").astype(np.int64)
    )
    low, high = (order.min(), order.max()) if len(order) else (0, -1)
    file.expect(low >= 0 and high < len(places), f"a face has corner {high} of {len(places)}")
    return places[_faces(order, primitive.mode)]


def _array(file: GltfFile, accessor: int, kind: str) -> Array:
    found = file.part("accessors", accessor).type
    file.expect(found == kind, f"accessor {accessor} should be {kind}, but is {found!r}")
    return file.array(accessor)


def _faces(order: IntArray, mode: int) -> IntArray:
    """Return [T, 3] the triangles of a list, a strip or a fan of corners."""
    if mode == TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(len(order) - 2, 0))
    if mode == FANS:
        return np.stack([np.broadcast_to(order[:1], k.shape), order[k + 1], order[k + 2]], axis=1)
    odd = k % 2
    return np.stack([order[k], order[k + 1 + odd], order[k + 2 - odd]], axis=1)
