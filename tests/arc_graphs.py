"""Small graphs whose every number is known: a point that glides along straight lines and arcs, one clip each.

Its skeleton is a root and one joint, so any two moments fit onto each other and transitions may lead anywhere.
"""

import numpy as np

from walkon.graphs.motion_graph import MotionEdges, MotionGraph, Nodes
from walkon.motion import Clip, Skeleton
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

POLE = Skeleton(names=("root", "top"), parents=[-1, 0], offsets=[[0, 0, 1.0], [0, 0, 0.8]])
FPS = 30.0


def glide(name, curvature, *, seconds=4.0, speed=1.0, labels=()):
    """A clip along an arc: 1/m, positive to the left."""
    s = speed * np.arange(round(seconds * FPS) + 1) / FPS
    heading = curvature * s
    if abs(curvature) < 1e-9:
        xy = np.column_stack([s, np.zeros_like(s)])
    else:
        xy = np.column_stack([np.sin(heading), 1 - np.cos(heading)]) / curvature
    rotations = np.tile([1.0, 0, 0, 0], (len(s), 2, 1))
    rotations[:, 0] = quat.turn(heading)
    return Clip(
        skeleton=POLE,
        fps=FPS,
        root_positions=np.column_stack([xy, np.ones(len(s))]),
        local_rotations=rotations,
        labels={label: np.ones(len(s), bool) for label in labels},
        name=name,
    )


def arc_graph(clips=None, *, every=1 / 3, window=0.2, allowed=None):
    """Nodes `every` so many seconds, transitions from each node to all of other clips (or where `allowed(a, b)`)."""
    clips = clips or [glide("straight", 0.0), glide("left", 0.5), glide("right", -0.5)]
    library = Library.of(clips)
    clip, time = [], []
    for number, one in enumerate(clips):
        times = np.arange(every, one.duration - window + 1e-9, every)
        clip += [number] * len(times)
        time += np.round(times * FPS).astype(int).tolist()
    clip, time = np.array(clip), np.array(time) / FPS
    blank = MotionGraph(library=library, nodes=Nodes(), edges=MotionEdges())
    pose = blank.poses_at(clip, time)
    rows = []
    for a in range(len(clip)):
        last = a + 1 == len(clip) or clip[a + 1] != clip[a]
        if not last:
            rows.append((a, a + 1, 0, 0.0, time[a + 1] - time[a], planar.relative(pose[a], pose[a + 1])))
        for b in range(len(clip)):
            early = time[b] < time[clip == clip[b]].min() + 1.0
            free = allowed(clip[a], clip[b]) if allowed else clip[a] != clip[b]
            if early and (free or (last and clip[a] == clip[b])) and time[b] >= window:
                before = blank.poses_at(clip[b], time[b] - window)
                rows.append((a, b, 1, 0.01 + 0.001 * ((7 * a + 3 * b) % 11), window, planar.relative(before, pose[b])))
    bits = (library.labels.astype(np.int64) << np.arange(len(library.label_names))).sum(axis=1)
    of_clip = bits[library.starts]
    start, stop = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    return MotionGraph(
        library=library,
        nodes=Nodes(clip=clip, time=time, pose=pose),
        edges=MotionEdges.filled(
            len(rows),
            start=start,
            stop=stop,
            kind=[row[2] for row in rows],
            distance=[row[3] for row in rows],
            duration=[row[4] for row in rows],
            displacement=[(*row[5], 0.0) for row in rows],
            labels=of_clip[clip[start]] | of_clip[clip[stop]],
            common=of_clip[clip[start]] & of_clip[clip[stop]],
        ),
        settings={"window": window, "rate": FPS},
    )
