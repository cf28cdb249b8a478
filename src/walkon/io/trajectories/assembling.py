"""Columns of a file → `Trajectories`: which frame is when, where the rate comes from, and what cannot be.

With frames and times the rate is the slope between the first and the last; the roundest figure (three decimals) that
explains every frame to a twentieth is taken for it. With times alone, frames are counted from the first one. With
frames alone the rate must be said, by the file or by the caller: time = start + frame / rate.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon.geometry.tracks import Trajectories
from walkon.transforms import angles

__all__ = ["assemble", "check_area"]

MAX_EXACT_INTEGER = 2.0**53
"""Whole numbers beyond are not exact in a double."""
MAX_UNEVENNESS_FRAMES = 0.3
"""Of a frame: times that are further from an even beat have no frame."""


def assemble(
    columns: Mapping[str, Array],
    *,
    path: Path,
    rate: float | None,
    start: float = 0.0,
    geometry: str | None = None,
    names: Mapping[int, str] | None = None,
) -> Trajectories:
    """Return trajectories of columns `id`, `x`, `y`, `frame` or `time` or both, `z`, and `heading` or `ori_x`, `ori_y`.

    A `rate` that is given goes before what times say; times that the file has stay as they are.
    """
    if not len(columns["id"]):
        raise UnreadableFile("there is nobody in this file: it has no rows", path=path)
    ids = _as_whole(columns["id"], "id", path)
    frames, times, found = _frames_and_times(columns, path, rate, start)
    try:
        return Trajectories(
            ids=ids,
            frames=frames,
            times=times,
            positions=np.column_stack([columns["x"], columns["y"]]),
            heights=_heights(columns),
            headings=_headings(columns),
            rate=found,
            geometry=geometry,
            names=names or {},
        )
    except InvalidValue as error:
        raise UnreadableFile(str(error), path=path) from None


def check_area(wkt: str, path: Path) -> str:
    """Return the well-known text of an area if it is one."""
    import shapely  # type: ignore[import-untyped]

    try:
        area = shapely.from_wkt(wkt)
    except shapely.errors.ShapelyError as error:
        raise UnreadableFile(f"the geometry {wkt[:60]!r} is not well-known text ({error})", path=path) from None
    if area is None or area.is_empty or area.area == 0:
        raise UnreadableFile(f"the geometry {wkt[:60]!r} has no area to walk on", path=path)
    return wkt


def _frames_and_times(
    columns: Mapping[str, Array], path: Path, rate: float | None, start: float
) -> tuple[IntArray, Array, float]:
    if rate is not None and not (np.isfinite(rate) and rate > 0):
        raise UnreadableFile(f"the rate must be over 0 frames per second, got {rate:g}", path=path)
    times = columns.get("time")
    if "frame" not in columns:
        return _count_frames(columns["time"], path, rate)
    frames = _as_whole(columns["frame"], "frame", path)
    if rate is None and times is not None:
        first, last = int(np.argmin(frames)), int(np.argmax(frames))
        frame_span, time_span = frames[last] - frames[first], times[last] - times[first]
        if frame_span > 0 and time_span > 0:
            rate = _round_rate(frame_span / time_span, time_span)
    if rate is None:
        raise UnreadableFile(
            "it does not say how many frames a second has; give rate=…, or a line '# framerate: 25' at its head",
            path=path,
        )
    return frames, start + frames / rate if times is None else times, float(rate)


def _count_frames(times: Array, path: Path, rate: float | None) -> tuple[IntArray, Array, float]:
    moments = np.unique(times)
    if rate is None:
        if len(moments) < 2:
            raise UnreadableFile("all rows are of one moment, which has no rate; give rate=…", path=path)
        # The ends are further apart than any two moments, and give the rate more exactly.
        span = moments[-1] - moments[0]
        rate = _round_rate(float(np.rint(span * (1.0 / float(np.median(np.diff(moments))))) / span), span)
    beat = (times - moments[0]) * rate
    frames = np.rint(beat)
    off = np.abs(beat - frames)
    if off.max() > MAX_UNEVENNESS_FRAMES:
        k = int(np.argmax(off))
        raise UnreadableFile(
            f"times are not evenly spaced: {times[k]:g} s lies {off[k]:.2f} of a frame off {rate:g} frames per second; "
            "resample them, or add a column 'frame'",
            path=path,
        )
    return frames.astype(np.int64), times, rate


def _round_rate(rate: float, span: float) -> float:
    """Return the roundest figure that explains every frame over a time span (s)."""
    figure = round(rate, 3)
    return figure if figure > 0 and abs(figure - rate) * span < 0.05 else rate


def _as_whole(values: Array, role: str, path: Path) -> IntArray:
    wrong = ~((np.rint(values) == values) & (np.abs(values) < MAX_EXACT_INTEGER))
    if wrong.any():
        raise UnreadableFile(f"every {role} must be a whole number, got {values[np.argmax(wrong)]:g}", path=path)
    return values.astype(np.int64)


def _heights(columns: Mapping[str, Array]) -> Array | None:
    z = columns.get("z")
    return None if z is None or np.isnan(z).all() else z


def _headings(columns: Mapping[str, Array]) -> Array | None:
    if "heading" in columns:
        return angles.wrap(columns["heading"])
    if "ori_x" not in columns or "ori_y" not in columns:
        return None
    x, y = columns["ori_x"], columns["ori_y"]
    headings = np.where((x == 0) & (y == 0), np.nan, np.arctan2(y, x))
    return None if np.isnan(headings).all() else angles.wrap(headings)
