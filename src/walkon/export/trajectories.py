"""Takes as trajectories: the planar pose and the velocity of everyone who is there, frame by frame, in blocks of time.

The place is the planar pose of a frame: the root joint over the floor and where the hips face, as everywhere in Walkon;
z is the height of the floor there, where a format has a column for it (CSV, Parquet, PedPy text; JuPedSim has none).
The velocity is the central difference over the frames before and after, one-sided where a character has just come or is
about to leave, and NaN for one who is there for a single frame:

    v(k) = (p(k + 1) − p(k − 1)) fps / 2

Who is absent has no row. Files are written by `walkon.io.trajectories`.

Pedestrian tools also want the area on which people can walk, as well-known text (WKT). It is the bounds less every
obstacle that stands still and that the audit counts as one: not what one can step over, nor what hangs higher than a
head; what moves is no part of an area that holds for all times. Obstacles that cut the floor into parts make it a
MULTIPOLYGON. A stage without bounds is endless; formats that must have an area get the box around all places, grown by
a margin.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import shapely  # type: ignore[import-untyped]

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue
from walkon.export.excerpt import Excerpt, Progress
from walkon.geometry import polygons
from walkon.io.trajectories.jupedsim_sqlite import write_jupedsim_sqlite
from walkon.io.trajectories.parquet_trajectories import write_parquet as _write_parquet
from walkon.io.trajectories.text_trajectories import write_csv as _write_csv
from walkon.io.trajectories.text_trajectories import write_pedpy_text
from walkon.io.trajectories.trajectory_stream import TrajectoryRows, TrajectoryStream
from walkon.stage import Stage
from walkon.stage.free_space import FreeSpace
from walkon.take.clips import stands

__all__ = ["trajectory_rows", "write_csv", "write_jupedsim", "write_parquet", "write_pedpy"]

MARGIN_M = 2.0
"""Around everybody's places, where the stage has no bounds."""
AREA_DECIMALS = 6


def write_csv(excerpt: Excerpt, path: Path, *, progress: Progress) -> None:
    """Write an excerpt as a table of text."""
    _write_csv(_stream(excerpt, progress, area=None), path)


def write_parquet(excerpt: Excerpt, path: Path, *, progress: Progress, geometry: str | None = None) -> None:
    """Write an excerpt as Parquet; `geometry` is the walkable area as WKT, the stage's own if None."""
    _write_parquet(_stream(excerpt, progress, area=_area(excerpt, geometry)), path)


def write_jupedsim(
    excerpt: Excerpt, path: Path, *, progress: Progress, version: int = 2, geometry: str | None = None
) -> None:
    """Write an excerpt as JuPedSim does, with schema `version` 2 or 3; `geometry` as for Parquet."""
    write_jupedsim_sqlite(_stream(excerpt, progress, area=_area(excerpt, geometry)), path, version=version)


def write_pedpy(excerpt: Excerpt, path: Path, *, progress: Progress, geometry: str | None = None) -> None:
    """Write an excerpt as PedPy text; `geometry` as for Parquet."""
    write_pedpy_text(_stream(excerpt, progress, area=_area(excerpt, geometry)), path)


def _stream(excerpt: Excerpt, progress: Progress, *, area: str | None) -> TrajectoryStream:
    return TrajectoryStream(
        blocks=trajectory_rows(excerpt, progress),
        ids=excerpt.characters,
        names=excerpt.names,
        rate=excerpt.fps,
        start=excerpt.start,
        count=excerpt.count,
        geometry=area,
        area_around=partial(_area_around, excerpt.take.stage),
    )


def trajectory_rows(excerpt: Excerpt, progress: Progress) -> Iterator[TrajectoryRows]:
    """Yield the rows of an excerpt, block by block; every frame comes once, a frame without anybody in no row."""
    nobody = np.full((1, len(excerpt.characters), 4), np.nan)
    window, first = nobody, 0
    for poses in excerpt.by_time():
        window = np.concatenate([window, np.concatenate([poses.planar, poses.positions[:, :, 0, 2:]], axis=2)])
        yield _rows(excerpt, window, first)
        first += len(window) - 2
        # The last frame waits for the one after it, and needs the one before it.
        window = window[-2:]
        progress((first + 1) / excerpt.count)
    yield _rows(excerpt, np.concatenate([window, nobody]), first)


def _rows(excerpt: Excerpt, window: Array, first: int) -> TrajectoryRows:
    """Rows of all frames of a window [m, N, 4] = (x, y, heading, z of the root) but the first and the last; the second
    is number `first`.
    """
    here = window[1:-1]
    behind, ahead = here[..., :2] - window[:-2, :, :2], window[2:, :, :2] - here[..., :2]
    step = np.where(np.isnan(ahead), behind, np.where(np.isnan(behind), ahead, 0.5 * (ahead + behind)))
    frame, column = np.nonzero(~np.isnan(here[..., 0]))
    planar, roots = here[frame, column, :3], here[frame, column, 3]
    return TrajectoryRows(
        ids=excerpt.characters[column],
        columns=column,
        frames=first + frame,
        times=excerpt.times[first + frame],
        planar=planar,
        floor=_floor_under(excerpt, column, planar, roots),
        velocities=step[frame, column] * excerpt.fps,
    )


def _floor_under(excerpt: Excerpt, column: IntArray, planar: Array, roots: Array) -> Array:
    """Return z [n] of the floor that people are on, the nearest to their soles; of what cannot stand, of its root."""
    take, rows = excerpt.take, excerpt.characters[column]
    bodies = take.characters.body[rows]
    soles = roots - take.score.rigs.rest_height[bodies] * take.characters.scale[rows]
    legged = np.array([stands(body.skeleton) for body in take.bodies], bool)[bodies]
    return np.where(legged, take.stage.floor_under(planar[:, :2], near=soles), roots)


def _area_around(stage: Stage, low: Array, high: Array) -> str:
    """Return the box from `low` to `high` [2], grown by `MARGIN_M`, less the stage's obstacles, as WKT."""
    box = shapely.box(low[0] - MARGIN_M, low[1] - MARGIN_M, high[0] + MARGIN_M, high[1] + MARGIN_M)
    return _less_obstacles(box, stage)


def _area(excerpt: Excerpt, geometry: str | None) -> str | None:
    """Return where people can walk as WKT: as given, if that is an area, or by the stage; None where it has no
    bounds.
    """
    if geometry is None:
        stage = excerpt.take.stage
        return None if stage.bounds is None else _less_obstacles(polygons.polygon(stage.bounds), stage)
    try:
        area = shapely.from_wkt(geometry)
    except (shapely.errors.ShapelyError, TypeError) as error:
        raise InvalidValue(
            f"geometry must be well-known text such as 'POLYGON ((0 0, 5 0, 5 4, 0 0))': {error}"
        ) from None
    if area is None or area.is_empty or not area.area > 0:
        raise InvalidValue(f"geometry must be an area to walk on, got {geometry[:80]!r}")
    return geometry


def _less_obstacles(floor: shapely.Geometry, stage: Stage) -> str:
    free = FreeSpace.of(stage).less_solids(floor)
    return str(shapely.to_wkt(floor if free.is_empty else free, rounding_precision=AREA_DECIMALS))
