"""Small libraries for snap-together graphs, each made once: an analytic walker, a performer, a bird, and slow twins."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

import walker
from walkon import studio
from walkon.graphs.point_clouds import FrameSet
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion import Clip, Skeleton
from walkon.motion.contacts.runs import find_runs
from walkon.motion.editing import resample
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat

FPS = 30.0
PATHS = {"straight": [(0, 0), (5, 0)], "left": [(0, 0), (3, 0), (5, 2)], "right": [(0, 0), (3, 0), (5, -2)]}


@lru_cache
def performances() -> tuple[Clip, ...]:
    """Three walks that begin and end standing, and somebody who sits down and rises, at 30 frames/s."""
    clips = [
        replace(resample(studio.walk(path=path, start="standing", end="standing", seed=seed), FPS), name=name)
        for seed, (name, path) in enumerate(PATHS.items())
    ]
    return (*clips, replace(resample(studio.sit_down_and_rise(3.0, seed=3), FPS), name="sit"))


@lru_cache
def performer() -> Library:
    return Library.of(performances())


@lru_cache
def performer_graph() -> SnapGraph:
    """Left and right passing poses, and standing: 3 hubs, some 24 edges."""
    return build_snap_graph(performer())


@lru_cache
def walkers() -> Library:
    """Two analytic walks: all steps of one are alike to the last bit, contacts are exact."""
    slow, fast = walker.walk(seconds=6.0, fps=FPS), walker.walk(seconds=6.0, fps=FPS, speed=1.2)
    return Library.of([replace(slow, name="slow"), replace(fast, name="fast")])


@lru_cache
def walker_frames() -> FrameSet:
    return compared(walkers())


@lru_cache
def bird(seconds: float = 12.0) -> Clip:
    """A body, a neck and two wings that beat, without a role or a contact; it circles, and flies the same every 2 s."""
    skeleton = Skeleton(
        names=("body", "neck", "left wing", "right wing"),
        parents=[-1, 0, 0, 0],
        offsets=[[0, 0, 1.5], [0.2, 0, 0.1], [0, 0.3, 0], [0, -0.3, 0]],
    )
    t = np.arange(round(seconds * FPS) + 1) / FPS
    rotations = np.tile(quat.IDENTITY, (len(t), 4, 1))
    rotations[:, 0] = quat.multiply(quat.turn(0.5 * t), quat.about(np.array([0.0, 1, 0]), 0.3 * np.sin(np.pi * t)))
    rotations[:, 1] = quat.about(np.array([0.0, 1, 0]), 0.4 * np.cos(np.pi * t))
    roots = np.column_stack([2 * np.sin(0.5 * t), 2 - 2 * np.cos(0.5 * t), 1.5 + 0.3 * np.sin(np.pi * t)])
    return Clip(
        skeleton=skeleton, fps=FPS, root_positions=roots, local_rotations=quat.continuous(rotations), name="bird"
    )


def drifts(clip: Clip) -> list[float]:
    """How far each planted point strays from where its run of contact begins, a number for each run (m)."""
    points = clip.contact_positions
    return [
        float(np.linalg.norm(points[a:b, c] - points[a, c], axis=1).max())
        for c in range(points.shape[1])
        for a, b in zip(*find_runs(clip.contacts[:, c]), strict=True)
    ]
