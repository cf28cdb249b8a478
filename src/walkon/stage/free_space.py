"""Free space, the configuration space of a disc on a stage; the one owner of area, walls, distances, lines of sight.

Everything is made from the stage when it is first asked for, and kept: the walkable area (bounds minus solid
obstacles, furniture drawn in as `low_solids` tells), its oriented edges, an index of walls for lines of sight, a grid
of signed distances that kernels read, the connected parts in which a disc of some radius fits, and an index of the
obstacles themselves.

What moves is left out: planners see the part that stands still. `at` gives the space of one moment, in which that part
is shared and what moves is added where it is then.

Points are [K, 2] or [K, 3]; on a flat floor z has no say. Metres.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import shapely  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock_fields
from walkon._base.errors import InvalidValue
from walkon.geometry import polygons
from walkon.stage.distance_grid import make_grid, read_grid
from walkon.stage.distance_rule import DistanceGrid
from walkon.stage.free_parts import FreeParts
from walkon.stage.low_solids import are_beside_arms, are_low, draw_in
from walkon.stage.stage import Obstacle, Stage
from walkon.stage.walls import ENDLESS_M, WallEdges, Walls, are_clear, edges_of, index_walls

__all__ = ["FreeSpace"]

GRID_MARGIN_M = 0.5
"""m that the grid of distances reaches beyond two radii of a body outside all walls."""

ARMS_WIDER_M = 0.08
"""m by which the arms of who walks reach further aside than its trunk."""
EDGE, NOTHING = -1, -2
"""What is nearest where it is none of the solids: the bounds, or nothing at all."""

_CACHES: WeakKeyDictionary[Stage, dict[Any, Any]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class FreeSpace:
    """Where the middle of a disc of some radius may be."""

    stage: Stage
    radius: float
    """m."""
    _kept: dict[Any, Any] = field(repr=False)
    """What was made of the stage so far; the free spaces of one stage share it, whatever their radius."""

    @classmethod
    def of(cls, stage: Stage, *, radius: float = 0.25) -> "FreeSpace":
        """Return the free space of a stage for bodies of a radius (m)."""
        return cls(stage, radius, _CACHES.setdefault(stage, {}))

    @property
    def solids(self) -> tuple[Obstacle, ...]:
        """The obstacles that one walks around, neither under nor over them, and that stand still."""
        still = self.stage.still
        return self._keep("solids", lambda: tuple(np.array(still, object)[self.stage.are_solid(still)]))

    def at(self, time: float) -> "FreeSpace":
        """Return the free space at a time (s), with what moves where it is then; see `space_at`."""
        from walkon.stage.space_at import SpaceAt

        return SpaceAt.of_moment(self, time) if self.stage.moving else self

    @property
    def low(self) -> BoolArray:
        """[S] which of the `solids` only hips and legs have to pass."""
        return self._keep("low", lambda: are_low(self.stage, self.solids))

    @property
    def solid_polygons(self) -> Any:
        """[S] Shapely polygons of `solids`, object array."""
        return self._keep("polygons", lambda: polygons.polygons([one.polygon for one in self.solids]))

    @property
    def is_open(self) -> bool:
        """Whether nothing at all is in the way: no bounds, no solids."""
        return self.stage.bounds is None and not self.solids

    @property
    def area(self) -> Any:
        """Where one may walk, a Shapely geometry; an endless floor ends at `ENDLESS_M`. None where it `is_open`."""
        return None if self.is_open else self._keep("area", self._walkable)

    @property
    def _floor(self) -> Any:
        """The floor with everything on it, a Shapely geometry."""
        if self.stage.bounds is None:
            return shapely.box(-ENDLESS_M, -ENDLESS_M, ENDLESS_M, ENDLESS_M)
        return polygons.polygon(self.stage.bounds)

    @property
    def rim(self) -> WallEdges:
        """The edges of the floor, the free side on their left; none where it is endless."""
        bounded = self.stage.bounds is not None
        return self._keep("rim", lambda: edges_of(shapely.orient_polygons(self._floor) if bounded else None))

    def _walkable(self) -> Any:
        return self._require_some(self.less_covered(self._floor))

    @staticmethod
    def _require_some(area: Any) -> Any:
        """Return an area that is not empty."""
        if area.is_empty:
            raise InvalidValue("obstacles cover the whole stage; there is nowhere to walk")
        return area

    @property
    def _covered(self) -> Any:
        """The union of all solids as planners see them, a Shapely geometry."""
        return self._keep("covered", lambda: self.covered_by(range(len(self.solids))))

    def covered_by(self, rows: Sequence[int]) -> Any:
        """Return the union of some of the `solids` as planners see it: furniture drawn in (see `low_solids`)."""
        chosen = np.asarray(rows, np.int64)
        low, shapes = self.low[chosen], self.solid_polygons[chosen]
        return shapely.union(shapely.union_all(shapes[~low]), draw_in(shapes[low]))

    def less_solids(self, area: Any) -> Any:
        """Return what is left of a Shapely area without the solids."""
        return shapely.difference(area, shapely.union_all(self.solid_polygons)) if self.solids else area

    def less_covered(self, area: Any) -> Any:
        """Return what planners see as walkable of a Shapely area."""
        return shapely.difference(area, self._covered) if self.solids else area

    @property
    def edges(self) -> WallEdges:
        """The edges of all walls, the free side on their left."""
        area = self.area
        return self._keep("edges", lambda: edges_of(None if area is None else shapely.orient_polygons(area)))

    @property
    def grid(self) -> DistanceGrid:
        """Signed distances to walls as kernels read them, up to where a disc outside them touches nothing."""
        bounds, margin = self.stage.bounds, 2 * self.radius + GRID_MARGIN_M
        corners = [obstacle.polygon for obstacle in self.solids] + ([] if bounds is None else [bounds])
        return self._keep(
            ("grid", margin),
            lambda: make_grid(
                edges_of(self._covered if bounds is None else self.area),
                corners=np.concatenate([np.zeros((0, 2)), *corners]),
                margin=margin,
                bounded=bounds is not None,
            ),
        )

    @property
    def arms_grid(self) -> DistanceGrid:
        """Signed distances to solids as high as hands that hang, as kernels read them; bounds are none."""
        margin = 2 * self.radius + GRID_MARGIN_M
        rows = self._keep("beside arms", lambda: np.flatnonzero(are_beside_arms(self.stage, self.solids)))
        return self._keep(
            ("arms grid", margin),
            lambda: make_grid(
                edges_of(shapely.orient_polygons(shapely.union_all(self.solid_polygons[rows])) if len(rows) else None),
                corners=np.concatenate([np.zeros((0, 2)), *(self.solids[k].polygon for k in rows)]),
                margin=margin,
                bounded=False,
            ),
        )

    @property
    def walking_grid(self) -> DistanceGrid:
        """Signed distances as `grid`, but that what arms can hit is `ARMS_WIDER_M` nearer: for ways with room."""
        rows = self._keep("beside arms", lambda: np.flatnonzero(are_beside_arms(self.stage, self.solids)))
        return self.grid if not len(rows) else self._keep(("walking", self.grid.frame.tobytes()), self._narrowed)

    def _narrowed(self) -> DistanceGrid:
        grid = self.grid
        nx, ny = grid.nodes.shape
        x, y = (grid.frame[k] + grid.frame[2] * np.arange(n) for k, n in ((0, nx), (1, ny)))
        away = read_grid(self.arms_grid, np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)) - ARMS_WIDER_M
        return lock_fields(DistanceGrid(np.minimum(grid.nodes, away), grid.frame))

    def distance(self, points: ArrayLike) -> Array:
        """Return [...] m from points to the nearest wall, furniture drawn in, negative inside: what planners read."""
        return read_grid(self.grid, points)

    def walls(self, reach: float) -> Walls:
        """Return the walls indexed for lines of sight of discs of up to `reach` m radius."""
        return self._keep(("walls", reach), lambda: index_walls(edges_of(self.area), reach=reach))

    def sees(self, starts: ArrayLike, ends: ArrayLike, *, radius: float = 0.0) -> BoolArray:
        """Return [K] whether a disc can go straight from starts to ends without touching a wall."""
        a, b = (np.atleast_2d(np.asarray(side, np.float64))[:, :2] for side in (starts, ends))
        return are_clear(self.walls(max(radius, self.radius)), a, ends=b, radius=radius)

    def parts(self, need: float) -> FreeParts | None:
        """Return the connected parts in which a disc of radius `need` fits; None where it fits everywhere."""
        return None if self.area is None else self._keep(("parts", need), lambda: FreeParts.of(self.area, need=need))

    @property
    def room(self) -> Any:
        """Where the middle of the disc fits, corners rounded, a Shapely geometry; None: everywhere."""
        if self.is_open:
            return None
        solid = polygons.grow(self.solid_polygons, self.radius)
        floor = self._floor if self.stage.bounds is None else polygons.grow(self._floor, -self.radius)
        return shapely.difference(floor, shapely.union_all(solid)) if self.solids else floor

    @property
    def _tree(self) -> Any:
        return self._keep("tree", lambda: shapely.STRtree(self.solid_polygons))

    @polygons.one_thread_at_a_time
    def covering(self, points: ArrayLike) -> list[list[int]]:
        """Return for each of the points which of the `solids` it lies in."""
        places = _places(points)
        found: list[list[int]] = [[] for _ in places]
        for point, solid in sorted(self._tree.query(shapely.points(places), predicate="within").T.tolist()):
            found[point].append(solid)
        return found

    @polygons.one_thread_at_a_time
    def solids_near(self, points: ArrayLike, *, within: float) -> tuple[IntArray, IntArray]:
        """Return pairs (rows of points, rows of `solids`) that are within a distance (m) of each other."""
        return tuple(self._tree.query(shapely.points(_places(points)), predicate="dwithin", distance=within))

    def nearest(self, points: ArrayLike) -> tuple[Array, list[str]]:
        """Return [K] m from points to what is nearest, exactly (negative inside it, inf: nothing), and its name."""
        away, rows = self._nearest_rows(points)
        words = {row: self.name_of(row) for row in np.unique(rows[rows >= 0]).tolist()}
        words |= {NOTHING: "", EDGE: "the edge"}
        return away, [words[row] for row in rows.tolist()]

    @polygons.one_thread_at_a_time
    def _nearest_rows(self, points: ArrayLike) -> tuple[Array, IntArray]:
        """Return [K] m from points to what is nearest, and which of the `solids` it is, or EDGE, or NOTHING."""
        places = _places(points)
        away, nearest = np.full(len(places), np.inf), np.full(len(places), NOTHING)
        if self.stage.bounds is not None:
            away, nearest[:] = -polygons.distances(self._floor, places), EDGE
        if not (self.solids and len(places)):
            return away, nearest
        at = shapely.points(places)
        inside, around = self._tree.query(at, predicate="intersects"), self._tree.query_nearest(at, all_matches=True)
        rows, solids = np.unique(np.concatenate([inside, around], axis=1), axis=1)
        for solid in np.unique(solids).tolist():
            mine = rows[solids == solid]
            here = polygons.distances(self.solid_polygons[solid], places[mine])
            closer = here < away[mine]
            away[mine[closer]], nearest[mine[closer]] = here[closer], solid
        return away, nearest

    def name_of(self, solid: int) -> str:
        """Return what to call one of the `solids`."""
        name = self.solids[solid].name
        return f"obstacle {name!r}" if name else f"obstacle {solid + 1}"

    @polygons.one_thread_at_a_time
    def _keep(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what is kept under a key, made on first use."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


def _places(points: ArrayLike) -> Array:
    return np.asarray(points, dtype=np.float64)[..., :2].reshape(-1, 2)
