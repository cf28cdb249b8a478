"""A design: hubs by what makes them, a frame and a threshold or frames picked by hand. Values that never change.

A hub's match set follows from it: what grows from its seed under its threshold (`match_sets.grow`), without the frames
that were taken out by hand, with those that were put in; a grown frame gives way to one put in less than the spacing
away. Sets of lower thresholds are parts of those of higher ones, so hands are kept while a slider moves. A hub without
a seed is made of picked frames alone.

Frames are compared frames (see `walkon.graphs.snap_together.compared`), metres, seconds.
"""

from dataclasses import dataclass, replace

__all__ = ["COLOURS", "Design", "DesignedHub"]

COLOURS = (
    "#4477dd",
    "#e8702a",
    "#2a9d6f",
    "#c2418f",
    "#b8860b",
    "#17a2b8",
    "#8758d6",
    "#d1495b",
    "#6a8e23",
    "#3f8efc",
    "#a0622d",
    "#708090",
)
"""Colours of hubs, in the order in which they are given."""
MAX_NAME_LENGTH = 60


@dataclass(frozen=True)
class DesignedHub:
    """How one hub is made."""

    name: str
    colour: str
    seed: int | None
    """The frame that it grows from; None where all frames are picked by hand."""
    threshold: float
    """Metres."""
    spacing: float
    """Seconds between match frames in one clip."""
    family: str | None = None
    """Only frames of this family may grow (a name of `suggestions.families`); None for all."""
    added: tuple[int, ...] = ()
    """Frames put in by hand, in order."""
    removed: tuple[int, ...] = ()
    """Grown frames taken out by hand, in order."""
    copies: tuple[int, ...] = ()
    """Numbers of the further copies of the clips that are cut at this hub (see `suggest_hubs`)."""

    @property
    def rule(self) -> "DesignedHub":
        """What its match set depends on."""
        return replace(self, name="", colour="", copies=())


@dataclass(frozen=True)
class Design:
    """All hubs, in order."""

    hubs: tuple[DesignedHub, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The hubs' names."""
        return tuple(hub.name for hub in self.hubs)

    @property
    def graph_key(self) -> tuple[DesignedHub, ...]:
        """What a built graph depends on, but for its names."""
        return tuple(replace(hub, name="", colour="") for hub in self.hubs)

    @property
    def copies(self) -> tuple[tuple[int, ...], ...]:
        """Hubs, by number, that each further copy of the clips is cut at."""
        count = max((1 + number for hub in self.hubs for number in hub.copies), default=0)
        found = (tuple(n for n, hub in enumerate(self.hubs) if copy in hub.copies) for copy in range(count))
        return tuple(copy for copy in found if copy)

    def with_hubs(self, number: int, *hubs: DesignedHub) -> "Design":
        """Return a design with these hubs, or none, in the place of hub `number`; beyond the last they are added."""
        return Design((*self.hubs[:number], *hubs, *self.hubs[number + 1 :]))

    def free_colour(self) -> str:
        """Return the colour that fewest hubs have, the first of those."""
        used = [hub.colour for hub in self.hubs]
        return min(COLOURS, key=used.count)

    def free_name(self, wanted: str = "hub") -> str:
        """Return `wanted`, or where that is taken, with the first number that is free."""
        if wanted != "hub" and wanted not in self.names:
            return wanted
        return next(name for k in range(1, len(self.hubs) + 2) if (name := f"{wanted}_{k}") not in self.names)
