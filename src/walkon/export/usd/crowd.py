"""A whole crowd as USD layers: one layer with everybody in it, or one per character and one that refers to them.

Posed in blocks of characters (`Excerpt.by_character`); what is written goes to the disk every `BATCH_BYTES` and leaves
the memory, which the crate format allows: saving appends what is new.

What a file says beside the motion (names, marks, where the take comes from) is custom data under "walkon".
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf

from walkon._base.arrays import Array
from walkon.export.body_mesh import cloth_colours
from walkon.export.excerpt import Excerpt
from walkon.export.usd.character import SampledMotion, add_character, motions
from walkon.export.usd.layer import Paints, add_prim, new_layer, save, valid_names
from walkon.export.usd.skeleton import Model, add_model
from walkon.export.usd.stage import add_props, add_stage
from walkon.take.tables import FACING, MEANT, POSE, POSITION, WINDOW
from walkon.take.take import Take

__all__ = ["write_crowd", "write_files"]

BATCH_BYTES = 32 << 20
"""Bytes of rotations that are held before they go to the disk."""
WORLD, CAST = "/World", "/World/Characters"

Progress = Callable[[float], None]


def write_crowd(excerpt: Excerpt, path: Path, *, progress: Progress, instanceable: bool = False) -> None:
    """Write one layer with everybody in it."""
    layer = new_layer(path, excerpt, default_prim=WORLD[1:])
    paints = Paints(layer, f"{WORLD}/Looks")
    _add_world(layer, excerpt, paints)
    cast = _Cast(excerpt, _add_models(layer, excerpt, coloured=not instanceable))
    names = valid_names(excerpt.names, instead="character")
    if instanceable:
        add_prim(layer, f"{WORLD}/Animations", "Scope")
    waiting = 0
    for done, (row, motion) in enumerate(cast.motions()):
        animations = f"{WORLD}/Animations/{names[done]}" if instanceable else None
        cast.add(layer, f"{CAST}/{names[done]}", row, motion, paints=paints, animation=animations)
        waiting += motion.rotations.size * 4
        if waiting > BATCH_BYTES:
            save(layer)
            waiting = 0
        progress((done + 1) / len(names))
    save(layer)


def write_files(excerpt: Excerpt, path: Path, *, folder: str, progress: Progress) -> list[Path]:
    """Write one layer per character beside `path`, the models' layer, and at `path` one that refers to `folder`/*.usdc.

    Returns the files that belong into the folder.
    """
    shared = path.with_name("models.usdc")
    library = new_layer(shared, excerpt, default_prim="Models")
    models = _add_models(library, excerpt)
    save(library)
    main = new_layer(path, excerpt, default_prim=WORLD[1:])
    _add_world(main, excerpt, Paints(main, f"{WORLD}/Looks"))
    # The models' file and the main one are made beside the characters'; none of them may have their names.
    names = valid_names(["models", path.stem, *excerpt.names], instead="character")[2:]
    files = [shared]
    cast = _Cast(excerpt, models)
    for done, (row, motion) in enumerate(cast.motions()):
        name, file = names[done], path.with_name(f"{names[done]}.usdc")
        layer = new_layer(file, excerpt, default_prim=name)
        cast.add(layer, f"/{name}", row, motion, paints=Paints(layer, f"/{name}/Looks"), models="./models.usdc")
        save(layer)
        files.append(file)
        prim = add_prim(main, f"{CAST}/{name}", "SkelRoot", model="component")
        prim.referenceList.prependedItems = [Sdf.Reference(assetPath=f"./{folder}/{name}.usdc")]
        progress((done + 1) / len(names))
    save(main)
    return files


class _Cast:
    """The characters of an excerpt with their models."""

    def __init__(self, excerpt: Excerpt, models: dict[int, Model]) -> None:
        self.excerpt, self.models = excerpt, models

    def model(self, row: int) -> Model:
        """Return the model of a character."""
        return self.models[int(self.excerpt.take.characters.body[row])]

    def motions(self) -> Iterator[tuple[int, SampledMotion]]:
        """Yield every character's row and motion."""
        scales = self.excerpt.take.characters.scale
        for block in self.excerpt.by_character():
            rows = block.characters.tolist()
            heights: Array = np.array([self.model(row).height for row in rows])
            yield from zip(rows, motions(block, heights=heights, scales=scales[rows].astype(np.float64)), strict=True)

    def add(
        self,
        layer: Any,
        path: str,
        row: int,
        motion: SampledMotion,
        *,
        paints: Paints,
        models: str = "",
        animation: str | None = None,
    ) -> None:
        """Define one character at a path; an instance, if its `animation` is elsewhere. `models` is their file."""
        take, model = self.excerpt.take, self.model(row)
        red, green, blue = (float(c) for c in take.characters.colour[row])
        colours = cloth_colours(take.bodies[int(take.characters.body[row])], (red, green, blue))
        add_character(
            layer,
            path,
            motion,
            animation=animation or f"{path}/Animation",
            reference=Sdf.Reference(assetPath=models, primPath=model.path),
            model=model,
            scale=float(take.characters.scale[row]),
            colours=colours,
            looks={cloth: paints.material(cloth, colour) for cloth, colour in colours.items()},
            name=take.names[row],
            notes=_character_notes(take, row),
            instanceable=animation is not None,
        )


def _add_world(layer: Any, excerpt: Excerpt, paints: Paints) -> None:
    add_prim(layer, WORLD, "Xform", model="assembly")
    add_prim(layer, CAST, "Xform", model="group")
    add_stage(layer, f"{WORLD}/Stage", excerpt.take.stage, paints)
    add_props(layer, f"{WORLD}/Props", excerpt, paints)


def _add_models(layer: Any, excerpt: Excerpt, *, coloured: bool = True) -> dict[int, Model]:
    """Define the model of each body that is needed; returns them by row of the take's bodies."""
    add_prim(layer, "/Models", "Scope", abstract=True)
    take = excerpt.take
    rows = np.unique(take.characters.body[excerpt.characters]).tolist()
    heights = take.score.rigs.rest_height
    return {
        row: add_model(
            layer,
            "/Models/Body" if len(rows) == 1 else f"/Models/Body_{number}",
            take.bodies[row],
            height=float(heights[row]),
            name=f"body {row}",
            coloured=coloured,
        )
        for number, row in enumerate(rows, start=1)
    }


def _character_notes(take: Take, row: int) -> dict[str, Any]:
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
