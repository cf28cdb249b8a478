"""Sheets that show a motion at a glance: a cell per moment, one picture with all moments, clips above one another.

* `contact_sheet`: one cell per time, the camera travelling with the hips;
* `strobe`: many poses of one clip in one wide picture, along its path, early ones pale;
* `compare_sheet`: one row per clip, at the same times, in the same view and size.

* `plot_contacts`: a row per contact point with its height over its support (line, centimetres), its speed (faint line,
  metres per second, on the right), and bars where the clip says that it bears. Needs the extra `plot` (matplotlib).

Contact points that bear (clip.contacts) are marked, left green, right orange.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image as PillowImage

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue, MissingExtra
from walkon.drawing.camera import Camera, heading_of_way
from walkon.drawing.canvas import sheet_of
from walkon.drawing.figures import PALETTE, fading_figures, figures
from walkon.drawing.files import save_png
from walkon.drawing.light import Look
from walkon.drawing.picture import Image, render_capsules
from walkon.drawing.solids import FloorPaint
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.contacts.runs import find_runs

__all__ = ["compare_sheet", "contact_colour", "contact_paint", "contact_sheet", "plot_contacts", "strobe"]

PLOT_INK, FAINT = "#464c58", "#a3a9b5"
MAX_HEIGHT_M, MAX_SPEED_M_S = 0.25, 3.0
"""At the top of a plot's rows: what matters for contact is at the bottom."""


def contact_sheet(
    clip: Clip,
    *,
    times: ArrayLike | None = None,
    count: int = 12,
    columns: int = 6,
    view: str = "side",
    size_per_cell: tuple[int, int] = (320, 320),
    follow: bool = True,
    labels: bool = True,
    body: Body | None = None,
    look: Look | None = None,
) -> Image:
    """Draw a clip at `times` (seconds; or `count` times evenly spread), one cell each, row by row.

    The view is that of a character that walks the way the clip goes on the whole. With `follow` the camera travels with
    the hips, else it stands still and shows the whole way.
    """
    frames = _frames(clip, times, count)
    body = body or Body.of(clip.skeleton, colour=PALETTE[0])
    cells = _cells(clip, frames, view, size_per_cell, follow, body, look)
    notes = [f"{frame / clip.fps:.2f} s" for frame in frames] if labels else None
    return sheet_of(cells, columns=columns, notes=notes)


def strobe(
    clip: Clip,
    *,
    every: float = 0.25,
    view: str = "side",
    size: tuple[int, int] = (1600, 500),
    body: Body | None = None,
    look: Look | None = None,
) -> Image:
    """Draw poses of a clip `every` so many seconds in one picture, pale at first, with its path and all contacts."""
    if not (np.isfinite(every) and every > 0):
        raise InvalidValue(f"every must be positive seconds, got {every}")
    frames = np.unique(np.round(np.arange(0.0, clip.duration + 1e-9, every) * clip.fps).astype(int))
    pale = 0.72 * (1.0 - np.arange(len(frames)) / max(len(frames) - 1, 1))
    body = body or Body.of(clip.skeleton, colour=PALETTE[0])
    capsules = fading_figures(body, clip.world.positions[frames], clip.world.rotations[frames], pale)
    heading, aspect = heading_of_way(clip.planar_poses), size[0] / size[1]
    camera = Camera.view(capsules.points(), view, heading=heading, aspect=aspect, margin=0.05)
    path = FloorPaint.path(clip.root_positions[:: max(int(clip.fps / 15), 1), :2], width=0.02, opacity=0.35)
    return render_capsules(capsules, camera, size=size, paint=path + contact_paint(clip), look=look)


def compare_sheet(
    clips: Sequence[Clip],
    *,
    titles: Sequence[str] | None = None,
    times: ArrayLike | None = None,
    count: int = 8,
    view: str = "side",
    size_per_cell: tuple[int, int] = (280, 320),
    look: Look | None = None,
) -> Image:
    """Draw clips in rows above one another, at the same times (seconds; or `count` over the shortest one)."""
    if not clips:
        raise InvalidValue("compare_sheet needs at least one clip, got none")
    names = [clip.name for clip in clips] if titles is None else list(titles)
    if len(names) != len(clips):
        raise InvalidValue(f"give one title per clip: {len(clips)} clips, {len(names)} titles")
    shortest = min(clips, key=lambda clip: clip.duration)
    moments = np.linspace(0.0, shortest.duration, count) if times is None else np.asarray(times, dtype=np.float64)
    cells, notes = [], []
    for i, (clip, name) in enumerate(zip(clips, names, strict=True)):
        body = Body.of(clip.skeleton, colour=PALETTE[i % len(PALETTE)])
        cells += _cells(clip, _frames(clip, moments, count), view, size_per_cell, True, body, look)
        notes += [f"{name}  {time:.2f} s" if j == 0 else f"{time:.2f} s" for j, time in enumerate(moments)]
    return sheet_of(cells, columns=len(moments), notes=notes)


def contact_colour(name: str) -> tuple[float, float, float]:
    """Return the colour in which a contact point, or a limb, is marked: by the side with which its name begins."""
    return {"left": (0.20, 0.62, 0.42), "right": (0.90, 0.48, 0.20)}.get(name.split("_", 1)[0], (0.35, 0.45, 0.75))


def contact_paint(clip: Clip, frames: IntArray | None = None, *, radius: float = 0.035) -> FloorPaint:
    """Mark the places of contacts on the floor: of the given frames, or one mark per run of contact of all frames."""
    paint = FloorPaint()
    for c, name in enumerate(clip.skeleton.contact_names):
        down, positions = clip.contacts[:, c], clip.contact_positions[:, c, :2]
        if frames is None:
            places = [positions[a:b].mean(axis=0) for a, b in zip(*find_runs(down), strict=True)]
        else:
            places = [positions[frame] for frame in frames if down[frame]]
        paint = paint + FloorPaint.spots(np.reshape(places, (-1, 2)), colour=contact_colour(name), radius=radius)
    return paint


def _frames(clip: Clip, times: ArrayLike | None, count: int) -> IntArray:
    if times is None:
        if count < 1:
            raise InvalidValue(f"count must be at least 1, got {count}")
        times = np.linspace(0.0, clip.duration, count)
    return np.array([clip.frame_at(float(time)) for time in np.atleast_1d(np.asarray(times, dtype=np.float64))])


def _cells(
    clip: Clip, frames: IntArray, view: str, size: tuple[int, int], follow: bool, body: Body, look: Look | None
) -> list[Image]:
    heading, aspect = heading_of_way(clip.planar_poses), size[0] / size[1]
    poses = [figures(body, clip.world.positions[[frame]], rotations=clip.world.rotations[[frame]]) for frame in frames]
    hips = clip.root_positions[frames] * np.array([1.0, 1.0, 0.0])
    starts = hips if follow else np.zeros_like(hips)
    points: Array = np.concatenate([pose.points() - start for pose, start in zip(poses, starts, strict=True)])
    camera = Camera.view(points, view, heading=heading, aspect=aspect, margin=0.09)
    paints = [contact_paint(clip, np.array([frame]), radius=0.06) for frame in frames]
    return [
        render_capsules(pose, camera.moved(start), size=size, paint=paint, look=look)
        for pose, start, paint in zip(poses, starts, paints, strict=True)
    ]


def plot_contacts(
    clip: Clip,
    *,
    title: str | None = None,
    path: str | Path | None = None,
    size: tuple[float, float] = (11.0, 6.5),
    dpi: float = 110.0,
) -> Image:
    """Plot heights, speeds and contacts of a clip's contact points; `size` in inches; saved where `path` is given."""
    names = clip.skeleton.contact_names
    if not names:
        raise InvalidValue("the skeleton has no contact points to plot; call walkon.ground(clip) first")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra.named("plot", "plotting contacts") from None

    figure = Figure(figsize=size, dpi=dpi, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    rows = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for contact, axes in enumerate(rows):
        _plot_contact(axes, clip, contact)
    rows[-1].set_xlabel("seconds", color=PLOT_INK)
    figure.suptitle(title if title is not None else clip.name, color=PLOT_INK, fontsize=13, x=0.01, ha="left")
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    image = np.array(PillowImage.open(buffer).convert("RGB"))
    if path is not None:
        save_png(image, path)
    return image


def _plot_contact(axes: Any, clip: Clip, contact: int) -> None:
    times, places, name = clip.times, clip.contact_positions[:, contact], clip.skeleton.contact_names[contact]
    colour = contact_colour(name)
    for start, stop in zip(*find_runs(clip.contacts[:, contact]), strict=True):
        axes.axvspan((start - 0.5) / clip.fps, (stop - 0.5) / clip.fps, color=colour, alpha=0.22, linewidth=0)
        support = 100.0 * clip.contact_heights[start, contact]
        axes.plot([times[start], times[stop - 1]], [support, support], color=colour, linewidth=4, solid_capstyle="butt")
    axes.plot(times, 100.0 * places[:, 2], color=PLOT_INK, linewidth=1.3)
    highest = 100.0 * max(MAX_HEIGHT_M, float(clip.contact_heights.max(initial=0.0)) + 0.1)
    axes.set(ylim=(-3.0, highest), xlim=(0.0, max(clip.duration, 1.0 / clip.fps)))
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    other = axes.twinx()
    velocities = np.gradient(places, 1.0 / clip.fps, axis=0) if len(clip) > 1 else np.zeros_like(places)
    other.plot(times, np.linalg.norm(velocities, axis=-1), color=FAINT, linewidth=0.9)
    other.set_ylim(-3.0 / 25.0 * MAX_SPEED_M_S, MAX_SPEED_M_S)
    for each, ink, label in ((axes, PLOT_INK, f"{name.replace('_', ' ')}\ncm"), (other, FAINT, "m/s")):
        each.set_ylabel(label, color=ink, fontsize=9)
        each.tick_params(colors=ink, labelsize=8, length=2)
        each.spines[:].set_visible(False)
    axes.spines["bottom"].set(visible=True, color=FAINT)
    axes.set_zorder(other.get_zorder() + 1)
    axes.patch.set_visible(False)
