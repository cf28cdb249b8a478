"""Libraries inside the files of graphs: what is words goes into the header, what is numbers into named arrays.

Motion is float32 in the file, 0.1 micrometres and 10⁻⁷ radians, unless a graph asks for more. A library that is in this
precision already comes back to the last bit.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from walkon.io.plain_fields import event_fields, event_from, skeleton_fields, skeleton_from
from walkon.motion.library import Library
from walkon.motion.skeleton import Skeleton

__all__ = ["as_stored", "library_arrays", "library_fields", "library_from"]

MOTION = ("root_positions", "local_rotations", "contact_heights")
"""Arrays that are float32 in the file."""
FLAGS = ("contacts", "labels")
RANGES = ("starts", "stops")


def as_stored(library: Library) -> Library:
    """Return a library in the precision of files: float32 values, and so the same before and after saving."""
    return replace(library, **{name: getattr(library, name).astype(np.float32).astype(np.float64) for name in MOTION})


def library_fields(library: Library, *, skeleton: bool = True) -> dict[str, Any]:
    """Return the words of a library for a header; without its skeleton where the file has that already."""
    fields: dict[str, Any] = {
        "fps": library.fps,
        "names": library.names,
        "label_names": library.label_names,
        "ensembles": {name: list(members) for name, members in library.ensembles.items()},
        "notes": library.notes,
        "events": [[event_fields(event) for event in events] for events in library.events],
    }
    return fields | ({"skeleton": skeleton_fields(library.skeleton)} if skeleton else {})


def library_arrays(library: Library, prefix: str = "library", *, exact: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the numbers of a library under names such as "library.starts"; motion named in `exact` stays float64."""
    arrays: dict[str, Any] = {}
    for name in MOTION:
        values = getattr(library, name)
        arrays[f"{prefix}.{name}"] = values if name in exact else values.astype(np.float32)
    return arrays | {f"{prefix}.{name}": getattr(library, name) for name in (*FLAGS, *RANGES)}


def library_from(
    fields: Mapping[str, Any],
    arrays: Mapping[str, Any],
    prefix: str = "library",
    *,
    skeleton: Skeleton | None = None,
    **replaced: Any,
) -> Library:
    """Make a library of its fields and arrays, some of them `replaced`; its own checks refuse what cannot be."""
    return Library(
        skeleton=skeleton or skeleton_from(fields["skeleton"]),
        fps=fields["fps"],
        names=tuple(fields["names"]),
        label_names=tuple(fields["label_names"]),
        events=tuple(tuple(event_from(event) for event in events) for events in fields["events"]),
        ensembles={name: tuple(members) for name, members in fields["ensembles"].items()},
        notes=tuple(fields["notes"]),
        **({name: arrays[f"{prefix}.{name}"] for name in (*MOTION, *FLAGS, *RANGES)} | replaced),
    )
