"""What a graph can do: which speeds and turns it has, how soon there is a choice, what can be reached from a node.

*Speeds and turns*: the root's speed along the floor and the turn rate of its path or, where the body goes slower than
0.3 m/s, of its hips; both over a second, about a stride, so that swaying is no turn. Seconds of motion in bands.

*Waiting for a choice*: from every edge that was chosen, the time until the next node that has two or more ways on.

*Reach*: where the body can be after 1, 2, 3 s, by many random walks from one node.

Metres, seconds, radians.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon.graphs.motion_graph import MotionGraph
from walkon.graphs.notes import frames_inside
from walkon.graphs.random_walks import random_walks
from walkon.graphs.walk import walk_along
from walkon.transforms import angles, planar

__all__ = ["SPEEDS", "TURNS", "Coverage", "Reach", "Waiting", "coverage", "longest_wait", "reach"]

SPEEDS = (0.0, 0.1, 0.5, 0.9, 1.3, 1.7, 2.1, np.inf)
"""m/s, edges of the speed bands."""
TURNS = tuple(np.radians([-np.inf, -90.0, -45.0, -15.0, 15.0, 45.0, 90.0, np.inf]).tolist())
"""rad/s, edges of the turn bands; positive is to the left."""
SPAN = 1.0
"""s over which speeds and turns are measured."""
SLOW = 0.3
"""m/s under which turns are those of the hips."""


class Coverage(NamedTuple):
    """Seconds of captured motion by speed and turn."""

    speeds: Array
    """[S + 1] m/s, edges of the bands."""
    turns: Array
    """[R + 1] rad/s, edges of the bands."""
    seconds: Array
    """[S, R]."""


class Waiting(NamedTuple):
    """The longest time without a choice."""

    seconds: float
    """Infinite where the graph is one loop without any."""
    edge: int
    """The edge that leads into it; −1 where there is no choice at all."""


class Reach(NamedTuple):
    """Where W walks from one node are, in the frame of the body at the node: ahead is +x."""

    times: Array
    """[T] seconds."""
    poses: Array
    """[W, T, 3]."""


def coverage(graph: MotionGraph) -> Coverage:
    """Return the seconds of the graph's pieces in each band of speed and turn."""
    library, poses = graph.library, graph.planar_poses
    half = max(round(0.5 * SPAN * library.fps), 1)
    F = len(poses)
    clip = np.repeat(np.arange(len(library)), library.stops - library.starts)
    before = np.maximum(np.arange(F) - half, library.starts[clip])
    after = np.minimum(np.arange(F) + half, library.stops[clip] - 1)
    span = np.maximum(after - before, 1) / library.fps
    way = poses[after, :2] - poses[before, :2]
    speed = np.linalg.norm(way, axis=1) / span
    facing = angles.difference(poses[after, 2], poses[before, 2]) / span
    course = np.arctan2(way[:, 1], way[:, 0])
    heading = angles.difference(course[after], course[before]) / span
    moving = np.minimum(speed, np.minimum(speed[before], speed[after])) > SLOW
    turn = np.where(moving, heading, facing)
    inside = frames_inside(graph)
    speeds, turns = np.array(SPEEDS), np.array(TURNS)
    row = np.searchsorted(speeds, speed[inside], side="right") - 1
    column = np.searchsorted(turns, turn[inside], side="right") - 1
    seconds = np.zeros((len(speeds) - 1, len(turns) - 1))
    np.add.at(seconds, (row, column), 1 / library.fps)
    return Coverage(speeds, turns, seconds)


def longest_wait(graph: MotionGraph) -> Waiting:
    """Return the longest time from one choice to the next, and the edge that leads there."""
    edges, choice = graph.edges, graph.out_degree > 1
    if not choice.any():
        return Waiting(np.inf, -1)
    # Nodes with one way on point to where it leads; jumping twice as far each time finds the next choice for all.
    only = np.minimum(graph.out_first[:-1], max(len(edges) - 1, 0))
    ahead = np.where(choice, np.arange(len(choice)), edges.stop[only])
    wait = np.where(choice, 0.0, edges.duration[only])
    for _ in range(int(np.ceil(np.log2(max(len(choice), 2)))) + 1):
        wait, ahead = wait + wait[ahead], ahead[ahead]
    wait = np.where(choice[ahead], wait, np.inf)  # a loop without a choice cannot be left
    chosen = np.flatnonzero(choice[edges.start])
    total = edges.duration[chosen] + wait[edges.stop[chosen]]
    worst = int(np.argmax(total))
    return Waiting(float(total[worst]), int(chosen[worst]))


def reach(
    graph: MotionGraph,
    rng: np.random.Generator,
    *,
    node: int,
    times: ArrayLike = (1.0, 2.0, 3.0),
    walks: int = 2000,
    every: float = 0.5,
    labels: str | tuple[str, ...] = (),
) -> Reach:
    """Follow many random walks from a node and return where they are at some times (s), seen from their start."""
    when = np.atleast_1d(np.asarray(times, dtype=np.float64))
    found = random_walks(
        graph, rng, starts=np.full(walks, node), duration=float(when.max()) + 1e-6, every=every, labels=labels
    )
    walk = walk_along(graph, found)
    # The edge that is under way: the last of its walk that starts no later. Walks are told apart by a long time.
    long = float(walk.start.max()) + 1.0
    key = walk.character * long + walk.start
    at = np.searchsorted(key, np.arange(walks)[:, None] * long + when, side="right") - 1
    part = (when - walk.start[at]) / graph.edges.duration[walk.edge[at]]
    return Reach(when, _along(graph, walk.place[at], walk.edge[at], part))


def _along(graph: MotionGraph, start: Array, edge: IntArray, part: Array) -> Array:
    """Return poses part of the way along edges: by the clip that is entered, placed where its stop will be."""
    edges, nodes = graph.edges, graph.nodes
    stop = edges.stop[edge]
    end = planar.compose(start, edges.displacement[edge])
    here = graph.poses_at(nodes.clip[stop], nodes.time[stop] - (1 - part) * edges.duration[edge])
    return planar.compose(planar.compose(end, planar.inverse(nodes.pose[stop])), here)
