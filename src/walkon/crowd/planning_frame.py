"""The frame in which a scene is planned, so that where it stands and which way it is turned makes no difference.

Planning has grids, random places and single precision; all of it would see where the scene is in the world. So a scene
is planned in a frame of its own, about the middle of its stage and along the longest wall,

    world point = R(φ) p + origin,     heading = θ + φ                                                            (1)

Where the stage is empty, the frame is that of the people: from the middle of all places to the farthest of them. Of
several equal ones it is the one in which corners, then people's places by name, come first in the order of numbers.
Seen from there places are rounded to a nanometre: a scene that was moved or turned as a whole is the same scene, bit
for bit, and so is its plan. Heights are those of the world. Ground plane, metres, radians.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array
from walkon.graphs.walk import Walk
from walkon.script import Mark, Scene
from walkon.stage import Stage
from walkon.stage.floor import FloorInFrame
from walkon.synthesis.goal_directed.prop_actions import ActionRecord
from walkon.synthesis.goal_directed.route import Route
from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

__all__ = ["PlanningFrame"]

PLACE_DECIMALS, HEADING_DECIMALS = 9, 12
"""Decimals of places (a nanometre) and headings: beyond them is what rounding in the world leaves."""
COMPARED_DECIMALS = 6
"""Decimals by which lengths and places are compared."""


@dataclass(frozen=True)
class PlanningFrame:
    """A place and a turn, eq. (1)."""

    origin: tuple[float, float] = (0.0, 0.0)
    """m."""
    turn: float = 0.0
    """φ, rad."""

    @classmethod
    def of(cls, scene: Scene) -> "PlanningFrame":
        """Return the frame of a scene: that of its stage, or of its people where the stage is empty."""
        stage = scene.stage
        polygons = [one.polygon for one in stage.still] + ([] if stage.bounds is None else [stage.bounds])
        people = np.array(
            [
                place[:2]
                for one in sorted(scene.characters, key=lambda one: one.name)
                for place in (one.place, *(mark.position for mark in one.marks))
                if place is not None
            ]
        ).reshape(-1, 2)
        corners = np.concatenate(polygons) if polygons else people
        if polygons:
            along = np.concatenate([np.roll(polygon, -1, axis=0) - polygon for polygon in polygons])
        else:
            along = people - people.mean(axis=0)
        lengths = np.round(np.linalg.norm(along, axis=1), COMPARED_DECIMALS)
        longest = along[lengths == lengths.max()]
        turns = np.arctan2(longest[:, 1], longest[:, 0]).tolist() if lengths.max() > 0 else [0.0]
        frames = [cls._about(corners, turn) for turn in turns]
        return min(frames, key=lambda frame: (sorted(frame._compared(corners)), frame._compared(people)))

    @classmethod
    def _about(cls, corners: Array, turn: float) -> "PlanningFrame":
        """Return the frame of a turn about the middle of the box of corners [n, 2]."""
        turned = planar.apply([0.0, 0.0, -turn], corners)
        x, y = planar.apply([0.0, 0.0, turn], 0.5 * (turned.min(axis=0) + turned.max(axis=0))).tolist()
        return cls((x, y), turn)

    def _compared(self, points: Array) -> list[list[float]]:
        found: list[list[float]] = (np.round(self.seen(points), COMPARED_DECIMALS) + 0.0).tolist()
        return found

    @property
    def pose(self) -> Array:
        """[3] (x, y, φ) of the frame in the world."""
        return np.array([*self.origin, self.turn])

    def seen(self, points: ArrayLike) -> Array:
        """Return ground points [..., 2] of the world in the frame, rounded."""
        away = np.asarray(points, np.float64) - self.origin
        return np.round(planar.apply([0.0, 0.0, -self.turn], away), PLACE_DECIMALS) + 0.0

    def points(self, points: Array) -> Array:
        """Return ground points [..., 2] of the frame in the world, eq. (1)."""
        return planar.apply(self.pose, points)

    def seen_heading(self, heading: float) -> float:
        """Return a heading of the world in the frame, rounded."""
        seen = float(np.round(angles.wrap(heading - self.turn), HEADING_DECIMALS)) + 0.0
        return float(np.pi) if np.pi - abs(seen) < 10.0**-HEADING_DECIMALS else seen

    def seen_scene(self, scene: Scene) -> Scene:
        """Return the scene in the frame, without what moves: planning does not look at it."""

        def place(pose: Sequence[float]) -> tuple[float, float, float]:
            x, y = self.seen(pose[:2]).tolist()
            return x, y, self.seen_heading(pose[2])

        def mark(one: Mark) -> Mark:
            action = one.action
            if action is not None and action.place is not None:
                x, y = self.seen(action.place[:2]).tolist()
                action = replace(action, place=(x, y, action.place[2]))
            return replace(
                one,
                position=None if one.position is None else tuple(self.seen(one.position).tolist()),
                facing=None if one.facing is None else self.seen_heading(one.facing),
                action=action,
            )

        return replace(
            scene,
            stage=self._seen_stage(scene.stage),
            characters=tuple(
                replace(one, place=place(one.place), marks=tuple(map(mark, one.marks))) for one in scene.characters
            ),
            props=tuple(
                replace(
                    one,
                    place=(*self.seen(one.place[:2]).tolist(), one.place[2]),
                    heading=self.seen_heading(one.heading),
                    track=None,
                )
                for one in scene.props
            ),
        )

    def _seen_stage(self, stage: Stage) -> Stage:
        return Stage(
            floor=stage.floor if stage.floor.level is not None else FloorInFrame(stage.floor, self.pose),
            bounds=None if stage.bounds is None else self.seen(stage.bounds),
            obstacles=tuple(replace(one, polygon=self.seen(one.polygon)) for one in stage.still),
            seats=tuple(
                replace(one, place=np.array([*self.seen(one.place[:2]), self.seen_heading(one.place[2])]))
                for one in stage.seats
            ),
            doors=tuple(replace(one, ends=self.seen(one.ends), track=None) for one in stage.doors),
        )

    def route(self, route: Route) -> Route:
        """Return a route that was planned in the frame as it is in the world, eq. (1)."""
        return replace(
            route,
            pose=self._poses(route.pose),
            walks=[self._walk(walk) for walk in route.walks],
            placed={number: self._poses(pose) for number, pose in route.placed.items()},
            actions=[self._action(action) for action in route.actions],
        )

    def _walk(self, walk: Walk) -> Walk:
        turn = [0.0, 0.0, self.turn]
        shifts = {
            name: np.concatenate([planar.apply(turn, values[..., :2]), values[..., 2:]], axis=-1)
            for name, values in (("offset", walk.offset), ("slope", walk.slope))
        }
        place = np.column_stack([self._poses(walk.place[:, :3]), walk.place[:, 3:]])
        return walk.with_columns(place=place, **shifts)

    def _action(self, action: ActionRecord) -> ActionRecord:
        if action.kind == "pick_up":
            return action
        turn = quat.multiply(quat.turn(self.turn), action.pose_in_body[3:])
        return action._replace(
            pose_in_body=np.concatenate([self.points(action.pose_in_body[:2]), action.pose_in_body[2:3], turn])
        )

    def _poses(self, poses: Array) -> Array:
        """Return planar poses [..., 3] of the frame in the world."""
        return planar.compose(self.pose, poses)
