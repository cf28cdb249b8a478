"""Shapes and distances: polygons and paths on the floor, capsules, solids and meshes in space, neighbours, tracks.

Takes plain arrays (and Shapely geometries for polygons) and gives plain arrays. A gap is always signed: metres of free
space where positive, metres of penetration where negative. What the shapes stand for (people, walls, limbs), and how
they move, is left to others; `tracks` and `agents` are the tables in which others say it.
"""

from walkon.geometry import capsules, closed_meshes, neighbours, polygons, solids
from walkon.geometry.capsules import Capsules
from walkon.geometry.neighbours import NeighbourGrid

__all__ = ["Capsules", "NeighbourGrid", "capsules", "closed_meshes", "neighbours", "polygons", "solids"]
