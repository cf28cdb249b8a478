"""Scenes moved as a whole: every place of a scene and of its stage by one placed pose (x, y, heading, z)."""

from dataclasses import replace
from typing import Any

import numpy as np

from walkon.geometry.tracks import Track
from walkon.script import Scene
from walkon.script.mark import Action, Mark
from walkon.stage import Stage
from walkon.transforms import angles, planar


def place_scene(scene: Scene, pose: Any) -> Scene:
    """Return the scene moved, turned and lifted."""
    pose = np.asarray(pose, np.float64)

    def point(place: Any) -> tuple[float, ...]:
        x, y = planar.apply(pose[:3], np.asarray(place, np.float64)[:2])
        return (float(x), float(y), *(float(z) + pose[3] for z in place[2:]))

    def heading(value: float) -> float:
        return float(angles.wrap(value + pose[2]))

    def act(action: Action | None) -> Action | None:
        return action if action is None or action.place is None else replace(action, place=point(action.place))

    def mark(one: Mark) -> Mark:
        return replace(
            one,
            position=None if one.position is None else point(one.position),
            facing=None if one.facing is None else heading(one.facing),
            z=None if one.z is None else one.z + pose[3],
            action=act(one.action),
        )

    return replace(
        scene,
        stage=place_stage(scene.stage, pose),
        characters=tuple(
            replace(
                one,
                place=(*point(one.place[:2]), heading(one.place[2])),
                z=None if one.z is None else one.z + pose[3],
                marks=tuple(map(mark, one.marks)),
            )
            for one in scene.characters
        ),
        props=tuple(
            replace(
                one,
                place=point(one.place),
                heading=heading(one.heading),
                track=None if one.track is None else place_track(one.track, pose),
            )
            for one in scene.props
        ),
    )


def place_stage(stage: Stage, pose: Any) -> Stage:
    """Return the stage moved, turned and lifted."""
    pose = np.asarray(pose, np.float64)
    z = pose[3]
    still = [
        replace(one, polygon=planar.apply(pose[:3], one.polygon), base=one.base + z, height=one.height + z)
        if one.track is None
        else replace(one, track=place_track(one.track, pose))
        for one in stage.obstacles
    ]
    return replace(
        stage,
        floor=stage.floor.placed(pose),
        bounds=None if stage.bounds is None else planar.apply(pose[:3], stage.bounds),
        obstacles=tuple(still),
        seats=tuple(
            replace(one, place=planar.compose(pose[:3], one.place), height=one.height + z) for one in stage.seats
        ),
        doors=tuple(replace(one, ends=planar.apply(pose[:3], one.ends), z=one.z + z) for one in stage.doors),
    )


def place_track(track: Track, pose: Any) -> Track:
    """Return a track moved, turned and lifted."""
    moved = track.placed(pose[:3])
    if not pose[3]:
        return moved
    flat = moved.places if moved.places.shape[1] == 3 else np.column_stack([moved.places, np.zeros(len(moved))])
    velocities = moved.velocities
    if velocities is not None and velocities.shape[1] == 2:
        velocities = np.column_stack([velocities, np.zeros(len(moved))])
    return replace(moved, places=flat + np.array([0.0, 0.0, pose[3]]), velocities=velocities)
