"""A whole crowd as USD layers: one layer with everybody in it, or one per character and one that refers to them.

Posed in blocks of characters (`Excerpt.by_character`); what is written goes to the disk every `BATCH_BYTES` and leaves
the memory, which the crate format allows: saving appends what is new.

What a file says beside the motion (names, marks, where the take comes from) is custom data under "walkon".
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Sdf

from walkon.export.excerpt import Excerpt, Progress
from walkon.export.usd.character import Model, SampledMotion, add_character, add_model, motions
from walkon.export.usd.layer import Paints, add_prim, new_layer, save, valid_names
from walkon.export.usd.stage import add_props, add_stage

__all__ = ["write_crowd", "write_files"]

BATCH_BYTES = 32 << 20
"""Bytes of rotations that are held before they go to the disk."""
WORLD, CAST = "/World", "/World/Characters"


def write_crowd(excerpt: Excerpt, path: Path, *, progress: Progress, instanceable: bool = False) -> None:
    """Write one layer with everybody in it."""
    layer = new_layer(path, excerpt, default_prim=WORLD[1:])
    paints = Paints(layer, f"{WORLD}/Looks")
    _add_world(layer, excerpt, paints)
    models = _add_models(layer, excerpt, coloured=not instanceable)
    names = valid_names(excerpt.names, instead="character")
    if instanceable:
        add_prim(layer, f"{WORLD}/Animations", "Scope")
    waiting = 0
    for done, (row, model, motion) in enumerate(_people(excerpt, models)):
        at, animation = f"{CAST}/{names[done]}", f"{WORLD}/Animations/{names[done]}" if instanceable else None
        add_character(layer, at, excerpt.take, row, motion=motion, model=model, paints=paints, animation=animation)
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
    for done, (row, model, motion) in enumerate(_people(excerpt, models)):
        name, file = names[done], path.with_name(f"{names[done]}.usdc")
        layer = new_layer(file, excerpt, default_prim=name)
        paints, library_file = Paints(layer, f"/{name}/Looks"), f"./{shared.name}"
        add_character(
            layer, f"/{name}", excerpt.take, row, motion=motion, model=model, paints=paints, models=library_file
        )
        save(layer)
        files.append(file)
        prim = add_prim(main, f"{CAST}/{name}", "SkelRoot", model="component")
        prim.referenceList.prependedItems = [Sdf.Reference(assetPath=f"./{folder}/{name}.usdc")]
        progress((done + 1) / len(names))
    save(main)
    return files


def _people(excerpt: Excerpt, models: dict[int, Model]) -> Iterator[tuple[int, Model, SampledMotion]]:
    """Yield every character's row, model and motion."""
    characters = excerpt.take.characters
    for rows, poses in excerpt.by_character():
        own = [models[body] for body in characters.body[rows].tolist()]
        heights, scales = np.array([model.height for model in own]), characters.scale[rows].astype(np.float64)
        yield from zip(rows.tolist(), own, motions(poses, heights=heights, scales=scales), strict=True)


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
