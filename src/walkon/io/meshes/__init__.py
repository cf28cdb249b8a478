"""Meshes of places, OBJ and glTF, as what a stage needs of them: the outlines of what is in the way."""

from walkon.io.meshes.floor_plan import floor_plan

__all__ = ["floor_plan"]
