"""Plots of a clip's contacts: how high and how fast the contact points are, and when they bear.

One row per contact point: its height over its support (line, centimetres), its speed (faint line, metres per second,
on the right), and bars where the clip says that it bears. Needs the extra `plot` (matplotlib).
"""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from walkon._base.arrays import Array
from walkon._base.errors import InvalidValue, MissingExtra
from walkon.drawing.contact_sheet import CONTACT_COLOURS
from walkon.drawing.files import save_png
from walkon.drawing.picture import Image
from walkon.motion.clip import Clip
from walkon.motion.runs import find_runs

__all__ = ["plot_contacts"]

INK, FAINT = "#464c58", "#a3a9b5"
MAX_HEIGHT_M, MAX_SPEED_M_S = 0.25, 3.0
"""Metres and metres per second at the top of the rows: what matters for contact is at the bottom."""


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
    heights, speeds = clip.contact_positions[:, :, 2], _speeds(clip)
    for c, (axes, name) in enumerate(zip(rows, names, strict=True)):
        colour = CONTACT_COLOURS.get(name.split("_", 1)[0], (0.35, 0.45, 0.75))
        _row(axes, clip, heights[:, c], speeds[:, c], c, name.replace("_", " "), colour)
    rows[-1].set_xlabel("seconds", color=INK)
    figure.suptitle(title if title is not None else clip.name, color=INK, fontsize=13, x=0.01, ha="left")
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    image = np.array(PillowImage.open(buffer).convert("RGB"))
    if path is not None:
        save_png(image, path)
    return image


def _speeds(clip: Clip) -> Array:
    """Return [T, C] metres per second, central differences."""
    if len(clip) < 2:
        return np.zeros(clip.contact_positions.shape[:2])
    velocity = np.gradient(clip.contact_positions, 1.0 / clip.fps, axis=0)
    return np.asarray(np.linalg.norm(velocity, axis=-1))


def _row(
    axes: Any, clip: Clip, height: Array, speed: Array, contact: int, name: str, colour: tuple[float, float, float]
) -> None:
    times, down = clip.times, clip.contacts[:, contact]
    for start, stop in zip(*find_runs(down), strict=True):
        axes.axvspan((start - 0.5) / clip.fps, (stop - 0.5) / clip.fps, color=colour, alpha=0.22, linewidth=0)
        support = 100.0 * clip.contact_heights[start, contact]
        axes.plot([times[start], times[stop - 1]], [support, support], color=colour, linewidth=4, solid_capstyle="butt")
    axes.plot(times, 100.0 * height, color=INK, linewidth=1.3)
    axes.set_ylim(-3.0, 100.0 * max(MAX_HEIGHT_M, float(clip.contact_heights.max(initial=0.0)) + 0.1))
    axes.set_xlim(0.0, max(clip.duration, 1.0 / clip.fps))
    axes.set_ylabel(f"{name}\ncm", color=INK, fontsize=9)
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    other = axes.twinx()
    other.plot(times, speed, color=FAINT, linewidth=0.9)
    other.set_ylim(-3.0 / 25.0 * MAX_SPEED_M_S, MAX_SPEED_M_S)
    other.set_ylabel("m/s", color=FAINT, fontsize=9)
    for each, ink in ((axes, INK), (other, FAINT)):
        each.tick_params(colors=ink, labelsize=8, length=2)
        for side in ("top", "bottom", "left", "right"):
            each.spines[side].set_visible(False)
    axes.spines["bottom"].set_visible(True)
    axes.spines["bottom"].set_color(FAINT)
    axes.set_zorder(other.get_zorder() + 1)
    axes.patch.set_visible(False)
