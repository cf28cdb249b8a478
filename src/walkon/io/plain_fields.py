"""Skeletons, events, tracks and props as plain fields, for the JSON headers of our own files, and back."""

from dataclasses import asdict
from typing import Any

import numpy as np

from walkon.geometry.tracks import Track
from walkon.motion.anatomy.limits import BallLimit, HingeLimit, JointLimit
from walkon.motion.clip import Event
from walkon.motion.skeleton import Skeleton
from walkon.stage import Prop, PropGrip, PropPart

__all__ = [
    "event_fields",
    "event_from",
    "prop_fields",
    "prop_from",
    "skeleton_fields",
    "skeleton_from",
    "track_fields",
    "track_from",
]

LIMITS: dict[str, type[HingeLimit | BallLimit]] = {"HingeLimit": HingeLimit, "BallLimit": BallLimit}


def skeleton_fields(skeleton: Skeleton) -> dict[str, Any]:
    """Return a skeleton as lists, names and numbers."""
    return {
        "names": skeleton.names,
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.tolist(),
        "end_sites": skeleton.end_sites.tolist(),
        "roles": dict(skeleton.roles),
        "limits": {
            str(joint): {"kind": type(limit).__name__, **asdict(limit)} for joint, limit in skeleton.limits.items()
        },
        "self_overlaps": None
        if skeleton.self_overlaps is None
        else [[*joints, depth] for joints, depth in skeleton.self_overlaps.items()],
        "contact_names": skeleton.contact_names,
        "contact_joints": skeleton.contact_joints.tolist(),
        "contact_offsets": skeleton.contact_offsets.tolist(),
    }


def skeleton_from(fields: dict[str, Any]) -> Skeleton:
    """Make a skeleton of its fields; the skeleton's own checks refuse what cannot be."""
    limits: dict[int, JointLimit] = {}
    for joint, given in fields.get("limits", {}).items():
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items() if k != "kind"}
        limits[int(joint)] = LIMITS[given["kind"]](**values)
    # A list of no points has no second axis of its own.
    points = {name: np.asarray(fields[name], float).reshape(-1, 3) for name in ("offsets", "contact_offsets")}
    overlaps = fields.get("self_overlaps")  # files of before have none
    deep = None if overlaps is None else {(int(a), int(b)): float(depth) for a, b, depth in overlaps}
    return Skeleton(**(fields | points | {"limits": limits, "self_overlaps": deep}))


def event_fields(event: Event) -> dict[str, Any]:
    """Return an event as names and numbers."""
    return {"time": event.time, "kind": event.kind, "joints": event.joints, "object_pose": event.object_pose}


def event_from(fields: dict[str, Any]) -> Event:
    """Make an event of its fields."""
    return Event(
        time=fields["time"],
        kind=fields["kind"],
        joints=tuple(fields["joints"]),
        object_pose=None if fields["object_pose"] is None else tuple(fields["object_pose"]),
    )


def track_fields(track: Track | None) -> dict[str, Any] | None:
    """Return a track with its exact numbers as lists; None of none."""
    if track is None:
        return None
    values = {name: getattr(track, name) for name in ("times", "places", "headings", "rotations", "velocities")}
    return {name: None if value is None else value.tolist() for name, value in values.items()}


def track_from(fields: dict[str, Any] | None) -> Track | None:
    """Make a track of its fields; the track's own checks refuse what cannot be."""
    return None if fields is None else Track(**fields)


def prop_fields(prop: Prop) -> dict[str, Any]:
    """Return a prop as lists, names and numbers; what it has none of is left out."""
    plain = {name: getattr(prop, name) for name in ("name", "shape", "size", "colour", "keep_level", "mass")}
    if prop.parts:
        plain["parts"] = [asdict(part) for part in prop.parts]
    if prop.shape == "mesh":
        plain |= {"vertices": prop.vertices.tolist(), "triangles": prop.triangles.tolist()}
    if prop.grips:
        plain["grips"] = {name: asdict(grip) for name, grip in prop.grips.items()}
    return plain


def prop_from(fields: dict[str, Any]) -> Prop:
    """Make a prop of its fields; the prop's own checks refuse what cannot be."""
    parts = tuple(PropPart(**part) for part in fields.get("parts", ()))
    grips = {name: PropGrip(**grip) for name, grip in fields.get("grips", {}).items()}
    return Prop(**(fields | {"parts": parts, "grips": grips}))
