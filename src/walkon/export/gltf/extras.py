"""What glTF has no place for, as `extras`: who a character is, its marks, and where a file comes from.

Places and directions are in the file's axes (y up), times in seconds of the file.
"""

from typing import Any

import numpy as np

from walkon._base.arrays import Array
from walkon.export.excerpt import Excerpt
from walkon.export.gltf.buffers import plain, vectors
from walkon.take.tables import FACING, MEANT, POSE, POSITION, WINDOW

__all__ = ["character_extras", "file_extras"]


def file_extras(excerpt: Excerpt) -> dict[str, Any]:
    """Return what is to be known about the whole file."""
    return {
        "fps": excerpt.fps,
        "frames": excerpt.count,
        "start_s": excerpt.start,
        "axes": "(x, y, z) of the stage is (x, z, -y) here",
        "provenance": dict(excerpt.take.provenance),
    }


def character_extras(excerpt: Excerpt, row: int) -> dict[str, Any]:
    """Return what is to be known about a character."""
    take = excerpt.take
    body = take.bodies[int(take.characters.body[row])]
    extras = {
        "character": take.names[row],
        "height_m": round(body.height * float(take.characters.scale[row]), 4),
        "colour": plain(take.characters.colour[row], 4),
        "enters_s": round(float(take.enters[row]) - excerpt.start, 6),
        "leaves_s": round(float(take.leaves[row]) - excerpt.start, 6),
    }
    if marks := [_mark(excerpt, mark) for mark in np.flatnonzero(take.marks.character == row).tolist()]:
        extras["marks"] = marks
    return extras


def _mark(excerpt: Excerpt, row: int) -> dict[str, Any]:
    take = excerpt.take
    marks, asks = take.marks, int(take.marks.asks[row])
    told: dict[str, Any] = {"name": take.mark_names[row]}
    if asks & POSITION:
        told["position"] = plain(vectors(np.append(marks.position[row], 0.0)))
    if asks & FACING:
        angle = float(marks.facing[row])
        told["facing"] = plain(vectors([np.cos(angle), np.sin(angle), 0.0]))
    if asks & POSE:
        told["pose"] = take.mark_poses[row]
    if asks & WINDOW:
        told["window_s"] = _seconds(marks.window[row], excerpt)
    if marks.hold[row] > 0:
        told["hold_s"] = float(marks.hold[row])
    if asks & MEANT:
        told["met_s"] = _seconds(marks.met[[row]], excerpt)[0]
    return told


def _seconds(times: Array, excerpt: Excerpt) -> list[float | None]:
    """Return times of the take on the file's clock; JSON has no infinity, so what is open is null."""
    return [round(float(t) - excerpt.start, 6) if np.isfinite(t) else None for t in times]
