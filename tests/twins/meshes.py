"""Distances from meshes once more, in plain NumPy: all points against all triangles, and solid angles for the sign."""

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.closed_meshes import ClosedMesh

__all__ = ["mesh_distances_numpy", "winding_numbers"]


def mesh_distances_numpy(mesh: ClosedMesh, points: Array) -> Array:
    """Return signed distances [P] of points [P, 3]: the least over corners, sides and faces; negative inside."""
    corners = mesh.vertices[mesh.triangles]
    away = np.linalg.norm(points[:, None] - mesh.vertices[None], axis=-1).min(axis=1)
    for i in range(3):
        a, side = corners[:, i], corners[:, (i + 1) % 3] - corners[:, i]
        share = np.clip(np.einsum("pfi,fi->pf", points[:, None] - a, side) / np.sum(side**2, axis=1), 0.0, 1.0)
        away = np.minimum(away, np.linalg.norm(points[:, None] - a - share[..., None] * side, axis=-1).min(axis=1))
    sides = corners[:, 1:] - corners[:, :1]
    normals = np.cross(sides[:, 0], sides[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    height = np.einsum("pfi,fi->pf", points[:, None] - corners[:, 0], normals)
    shares = np.einsum("pfi,fij->pfj", points[:, None] - corners[:, 0], np.linalg.pinv(sides))
    over = (shares >= 0).all(axis=-1) & (shares.sum(axis=-1) <= 1)
    away = np.minimum(away, np.where(over, np.abs(height), np.inf).min(axis=1))
    return np.where(winding_numbers(mesh, points) > 0.5, -away, away)


def winding_numbers(mesh: ClosedMesh, points: Array) -> Array:
    """Return the winding numbers [P] of points [P, 3]: solid angles (Van Oosterom and Strackee 1983) over 4π."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles][None] - points[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
    volume = np.sum(a * np.cross(b, c), axis=-1)
    below = la * lb * lc + np.sum(a * b, -1) * lc + np.sum(b * c, -1) * la + np.sum(c * a, -1) * lb
    return np.asarray(2.0 * np.arctan2(volume, below).sum(axis=1) / (4.0 * np.pi))
