"""Stages on which things move: obstacles on tracks of every kind and doors with leaves; and stages held still."""

from dataclasses import replace

import numpy as np

from walkon._base.arrays import Array
from walkon.geometry.tracks import Track
from walkon.stage import Door, Obstacle, Stage
from walkon.transforms import planar

BOX = np.array([[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]])
WEDGE = np.array([[-0.8, -0.4], [0.9, -0.3], [0.2, 0.7]])


def moving_stage(rng: np.random.Generator, *, span: tuple[float, float] = (0.5, 4.0), reach: float = 4.0) -> Stage:
    """A pillar and a table that stand, four obstacles that move (straight, Hermite, with or without z), three doors."""

    def knots(count: int, dimensions: int) -> dict[str, Array]:
        times = np.sort(rng.uniform(*span, count))
        return {"times": times, "places": rng.uniform(-reach, reach, (count, dimensions))}

    def speeds(count: int, dimensions: int) -> Array:
        return rng.uniform(-2.0, 2.0, (count, dimensions))

    def mover(name: str, polygon: Array, track: Track, **more: float) -> Obstacle:
        return Obstacle(name=name, polygon=polygon, track=track, **more)

    turns = rng.uniform(-4.0, 4.0, 5)
    lift = Track(**(knots(3, 3) | {"velocities": speeds(3, 3), "headings": turns[:3]}))
    return Stage(
        bounds=np.array([[-9.0, -8.0], [9.0, -8.0], [9.0, 8.0], [-9.0, 8.0]]),
        obstacles=(
            Obstacle(name="pillar", polygon=0.3 * BOX + rng.uniform(-6, 6, 2), height=2.5),
            mover("cart", BOX, Track(**knots(4, 2)), height=1.1),
            Obstacle(name="table", polygon=0.8 * BOX + rng.uniform(-6, 6, 2), height=1.0),
            mover(
                "tram", 2.0 * BOX, Track(**knots(5, 2), headings=turns, velocities=speeds(5, 2)), height=3.0, base=0.2
            ),
            mover("lift", WEDGE, lift, height=0.3, base=-0.2),
            mover("crane", WEDGE, Track(**knots(4, 3)), height=1.5, base=1.0),
        ),
        doors=(
            Door(name="gate", ends=np.array([[9.0, -1.0], [9.0, 0.5]]), track=opening(rng, span=span)),
            Door(
                name="flap",
                ends=rng.uniform(-5.0, 5.0, (2, 2)),
                hinge=1,
                leaf_height=1.4,
                track=opening(rng, span=span, slides=0.5),
            ),
            Door(name="gap", ends=np.array([[-9.0, 2.0], [-9.0, 3.0]])),
        ),
    )


def opening(rng: np.random.Generator, *, span: tuple[float, float], slides: float = 0.0) -> Track:
    """The track of a leaf that opens and shuts."""
    places = slides * rng.uniform(-1.0, 1.0, (4, 2))
    return Track(times=np.sort(rng.uniform(*span, 4)), places=places, headings=rng.uniform(-1.4, 1.4, 4))


def stays_at(pose: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Track:
    """A track that stays at (x, y, heading[, z])."""
    place = np.array([*pose[:2], *pose[3:]])
    return Track(times=[0.0, 1.0], places=np.tile(place, (2, 1)), headings=[pose[2], pose[2]])


def held_still(stage: Stage, which: int, pose: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Stage:
    """The same stage, of which one obstacle has a track on which it stays where it is: its polygon seen from a pose."""
    one = stage.obstacles[which]
    z = float(sum(pose[3:]))
    local = planar.apply(planar.inverse(pose[:3]), one.polygon) if any(pose) else one.polygon
    held = replace(one, polygon=local, base=one.base - z, height=one.height - z, track=stays_at(pose))
    return replace(stage, obstacles=(*stage.obstacles[:which], held, *stage.obstacles[which + 1 :]))


def moved_stage(stage: Stage, pose: Array) -> Stage:
    """The stage turned about the origin and moved by (x, y, heading), tracks and all."""

    def on(points: Array) -> Array:
        return planar.apply(pose, points)

    obstacles = tuple(
        replace(one, polygon=on(one.polygon)) if one.track is None else replace(one, track=one.track.placed(pose))
        for one in stage.obstacles
    )
    return replace(
        stage,
        bounds=None if stage.bounds is None else on(stage.bounds),
        obstacles=obstacles,
        doors=tuple(replace(door, ends=on(door.ends)) for door in stage.doors),
    )
