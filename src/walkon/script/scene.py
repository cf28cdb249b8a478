"""A scene: who is in it, where each comes in and must be, on which stage. Plain types; no files, no planning.

Seconds of the scene's clock, metres, radians; planar poses are (x, y, heading).
"""

from dataclasses import dataclass, field

import numpy as np

from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry.tracks import Track
from walkon.script.mark import Mark
from walkon.stage import Prop, Stage
from walkon.stage.stage import require_different

__all__ = ["Cast", "Character", "PlacedProp", "Scene", "Seeds"]


@dataclass(frozen=True, kw_only=True)
class Cast:
    """What the people of a scene can do, and what they are like."""

    library: str = "builtin"
    """`builtin`, or a file *.library or folder of recordings."""
    graph: str = ""
    """A file *.graph to use instead of one built from the library."""
    scale: tuple[float, float] = (1.0, 1.0)
    """Smallest and largest size of a body over the library's; drawn by the population's seed."""
    speed: tuple[float, float] = (1.15, 1.4)
    """m/s: slowest and fastest speed that people like to walk at; drawn by the population's seed."""


@dataclass(frozen=True, kw_only=True)
class Seeds:
    """Who the people are, and what they choose to do: two separate kinds of chance."""

    population: int = 0
    behaviour: int = 0


@dataclass(frozen=True, kw_only=True)
class PlacedProp:
    """A prop and where it is when the scene begins, or how it moves: then nobody can pick it up."""

    prop: Prop
    place: tuple[float, float, float]
    """(x, y, z) metres of its origin, the centre of a box, ball or cylinder."""
    heading: float = 0.0
    """Radians."""
    track: Track | None = None
    """How its centre moves, [K, 3]; without headings it faces the way it goes. None: it rests until it is picked up."""

    def __post_init__(self) -> None:
        if self.track is None:
            return
        if len(self.track) < 2 or self.track.places.shape[1] != 3:
            raise InvalidValue(
                f"the track of prop {self.prop.name!r} needs at least two knots with places (x, y, z) of its centre, "
                f"got {self.track.places.shape[0]} of {self.track.places.shape[1]} numbers"
            )
        object.__setattr__(self, "track", self.track.with_headings())


@dataclass(frozen=True, kw_only=True)
class Character:
    """A character: where and when on stage, and what marks to meet, in this order."""

    name: str
    place: tuple[float, float, float]
    """(x, y, heading) where it begins."""
    z: float | None = None
    """Metres: the height of the floor on which it begins, where several lie above each other; None: there is one."""
    pose: str = "stand"
    """Label or hub in which it begins."""
    seat: str = ""
    """Seat that it begins on, if any."""
    enters: float = 0.0
    """Seconds: when it is on stage first."""
    door: str = ""
    """Door through which it enters, if any."""
    leaves: str = ""
    """Door through which it leaves after its last mark; stays if empty."""
    marks: tuple[Mark, ...] = ()
    scale: float | None = None
    """Size over the library's body; drawn from the cast if None."""
    speed: float | None = None
    """m/s it likes to walk at; drawn from the cast if None."""
    colour: tuple[float, float, float] | None = None
    group: str = ""

    def __post_init__(self) -> None:
        if len(self.place) != 3 or not np.isfinite(self.place).all():
            raise InvalidValue(f"the place of {self.name!r} must be (x, y, heading), got {self.place!r}")
        if self.z is not None and not np.isfinite(self.z):
            raise InvalidValue(f"z of {self.name!r} is the height of the floor it begins on in metres, got {self.z}")
        if not np.isfinite(self.enters):
            raise InvalidValue(f"{self.name!r} must enter at a time in seconds, got {self.enters}")
        object.__setattr__(self, "marks", tuple(self.marks))


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """A stage, the people on it, and what must happen."""

    stage: Stage = field(default_factory=Stage)
    cast: Cast = field(default_factory=Cast)
    characters: tuple[Character, ...] = ()
    props: tuple[PlacedProp, ...] = ()
    seeds: Seeds = field(default_factory=Seeds)
    ends: float | None = None
    """Seconds: when the scene is over; None: some seconds after the last mark is met."""
    title: str = ""
    text: str = ""
    """The scene file's text, if it came from one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", tuple(self.characters))
        object.__setattr__(self, "props", tuple(self.props))
        require_different([c.name for c in self.characters], "characters")
        require_different([p.prop.name for p in self.props], "props")

    def __repr__(self) -> str:
        counts = f"{len(self.characters)} characters, {self.mark_count} marks, {len(self.props)} props"
        return f"Scene({counts}, {self.stage!r})"

    @property
    def mark_count(self) -> int:
        """How many marks are to be met; leaving through a door is one."""
        return sum(len(one.marks) + bool(one.leaves) for one in self.characters)

    def character(self, name: str) -> Character:
        """Return a character by name."""
        UnknownName.check("character", name, [one.name for one in self.characters])
        return next(one for one in self.characters if one.name == name)
