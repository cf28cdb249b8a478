"""Changes of a design: each takes values and returns new ones, or refuses in words and leaves nothing half done.

Metres, seconds; `frame`s are compared frames.
"""

from dataclasses import replace

from walkon._base.errors import InvalidValue
from walkon.graphs.snap_together.matching.suggestions import suggest_hubs
from walkon.viewer.designer.design import LONGEST_NAME, Design, DesignedHub
from walkon.viewer.designer.material import Material
from walkon.viewer.designer.remembering import found_again

__all__ = [
    "checked_name",
    "new_hub",
    "suggested_hubs",
    "with_frame",
    "with_spacing",
    "with_suggestions",
    "with_threshold",
    "without_frame",
]


def checked_name(design: Design, wanted: str | None) -> str:
    """Return a name that no hub has; without a wish, any."""
    if wanted is None:
        return design.free_name()
    name = wanted.strip()
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise InvalidValue(f"a hub's name has 1 to {LONGEST_NAME} letters in one line, got {wanted[:80]!r}")
    if name in design.names:
        raise InvalidValue(f"there is a hub {name!r} already; choose another name")
    return name


def with_threshold(material: Material, hub: DesignedHub, threshold: float) -> DesignedHub:
    """Return a hub that grows up to another distance."""
    other = replace(hub, threshold=float(threshold))
    material.grown(other)  # says what is wrong with the number
    return material.without_refusal(other)


def with_spacing(material: Material, hub: DesignedHub, spacing: float, *, least: float) -> DesignedHub:
    """Return a hub whose match frames are at least so far apart."""
    if not spacing >= least:
        raise InvalidValue(f"match frames must be {least:.2f} s apart or more, got {spacing:g} s")
    other = replace(hub, spacing=float(spacing))
    for frame in other.added:
        material.check_frame(frame, beside=other.added, spacing=other.spacing)
    return material.without_refusal(other)


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
        name=checked_name(design, name),
        colour=design.free_colour(),
        seed=frame if grows else None,
        threshold=material.threshold if threshold is None else float(threshold),
        spacing=spacing,
        added=() if grows else (frame,),
        copies=() if material.families["walk"][frame] else tuple(sorted(copies)),
    )
    if grows:
        material.grown(hub)  # says what is wrong with the threshold
    return hub


def with_frame(material: Material, hub: DesignedHub, frame: int) -> DesignedHub:
    """Return a hub with one more match frame, put in by hand."""
    if frame in material.match_set(hub).frames:
        raise InvalidValue(f"{material.frames.words(frame)} is a match frame of {hub.name!r} already")
    if frame in hub.removed and frame in material.grown(hub).frames:
        return material.without_refusal(replace(hub, removed=tuple(f for f in hub.removed if f != frame)))
    material.check_frame(frame, beside=hub.added, spacing=hub.spacing)
    return material.without_refusal(replace(hub, added=tuple(sorted((*hub.added, frame)))))


def without_frame(material: Material, hub: DesignedHub, frame: int) -> DesignedHub:
    """Return a hub without one of its match frames."""
    if frame not in material.match_set(hub).frames:
        raise InvalidValue(f"{material.frames.words(frame)} is not a match frame of {hub.name!r}")
    hub = replace(hub, added=tuple(f for f in hub.added if f != frame))
    if hub.seed is None and not hub.added:
        raise InvalidValue(f"this is the last match frame of {hub.name!r}; remove the hub instead")
    if hub.seed is not None and frame in material.grown(hub).frames:
        hub = replace(hub, removed=tuple(sorted({*hub.removed, frame})))
    return material.without_refusal(hub)


def suggested_hubs(material: Material, *, threshold: float, spacing: float, bands: int) -> tuple[DesignedHub, ...]:
    """Return the suggestions for a library as hubs, without colours; none where nothing is alike."""
    if not 1 <= bands <= 10:
        raise InvalidValue(f"there can be 1 to 10 bands of walking speed, got {bands}")
    found, copies = suggest_hubs(material.library, material.frames, threshold=threshold, spacing=spacing, bands=bands)
    material.rows([one.seed for one in found.values()])  # together they cost as one
    hubs = []
    for name, one in found.items():
        hub = found_again(material, DesignedHub(name, "", one.seed, one.threshold, spacing), one.frames)
        hubs.append(replace(hub, copies=tuple(k for k, copy in enumerate(copies) if name in copy)))
    return tuple(hubs)


def with_suggestions(design: Design, found: tuple[DesignedHub, ...]) -> Design:
    """Return a design with these hubs as well, but for those that grow from a frame that a hub grows from already."""
    known = {(hub.seed, hub.family) for hub in design.hubs}
    for hub in found:
        if (hub.seed, hub.family) not in known:
            named = replace(hub, name=design.free_name(hub.name), colour=design.free_colour())
            design = design.with_hub(named)
    return design
