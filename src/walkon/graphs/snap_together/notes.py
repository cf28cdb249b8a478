"""What a user should know about a snap-together graph: dead ends, hubs that hold little, and what to do about it."""

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.point_clouds import compared_joints
from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["notes_on"]

FEW = 3
"""Edges that a hub should have in and out."""
SHORT = 0.005
"""m by which a planted leg may fall short before it is told."""
ROUGH = np.deg2rad(12.0)
"""rad: a hub whose 95th percentile of joint displacements is larger is told as bad."""


def notes_on(graph: SnapGraph, *, missed: Array) -> tuple[str, ...]:
    """Return what there is to say; `missed` [K, 2] are metres by which planted legs fall short."""
    told = []
    names, core = graph.hub_names, graph.core
    outside = [names[h] for h in np.flatnonzero(~core)]
    main = ", ".join(name for name, inside in zip(names, core, strict=True) if inside)
    if outside:
        leads, led = graph.counts[:, core].sum(axis=1), graph.counts[core].sum(axis=0)
        for h in np.flatnonzero(~core).tolist():
            why = "no edge leads back from it" if not leads[h] else "no edge leads to it"
            if leads[h] and led[h]:
                why = "the edges that lead to it and back do not close a loop"
            told.append(
                f"{names[h]} is a dead end: {why} (the main part is {main}); raise its threshold, add clips that join "
                "them, or leave this hub out"
            )
    for h, name in enumerate(names):
        ways_in, ways_out = int(graph.counts[:, h].sum()), int(graph.counts[h].sum())
        if core[h] and min(ways_in, ways_out) < FEW:
            told.append(f"{name} has only {ways_in} edges in and {ways_out} out; raise its threshold or add clips")
        mine = graph.displacements[graph.matches.hub == h][:, compared_joints(graph.source.skeleton)]
        worst = float(np.percentile(mine, 95)) if mine.size else 0.0
        if worst > ROUGH:
            told.append(
                f"{name} bends its match frames by {np.rad2deg(worst):.1f} degrees (95th percentile of joints): "
                f"lower its threshold of {graph.hubs.threshold[h] * 100:.1f} cm"
            )
    short = missed.max(axis=1)
    if len(short) and short.max() > SHORT:
        edge = int(np.searchsorted(graph.clips.stops, int(short.argmax()), side="right"))
        told.append(
            f"in {int(np.count_nonzero(np.maximum.reduceat(short, graph.clips.starts) > SHORT))} edges a planted leg "
            f"is up to {short.max() * 100:.1f} cm too short for its plant (worst: {graph.clips.names[edge]})"
        )
    return tuple(told)
