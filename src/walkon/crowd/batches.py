"""Batches: which characters are planned at once, in parallel, because their ways are not expected to meet.

Before anything is planned, everybody is expected to walk straight from mark to mark, in time for each. Tasks are taken
in order as long as nobody is expected within `APART_M` of another of the batch, a few seconds early or late. What is
expected is often wrong, in a doorway more than in the open, so batches also grow by one while no character has to be
planned again, and shrink by half when one has. Neither depends on how many characters or workers there are.
Metres, seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array
from walkon.crowd.coarse_trip import CoarseTrip
from walkon.geometry.tracks import Track
from walkon.motion.footprint import MAX_MEETING_RISE_M
from walkon.script import Character, Scene
from walkon.script.standing import height_of_start

__all__ = ["Batches", "expected_track"]

CLEAR_TASKS_PER_GROWTH = 8
"""Tasks without a conflict, per character of a batch, after which batches grow by one: a conflict costs a plan."""
APART_M = 3.0
"""m between two whose ways are not expected to meet."""
EARLY_OR_LATE_S = 3.0
"""s by which people may be earlier or later than expected."""
PLANNED_APART_M, PLANNED_LATE_S = 1.5, 1.0
"""The same for people who have been planned coarsely."""
STEP_S = 0.5
"""s between the places that are compared."""


def expected_track(one: Character, *, speed: float, props: dict[str, tuple[float, float]]) -> Track:
    """Return the straight ways of a character from mark to mark at a speed (m/s), holding each as long as it says.

    `props` are the places at which props stand in the beginning.
    """
    time, place = one.enters, np.array(one.place[:2])
    knots = [(time, *place)]
    for mark in one.marks:
        action = mark.action
        there: tuple[float, ...] | None = mark.position
        if action is not None:
            there = props[action.prop] if action.place is None else action.place[:2]
        goal = place if there is None else np.array(there)
        time += max(float(np.hypot(*(goal - place))) / speed, 1e-3)
        if mark.window is not None and mark.clock is None:
            time = max(time, mark.window[0])
        knots.append((time, *goal))
        hold = mark.hold if mark.until is None else mark.until - time
        if isfinite(hold) and hold > 0:
            time += hold
            knots.append((time, *goal))
        place = goal
    rows = np.array(knots)
    return Track(times=rows[:, 0], places=rows[:, 1:])


@dataclass(eq=False, kw_only=True)
class Batches:
    """Chooses the next tasks; a task is (character, marks to be met by then)."""

    places: NDArray[np.float32]
    """[N, T, 2] where everybody is expected every `STEP_S` seconds."""
    heights: Array | None = None
    """[N, T] m of the floor there, where floors lie above each other; None: they do not."""
    most: int
    """Characters of a batch at most."""
    apart: float = APART_M
    """m between two whose ways are not expected to meet."""
    early_or_late: float = EARLY_OR_LATE_S
    """s by which people may be earlier or later than expected."""
    size: int = 1
    _clear: int = field(default=0, init=False)

    @classmethod
    def of(cls, scene: Scene, *, speeds: Array, horizon: float, most: int) -> "Batches":
        """Expect everybody of a scene; `speeds` [N] m/s, until `horizon` s."""
        props = {placed.prop.name: (placed.place[0], placed.place[1]) for placed in scene.props}
        times = np.arange(0.0, horizon + STEP_S, STEP_S)
        expected = [
            expected_track(one, speed=float(speed), props=props).at(times)
            for one, speed in zip(scene.characters, speeds, strict=True)
        ]
        places = np.reshape(expected, (len(expected), len(times), 2))
        heights, floor = None, scene.stage.floor
        if floor.is_layered:
            near = [height_of_start(scene.stage, one) for one in scene.characters]
            begins = np.arange(len(places)) * len(times)
            known = np.array([np.nan if z is None else z for z in near])
            heights = floor.follow(places.reshape(-1, 2), begins, known).reshape(places.shape[:2])
        return cls(places=places.astype(np.float32), most=most, heights=heights)

    @classmethod
    def along(cls, trips: Sequence[CoarseTrip | None], *, horizon: float, most: int) -> "Batches":
        """Expect everybody where the coarse plan has them; who has no trip is nowhere."""
        times = np.arange(0.0, horizon + STEP_S, STEP_S)
        places: NDArray[np.float32] = np.full((len(trips), len(times), 2), np.nan, np.float32)
        for k, trip in enumerate(trips):
            if trip is not None:
                places[k, :, 0], places[k, :, 1] = (
                    np.interp(times, trip.knots[:, 2], trip.knots[:, c]) for c in (0, 1)
                )
                places[k, times < trip.knots[0, 2]] = np.nan
        return cls(places=places, most=most, apart=PLANNED_APART_M, early_or_late=PLANNED_LATE_S)

    def next(self, tasks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the first tasks that can be planned at once: nobody twice, nobody who is expected to meet another."""
        group = list(tasks[:1])
        for task in tasks[1 : self.size]:
            if task[0] in [i for i, _ in group] or self._meet(task[0], [i for i, _ in group]):
                break
            group.append(task)
        return group

    def settle(self, count: int, *, again: bool) -> None:
        """Grow or shrink after a batch of so many tasks, in which somebody was planned again or nobody was."""
        self._clear = 0 if again else self._clear + count
        if again:
            self.size = max(self.size // 2, 1)
        elif self._clear >= CLEAR_TASKS_PER_GROWTH * self.size:
            self.size, self._clear = min(self.size + 1, self.most), 0

    def _meet(self, who: int, others: list[int]) -> bool:
        shift = int(self.early_or_late / STEP_S)
        for by in range(-shift, shift + 1):
            a, b = _shifted(self.places, who, others, by)
            near = ((b - a) ** 2).sum(axis=-1) < self.apart * self.apart
            if self.heights is not None and near.any():
                a, b = _shifted(self.heights, who, others, by)
                near &= ~(np.abs(b - a) > MAX_MEETING_RISE_M)
            if near.any():
                return True
        return False


def _shifted(values: NDArray[Any], who: int, others: list[int], by: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return one's values and others', of [N, T, ...], the former `by` steps later."""
    mine, theirs = values[who], values[others]
    return (mine[by:], theirs[:, : len(mine) - by]) if by >= 0 else (mine[:by], theirs[:, -by:])
