"""Meshes of places and things, OBJ and glTF: outlines of what is in the way on a stage, and the surfaces of props."""

from walkon.io.meshes.closed_mesh import closed_mesh
from walkon.io.meshes.floor_plan import floor_plan
from walkon.io.meshes.triangles import read_triangles

__all__ = ["closed_mesh", "floor_plan", "read_triangles"]
