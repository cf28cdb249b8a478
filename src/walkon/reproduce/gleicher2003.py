"""Gleicher, Shin, Kovar, Jepsen 2003, "Snap-Together Motion": the graphs of its section 5 made again.

| experiment | the paper's | ours |
|---|---|---|
| figure8 | a sneaking clip of 13 s: one node, 7 clips | 13 s of a sad walk (142_15), of an old man's (137_33) |
| figure9 | 30 s of martial arts: two nodes, about 12 minutes | the everyday motions of subject 143 |
| walking | 100 s of walking: one node, curvature is controlled, about 20 minutes | the forward walks of subject 69 |
| joined | both in one graph | 69 and 143 in one graph, from walking to sitting and back |

The paper's minutes are a designer's, from raw data to a driven character, most of them for mapping clips to buttons;
ours are the computer's, from clips to a graph. There is no martial-arts clip: that row has the paper's numbers only.
The sneaking clip of CMU (142_22) has no 13 s with more than three match frames within 5 cm. Where the CMU clips are
missing, the built-in performer walks and sits instead.

Hubs are the largest match sets, at passing poses where these are nearly as large (one node), or the suggested ones.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from walkon._base.arrays import BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.drawing.picture import Image
from walkon.drawing.snap_charts import fan_picture, schema_picture
from walkon.drawing.snap_pictures import hubs_picture
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.snap_together.build import SHARE, build_snap_graph, compared
from walkon.graphs.snap_together.connected import build_connected_graph
from walkon.graphs.snap_together.joins import measure_feet
from walkon.graphs.snap_together.match_sets import largest
from walkon.graphs.snap_together.passing import postures
from walkon.graphs.snap_together.player import SnapPlayer
from walkon.graphs.snap_together.quality import displacement
from walkon.graphs.snap_together.random_policy import RandomPolicy
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.graphs.snap_together.suggestions import library_frames
from walkon.graphs.snap_together.walking import snap_walk_take
from walkon.motion.editing import cut
from walkon.motion.library import Library
from walkon.reproduce.driving import Driven, drive
from walkon.reproduce.kovar2002 import FORWARD
from walkon.reproduce.path_pictures import draw_along
from walkon.reproduce.recordings import Motion
from walkon.reproduce.table import Row
from walkon.take.take import Take

__all__ = ["EXPERIMENTS", "TITLE", "figure8", "figure9", "joined", "walking"]

TITLE = "Snap-Together Motion (Gleicher, Shin, Kovar, Jepsen 2003)"
EVERYDAY = ("143_11", "143_13", "143_18", "143_19", "143_25", "143_29")
"""Subject 143 fetches a box and a basket, sits down and rises, waves, paces: 76 s."""
JOINED = 0.05
"""m: the threshold for two performers; that for one person's walks would leave standing and sitting apart."""
SECONDS = 13.0
WALKED = (
    "wander_slow",
    *(f"arc_{side}_{kind}" for kind in ("0.80_25", "0.80_50", "0.80_80", "1.20_80") for side in ("left", "right")),
    *(f"sharp_{side}_{kind}" for kind in ("90_0.90", "180_0.90") for side in ("left", "right")),
)
SAT = ("idle_neutral", "walk_0.90", "sit_front", "sit_idle", "rise_and_leave_left", "rise_and_leave_right")
"""Of the built-in library: 100 s of walking, and what is done with a chair."""
WISHES = ((12.0, 0.0), (12.0, 0.5), (12.0, -0.5), (10.0, 1.0), (10.0, -1.0), (8.0, 0.0))
"""s and 1/m: straight on, arcs of 2 m, arcs of 1 m, straight on."""
ABOUT_FACE = np.deg2rad(150.0)
SLIDING = 0.003
"""m from which a planted foot that does not stay is told."""
Results = tuple[list[Row], list[tuple[str, Image]]]


def figure8(motion: Motion, *, pictures: bool = True) -> Results:
    """Make one clip of 13 s in some style into one hub and its loops."""
    asked: list[tuple[str, float, float | None, str]]
    if motion.folder is not None:
        asked = [
            ("142_15", 4.0, None, "13 s of a sad walk (142_15), one hub"),
            ("137_33", 2.0, None, "13 s of an old man's walk (137_33), one hub"),
            ("137_33", 2.0, 0.04, "the same, match frames within 4 cm"),
        ]
    else:
        asked = [("tired", 4.0, None, "13 s of the built-in performer's tired walk, one hub")]
    rows: list[Row] = []
    images: list[tuple[str, Image]] = []
    for number, (name, start, threshold, what) in enumerate(asked, 1):
        source = motion.clips((name,)) if motion.folder is not None else motion.styles()
        graph, built = _one_hub(Library.of([cut(source[name], start, start + SECONDS)]), threshold)
        rows.append(
            _row(
                graph,
                _wander(graph),
                experiment="figure8",
                what=what,
                graph_s=built,
                paper_hubs=1,
                paper_match_frames=5,
                paper_edges=7,
                notes=(
                    f"the clips between its {len(graph.matches)} match frames; what comes before the first and after "
                    "the last is in no loop. The paper does not say whether its 7 clips are counted with these",
                ),
            )
        )
        if pictures:
            images.append((f"gleicher2003-figure8-{number}", hubs_picture(graph, size_per_cell=(300, 390))))
    return rows, images


def figure9(motion: Motion, *, pictures: bool = True) -> Results:
    """Make a small graph of a second set of motions; the paper's martial arts have no clip here."""
    fighting = Row(
        experiment="figure9",
        what="martial arts, a left and a right stance",
        agents=0,
        paper_hubs=2,
        paper_graph_frames=900,
        paper_designer_s=720.0,
        notes=("there is no martial-arts clip among ours, so there is no number beside the paper's",),
    )
    library, threshold = _everyday(motion)
    graph, built = _built(library, threshold)
    what = "subject 143's everyday motions and mirror images" if motion.folder else "standing, sitting, rising"
    row = _row(graph, _wander(graph), experiment="figure9", what=what, graph_s=built, notes=graph.notes)
    return [fighting, row], [("gleicher2003-figure9", schema_picture(graph))] if pictures else []


def walking(motion: Motion, *, pictures: bool = True) -> Results:
    """Make 100 s of walking into one hub, and drive a character by wished curvatures."""
    plain = _walks(motion)
    sets = [(plain, "100 s of walking, one hub, driven by curvature")]
    if motion.folder is not None:
        sets.append((motion.clips(FORWARD), "the same with mirror images"))
    rows: list[Row] = []
    images: list[tuple[str, Image]] = []
    for number, (library, what) in enumerate(sets, 1):
        graph, built = _one_hub(library, None)
        begun = time.perf_counter()
        driven = drive(graph, WISHES)
        planned = time.perf_counter() - begun
        turns, ways = graph.edges.turn, graph.edges.path
        sharp = np.flatnonzero(np.abs(turns) >= ABOUT_FACE)
        note = f"{len(sharp)} about-faces of {np.degrees(ABOUT_FACE):.0f} degrees or more"
        if len(sharp):
            note += f", the quickest in {graph.edges.duration[sharp].min():.1f} s"
        row = _row(
            graph,
            (driven.walk, planned),
            experiment="walking",
            what=what,
            graph_s=built,
            turn_right_deg=float(np.degrees(-turns.min())),
            turn_left_deg=float(np.degrees(turns.max())),
            curvature_right_1_m=float(-(turns / ways).min()),
            curvature_left_1_m=float((turns / ways).max()),
            curvature_error_1_m=float(np.abs(driven.curvatures - driven.asked).mean()),
            curvature_error_edge_1_m=float(np.abs(driven.errors).mean()),
            mean_error_m=float(driven.away.mean()),
            worst_error_m=float(driven.away.max()),
            heading_error_deg=float(np.degrees(np.abs(driven.owed).mean())),
            paper_hubs=1,
            paper_graph_frames=3000,
            paper_designer_s=1200.0,
            notes=(note,),
        )
        rows.append(row)
        if pictures:
            images += [
                (f"gleicher2003-walking-{number}", _driven_picture(graph, driven)),
                (f"gleicher2003-walking-{number}-edges", fan_picture(graph, size=560)),
            ]
    return rows, images


def joined(motion: Motion, *, pictures: bool = True) -> Results:
    """Join the walks with the second set: all that either could do, and ways between."""
    everyday, threshold = _everyday(motion)
    if motion.folder is not None:
        library, what = motion.clips(FORWARD + EVERYDAY), "69's walks and 143's everyday motions, mirror images of both"
    else:
        library = Library.of([*_walks(motion), *everyday])
        what = "walking, and standing, sitting, rising, of the built-in library"
    graph, built = _built(library, threshold)
    rests = np.isin(graph.hub_names, ("stand", "sit"))
    ahead, seats = np.char.startswith(graph.hub_names, "walk"), np.isin(graph.hub_names, ("sit",))
    across = int(graph.counts[rests][:, ~rests].sum() + graph.counts[~rests][:, rests].sum())
    seconds = _quickest(graph)
    theirs = np.isin(library.names, everyday.names)[graph.matches.clip]
    shared = ahead[graph.matches.hub]
    met = np.count_nonzero(theirs & shared)
    note = f"{met} of the {np.count_nonzero(shared)} match frames of the walking hubs are the second set's: they meet"
    row = _row(
        graph,
        _wander(graph),
        experiment="joined",
        what=what,
        graph_s=built,
        edges_across=across,
        switch_s=_switch(seconds, ahead, seats),
        switch_back_s=_switch(seconds, seats, ahead),
        notes=(note, *graph.notes),
    )
    images = []
    if pictures:
        images = [
            ("gleicher2003-joined", schema_picture(graph)),
            ("gleicher2003-joined-hubs", hubs_picture(graph)),
        ]
    return [row], images


EXPERIMENTS: dict[str, Callable[..., Results]] = {
    "figure8": figure8,
    "figure9": figure9,
    "walking": walking,
    "joined": joined,
}


def _walks(motion: Motion) -> Library:
    """Return 100 s of walking, without mirror images."""
    if motion.folder is not None:
        return Library.of([motion.clips(FORWARD)[name] for name in FORWARD])
    return Library.of([motion.builtin()[name] for name in WALKED])


def _everyday(motion: Motion) -> tuple[Library, float | None]:
    """Return the second set, and the threshold for it and for what it is joined with."""
    if motion.folder is not None:
        return motion.clips(EVERYDAY), JOINED
    return Library.of([motion.builtin()[name] for name in SAT]), None


def _one_hub(library: Library, threshold: float | None) -> tuple[SnapGraph, float]:
    """Return the graph of the largest match set, and the seconds from clips to graph."""
    _load_kernels()
    begun = time.perf_counter()
    frames = compared(library)
    limit = SHARE * typical_distance(frames) if threshold is None else threshold
    passing = postures(library).passing[library_frames(library, frames)]
    found = largest(frames, threshold=limit, preferred=passing)
    if found is None:
        raise InvalidValue(f"no two moments of {', '.join(library.names)} are within {100 * limit:.3g} cm")
    graph = build_snap_graph(library, {"hub": found}, frames=frames)
    return graph, time.perf_counter() - begun


def _built(library: Library, threshold: float | None) -> tuple[SnapGraph, float]:
    _load_kernels()
    begun = time.perf_counter()
    graph = build_connected_graph(library, threshold=threshold)
    return graph, time.perf_counter() - begun


def _load_kernels() -> None:
    from walkon.graphs import _distance_kernels  # noqa: F401
    from walkon.graphs.snap_together import _play_kernels  # noqa: F401
    from walkon.take import _kernels  # noqa: F401


def _wander(graph: SnapGraph, *, seconds: float = 60.0) -> tuple[IntArray, float]:
    """Return a random walk that begins in the main part, and the seconds that it took to choose."""
    begun = time.perf_counter()
    policy = RandomPolicy(graph, np.random.default_rng(1))
    player = SnapPlayer(graph, policy, poses=np.zeros((1, 3)), hubs=[int(np.argmax(graph.core))])
    walk = np.array(player.advance(seconds).edge)
    return walk, time.perf_counter() - begun


def _row(graph: SnapGraph, played: tuple[IntArray, float], **told: Any) -> Row:
    """Return a row with what every experiment tells; `played` is a walk and the seconds to choose it."""
    walk, planned = played
    notes: tuple[str, ...] = told.pop("notes", ())
    begun = time.perf_counter()
    take, duration = _taken(graph, walk)
    take.sample(np.arange(0.0, duration, 1 / graph.source.fps))
    posed = time.perf_counter() - begun
    bent, feet = displacement(graph), measure_feet(graph)
    if feet.within > SLIDING:
        notes += (f"a planted foot slides by {1e3 * feet.within:.0f} mm in {graph.clips.names[feet.within_edge]}",)
    return Row(
        mean_duration_s=duration,
        mean_synthesis_s=planned,
        total_s=planned + posed,
        graph_frames=round(30.0 * graph.source.duration),
        hubs=len(graph.hubs),
        match_frames=len(graph.matches),
        edges=len(graph.edges),
        bend_median_deg=float(np.degrees(bent.overall.median)),
        bend_p95_deg=float(np.degrees(bent.overall.p95)),
        foot_drift_m=max(feet.within, feet.across.value),
        notes=notes,
        **told,
    )


def _taken(graph: SnapGraph, walk: IntArray) -> tuple[Take, float]:
    return snap_walk_take(graph, [walk]), float(graph.edges.duration[walk].sum())


def _driven_picture(graph: SnapGraph, driven: Driven) -> Image:
    take, duration = _taken(graph, driven.walk)
    track = take.sample(np.arange(0.0, duration, 0.05)).positions[:, 0, 0, :2]
    return draw_along(take, track, every=1.5)


def _quickest(graph: SnapGraph) -> Any:
    """Return [H, H] the least seconds from hub to hub; infinite where there is no way."""
    least = np.full((len(graph.hubs), len(graph.hubs)), np.inf)
    np.minimum.at(least, (graph.edges.start, graph.edges.stop), graph.edges.duration)
    return shortest_path(np.where(np.isfinite(least), least, 0.0), method="D")


def _switch(seconds: Any, sources: BoolArray, targets: BoolArray) -> float | None:
    """Return the least seconds from one kind of hub to another, None where there is no way."""
    some: Sequence[float] = seconds[sources][:, targets].ravel()
    least = min(some, default=np.inf)
    return float(least) if np.isfinite(least) else None
