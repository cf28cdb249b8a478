"""Toy graphs: a lamp of two joints that glides, with nodes and edges set by hand."""

import numpy as np

from walkon.graphs.motion_graph import PIECE, TRANSITION, MotionEdges, MotionGraph, Nodes
from walkon.motion import Clip, Skeleton
from walkon.motion.library import Library

LAMP = Skeleton(names=("foot", "head"), parents=[-1, 0], offsets=[[0, 0, 0], [0, 0, 1.0]])


def glide(name, seconds=10.0, *, fps=10.0, labels=()):
    """A clip that goes along +x at 1 m/s, turned by nothing."""
    T = round(seconds * fps) + 1
    rotations = np.zeros((T, 2, 4))
    rotations[..., 0] = 1.0
    roots = np.zeros((T, 3))
    roots[:, 0] = np.arange(T) / fps
    flags = {label: np.ones(T, bool) for label in labels}
    return Clip(skeleton=LAMP, fps=fps, root_positions=roots, local_rotations=rotations, labels=flags, name=name)


def toy(places, links, *, clips=None, labels=None, known=("walk", "sneak", "carry")):
    """A graph of nodes [(clip, seconds)] and links [(start, stop, kind, labels)], kind "piece" or "transition"."""
    count = max(clip for clip, _ in places) + 1
    library = Library.of(clips or [glide(f"clip{c}", labels=known if c == 0 else ()) for c in range(count)])
    nodes = Nodes(
        clip=[clip for clip, _ in places],
        time=[time for _, time in places],
        pose=[[time, 0.0, 0.0] for _, time in places],
    )
    rows = sorted(((a, 0 if kind == "piece" else 1, b, tuple(names)) for a, b, kind, names in links))

    def bits(names):
        return sum(1 << library.label_names.index(name) for name in names)

    edges = MotionEdges(
        start=[row[0] for row in rows],
        stop=[row[2] for row in rows],
        kind=[PIECE if row[1] == 0 else TRANSITION for row in rows],
        distance=[0.03 * row[1] for row in rows],
        seam=np.zeros(len(rows)),
        duration=[1.0 if row[1] == 0 else 0.3 for row in rows],
        displacement=[[1.0, 0.0, 0.0, 0.0]] * len(rows),
        labels=[bits(row[3]) for row in rows],
        common=[bits(row[3]) for row in rows],
    )
    settings = {"labels": [], "threshold": 0.05, "typical": 0.06, "window": 1 / 3, "asked": None, "rule": "typical"}
    return MotionGraph(library=library, nodes=nodes, edges=edges, settings=settings | (labels or {}))
