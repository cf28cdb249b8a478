"""Shortcutting: of the points of a path, those on the cheapest way along them, and points in between where asked.

Every line of sight along a path is a short cut. With points p₀ … p_k and the price of the line between two of them
(infinite where it is blocked),

    c(j) = min over i < j of c(i) + price(pᵢ → p_j),

so the best of all short cuts is found at once, rather than some by chance as in random shortcutting. Points put between
those of the path let it cut across where no two of its own points see each other. The same rule serves any space that
has a price; ways over the ground use the compiled form in `_roadmap_kernels`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue

__all__ = ["Price", "filled_in", "shortcut"]

Price = Callable[[Array, Array], Array]
"""Takes starts and ends [N, D] and returns what the lines between them cost [N], inf where they are blocked."""


def shortcut(points: ArrayLike, price: Price, *, spacing: float | None = None) -> Array:
    """Return [k, D] the points of a path [P, D] that are worth keeping; with `spacing`, after filling it in."""
    path = np.asarray(points, np.float64)
    if path.ndim != 2 or len(path) < 2:
        raise InvalidValue(f"a path to cut short needs at least two points [P, D], got an array of shape {path.shape}")
    if spacing is not None:
        path = filled_in(path, spacing=spacing)
    costs, parents = np.full(len(path), np.inf), np.zeros(len(path), np.int64)
    costs[0] = 0.0
    for j in range(1, len(path)):
        totals = costs[:j] + price(path[:j], np.broadcast_to(path[j], path[:j].shape))
        # The first of equal ones, so that straight lines keep no point between their ends.
        parents[j] = int(np.flatnonzero(totals <= totals.min() + 1e-9)[0])
        costs[j] = totals[parents[j]]
    if not np.isfinite(costs[-1]):
        raise InvalidValue("the path itself is blocked, so it has no short cuts; look for another path")
    kept = [len(path) - 1]
    while kept[-1] > 0:
        kept.append(int(parents[kept[-1]]))
    return np.ascontiguousarray(path[kept[::-1]])


def filled_in(points: ArrayLike, *, spacing: float) -> Array:
    """Return a path [P, D] with points put evenly between its points, at most `spacing` apart."""
    path = np.asarray(points, np.float64)
    if not spacing > 0:
        raise InvalidValue(f"spacing must be over 0, got {spacing:g}")
    pieces = np.maximum(np.ceil(np.linalg.norm(np.diff(path, axis=0), axis=1) / spacing), 1).astype(np.int64)
    at = np.concatenate([k + np.arange(n) / n for k, n in enumerate(pieces)] + [[float(len(pieces))]])
    whole = np.minimum(at.astype(np.int64), len(pieces) - 1)
    return np.asarray(path[whole] + (at - whole)[:, None] * (path[whole + 1] - path[whole]))
