"""Lines through a solid: capsules that stand for a box, ball, cylinder or mesh where it is held against other solids.

The deepest point of a solid A in a solid B with signed distance f is the least f over A. Along a line that minimum is
known (`solid_pairs`), so A is drawn as lines, and the least over lines is taken:

* a box as lines along its longest side, its edges among them, no more than `LINE_STEP_M` apart;
* a ball as itself, a capsule without length;
* a cylinder as lines along its axis, on circles of which the outermost is its rim;
* a mesh as the edges of its triangles.

f changes by no more than the way, so what is found is never deeper than the true depth, and short of it by no more than
half a diagonal of the steps, 2.8 cm; where the deepest point of A is on an edge or at a corner, as of a box that is
pushed into something large, it is exact. Metres, in the solid's frame.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.capsules import Capsules
from walkon.geometry.closed_meshes import ClosedMesh
from walkon.geometry.solids import SolidParts
from walkon.transforms import rigid

__all__ = ["LINE_STEP_M", "mesh_lines", "parts_lines"]

LINE_STEP_M = 0.04
"""m between neighbouring lines at most."""
RIM_LINE_COUNT = 32
"""Lines around the rim of a cylinder: the rim lies half a percent of the radius outside of them."""


def parts_lines(parts: SolidParts) -> Capsules:
    """Return lines [L, 3], [L, 3], [L, 2] through a union of solids, in the thing's frame."""
    starts, ends, radii = [], [], []
    for shape, size, pose in zip(parts.shapes, parts.sizes, parts.poses, strict=True):
        low, high = _lines(shape, 0.5 * size)
        starts.append(rigid.apply(pose, low))
        ends.append(rigid.apply(pose, high))
        radii.append(np.full((len(low), 2), 0.5 * size[0] if shape == "sphere" else 0.0))
    return Capsules(*(np.concatenate(rows) for rows in (starts, ends, radii)))


def mesh_lines(mesh: ClosedMesh) -> Capsules:
    """Return the edges of a mesh as lines [L, 3], [L, 3], [L, 2]."""
    sides = mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    edges = np.unique(np.sort(sides, axis=1), axis=0)
    return Capsules(mesh.vertices[edges[:, 0]], mesh.vertices[edges[:, 1]], np.zeros((len(edges), 2)))


def _lines(shape: str, half: Array) -> tuple[Array, Array]:
    """Return both ends [L, 3] of lines through a simple solid of half extents [3]."""
    if shape == "sphere":
        return np.zeros((1, 3)), np.zeros((1, 3))
    if shape == "cylinder":
        circles = int(np.ceil(half[0] / LINE_STEP_M))
        turns = 2 * np.pi * np.arange(RIM_LINE_COUNT) / RIM_LINE_COUNT
        around = np.column_stack([np.cos(turns), np.sin(turns)])
        rings = [half[0] * (k + 1) / circles * around for k in range(circles)]
        across = np.concatenate([np.zeros((1, 2)), *rings])
        along = 2
    else:
        along = int(np.argmax(half))
        sides = [half[i] * np.linspace(-1, 1, 1 + _steps(half[i])) for i in range(3) if i != along]
        across = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    low, high = (np.insert(across, along, side * half[along], axis=1) for side in (-1.0, 1.0))
    return low, high


def _steps(half: float) -> int:
    return max(int(np.ceil(2 * half / LINE_STEP_M)), 1)
