"""A whole crowd as USD layers: one layer with everybody in it, or one per character and one that refers to them.

Posed in blocks of characters (`Excerpt.by_character`); what is written goes to the disk every `BATCH_BYTES` and leaves
the memory, which the crate format allows: saving appends what is new.

Around the people there are

    Stage       Floor and Obstacles (meshes in the world; what moves, and leaves of doors, placed over time), Seats and
                Doors (Xforms with a mesh to see them by)
    Props       Xforms with a mesh for each of their colours, placed over time; "invisible" while they are nowhere

All shapes are meshes with normals, also boxes and balls: many programs give USD's own boxes and balls no material.
A seat's frame is on its top, x where one faces who sits there; a door's is in the middle of its line, y along the line.

What a file says beside the motion (names, marks, masses and grips of props, where the take comes from) is custom data
under "walkon"; of a grip the pose (x, y, z, qw, qx, qy, qz) of the palm in the prop's frame.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Sdf, Vt

from walkon.drawing.stage_picture import DOOR, LEG, SEAT, SEAT_LEG_M, SEAT_SIDE_M, seat_heights
from walkon.export.excerpt import Excerpt, Progress
from walkon.export.finger_joints import find_shaped_hands, finger_turns, with_finger_joints
from walkon.export.solids import DOOR_LIFT_M, DOOR_WIDTH_M, Solid, prop_meshes, shape_solid, stage_things
from walkon.export.usd.character import Model, SampledMotion, add_character, add_model, motions
from walkon.export.usd.layer import (
    Colour,
    Paints,
    add_mesh,
    add_prim,
    add_visibility,
    add_xform,
    new_layer,
    sample_frames,
    save,
    valid_names,
)
from walkon.stage import Prop
from walkon.transforms import quaternions as quat

__all__ = ["write_crowd", "write_files"]

BATCH_BYTES = 32 << 20
"""Bytes of rotations that are held before they go to the disk."""
WORLD, CAST = "/World", "/World/Characters"


def write_crowd(excerpt: Excerpt, path: Path, *, progress: Progress, instanceable: bool = False) -> None:
    """Write one layer with everybody in it."""
    layer = new_layer(path, excerpt, default_prim=WORLD[1:])
    paints = Paints(layer, f"{WORLD}/Looks")
    _add_world(layer, excerpt, paints)
    models = _Models(layer, excerpt, coloured=not instanceable)
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
    models = _Models(library, excerpt)
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
    save(library)
    save(main)
    return files


def _people(excerpt: Excerpt, models: "_Models") -> Iterator[tuple[int, Model, SampledMotion]]:
    """Yield every character's row, model and motion."""
    take, characters = excerpt.take, excerpt.take.characters
    for rows, poses in excerpt.by_character():
        shaped, bodies = find_shaped_hands(poses), characters.body[rows].tolist()
        own = [models.model(body, fingers=bool(shaped[n])) for n, body in enumerate(bodies)]
        heights, scales = np.array([model.height for model in own]), characters.scale[rows].astype(np.float64)
        for n, motion in enumerate(motions(poses, heights=heights, scales=scales)):
            body, (frames, _) = take.bodies[bodies[n]], sample_frames(poses.present[:, n])
            fingers = finger_turns(body, poses, n)[frames] if shaped[n] else None
            yield int(rows[n]), own[n], motion.with_fingers(len(body.skeleton), fingers)


def _add_world(layer: Any, excerpt: Excerpt, paints: Paints) -> None:
    add_prim(layer, WORLD, "Xform", model="assembly")
    add_prim(layer, CAST, "Xform", model="group")
    _add_stage(layer, f"{WORLD}/Stage", excerpt, paints)
    _add_props(layer, f"{WORLD}/Props", excerpt, paints)


class _Models:
    """The models of the bodies that are needed, each in a layer; with finger joints only once somebody needs them."""

    def __init__(self, layer: Any, excerpt: Excerpt, *, coloured: bool = True) -> None:
        self._layer, self._take, self._coloured = layer, excerpt.take, coloured
        add_prim(layer, "/Models", "Scope", abstract=True)
        rows = np.unique(excerpt.take.characters.body[excerpt.characters]).tolist()
        self._paths = {
            row: "/Models/Body" if len(rows) == 1 else f"/Models/Body_{number}"
            for number, row in enumerate(rows, start=1)
        }
        self._made: dict[tuple[int, bool], Model] = {}
        for row in rows:
            self.model(row, fingers=False)

    def model(self, row: int, *, fingers: bool) -> Model:
        """Return the model of the body in a row of the take's; it is defined when it is first asked for."""
        if (row, fingers) not in self._made:
            body, path = self._take.bodies[row], self._paths[row]
            self._made[row, fingers] = add_model(
                self._layer,
                f"{path}_with_fingers" if fingers else path,
                with_finger_joints(body) if fingers else body,
                height=float(self._take.score.rigs.rest_height[row]),
                name=f"body {row}",
                coloured=self._coloured,
            )
        return self._made[row, fingers]


def _add_stage(layer: Any, path: str, excerpt: Excerpt, paints: Paints) -> None:
    """Define the floor, and what stands and moves on the stage."""
    stage = excerpt.take.stage
    add_prim(layer, path, "Xform", model="component")
    things = list(stage_things(stage, around=excerpt.action))
    for floor in (thing.parts[0] for thing in things if thing.kind == "floor"):
        _add_solid(layer, f"{path}/Floor", *floor, name="floor", paints=paints)
    prisms = [thing for thing in things if thing.kind in ("obstacle", "leaf")]
    obstacles = _scope(layer, f"{path}/Obstacles", (*stage.obstacles, *stage.leaves), "obstacle")
    for (at, obstacle), prism in zip(obstacles, prisms, strict=True):
        prim = _add_solid(layer, at, *prism.parts[0], name=prism.kind, paints=paints)
        _name(prim, obstacle.name, height_m=float(obstacle.height), base_m=float(obstacle.base))
        if prism.track is not None:
            add_xform(prim, *prism.poses(excerpt.times), codes=np.arange(excerpt.count, dtype=float).tolist())
    for at, seat in _scope(layer, f"{path}/Seats", stage.seats, "seat"):
        prim = add_prim(layer, at, "Xform")
        _name(prim, seat.name, height_m=float(seat.height))
        add_xform(prim, np.array([[*seat.place[:2], seat.height]]), quat.turn(seat.place[2:]))
        ground, board, _ = seat_heights(stage, seat)
        thick = seat.height - board
        for part, low, high, side, colour in (
            ("Top", -thick, 0.0, SEAT_SIDE_M, SEAT),
            ("Leg", ground - seat.height, -thick, SEAT_LEG_M, LEG),
        ):
            box = _box((side, side, high - low), (0.0, 0.0, 0.5 * (low + high)))
            _add_solid(layer, f"{prim.path}/{part}", box, colour, name="seat", paints=paints)
    for at, door in _scope(layer, f"{path}/Doors", stage.doors, "door"):
        prim = add_prim(layer, at, "Xform")
        (x, y), along = door.ends.mean(axis=0), door.ends[1] - door.ends[0]
        width = float(np.linalg.norm(along))
        _name(prim, door.name, width_m=width)
        heading = np.arctan2(along[1], along[0]) - np.pi / 2
        add_xform(prim, np.array([[x, y, door.z]]), quat.turn(np.array([heading])))
        if width > 1e-6:
            line = _box((DOOR_WIDTH_M, width, DOOR_LIFT_M), (0.0, 0.0, 0.5 * DOOR_LIFT_M))
            _add_solid(layer, f"{prim.path}/Line", line, DOOR, name="door", paints=paints)


def _add_props(layer: Any, path: str, excerpt: Excerpt, paints: Paints) -> None:
    """Define the props with their motion."""
    take = excerpt.take
    if not take.props:
        return
    add_prim(layer, path, "Xform", model="group")
    moved = excerpt.prop_poses()
    names = valid_names([prop.name for prop in take.props], instead="prop")
    for p, (name, prop) in enumerate(zip(names, take.props, strict=True)):
        prim = add_prim(layer, f"{path}/{name}", "Xform", model="component", name=prop.name, notes=_prop_notes(prop))
        frames, here = sample_frames(moved.present[:, p])
        codes = frames.astype(float).tolist()
        add_xform(prim, moved.positions[here, p], quat.continuous(moved.rotations[here, p]), codes=codes)
        add_visibility(prim, moved.present[:, p])
        meshes = prop_meshes(prop)
        parts = ["Shape"] if len(meshes) == 1 else [f"Shape_{k}" for k in range(1, len(meshes) + 1)]
        for part, (solid, colour) in zip(parts, meshes, strict=True):
            _add_solid(layer, f"{path}/{name}/{part}", solid, colour, name="prop", paints=paints)


def _prop_notes(prop: Prop) -> dict[str, Any]:
    """Return what is to be known about a prop."""
    notes: dict[str, Any] = {"shape": prop.shape, "mass_kg": prop.mass}
    if prop.grips:
        notes["grips"] = {
            name: {"pose": Vt.DoubleArray(grip.pose), "hand": grip.hand, "shape": grip.shape}
            for name, grip in prop.grips.items()
        }
    return notes


def _box(size: tuple[float, float, float], centre: tuple[float, float, float]) -> Solid:
    unit = shape_solid("box")
    return unit._replace(positions=unit.positions * size + centre)


def _add_solid(layer: Any, path: str, solid: Solid, colour: Colour, *, name: str, paints: Paints) -> Any:
    prim = add_mesh(layer, path, solid.positions, solid.triangles, normals=solid.normals)
    paints.paint(prim, name, colour)
    return prim


def _scope(layer: Any, path: str, things: Sequence[Any], kind: str) -> list[tuple[str, Any]]:
    """Define a scope for things, if there are any; return the path of each, and the thing."""
    if things:
        add_prim(layer, path, "Scope")
    names = valid_names([thing.name for thing in things], instead=kind)
    return [(f"{path}/{name}", thing) for name, thing in zip(names, things, strict=True)]


def _name(prim: Any, name: str, **notes: Any) -> None:
    if name:
        prim.SetInfo("displayName", name)
    prim.SetInfo("customData", {"walkon": {"name": name, **notes}})
