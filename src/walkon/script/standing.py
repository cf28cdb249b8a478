"""Which floor people stand on where several lie above each other, and whether there is one at all.

A character or a mark names the height of its floor (`z`); a seat and a door have one already. What is named must be
within `FLOOR_WITHIN_M` of a floor. World frame, metres.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from walkon._base.arrays import Array
from walkon.script.mark import Mark
from walkon.script.scene import Character, Scene
from walkon.stage import Stage

__all__ = ["FLOOR_WITHIN_M", "find_floorless", "floor_height", "height_of_mark", "height_of_start"]

FLOOR_WITHIN_M = 0.25
"""m from the height that is named within which its floor must be."""


class _Standing(NamedTuple):
    """Somewhere that somebody is asked to stand."""

    character: str
    mark: str
    """Empty: where it begins."""
    point: tuple[float, float]
    named: float | None
    """Metres: z as it is named."""
    near: float | None
    """Metres: where its floor is looked for; None: there must be one only."""


def height_of_start(stage: Stage, one: Character) -> float | None:
    """Return the height near which the floor is on which a character begins; None: there is one only."""
    heights = [seat.height for seat in stage.seats if one.seat and seat.name == one.seat]
    heights += [door.z for door in stage.doors if one.door and door.name == one.door]
    return float(heights[0]) if one.z is None and heights else one.z


def height_of_mark(stage: Stage, mark: Mark) -> float | None:
    """Return the height near which the floor of a mark is; None: there is one only."""
    heights = [seat.height for seat in stage.seats if mark.seat and seat.name == mark.seat]
    return float(heights[0]) if mark.z is None and heights else mark.z


def floor_height(stage: Stage, point: tuple[float, float], z: float | None) -> float:
    """Return the height (m) of the floor at a point that is nearest to z, or of the highest; 0 where there is none."""
    return float(np.nan_to_num(stage.floor(point, near=np.nan if z is None else z).heights))


def find_floorless(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Yield (character, mark, sentence) where there is no floor, or it is not said which of several is meant."""
    floor = scene.stage.floor
    asked = list(_places(scene))
    points = np.array([one.point for one in asked]).reshape(-1, 2)
    near = np.array([np.nan if one.near is None else one.near for one in asked])
    heights: Array = floor(points, near=near).heights
    several = floor.overlaps(points)
    hint = floor.hint_where_none() if np.isnan(heights).any() else ""
    for one, height, more in zip(asked, heights.tolist(), several.tolist(), strict=True):
        at = f"({one.point[0]:.6g}, {one.point[1]:.6g})"
        if np.isnan(height):
            yield one.character, one.mark, f"there is no floor at {at}; move it onto the floor of the stage{hint}"
        elif one.near is None and more:
            low = float(floor.lowest(one.point))
            yield (
                one.character,
                one.mark,
                f"floors lie above each other at {at}, at {low:.3g} and {height:.3g} m; say which with z",
            )
        elif one.named is not None and abs(height - one.named) > FLOOR_WITHIN_M:
            yield (
                one.character,
                one.mark,
                f"z = {one.named:g} m at {at} is on no floor, the nearest is at {height:.3g} m; say z: {height:.3g}",
            )


def _places(scene: Scene) -> Iterator[_Standing]:
    stage = scene.stage
    for one in scene.characters:
        yield _Standing(one.name, "", one.place[:2], one.z, height_of_start(stage, one))
        for mark in one.marks:
            if mark.position is not None:
                yield _Standing(one.name, mark.name, mark.position, mark.z, height_of_mark(stage, mark))
