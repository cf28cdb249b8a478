"""`closed_mesh(path)`: the surface of a thing from a file, as vertices and triangles that know their neighbours.

Files have corners of their own for every face, or for every normal and texture; corners at one place become one vertex.
Metres, z up. Whether the surface is closed is for whoever needs it to check: `walkon.stage.Prop` does.
"""

from pathlib import Path

from walkon.geometry.closed_meshes import ClosedMesh, weld_triangles
from walkon.io.meshes.triangles import read_triangles

__all__ = ["closed_mesh"]


def closed_mesh(path: str | Path, *, up: str = "y", scale: float = 1.0) -> ClosedMesh:
    """Return vertices [V, 3] m and triangles [F, 3] of an OBJ, glTF or GLB file; `up` and `scale` as `floor_plan` has.

    Raises `UnreadableFile`.
    """
    return weld_triangles(read_triangles(path, up=up, scale=scale))
