"""Clearance: how far every place of the stage is from what one cannot walk through, in a grid that kernels can ask.

At the grid's nodes, `SPACING` apart, the signed distance to the edge of the free area (bounds minus obstacles) is
exact; between them it is mixed bilinearly. With nodes 5 cm apart that is never more than 3 mm too far where a body's
centre can be (0.1 m or more off), by corners up to 1.3 cm; on ridges halfway between two walls it is up to half the
spacing too near, which is the safe side. Positive is free. Outside the grid of an endless stage everything is free;
outside bounds nothing is. Metres.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock
from walkon._base.errors import InvalidValue
from walkon.geometry import polygons
from walkon.stage import Stage

__all__ = ["FAR", "Clearance", "free_area"]

SPACING = 0.05
"""m between nodes, made larger for stages of over `MOST` nodes."""
MOST = 6_000_000
FAR = 1000.0
"""m: the clearance where there is nothing at all."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Clearance:
    """A grid of distances."""

    origin: Array
    """[2] m, the place of node (0, 0)."""
    spacing: float
    nodes: Array
    """[nx, ny] m; [0, 0] on an empty, endless stage."""
    outside: float
    """m: the clearance off the grid, FAR or −FAR."""

    def __post_init__(self) -> None:
        lock(self, "origin", (2,))
        lock(self, "nodes", (None, None))

    @classmethod
    def of(cls, stage: Stage, *, radius: float = 0.25) -> "Clearance":
        """Measure a stage; the grid reaches far enough that discs of `radius` off it meet nothing."""
        area = free_area(stage)
        solid = [o for o in stage.obstacles if o.is_solid]
        if stage.bounds is None and not solid:
            return cls(origin=np.zeros(2), spacing=SPACING, nodes=np.zeros((0, 0)), outside=FAR)
        corners = np.concatenate([o.polygon for o in solid] + ([] if stage.bounds is None else [stage.bounds]))
        margin = 2 * radius + 0.5
        low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
        spacing = max(SPACING, float(np.sqrt(np.prod(high - low) / MOST)))
        counts = np.ceil((high - low) / spacing).astype(int) + 1
        x, y = (low[k] + spacing * np.arange(counts[k]) for k in (0, 1))
        grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        nodes = _signed(area, solid, stage, grid).reshape(counts)
        return cls(origin=low, spacing=spacing, nodes=nodes, outside=FAR if stage.bounds is None else -FAR)

    def at(self, points: ArrayLike) -> Array:
        """Return clearances [...] m at ground points [..., 2]: what the kernel reads."""
        places = np.asarray(points, dtype=np.float64)
        if self.nodes.size == 0:
            return np.full(places.shape[:-1], self.outside)
        u = (places - self.origin) / self.spacing
        inside = ((u >= 0) & (u <= np.array(self.nodes.shape) - 1)).all(axis=-1)
        cell = np.clip(np.floor(u).astype(int), 0, np.array(self.nodes.shape) - 2)
        a, b = np.moveaxis(np.clip(u - cell, 0.0, 1.0), -1, 0)
        i, j = np.moveaxis(cell, -1, 0)
        n = self.nodes
        mixed = (1 - a) * ((1 - b) * n[i, j] + b * n[i, j + 1]) + a * ((1 - b) * n[i + 1, j] + b * n[i + 1, j + 1])
        return np.where(inside, mixed, self.outside)


def free_area(stage: Stage) -> Any:
    """Return the area that one may walk in, as a Shapely geometry; None where it is endless."""
    solid = [polygons.polygon(o.polygon) for o in stage.obstacles if o.is_solid]
    if stage.bounds is None:
        return None
    area = polygons.polygon(stage.bounds)
    free = shapely.difference(area, shapely.union_all(solid)) if solid else area
    if free.is_empty:
        raise InvalidValue("obstacles cover the whole stage; there is nowhere to walk")
    return free


def _signed(area: Any, solid: list[Any], stage: Stage, grid: Array) -> Array:
    if area is None:
        area = shapely.union_all([polygons.polygon(o.polygon) for o in solid])
        return polygons.distances(area, grid)
    return -polygons.distances(area, grid)
