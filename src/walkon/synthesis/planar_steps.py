"""Root trajectories of steps between choices, on the floor, in plain arrays: what the beam search along a path reads.

The track of a step is the root's path over the floor, smoothed by a bell of 1/6 s so that the sway of the hips is not
taken for progress (the spline of Kovar 2002, section 5.1, footnote 1), seen from the planar pose at which it begins:

    before the transition   S_A(t)
    within it               α(p) S_A + (1 − α(p)) S_B,   α(p) = 2p³ − 3p² + 1            equation (5)
    after it                S_B(t)

with both clips placed as the transition aligns them. The track of a walk follows the same rule along its edges, without
smoothing; foot lock lowers roots but never shifts them along the floor, so this is where the posed body is, too.
Metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array, IntArray, lock_fields
from walkon.graphs.motion_graph import TRANSITION, MotionGraph
from walkon.graphs.walk import Walk
from walkon.motion.library import Library
from walkon.synthesis.choices import Choices
from walkon.synthesis.path_rule import Limits, PlanarSteps
from walkon.transforms import planar
from walkon.transforms.easing import smoothstep

__all__ = ["Limits", "PlanarSteps", "planar_steps", "roots_at", "smooth_roots", "walk_track"]

SMOOTHING_SIGMA_S = 1 / 6
"""s, standard deviation of the smoothing of root paths."""
LOOK_AHEAD_S = 0.5
"""s by which the beam looks ahead of a node."""
TRACK_SAMPLES_HZ = 12.0
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
        pad = min(int(4 * SMOOTHING_SIGMA_S * library.fps) + 1, n - 1)
        longer = np.concatenate([2 * part[0] - part[pad:0:-1], part, 2 * part[-1] - part[-2 : -pad - 2 : -1]])
        smooth[start:stop] = gaussian_filter1d(longer, SMOOTHING_SIGMA_S * library.fps, axis=0, mode="nearest")[
            pad : pad + n
        ]
    return smooth


def roots_at(library: Library, roots: Array, clip: IntArray, time: Array) -> Array:
    """Return [M, 2] places at times (s) of clips (numbers), linear between frames; `roots` [F, 2] has all frames."""
    last = (library.stops - library.starts - 1)[clip]
    u = np.clip(time * library.fps, 0.0, last)
    low = np.minimum(u.astype(np.int64), np.maximum(last - 1, 0))
    share, row = (u - low)[:, None], library.starts[clip] + low
    return (1.0 - share) * roots[row] + share * roots[np.minimum(row + 1, library.stops[clip] - 1)]


def _aheads(graph: MotionGraph, choices: Choices, roots: Array) -> Array:
    """Return [C, 3]: each clip's own way on for `LOOK_AHEAD_S`; beyond its end it goes straight on."""
    library, clip, time = graph.library, graph.nodes.clip[choices.nodes], graph.nodes.time[choices.nodes]
    to_node = planar.inverse(graph.nodes.pose[choices.nodes])
    last = (library.stops - library.starts - 1)[clip] / library.fps
    reach = np.maximum(np.minimum(time + LOOK_AHEAD_S, last) - time, 1e-9)
    before = np.minimum(0.2, last)
    way = [planar.apply(to_node, roots_at(library, roots, clip, time + share * reach)) for share in (0.0, 0.5, 1.0)]
    speed = (way[2] - planar.apply(to_node, roots_at(library, roots, clip, time + reach - before))) / before[:, None]
    beyond = (LOOK_AHEAD_S - reach)[:, None] * speed
    arc = np.linalg.norm(way[1] - way[0], axis=1) + np.linalg.norm(way[2] - way[1], axis=1)
    return np.column_stack([way[2] + beyond, arc + np.linalg.norm(beyond, axis=1)])


def planar_steps(graph: MotionGraph, choices: Choices, *, transition_cost: float) -> PlanarSteps:
    """Lay the steps between choices out on the floor."""
    library, nodes, c = graph.library, graph.nodes, choices
    roots = smooth_roots(library)
    # Where the two clips' own worlds lie, seen from the pose at which the step begins.
    place_a = planar.inverse(nodes.pose[c.nodes[c.starts]])
    leave = planar.compose(place_a, nodes.pose[c.leave])
    enter = planar.compose(leave, c.displacements)
    place_b = planar.compose(enter, planar.inverse(nodes.pose[c.enter]))
    before = nodes.time[c.leave] - nodes.time[c.nodes[c.starts]]
    durations = before + c.blends + (nodes.time[c.nodes[c.stops]] - nodes.time[c.enter])
    counts = np.maximum(np.ceil(durations * TRACK_SAMPLES_HZ).astype(np.int64), 1)
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
    # The kernel's signature asks for locked arrays.
    return lock_fields(
        PlanarSteps(
            first=np.array(c.first),
            parts=np.array(c.parts),
            stops=np.array(c.stops),
            fees=transition_cost * (c.transitions >= 0).astype(float),
            switches=np.array(c.switches),
            durations=durations,
            moves=planar.compose(place_b, nodes.pose[c.nodes[c.stops]]),
            spans=spans,
            waits=c.waits(graph),
            aheads=_aheads(graph, c, roots),
            sample_first=np.concatenate([[0], np.cumsum(counts)]),
            points=np.ascontiguousarray(track[kept]),
            arcs=np.ascontiguousarray(arcs[kept]),
        )
    )


def walk_track(graph: MotionGraph, walk: Walk, *, times: Array, roots: Array | None = None) -> Array:
    """Return [T, 2] the root's place at times (s from the walk's start) of one character's walk.

    `roots` [F, 2] may be given to follow another path than the roots' own, such as a smoothed one.
    """
    edges, q = walk.edge, walk.place[:, :3]
    e, n, library = graph.edges, graph.nodes, graph.library
    roots = library.root_positions[:, :2] if roots is None else roots
    ends = np.cumsum(e.duration[edges])
    at = np.minimum(np.searchsorted(ends, times, side="right"), len(edges) - 1)
    tau = np.clip(times - (ends - e.duration[edges])[at], 0.0, e.duration[edges][at])
    a, b, lasts = e.start[edges], e.stop[edges], e.duration[edges]
    left = planar.compose(q, planar.inverse(n.pose[a]))
    entered = planar.compose(planar.compose(q, e.displacement[edges]), planar.inverse(n.pose[b]))
    on_a = planar.apply(left[at], roots_at(library, roots, n.clip[a[at]], n.time[a[at]] + tau))
    on_b = planar.apply(entered[at], roots_at(library, roots, n.clip[b[at]], n.time[b[at]] - lasts[at] + tau))
    faded = np.where((e.kind[edges] == TRANSITION)[at], smoothstep(tau / lasts[at]), 0.0)
    return np.asarray(on_a + faded[:, None] * (on_b - on_a))
