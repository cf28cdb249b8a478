"""What the search for walks along a path reads: steps between choices as tracks on the floor, in plain arrays.

The track of a step is the root's path over the floor, smoothed by a bell of 1/6 s so that the sway of the hips is not
taken for progress (the spline of Kovar 2002, section 5.1, footnote 1), seen from the planar pose at which it begins:

    before the transition   S_A(t)
    within it               α(p) S_A + (1 − α(p)) S_B,   α(p) = 2p³ − 3p² + 1            equation (5)
    after it                S_B(t)

with both clips placed as the transition aligns them. Metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.motion_graph import MotionGraph
from walkon.motion.library import Library
from walkon.synthesis.choices import Choices
from walkon.synthesis.path_rule import Limits, PlanarSteps
from walkon.synthesis.walk_tracks import roots_at
from walkon.transforms import planar
from walkon.transforms.easing import smoothstep

__all__ = ["Limits", "PlanarSteps", "planar_steps", "smooth_roots"]

BELL = 1 / 6
"""s, standard deviation of the smoothing of root paths."""
AHEAD = 0.5
"""s by which the beam looks ahead of a node."""
SAMPLES = 12.0
"""Samples of a track per second, about."""


def smooth_roots(library: Library) -> Array:
    """Return [F, 2] m: the root's path over the floor, each clip smoothed by itself."""
    from scipy.ndimage import gaussian_filter1d

    smooth = np.array(library.root_positions[:, :2])
    for start, stop in zip(library.starts, library.stops, strict=True):
        part = smooth[start:stop]
        n = len(part)
        if n < 3:
            continue
        # Beyond each end the way goes on point-symmetrically: the ends of a clip stay where they are.
        pad = min(int(4 * BELL * library.fps) + 1, n - 1)
        longer = np.concatenate([2 * part[0] - part[pad:0:-1], part, 2 * part[-1] - part[-2 : -pad - 2 : -1]])
        smooth[start:stop] = gaussian_filter1d(longer, BELL * library.fps, axis=0, mode="nearest")[pad : pad + n]
    return smooth


def _aheads(graph: MotionGraph, choices: Choices, roots: Array) -> Array:
    """Return [C, 3]: each clip's own way on for AHEAD seconds; beyond its end it goes straight on."""
    library, clip, time = graph.library, graph.nodes.clip[choices.nodes], graph.nodes.time[choices.nodes]
    to_node = planar.inverse(graph.nodes.pose[choices.nodes])
    last = (library.stops - library.starts - 1)[clip] / library.fps
    reach = np.maximum(np.minimum(time + AHEAD, last) - time, 1e-9)
    before = np.minimum(0.2, last)
    way = [planar.apply(to_node, roots_at(library, roots, clip, time + share * reach)) for share in (0.0, 0.5, 1.0)]
    speed = (way[2] - planar.apply(to_node, roots_at(library, roots, clip, time + reach - before))) / before[:, None]
    beyond = (AHEAD - reach)[:, None] * speed
    arc = np.linalg.norm(way[1] - way[0], axis=1) + np.linalg.norm(way[2] - way[1], axis=1)
    return np.column_stack([way[2] + beyond, arc + np.linalg.norm(beyond, axis=1)])


def planar_steps(graph: MotionGraph, choices: Choices, *, transition_cost: float) -> PlanarSteps:
    """Lay the steps between choices out on the floor."""
    library, nodes, c = graph.library, graph.nodes, choices
    roots = smooth_roots(library)
    begin = nodes.pose[c.nodes[c.starts]]
    # Where the second clip's own world lies, seen from the pose at which the step begins.
    place_a = planar.inverse(begin)
    leave = planar.compose(place_a, nodes.pose[c.leave])
    enter = planar.compose(leave, c.displacements)
    place_b = planar.compose(enter, planar.inverse(nodes.pose[c.enter]))
    before = nodes.time[c.leave] - nodes.time[c.nodes[c.starts]]
    after = nodes.time[c.nodes[c.stops]] - nodes.time[c.enter]
    durations = before + c.blends + after
    counts = np.maximum(np.ceil(durations * SAMPLES).astype(np.int64), 1)
    spans = durations / counts
    sample_first = np.concatenate([[0], np.cumsum(counts + 1)])
    which = np.repeat(np.arange(len(counts)), counts + 1)
    tau = spans[which] * (np.arange(sample_first[-1]) - sample_first[which])
    a, b = nodes.clip[c.leave][which], nodes.clip[c.enter][which]
    since = tau - before[which]
    blend = c.blends[which]
    time_a = nodes.time[c.leave][which] + np.minimum(since, blend)
    time_b = nodes.time[c.enter][which] + np.maximum(since - blend, -blend)
    on_a = planar.apply(place_a[which], roots_at(library, roots, a, time_a))
    on_b = planar.apply(place_b[which], roots_at(library, roots, b, time_b))
    weight = smoothstep(np.where(blend > 0, since / np.where(blend > 0, blend, 1.0), (since > 0).astype(float)))
    track = on_a + weight[:, None] * (on_b - on_a)
    arcs = np.concatenate([[0.0], np.linalg.norm(np.diff(track, axis=0), axis=1)])
    kept = np.arange(len(track)) != sample_first[which]  # the first point of a step is the last of the one before
    made = PlanarSteps(
        first=np.array(c.first),
        parts=np.array(c.parts),
        stops=np.array(c.stops),
        fees=transition_cost * (c.transitions >= 0).astype(float),
        switches=np.array(c.switches),
        durations=durations,
        moves=planar.compose(place_b, nodes.pose[c.nodes[c.stops]]),
        spans=spans,
        waits=np.array(c.waits),
        aheads=_aheads(graph, c, roots),
        sample_first=np.concatenate([[0], np.cumsum(counts)]),
        points=np.ascontiguousarray(track[kept]),
        arcs=np.ascontiguousarray(arcs[kept]),
    )
    for array in made:
        array.flags.writeable = False  # the kernel's signature asks for locked ones
    return made
