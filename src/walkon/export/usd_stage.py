"""Where a crowd is: the stage's floor, obstacles, seats and doors, and the props with their motion.

    Stage       Floor (mesh), Obstacles (closed prisms), Seats and Doors (Xforms with a shape to see them by)
    Props       boxes, spheres and cylinders, placed over time; "invisible" while they are nowhere

A seat's frame is on its top, x where one faces who sits there; a door's is in the middle of its line, y along the line.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Gf

from walkon._base.arrays import Array
from walkon.drawing.stage_picture import DOOR, LEG, OBSTACLE, SEAT, SEAT_LEG, SEAT_SIDE, SEAT_THICK
from walkon.export.excerpt import Excerpt
from walkon.export.gltf_solids import DOOR_LIFT, DOOR_WIDTH, FLOOR
from walkon.export.stage_mesh import floor_mesh, prism_mesh
from walkon.export.usd_layer import (
    TYPES,
    Colour,
    add_attribute,
    add_colour,
    add_extent,
    add_mesh,
    add_prim,
    add_visibility,
    add_xform,
)
from walkon.export.usd_names import valid_names
from walkon.stage import Prop, Stage
from walkon.take.props import PropPoses, prop_poses
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["add_props", "add_stage"]

MOMENTS = 2000
"""Moments at which props are placed at once."""


def add_stage(layer: Any, path: str, stage: Stage) -> None:
    """Define what stands on the stage; an endless floor with nothing on it is left out."""
    if stage.bounds is None and not (stage.obstacles or stage.seats or stage.doors):
        return
    add_prim(layer, path, "Xform", model="component")
    if stage.bounds is not None:
        mesh = floor_mesh(stage.bounds)
        add_colour(add_mesh(layer, f"{path}/Floor", mesh.points, mesh.faces), FLOOR)
    if stage.obstacles:
        add_prim(layer, f"{path}/Obstacles", "Scope")
    for name, obstacle in zip(_names(stage.obstacles, "obstacle"), stage.obstacles, strict=True):
        mesh = prism_mesh(obstacle.polygon, base=obstacle.base, top=obstacle.height)
        prim = add_mesh(layer, f"{path}/Obstacles/{name}", mesh.points, mesh.faces)
        _name(prim, obstacle.name, height_m=float(obstacle.height), base_m=float(obstacle.base))
        add_colour(prim, OBSTACLE)
    if stage.seats:
        add_prim(layer, f"{path}/Seats", "Scope")
    for name, seat in zip(_names(stage.seats, "seat"), stage.seats, strict=True):
        prim = add_prim(layer, f"{path}/Seats/{name}", "Xform")
        _name(prim, seat.name, height_m=float(seat.height))
        add_xform(prim, np.array([[*seat.place[:2], seat.height]]), quat.turn(seat.place[2:]))
        thick = min(SEAT_THICK, 0.5 * seat.height)
        for part, low, side, colour in (("Top", -thick, SEAT_SIDE, SEAT), ("Leg", -seat.height, SEAT_LEG, LEG)):
            size = np.array([side, side, thick if part == "Top" else seat.height - thick])
            _add_box(layer, f"{prim.path}/{part}", size, centre=(0.0, 0.0, low + size[2] / 2), colour=colour)
    if stage.doors:
        add_prim(layer, f"{path}/Doors", "Scope")
    for name, door in zip(_names(stage.doors, "door"), stage.doors, strict=True):
        prim = add_prim(layer, f"{path}/Doors/{name}", "Xform")
        (x, y), along = door.ends.mean(axis=0), door.ends[1] - door.ends[0]
        width = float(np.linalg.norm(along))
        _name(prim, door.name, width_m=width)
        heading = np.arctan2(along[1], along[0]) - np.pi / 2
        add_xform(prim, np.array([[x, y, 0.0]]), quat.turn(np.array([heading])))
        size = np.array([DOOR_WIDTH, width, DOOR_LIFT])
        _add_box(layer, f"{prim.path}/Line", size, centre=(0.0, 0.0, DOOR_LIFT / 2), colour=DOOR)


def add_props(layer: Any, path: str, excerpt: Excerpt) -> None:
    """Define the props with their motion."""
    take = excerpt.take
    if not take.props:
        return
    add_prim(layer, path, "Xform", model="group")
    moved = _moved(take, excerpt.times)
    for p, (name, prop) in enumerate(zip(_names(take.props, "prop"), take.props, strict=True)):
        prim = add_prim(layer, f"{path}/{name}", "Xform", model="component", name=prop.name)
        here = moved.present[:, p]
        codes = np.flatnonzero(here).astype(float).tolist()
        add_xform(prim, moved.positions[here, p], quat.continuous(moved.rotations[here, p]), codes=codes)
        add_visibility(prim, here)
        _add_shape(layer, f"{path}/{name}/Shape", prop)


def _moved(take: Take, times: Array) -> PropPoses:
    """Return the poses of all props at all times, found block by block."""
    blocks = [prop_poses(take, times[k : k + MOMENTS]) for k in range(0, len(times), MOMENTS)]
    return PropPoses(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _add_shape(layer: Any, path: str, prop: Prop) -> None:
    x, y, z = prop.size
    if prop.shape == "box":
        _add_box(layer, path, np.array([x, y, z]), centre=(0.0, 0.0, 0.0), colour=prop.colour)
        return
    prim = add_prim(layer, path, "Sphere" if prop.shape == "sphere" else "Cylinder")
    add_attribute(prim, "radius", TYPES.Double, x / 2)
    half = np.array([x, x, x if prop.shape == "sphere" else z]) / 2
    add_extent(prim, -half, half)
    if prop.shape == "cylinder":
        add_attribute(prim, "height", TYPES.Double, z)
        add_attribute(prim, "axis", TYPES.Token, "Z", uniform=True)
    add_colour(prim, prop.colour)


def _add_box(layer: Any, path: str, size: Array, *, centre: tuple[float, float, float], colour: Colour) -> None:
    prim = add_prim(layer, path, "Cube")
    add_attribute(prim, "size", TYPES.Double, 1.0)
    add_extent(prim, np.full(3, -0.5), np.full(3, 0.5))
    add_attribute(prim, "xformOp:translate", TYPES.Double3, Gf.Vec3d(*centre))
    add_attribute(prim, "xformOp:scale", TYPES.Float3, Gf.Vec3f(*size.tolist()))
    add_attribute(prim, "xformOpOrder", TYPES.TokenArray, ["xformOp:translate", "xformOp:scale"], uniform=True)
    add_colour(prim, colour)


def _names(things: Sequence[Any], kind: str) -> list[str]:
    return valid_names([thing.name for thing in things], instead=kind)


def _name(prim: Any, name: str, **notes: Any) -> None:
    if name:
        prim.SetInfo("displayName", name)
    prim.SetInfo("customData", {"walkon": {"name": name, **notes}})
