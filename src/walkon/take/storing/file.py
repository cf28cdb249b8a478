"""Takes as files: one `*.take`, written whole (atomically) or grown part by part, mapped into memory on reading.

The container is `walkon._base.array_file`; here is what goes into it. A part has a header (names, bodies, props, the
stage: few and small) and the rows that are new in each table, under names such as "Segments.start". References are row
numbers over all parts, so that reading is joining. A take written whole is one part, and its tables are then views of
the file.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from walkon._base.array_file import ArrayFile, read_array_file, write_array_file
from walkon._base.errors import FileError, UnreadableFile, WalkonError
from walkon._base.table import Column, Table
from walkon.io.plain_fields import (
    event_fields,
    event_from,
    prop_fields,
    prop_from,
    skeleton_fields,
    skeleton_from,
    track_fields,
    track_from,
)
from walkon.motion.body import Body
from walkon.motion.limbs.arms import has_arm, palm_frame
from walkon.motion.skeleton import SIDES
from walkon.stage import Door, FlatFloor, Floor, Obstacle, RampFloor, Seat, Stage, TerrainFloor
from walkon.take.clips import ClipStore
from walkon.take.planting.planting import plant_feet
from walkon.take.tables import CLIP_TABLES, TABLES, ClipRows, ContactRuns, LabelRuns
from walkon.take.take import Take

__all__ = ["KIND", "VERSION", "body_fields", "load_take", "new_part", "save_take", "stage_fields"]

KIND = "take"
VERSION = 2
LEVEL_GROUND = {"kind": "flat", "height": 0.0}
LISTS = ("names", "notes", "mark_names", "mark_poses")


def save_take(take: Take, path: str | Path) -> Path:
    """Write a take to one file, atomically; usually called `something.take`."""
    header, arrays = new_part(take, {field: getattr(take, field) for field in TABLES}, Take(fps=take.fps))
    write_array_file(path, KIND, version=VERSION, header=header | {"complete": take.complete}, arrays=arrays)
    return Path(path)


def load_take(path: str | Path) -> Take:
    """Read a take; a damaged, truncated or newer file is refused with a reason.

    The file of a writer that is still at work, or was stopped, gives the take up to its last flush, `complete=False`,
    its feet planted anew: only finished files have them.
    """
    file = read_array_file(path, KIND, version=VERSION)
    if file.version < VERSION:
        raise UnreadableFile(
            f"a take in version {file.version} of the format, which was never released; make it again in version "
            f"{VERSION}",
            path=path,
        )
    try:
        return _make_take(file)
    except FileError:
        raise
    except WalkonError as error:
        raise UnreadableFile(f"damaged take: {error}", path=path) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        # The bytes are whole, but they are not what a take's writer writes.
        raise UnreadableFile(f"damaged take: its header does not fit ({error!r})", path=path) from error


def new_part(
    take: Take, new: Mapping[str, Table], before: Take, *, first: bool = True
) -> tuple[dict[str, Any], dict[str, Column]]:
    """Return the header and the arrays of what is new: lists and clips since `before`, and these rows of tables.

    The `first` part of a file has the stage, and columns also of tables without rows.
    """
    clips, old = take.clips, before.clips
    K = len(old)
    header: dict[str, Any] = {
        "bodies": [body_fields(body) for body in take.bodies[len(before.bodies) :]],
        "skeletons": [skeleton_fields(skeleton) for skeleton in take.skeletons[len(before.skeletons) :]],
        "props": [prop_fields(prop) for prop in take.props[len(before.props) :]],
        "clip_names": clips.names[K:],
        "label_names": clips.label_names[len(old.label_names) :],
        "events": {str(clip): [event_fields(e) for e in events] for clip, events in clips.events.items() if clip >= K},
        **{name: getattr(take, name)[len(getattr(before, name)) :] for name in LISTS},
    }
    tables = [new.get(field, kind()) for field, kind in TABLES.items()]
    arrays: dict[str, Column] = {}
    if first or clips is not old:
        tables = [
            clips.rows.rows(slice(K, None)),
            clips.contacts.rows(clips.contacts.clip >= K),
            clips.labels.rows(clips.labels.clip >= K),
            *tables,
        ]
        arrays |= {"roots": clips.roots[len(old.roots) :], "rotations": clips.rotations[len(old.rotations) :]}
    if first:
        header |= {"fps": take.fps, "provenance": dict(take.provenance), "stage": stage_fields(take.stage)}
        arrays["terrain"] = _terrain(take.stage)
    for table in tables:
        if first or len(table):
            arrays |= table.to_arrays()
    return header, arrays


def _make_take(file: ArrayFile) -> Take:
    headers, arrays = file.joined()
    first = headers[0]
    for kind in (*CLIP_TABLES.values(), *TABLES.values()):
        if missing := [name for name in kind().to_arrays() if name not in arrays]:
            # The checksums are right, so the version that wrote the file did not know the column.
            raise UnreadableFile(
                f"written by another version of Walkon (the column {missing[0]} is missing); write it again",
                path=file.path,
            )

    def joined(name: str) -> list[Any]:
        return [item for header in headers for item in header[name]]

    clips = ClipStore(
        names=tuple(joined("clip_names")),
        label_names=tuple(joined("label_names")),
        rows=ClipRows.from_arrays(arrays),
        roots=arrays["roots"],
        rotations=arrays["rotations"],
        contacts=ContactRuns.from_arrays(arrays),
        labels=LabelRuns.from_arrays(arrays),
        events={
            int(clip): tuple(event_from(e) for e in events)
            for header in headers
            for clip, events in header["events"].items()
        },
    )
    fields: dict[str, Any] = {field: kind.from_arrays(arrays) for field, kind in TABLES.items()}
    fields |= {name: tuple(joined(name)) for name in LISTS}
    take = Take(
        fps=first["fps"],
        provenance=first["provenance"],
        stage=_stage_from(first["stage"], arrays.get("terrain")),
        bodies=tuple(_body_from(body) for body in joined("bodies")),
        skeletons=tuple(skeleton_from(skeleton) for skeleton in joined("skeletons")),
        props=tuple(prop_from(prop) for prop in joined("props")),
        clips=clips,
        complete=bool(file.complete and first.get("complete", True)),
        **fields,
    )
    return take if file.complete else plant_feet(take)


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
        # They follow from the skeleton; other readers need not know how.
        "palms": [
            np.concatenate(palm_frame(body.skeleton, side)).tolist() if has_arm(body.skeleton, side) else None
            for side in SIDES
        ],
    }


def _body_from(fields: dict[str, Any]) -> Body:
    """Make a body of its fields."""
    K = len(fields["capsule_parts"])
    shaped = {
        "capsule_starts": np.reshape(fields["capsule_starts"], (K, 3)),
        "capsule_ends": np.reshape(fields["capsule_ends"], (K, 3)),
        "capsule_radii": np.reshape(fields["capsule_radii"], (K, 2)),
    }
    kept = {name: value for name, value in fields.items() if name != "palms"}
    return Body(**(kept | shaped | {"skeleton": skeleton_from(fields["skeleton"])}))


def _terrain(stage: Stage) -> Column:
    """Return the triangles [F, 3, 3] of a stage whose floor is a terrain; none of any other."""
    return stage.floor.corners if isinstance(stage.floor, TerrainFloor) else np.zeros((0, 3, 3))


def _floor_fields(floor: Floor) -> dict[str, Any]:
    if isinstance(floor, FlatFloor):
        return {"kind": "flat", "height": floor.height}
    if isinstance(floor, RampFloor):
        return {"kind": "ramp", "start": floor.start.tolist(), "stop": floor.stop.tolist()}
    corners = floor.corners if isinstance(floor, TerrainFloor) else np.zeros((0, 3, 3))
    return {"kind": "terrain", "triangles": len(corners), "digest": hashlib.sha256(corners.tobytes()).hexdigest()[:16]}


def _floor_from(fields: dict[str, Any], terrain: Column | None) -> Floor:
    kinds: dict[str, Callable[[], Floor]] = {
        "flat": lambda: FlatFloor(fields["height"]),
        "ramp": lambda: RampFloor(fields["start"], fields["stop"]),
        "terrain": lambda: TerrainFloor(np.zeros((0, 3, 3)) if terrain is None else terrain),
    }
    return kinds[fields["kind"]]()


def stage_fields(stage: Stage) -> dict[str, Any]:
    """Return a stage as lists, names and numbers, but for the triangles of a terrain."""
    return {
        "floor": _floor_fields(stage.floor),
        "bounds": None if stage.bounds is None else stage.bounds.tolist(),
        "obstacles": [
            {"polygon": o.polygon.tolist(), "height": o.height, "base": o.base, "name": o.name}
            | {"track": track_fields(o.track)}
            | ({"seat": o.seat} if o.seat else {})
            for o in stage.obstacles
        ],
        "seats": [{"place": s.place.tolist(), "height": s.height, "name": s.name} for s in stage.seats],
        "doors": [
            {"ends": d.ends.tolist(), "name": d.name, "hinge": d.hinge, "leaf_height": d.leaf_height}
            | {"z": d.z, "track": track_fields(d.track)}
            for d in stage.doors
        ],
    }


def _stage_from(fields: dict[str, Any], terrain: Column | None) -> Stage:
    """Make a stage of its fields, and of the triangles [F, 3, 3] of its terrain if it has one."""
    return Stage(
        floor=_floor_from(fields.get("floor", LEVEL_GROUND), terrain),
        bounds=fields["bounds"],
        obstacles=tuple(Obstacle(**(one | {"track": track_from(one["track"])})) for one in fields["obstacles"]),
        seats=tuple(Seat(**seat) for seat in fields["seats"]),
        doors=tuple(Door(**(one | {"track": track_from(one["track"])})) for one in fields["doors"]),
    )
