"""Pictures of an experiment: everybody's way from above, the crowd as posed, and curves like figures 11 and 12.

`draw_ways`: obstacles grey, seats as small squares, starts as circles, goals as dots that point where one must face,
ways in a colour per person. Plots need the extra `plot` (matplotlib).
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from walkon._base.arrays import Array
from walkon._base.errors import MissingExtra
from walkon.drawing import draw_take
from walkon.drawing.camera import Camera
from walkon.drawing.picture import Image
from walkon.reproduce.results import ResultRow
from walkon.script import Scene
from walkon.take.take import Take

__all__ = ["draw_curve", "draw_moment", "draw_ways"]

INK, FAINT, SOLID = "#464c58", "#a3a9b5", "#c3c8d0"
MAX_HEIGHT_INCHES = 7.5
"""Inches up; 1.6 times that across, at most."""
MIN_TALL_RATIO = 1.5
"""Scenes that are so many times as long along y as along x are drawn with y to the left."""
LOG_AXIS_FROM_RATIO = 15.0
"""Curves that fall by more are drawn over a logarithmic axis."""
WAY_STEP_S = 0.2
"""s between two points of a way."""
POSES_AT_ONCE = 20_000
"""Bodies that are posed at a time."""
MOMENTS: dict[str, tuple[float, float | str | None]] = {
    "1": (0.78, None),
    "2": (0.97, 48.0),
    "3": (0.97, "visitor"),
    "4": (0.55, None),
    "5": (0.35, 35.0),
    "6a": (0.5, 35.0),
    "6b": (0.5, 25.0),
    "rooms": (0.18, 55.0),
    "grid_10k": (0.5, 25.0),
}
"""Experiment → when its picture is taken, as a share of the take, and from how high over the floor (degrees, looking
along y), or whom it follows."""


def draw_moment(take: Take, name: str, *, width: int = 1280) -> Image:
    """Draw an experiment's people as they are posed at its most telling moment; as high as it needs to be."""
    share, seen = MOMENTS[name]
    time = take.start + share * take.duration
    if not isinstance(seen, float):
        return draw_take(take, time, follow=seen, size=(width, round(width / 16 * 9)))
    there = take.pose(time)
    points = there.positions[there.present].reshape(-1, 3)
    spans = np.ptp(points[:, :2], axis=0)
    upright = spans[1] < MIN_TALL_RATIO * spans[0]
    across, deep = spans if upright else spans[::-1]
    high = np.radians(seen)
    aspect = float(np.clip(across / (deep * np.sin(high) + 2.0 * np.cos(high)), 1.4, 2.8))
    azimuth = -0.5 * np.pi if upright else 0.0
    camera = Camera.framing(points, azimuth=azimuth, elevation=high, aspect=aspect, margin=0.04)
    return draw_take(take, time, view=camera, size=(width, round(width / aspect)))


def draw_ways(scene: Scene, take: Take) -> Image:
    """Draw a scene from above, with the way of everybody's hips in the take."""
    tracks = _tracks(take)
    solids = [thing.polygon for thing in scene.stage.obstacles]
    every = np.concatenate([tracks[np.isfinite(tracks).all(axis=-1)], *solids])
    around = 0.5 * np.pi if np.ptp(every[:, 1]) > MIN_TALL_RATIO * np.ptp(every[:, 0]) else 0.0
    view = _turn_left if around else np.asarray
    low, high = view(every).min(axis=0) - 0.6, view(every).max(axis=0) + 0.6
    across, up = high - low
    scale = MAX_HEIGHT_INCHES / max(across / 1.6, up)
    figure, axes = _figure((float(across * scale) + 0.2, float(up * scale) + 0.45))
    from matplotlib.colors import hsv_to_rgb

    for polygon in solids:
        axes.fill(*view(polygon).T, color=SOLID, lw=0)
    if scene.stage.seats:
        seats = np.array([seat.place for seat in scene.stage.seats])
        axes.plot(*view(seats[:, :2]).T, "s", color="none", mec=FAINT, ms=5, mew=0.8)
    # People who are near each other get colours that are far apart: steps of the golden section around the circle.
    number = np.arange(len(scene.characters))
    hue, value = (number * 0.61803398875) % 1.0, 0.55 + 0.3 * ((number * 0.7548776662) % 1.0)
    colours = hsv_to_rgb(np.stack([hue, np.full(len(number), 0.62), value], axis=-1))
    wide, dot = (0.6, 2.0) if len(number) > 100 else (1.3, 4.0)
    for k, one in enumerate(scene.characters):
        axes.plot(*view(tracks[k]).T, "-", color=colours[k], lw=wide, alpha=0.85, solid_capstyle="round")
        axes.plot(*view(np.array(one.place[:2])), "o", color="white", mec=colours[k], ms=dot, mew=0.8)
        for mark in one.marks:
            if mark.position is None:
                continue
            goal = view(np.array(mark.position))
            axes.plot(*goal, "o", color=colours[k], ms=dot)
            if mark.facing is not None:
                ahead = 0.45 * np.array([np.cos(mark.facing + around), np.sin(mark.facing + around)])
                axes.plot(*np.array([goal, goal + ahead]).T, "-", color=INK, lw=0.8)
    for placed in scene.props:
        axes.plot(*view(np.array(placed.place[:2])), "D", color="#8a6a3b", ms=dot)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"{scene.title}: {across - 1.2:.0f} × {up - 1.2:.0f} m", color=INK, fontsize=10, loc="left")
    return _image(figure)


def draw_curve(rows: Sequence[ResultRow], x: Sequence[float], *, label: str, title: str) -> Image:
    """Draw time per character, mean and median over all people of all seeds, against what was varied."""
    figure, axes = _figure((6.4, 4.0))
    mean, median = ([1e3 * (row.ours(f"{kind}_synthesis_s") or 0.0) for row in rows] for kind in ("mean", "median"))
    axes.plot(x, mean, "o-", color="#28609f", label="mean")
    axes.plot(x, median, "o--", color=FAINT, label="median")
    for at, value, row in zip(x, mean, rows, strict=True):
        met = row.ours("success_share")
        if met is not None and met < 1.0:
            axes.annotate(
                f"{1 - met:.1%} not met",
                (at, value),
                xytext=(4, 6),
                textcoords="offset points",
                fontsize=7,
            )
    axes.set_xlabel(label, color=INK)
    axes.set_ylabel("ms per character", color=INK)
    if max(mean) > LOG_AXIS_FROM_RATIO * min(mean):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_title(title, color=INK, fontsize=11, loc="left")
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return _image(figure)


def _turn_left(points: Array) -> Array:
    """Return points with y to the left and x up."""
    return np.stack([-points[..., 1], points[..., 0]], axis=-1)


def _tracks(take: Take) -> Array:
    """Return where hips are [N, T, 2], NaN while a character is away."""
    times = np.arange(take.start, take.stop, WAY_STEP_S if len(take) < 2000 else 5 * WAY_STEP_S)
    found = np.empty((len(take), len(times), 2))
    some = max(POSES_AT_ONCE // len(times), 1)
    for first in range(0, len(take), some):
        rows = np.arange(first, min(first + some, len(take)))
        found[rows] = take.sample(times, characters=rows).positions[:, :, 0, :2].transpose(1, 0, 2)
    return found


def _figure(size: tuple[float, float]) -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra.named("plot", "drawing ways and curves") from None
    figure = Figure(figsize=size, dpi=110, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def _image(figure: Any) -> Image:
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    return np.array(PillowImage.open(buffer).convert("RGB"))
