"""A scene being drawn: keys of a scene file, laid somewhere in the plane, with windows that people can keep.

Scenes are drawn around the origin and laid at a random place and angle, so that no wall is along an axis. They are the
text of a scene file in the end, written with the keys that `docs/scenes.md` tells. A mark that is to have a time is
given what it must wait for; its window then ends

    before = way at `WALK_M_S` · `SLACK_RATIO` + wait                                                        (1)

after the mark before it (or after its person enters), with the way alone as a roadmap of the stage has it. Metres,
seconds, radians.
"""

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ruamel.yaml import YAML

from walkon.io.scenes import scene_from_text
from walkon.navigation.roadmap import Roadmap
from walkon.script import Scene

__all__ = ["Draft", "wait_at_door"]

WALK_M_S, SLACK_RATIO = 1.2, 1.3
"""m/s of who walks alone, and how much longer a way may take."""
DOOR_S_M = 0.8
"""s for which one person takes a metre of a door."""
BODY_RADIUS_M = 0.25
AT_LEAST_S = 6.0
"""s that any mark has: to turn, step and stop, or to sit down."""
KEPT_IN_FILE = 4
"""Digits behind the point of numbers in a scene file."""


def wait_at_door(rank: int, width: float) -> float:
    """Return seconds that the `rank`-th person at a door of a width (m) must wait for those before it."""
    return DOOR_S_M * rank / width


@dataclass(eq=False)
class Draft:
    """A scene file that grows; places are laid in the world as they are added."""

    title: str
    rng: np.random.Generator
    stage: dict[str, Any] = field(default_factory=dict)
    people: list[dict[str, Any]] = field(default_factory=list)
    waits: dict[tuple[str, str], float] = field(default_factory=dict)
    """(person, mark) → s that its place must wait for; marks that are not in here keep what they are given."""

    def __post_init__(self) -> None:
        self.turn = float(self.rng.uniform(-np.pi, np.pi))
        self.shift = self.rng.uniform(-20.0, 20.0, 2)
        self.population = int(self.rng.integers(1 << 20))

    # Laying things in the world

    def at(self, x: float, y: float) -> list[float]:
        """Return a place of the world."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return _numbers([c * x - s * y + self.shift[0], s * x + c * y + self.shift[1]])

    def facing(self, angle: float) -> str:
        """Return a facing of the world, as a file has it."""
        return f"{np.degrees(np.angle(np.exp(1j * (angle + self.turn)))):.3f}deg"

    def box(self, low_x: float, low_y: float, high_x: float, high_y: float) -> list[list[float]]:
        """Return the corners of a box."""
        return [self.at(*p) for p in ((low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y))]

    def bounds(self, low_x: float, low_y: float, high_x: float, high_y: float) -> None:
        """Let people walk in a box only."""
        self.stage["bounds"] = {"polygon": self.box(low_x, low_y, high_x, high_y)}

    def wall(self, name: str, *points: tuple[float, float], thickness: float = 0.15) -> None:
        """Add a wall of 3 m along points."""
        self._thing("obstacles", name=name, wall=[self.at(*p) for p in points], thickness=thickness, height=3.0)

    def block(self, name: str, corners: list[list[float]], *, height: float) -> None:
        """Add an obstacle with corners of the world."""
        self._thing("obstacles", name=name, polygon=corners, height=height)

    def seat(self, name: str, x: float, y: float, angle: float) -> None:
        """Add a seat with a chair."""
        self._thing(
            "seats", row=f"{name}_{{n}}", count=1, **{"from": self.at(x, y)}, spacing=0.6, facing=self.facing(angle),
            furniture="chair",
        )  # fmt: skip

    def door(self, name: str, a: tuple[float, float], b: tuple[float, float]) -> None:
        """Add a door from one place to another."""
        self._thing("doors", name=name, ends=[self.at(*a), self.at(*b)])

    def box_prop(self, name: str, x: float, y: float, angle: float) -> None:
        """Add a box that the built-in lifts hold."""
        self._thing("props", name=name, size=[0.3, 0.4, 0.25], position=self.at(x, y), facing=self.facing(angle))

    def person(self, name: str, marks: list[dict[str, Any]], **where: Any) -> None:
        """Add a person: `position=` (x, y), or `seat=`, or `enters=`, and its marks with places of the draft."""
        if "position" in where:
            where["position"] = self.at(*where["position"])
        for mark in marks:
            if "position" in mark:
                mark["position"] = self.at(*mark["position"])
            if "angle" in mark:
                mark["facing"] = self.facing(mark.pop("angle"))
            if "wait" in mark:
                self.waits[name, mark["name"]] = mark.pop("wait")
        self.people.append({"name": name, **where, **({"marks": marks} if marks else {})})

    def _thing(self, kind: str, **keys: Any) -> None:
        self.stage.setdefault(kind, []).append(keys)

    # The file

    @property
    def text(self) -> str:
        """The scene file, with the windows of eq. (1)."""
        if self.waits:
            self._set_windows(scene_from_text(self._written()))
            self.waits = {}
        return self._written()

    def scene(self) -> Scene:
        """Return it as a scene, read from its file."""
        return scene_from_text(self.text)

    def _written(self) -> str:
        keys: dict[str, Any] = {"walkon": 1, "title": self.title, "stage": self.stage, "characters": self.people}
        keys["seeds"] = {"population": self.population, "behaviour": 0}
        out = io.StringIO()
        yaml = YAML(typ="safe", pure=True)
        yaml.default_flow_style = None
        yaml.width = 10_000
        yaml.dump(keys, out)
        return out.getvalue()

    def _set_windows(self, scene: Scene) -> None:
        """Give the marks that wait a window after eq. (1)."""
        roadmap = Roadmap.of(scene.stage, radius=BODY_RADIUS_M)
        legs, whose = [], []
        for row, one in enumerate(scene.characters):
            last = np.array(one.place[:2])
            for k, mark in enumerate(one.marks):
                if mark.position is not None:
                    legs.append((last, np.array(mark.position)))
                    whose.append((row, k))
                    last = legs[-1][1]
        ways = roadmap.paths(*(np.array(ends) for ends in zip(*legs, strict=True)))
        lengths = {key: _length(ways[i], *legs[i]) for i, key in enumerate(whose)}
        for row, (one, keys) in enumerate(zip(scene.characters, self.people, strict=True)):
            now = one.enters
            for k, mark in enumerate(keys.get("marks", ())):
                alone = max(SLACK_RATIO * lengths.get((row, k), 0.0) / WALK_M_S, AT_LEAST_S)
                now += alone + self.waits.get((one.name, mark["name"]), 0.0)
                if (one.name, mark["name"]) in self.waits:
                    mark["before"] = round(float(now), 1)
                hold = mark.get("hold", 0.0)
                now += hold if isinstance(hold, float) else 0.0


def _length(way: np.ndarray | None, a: np.ndarray, b: np.ndarray) -> float:
    """Return the length of a way; of one that there is not, that of the straight line."""
    points = np.stack([a, b]) if way is None else way
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _numbers(values: Any) -> list[float]:
    return [round(float(v), KEPT_IN_FILE) for v in values]
