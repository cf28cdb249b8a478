"""What a user should know about a snap-together graph, in sentences: hubs that do not hang together with the rest, hubs
that hold little, clips that nothing uses, and what to do about it.

Every sentence on hubs outside the main part is made here (`describe_cut_off`), for notes, files and commands alike.
There are three kinds of them:

* a *dead end* can be entered, and nothing leads back;
* a hub that is *never reached* leads into the main part, and nothing leads there;
* a hub *on its own* has neither.
"""

from collections.abc import Collection, Sequence

import numpy as np

from walkon._base.arrays import Array
from walkon.graphs.components import reachable
from walkon.graphs.point_clouds import compared_joints
from walkon.graphs.snap_together.snap_graph import SnapGraph

__all__ = ["ADVICE", "describe_cut_off", "join_names", "notes_on"]

MIN_HUB_EDGES = 3
"""Edges that a hub should have in and out."""
MAX_LEG_MISS_M = 0.005
"""m by which a planted leg may fall short before a note says so."""
ROUGH_HUB_RAD = np.deg2rad(12.0)
"""rad: a hub whose 95th percentile of joint displacements is larger is noted as bad."""
MAX_NAMED_CLIPS = 12
"""Clips that a note names at most."""
ADVICE = "raise the threshold of such a hub, add clips that lead there and back, or leave it out"


def join_names(names: Sequence[str]) -> str:
    """Return names as they are said: a, b and c."""
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def describe_cut_off(graph: SnapGraph, *, among: Collection[str] | None = None) -> str:
    """Return which hubs are outside the main part and how, in both directions; empty where there are none.

    With `among`, only of hubs of these names.
    """
    edges, core, H = graph.edges, graph.core, len(graph.hubs)
    wanted = np.array([among is None or name in among for name in graph.hub_names])
    entered = reachable(H, edges.start, edges.stop, sources=core)
    leaves = reachable(H, edges.stop, edges.start, sources=core)
    main = f"the main part ({join_names([graph.hub_names[h] for h in np.flatnonzero(core)])})"
    parts = []
    for flags, one, many, why in (
        (entered & ~leaves, "is a dead end", "are dead ends", "a way leads from {main} to {it}, but none back"),
        (~entered & leaves, "is never reached", "are never reached", "a way leads from {it} to {main}, but none there"),
        (~entered & ~leaves, "is on its own", "are on their own", "no way leads from {main} to {it}, and none back"),
    ):
        names = [graph.hub_names[h] for h in np.flatnonzero(flags & wanted & ~core)]
        if names:
            it = "it" if len(names) == 1 else "them"
            parts.append(f"{join_names(names)} {one if len(names) == 1 else many}: {why.format(main=main, it=it)}")
            main = "the main part"
    return "; ".join(parts)


def notes_on(graph: SnapGraph, *, missed: Array) -> tuple[str, ...]:
    """Return what there is to say; `missed` [K, 2] are metres by which planted legs fall short."""
    notes = []
    if not graph.core.all():
        notes.append(f"{describe_cut_off(graph)}; {ADVICE}")
    notes += [*_note_thin_hubs(graph), *_note_rough_hubs(graph), *_note_unused_clips(graph)]
    short = missed.max(axis=1)
    if len(short) and short.max() > MAX_LEG_MISS_M:
        edge = int(np.searchsorted(graph.clips.stops, int(short.argmax()), side="right"))
        notes.append(
            f"in {int(np.count_nonzero(np.maximum.reduceat(short, graph.clips.starts) > MAX_LEG_MISS_M))} edges a "
            f"planted leg is up to {short.max() * 100:.1f} cm too short for its plant "
            f"(worst: {graph.clips.names[edge]})"
        )
    return tuple(notes)


def _note_thin_hubs(graph: SnapGraph) -> list[str]:
    """Note which hubs of the main part have few edges."""
    into, out = graph.counts.sum(axis=0), graph.counts.sum(axis=1)
    thin = [
        f"{name} ({into[h]} in, {out[h]} out)"
        for h, name in enumerate(graph.hub_names)
        if graph.core[h] and min(into[h], out[h]) < MIN_HUB_EDGES
    ]
    few = "has few edges; raise its threshold" if len(thin) == 1 else "have few edges; raise their thresholds"
    return [f"{join_names(thin)} {few} or add clips"] if thin else []


def _note_rough_hubs(graph: SnapGraph) -> list[str]:
    """Note which hubs bend their match frames far."""
    joints = compared_joints(graph.source.skeleton)
    rough = []
    for h, name in enumerate(graph.hub_names):
        mine = graph.displacements[graph.matches.hub == h][:, joints]
        worst = float(np.percentile(mine, 95)) if mine.size else 0.0
        if worst > ROUGH_HUB_RAD:
            rough.append(f"{name} ({np.degrees(worst):.1f}; threshold {graph.hubs.threshold[h] * 100:.3g} cm)")
    lower, bends = ("its threshold", "bends its") if len(rough) == 1 else ("their thresholds", "bend their")
    how = f"match frames by over {np.degrees(ROUGH_HUB_RAD):.0f} degrees (95th percentile of joints)"
    return [f"{join_names(rough)} {bends} {how}; lower {lower}"] if rough else []


def _note_unused_clips(graph: SnapGraph) -> list[str]:
    """Note which clips of the source no edge uses, the longest first."""
    source = graph.source
    free = np.ones(len(source), bool)
    free[graph.matches.clip[graph.edges.first_match]] = False
    seconds = (source.stops - source.starts - 1) / source.fps
    order = [c for c in np.argsort(-seconds, kind="stable").tolist() if free[c]]
    if not order:
        return []
    names = [f"{source.names[c]} ({seconds[c]:.1f} s)" for c in order[:MAX_NAMED_CLIPS]]
    if len(order) > MAX_NAMED_CLIPS:
        names.append(f"{len(order) - MAX_NAMED_CLIPS} others")
    return [
        f"{len(order)} of {len(source)} clips, {seconds[order].sum():.1f} of {seconds.sum():.1f} s, are in no edge: "
        f"{join_names(names)}"
    ]
