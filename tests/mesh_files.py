"""Meshes of boxes as OBJ text and as glTF, built by hand: solids whose floor plans are known."""

import base64
import json
import struct

import numpy as np

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
"""Corners of the six sides, counter-clockwise from outside."""


def solid(low, high):
    """Return the corners [8, 3] (z up) and sides of a box."""
    return np.asarray(low, float) + CORNERS * (np.asarray(high, float) - low), SIDES


def obj_text(solids, *, up="y", negative=False):
    lines, done = ["# boxes", "o boxes"], 0
    for corners, sides in solids:
        for x, y, z in corners:
            lines.append(f"v {x} {z} {-y}" if up == "y" else f"v {x} {y} {z}")
        done += len(corners)
        for side in sides:
            names = [k - len(corners) if negative else done - len(corners) + k + 1 for k in side]
            lines.append("f " + " ".join(f"{k}/1/1" for k in names))
    return "\n".join(lines) + "\n"


def triangles_of(sides):
    return np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])


def gltf_parts(solids, *, nodes=None, index="<u2"):
    """Return the JSON part and the buffer of a file with one mesh per solid."""
    blob, views, accessors, meshes = b"", [], [], []
    for corners, sides in solids:
        turned = np.asarray(corners)[:, [0, 2, 1]] * [1, 1, -1]
        for values, kind, target in (
            (turned.astype("<f4"), "VEC3", 5126),
            (triangles_of(sides).astype(index), "SCALAR", 0),
        ):
            code = target or {"<u1": 5121, "<u2": 5123, "<u4": 5125}[index]
            views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": values.nbytes})
            count = len(values) if kind == "VEC3" else values.size
            accessors.append({"bufferView": len(views) - 1, "componentType": code, "count": count, "type": kind})
            blob += values.tobytes() + b"\0" * (-values.nbytes % 4)
        primitive = {"attributes": {"POSITION": len(accessors) - 2}, "indices": len(accessors) - 1}
        meshes.append({"primitives": [primitive]})
    nodes = nodes or [{"mesh": k} for k in range(len(solids))]
    told = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": meshes,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(blob)}],
    }
    return told, blob


def glb_bytes(told, blob):
    text = json.dumps(told).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def gltf_text(told, blob):
    uri = "data:application/octet-stream;base64," + base64.b64encode(blob).decode()
    return json.dumps(told | {"buffers": [{"byteLength": len(blob), "uri": uri}]})


def write_floor(path, triangles, *, up="z"):
    """Write the triangles [F, 3, 3] m of a floor (z up) as an OBJ file with corners of their own."""
    corners = np.asarray(triangles).reshape(-1, 3)
    corners = corners if up == "z" else corners[:, [0, 2, 1]] * [1, 1, -1]
    faces = np.arange(len(corners)).reshape(-1, 3) + 1
    path.write_text(
        "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in corners)
        + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    )
    return path
