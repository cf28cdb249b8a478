"""How hubs come about: changed by hand, suggested, or read with a graph.

*Changes* of a design take values and return new ones, or refuse in words and leave nothing half done.

*Designs in graph files*: how each hub was made goes with the graph, in its settings, and comes back with it. A graph
that was built without the designer tells only its match frames. Its hubs are then found again: the seed is the frame of
least distance, and of all families and spacings that `suggestions` uses the one is taken from which most of the match
frames grow; what differs counts as put in or taken out by hand. Either way the match frames of the design are exactly
those of the graph.

Metres, seconds; `frame`s are compared frames.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue, WalkonError
from walkon.graphs.snap_together.matching.suggestions import (
    FAMILY_SPACING_S,
    RESTING_SPACING_S,
    STRIDE_SPACING_S,
    suggest_hubs,
)
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.viewer.designer.design import COLOURS, MAX_NAME_LENGTH, Design, DesignedHub
from walkon.viewer.designer.material import Material

__all__ = [
    "check_name",
    "design_of",
    "design_setting",
    "new_hub",
    "suggested_hubs",
    "with_frame",
    "with_spacing",
    "with_suggestions",
    "with_threshold",
    "without_frame",
]

SETTING = "design"
PICKED_BELOW_M = 2e-6
"""m under which a threshold is that of one picked frame."""
MAX_COPIES = 100


def check_name(design: Design, wanted: str | None) -> str:
    """Return a name that no hub has; without a wish, any."""
    if wanted is None:
        return design.free_name()
    name = wanted.strip()
    if not (0 < len(name) <= MAX_NAME_LENGTH and name.isprintable()):
        raise InvalidValue(f"a hub's name has 1 to {MAX_NAME_LENGTH} letters in one line, got {wanted[:80]!r}")
    if name in design.names:
        raise InvalidValue(f"there is a hub {name!r} already; choose another name")
    return name


def with_threshold(material: Material, hub: DesignedHub, threshold: float) -> DesignedHub:
    """Return a hub that grows up to another distance."""
    other = replace(hub, threshold=float(threshold))
    material.grow(other)  # says what is wrong with the number
    return material.check_hub(other)


def with_spacing(material: Material, hub: DesignedHub, spacing: float, *, least: float) -> DesignedHub:
    """Return a hub whose match frames are at least so far apart."""
    if not spacing >= least:
        raise InvalidValue(f"match frames must be {least:.2f} s apart or more, got {spacing:g} s")
    other = replace(hub, spacing=float(spacing))
    for frame in other.added:
        material.check_frame(frame, beside=other.added, spacing=other.spacing)
    return material.check_hub(other)


def new_hub(
    material: Material,
    design: Design,
    frame: int,
    *,
    grows: bool,
    spacing: float,
    name: str | None,
    threshold: float | None = None,
) -> DesignedHub:
    """Return a new hub that grows from a frame, or begins with it as its one picked frame.

    Whether it can be is for `Material.refusal` to say. Copies of clips are cut at it, but none where it would cut walks
    into more steps.
    """
    material.check_frame(frame)
    copies = {copy for hub in design.hubs for copy in hub.copies}
    hub = DesignedHub(
        name=check_name(design, name),
        colour=design.free_colour(),
        seed=frame if grows else None,
        threshold=material.threshold if threshold is None else float(threshold),
        spacing=spacing,
        added=() if grows else (frame,),
        copies=() if material.families["walk"][frame] else tuple(sorted(copies)),
    )
    if grows:
        material.grow(hub)  # says what is wrong with the threshold
    return hub


def with_frame(material: Material, hub: DesignedHub, frame: int) -> DesignedHub:
    """Return a hub with one more match frame, put in by hand."""
    if frame in material.match_set(hub).frames:
        raise InvalidValue(f"{material.frames.words(frame)} is a match frame of {hub.name!r} already")
    if frame in hub.removed and frame in material.grow(hub).frames:
        return material.check_hub(replace(hub, removed=tuple(f for f in hub.removed if f != frame)))
    material.check_frame(frame, beside=hub.added, spacing=hub.spacing)
    return material.check_hub(replace(hub, added=tuple(sorted((*hub.added, frame)))))


def without_frame(material: Material, hub: DesignedHub, frame: int) -> DesignedHub:
    """Return a hub without one of its match frames."""
    if frame not in material.match_set(hub).frames:
        raise InvalidValue(f"{material.frames.words(frame)} is not a match frame of {hub.name!r}")
    hub = replace(hub, added=tuple(f for f in hub.added if f != frame))
    if hub.seed is None and not hub.added:
        raise InvalidValue(f"this is the last match frame of {hub.name!r}; remove the hub instead")
    if hub.seed is not None and frame in material.grow(hub).frames:
        hub = replace(hub, removed=tuple(sorted({*hub.removed, frame})))
    return material.check_hub(hub)


def suggested_hubs(material: Material, *, threshold: float, spacing: float, bands: int) -> tuple[DesignedHub, ...]:
    """Return the suggestions for a library as hubs, without colours; none where nothing is alike."""
    if not 1 <= bands <= 10:
        raise InvalidValue(f"there can be 1 to 10 bands of walking speed, got {bands}")
    found, copies = suggest_hubs(material.library, material.frames, threshold=threshold, spacing=spacing, bands=bands)
    material.rows([one.seed for one in found.values()])  # together they cost as one
    hubs = []
    for name, one in found.items():
        hub = recover_hub(material, DesignedHub(name, "", one.seed, one.threshold, spacing), one.frames)
        hubs.append(replace(hub, copies=tuple(k for k, copy in enumerate(copies) if name in copy)))
    return tuple(hubs)


def with_suggestions(design: Design, found: tuple[DesignedHub, ...]) -> Design:
    """Return a design with these hubs as well, but for those that grow from a frame that a hub grows from already."""
    known = {(hub.seed, hub.family) for hub in design.hubs}
    for hub in found:
        if (hub.seed, hub.family) not in known:
            named = replace(hub, name=design.free_name(hub.name), colour=design.free_colour())
            design = design.with_hubs(len(design.hubs), named)
    return design


def design_setting(material: Material, design: Design) -> dict[str, Any]:
    """Return a design as plain values, for the settings of its graph; frames as clip and time."""

    def places(frames: tuple[int, ...]) -> list[list[float]]:
        return [list(material.place(frame)) for frame in frames]

    return {
        SETTING: [
            {
                "name": hub.name,
                "colour": hub.colour,
                "seed": None if hub.seed is None else list(material.place(hub.seed)),
                "threshold": hub.threshold,
                "spacing": hub.spacing,
                "family": hub.family,
                "added": places(hub.added),
                "removed": places(hub.removed),
                "copies": list(hub.copies),
            }
            for hub in design.hubs
        ]
    }


def design_of(material: Material, graph: SnapGraph) -> Design:
    """Return the design of a graph: as it was remembered, or found again; its match frames are the graph's."""
    times = graph.match_times.tolist()
    every = np.array([material.frame(*at) for at in zip(graph.matches.clip.tolist(), times, strict=True)], np.int64)
    rows = [np.flatnonzero(graph.matches.hub == number) for number in range(len(graph.hub_names))]
    seeds = [int(every[mine[graph.matches.distance[mine].argmin()]]) for mine in rows]
    spacing = float(graph.settings.get("spacing", 1 / 3))
    notes = {
        str(note["name"]): note
        for note in graph.settings.get(SETTING, ())
        if isinstance(note, Mapping) and isinstance(note.get("name"), str)
    }
    material.rows(seeds)  # together they cost as one
    hubs = []
    for number, (name, copies) in enumerate(zip(graph.hub_names, _copies(graph.hub_names), strict=True)):
        # The table has thresholds in float32.
        threshold, mine = float(graph.hubs.threshold[number]) * (1 + 1e-6), every[rows[number]]
        seed = None if threshold <= PICKED_BELOW_M else seeds[number]
        blank = DesignedHub(name, COLOURS[number % len(COLOURS)], seed, threshold, spacing, copies=copies)
        hub = _read_note(material, blank, notes[name]) if name in notes else None
        hubs.append(recover_hub(material, blank, mine) if hub is None else _keep_or_fit(material, hub, mine))
    return Design(tuple(hubs))


def _keep_or_fit(material: Material, hub: DesignedHub, frames: IntArray) -> DesignedHub:
    """Return the hub, with hands where need be, whose match frames are exactly these."""
    try:
        if np.array_equal(material.match_set(hub).frames, frames):
            return hub
    except WalkonError:
        pass
    if hub.seed is None:
        return replace(hub, added=tuple(frames.tolist()), removed=())
    return material.fit_frames(hub, frames)


def _read_note(material: Material, blank: DesignedHub, note: Mapping[str, Any]) -> DesignedHub | None:
    """Return a hub as it was noted; None where the note makes no sense."""

    def frames(places: Any) -> tuple[int, ...]:
        return tuple(sorted(material.frame(int(clip), float(time)) for clip, time in places))

    try:
        family = note["family"]
        return replace(
            blank,
            colour=str(note["colour"]) if note["colour"] in COLOURS else blank.colour,
            seed=None if note["seed"] is None else frames([note["seed"]])[0],
            threshold=float(note["threshold"]),
            spacing=float(note["spacing"]),
            family=family if isinstance(family, str) and family in material.families else None,
            added=frames(note["added"]),
            removed=frames(note["removed"]),
            copies=tuple(sorted({int(copy) for copy in note["copies"] if 0 <= int(copy) < MAX_COPIES})),
        )
    except (KeyError, TypeError, ValueError, WalkonError):
        return None


def recover_hub(material: Material, blank: DesignedHub, frames: IntArray) -> DesignedHub:
    """Return the hub with this seed and threshold that has exactly these match frames.

    Its family and spacing are those, of all that are in use, from which most of them grow; hands do the rest.
    """
    if blank.seed is None:
        return replace(blank, added=tuple(frames.tolist()))
    families = [name for name, mine in material.families.items() if mine[blank.seed]]
    # A set that is small looks the same with several spacings; of equal ones the first is taken.
    usual = [FAMILY_SPACING_S[name] for name in families if name in FAMILY_SPACING_S]
    tries = [
        replace(blank, family=family, spacing=spacing)
        for family, spacing in product((*families, None), (*usual, blank.spacing, STRIDE_SPACING_S, RESTING_SPACING_S))
    ]
    best = min(tries, key=lambda hub: len(np.setxor1d(material.grow(hub).frames, frames)))
    return material.fit_frames(best, frames)


def _copies(names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Return the copies that hubs of these names take part in, where they are named as `suggest_hubs` names them."""
    speeds = [name.rpartition("_")[2] if name.startswith(("walk_left_", "walk_right_")) else "" for name in names]
    bands = list(dict.fromkeys(speed for speed in speeds if speed))
    if len(bands) < 2:
        return [()] * len(names)
    return [(bands.index(speed),) if speed else tuple(range(len(bands))) for speed in speeds]
