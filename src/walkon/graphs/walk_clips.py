"""A walk on a graph as one clip: sampled from its take, feet locked, with contacts, labels and events.

The clip is at the library's rate and begins with the walk. While one clip fades into another, labels are those of both
(Kovar 2002, section 3.3); contacts and events are the old clip's up to the middle of the fade and the new one's after.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon.graphs.motion_graph import MotionGraph
from walkon.graphs.walk import Walk
from walkon.graphs.walk_segments import walk_take
from walkon.motion.body import Body
from walkon.motion.clip import Clip, Event
from walkon.take.take import Take
from walkon.transforms import quaternions as quat

__all__ = ["walk_clip"]


def walk_clip(
    graph: MotionGraph,
    walk: Walk | ArrayLike,
    *,
    name: str = "walk",
    body: Body | None = None,
) -> Clip:
    """Return the motion of a walk, or of edges from the origin on; another `body` must be of the library's skeleton."""
    take = walk_take(graph, walk if isinstance(walk, Walk) else [walk], body=body)
    fps = graph.library.fps
    times = np.arange(int(np.floor(take.duration * fps + 1e-6)) + 1) / fps
    poses = take.sample(np.minimum(times, take.stop))
    who = (slice(None), 0)
    segment = poses.segments[who]
    contacts = np.zeros((len(times), len(graph.library.skeleton.contact_names)), bool)
    feet = min(contacts.shape[1], poses.contacts.shape[-1])
    contacts[:, :feet] = poses.contacts[who][:, :feet]
    old, new, faded = _sources(graph, take, times, segment)
    nearer = np.where(faded < 0.5, old, new)
    labels = graph.library.labels[new] | (graph.library.labels[old] & (faded < 1)[:, None])
    return Clip(
        skeleton=take.bodies[0].skeleton,
        fps=fps,
        root_positions=poses.positions[who][:, 0],
        local_rotations=quat.continuous(quat.normalize(poses.local_rotations[who])),
        contacts=contacts,
        contact_heights=np.where(contacts, graph.library.contact_heights[nearer], 0.0),
        labels={
            label: labels[:, column]
            for column, label in enumerate(graph.library.label_names)
            if labels[:, column].any()
        },
        events=_events(graph, take),
        name=name,
    )


def _sources(graph: MotionGraph, take: Take, times: Array, segment: IntArray) -> tuple[IntArray, IntArray, Array]:
    """Return for each time the library's frame that fades out, the one that is played, and how far the fade is."""
    s, b = take.segments.rows(segment), take.blends
    since = times - s.start
    new = _frames(graph, take, s.clip, s.clip_start + since)
    fades: BoolArray = s.blend >= 0
    if not fades.any():
        return new, new, np.ones(len(times))
    row = np.maximum(s.blend, 0)
    old = np.where(fades, _frames(graph, take, b.clip[row], b.clip_start[row] + since), new)
    return old, new, np.where(fades, np.clip(since / b.duration[row], 0.0, 1.0), 1.0)


def _frames(graph: MotionGraph, take: Take, clip: IntArray, time: Array) -> IntArray:
    number = np.array([graph.library.names.index(name) for name in take.clips.names])[clip]
    first, stop = graph.library.starts[number], graph.library.stops[number]
    frames: IntArray = np.clip(first + np.rint(time * graph.library.fps).astype(np.int64), first, stop - 1)
    return frames


def _events(graph: MotionGraph, take: Take) -> tuple[Event, ...]:
    """Return the events of the clips that are played, at the walk's times."""
    s, b = take.segments, take.blends
    events = []
    for row in range(len(s)):
        begin, length = float(s.start[row]), float(s.stop[row] - s.start[row])
        half = 0.0
        if s.blend[row] >= 0:
            fade = int(s.blend[row])
            half = 0.5 * float(b.duration[fade])
            events += _between(graph, take, int(b.clip[fade]), float(b.clip_start[fade]), 0.0, half, begin)
        events += _between(graph, take, int(s.clip[row]), float(s.clip_start[row]), half, length, begin)
    return tuple(events)


def _between(
    graph: MotionGraph, take: Take, clip: int, clip_start: float, low: float, high: float, begin: float
) -> list[Event]:
    every = graph.library.events[graph.library.names.index(take.clips.names[clip])]
    return [
        replace(event, time=begin + event.time - clip_start) for event in every if low <= event.time - clip_start < high
    ]
