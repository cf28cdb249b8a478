"""What a USD file says beside the motion: names, marks and where the take comes from, as custom data under "walkon"."""

import json
from typing import Any

import numpy as np
from pxr import Gf

from walkon import __version__
from walkon.export.excerpt import Excerpt
from walkon.take.tables import FACING, MEANT, POSE, POSITION, WINDOW
from walkon.take.take import Take

__all__ = ["character_notes", "layer_notes"]


def layer_notes(excerpt: Excerpt) -> dict[str, Any]:
    """Return what a layer says: version, the second of time code 0, and the take's provenance as JSON."""
    take = excerpt.take
    return {
        "version": __version__,
        "start_s": float(excerpt.start),
        "fps": float(excerpt.fps),
        "complete": bool(take.complete),
        "provenance": json.dumps(dict(take.provenance), default=str, ensure_ascii=False, sort_keys=True),
    }


def character_notes(take: Take, row: int) -> dict[str, Any]:
    """Return what a character's prim says: its row, size, entrance and exit, and its marks in order."""
    notes: dict[str, Any] = {"row": int(row), "scale": float(take.characters.scale[row])}
    if np.isfinite(take.enters[row]):
        notes |= {"enters_s": float(take.enters[row]), "leaves_s": float(take.leaves[row])}
    found = np.flatnonzero(take.marks.character == row)
    if len(found):
        notes["marks"] = {f"mark_{n}": _mark(take, int(mark)) for n, mark in enumerate(found)}
    return notes


def _mark(take: Take, row: int) -> dict[str, Any]:
    marks, asks = take.marks, int(take.marks.asks[row])
    said: dict[str, Any] = {"name": take.mark_names[row]}
    if asks & POSITION:
        said["position_m"] = Gf.Vec2d(*marks.position[row].tolist())
    if asks & FACING:
        said["facing_rad"] = float(marks.facing[row])
    if asks & POSE:
        said["pose"] = take.mark_poses[row]
    if asks & WINDOW:
        said["window_s"] = Gf.Vec2d(*marks.window[row].tolist())
    if marks.hold[row] > 0:
        said["hold_s"] = float(marks.hold[row])
    if asks & MEANT:
        said["met_s"] = float(marks.met[row])
    return said
