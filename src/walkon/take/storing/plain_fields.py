"""Bodies, stages and props as plain fields, for the JSON headers of take files, and back."""

from dataclasses import asdict
from typing import Any

import numpy as np

from walkon.io.plain_fields import skeleton_fields, skeleton_from
from walkon.motion.body import Body
from walkon.stage import Door, Obstacle, Prop, Seat, Stage

__all__ = ["body_fields", "body_from", "prop_fields", "prop_from", "stage_fields", "stage_from"]


def body_fields(body: Body) -> dict[str, Any]:
    """Return a body as lists, names and numbers."""
    return {
        "skeleton": skeleton_fields(body.skeleton),
        "capsule_joints": body.capsule_joints.tolist(),
        "capsule_starts": body.capsule_starts.tolist(),
        "capsule_ends": body.capsule_ends.tolist(),
        "capsule_radii": body.capsule_radii.tolist(),
        "capsule_parts": body.capsule_parts,
        "masses": body.masses.tolist(),
        "height": body.height,
        "colour": body.colour,
        "scale": body.scale,
    }


def body_from(fields: dict[str, Any]) -> Body:
    """Make a body of its fields."""
    K = len(fields["capsule_parts"])
    shaped = {
        "capsule_starts": np.reshape(fields["capsule_starts"], (K, 3)),
        "capsule_ends": np.reshape(fields["capsule_ends"], (K, 3)),
        "capsule_radii": np.reshape(fields["capsule_radii"], (K, 2)),
    }
    return Body(**(fields | shaped | {"skeleton": skeleton_from(fields["skeleton"])}))


def stage_fields(stage: Stage) -> dict[str, Any]:
    """Return a stage as lists, names and numbers."""
    return {
        "bounds": None if stage.bounds is None else stage.bounds.tolist(),
        "obstacles": [
            {"polygon": o.polygon.tolist(), "height": o.height, "base": o.base, "name": o.name} for o in stage.obstacles
        ],
        "seats": [{"place": s.place.tolist(), "height": s.height, "name": s.name} for s in stage.seats],
        "doors": [{"ends": d.ends.tolist(), "name": d.name} for d in stage.doors],
    }


def stage_from(fields: dict[str, Any]) -> Stage:
    """Make a stage of its fields."""
    return Stage(
        bounds=fields["bounds"],
        obstacles=tuple(Obstacle(**obstacle) for obstacle in fields["obstacles"]),
        seats=tuple(Seat(**seat) for seat in fields["seats"]),
        doors=tuple(Door(**door) for door in fields["doors"]),
    )


def prop_fields(prop: Prop) -> dict[str, Any]:
    """Return a prop as names and numbers."""
    return asdict(prop)


def prop_from(fields: dict[str, Any]) -> Prop:
    """Make a prop of its fields."""
    return Prop(**fields)
