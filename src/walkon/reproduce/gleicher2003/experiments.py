"""The experiments of Gleicher 2003, section 5, run again.

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
"""

from collections.abc import Iterator

import numpy as np

from walkon.drawing.picture import Image
from walkon.drawing.snap_charts import fan_picture, schema_picture
from walkon.drawing.snap_pictures import hubs_picture
from walkon.graphs.snap_together.build import build_connected_graph
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.reproduce.driving import Driven, drive
from walkon.reproduce.experiment import Experiment, Paper, Trial, time_call
from walkon.reproduce.gleicher2003.columns import COLUMNS
from walkon.reproduce.gleicher2003.graphs import (
    build_one_hub,
    everyday_and_threshold,
    least_seconds,
    row_of,
    styled_clips,
    switch_seconds,
    take_of,
    walks,
    walks_and_everyday,
    wander,
)
from walkon.reproduce.path_pictures import draw_along
from walkon.reproduce.recordings import FORWARD, NO_FIGHTER
from walkon.reproduce.results import ResultRow

__all__ = ["PAPER", "figure8", "figure9", "joined", "walking"]

WISHED_CURVATURES = ((12.0, 0.0), (12.0, 0.5), (12.0, -0.5), (10.0, 1.0), (10.0, -1.0), (8.0, 0.0))
"""s and 1/m: straight on, arcs of 2 m, arcs of 1 m, straight on."""
ABOUT_FACE_RAD = np.deg2rad(150.0)
"""Turns of one clip from which it is an about-face."""


def figure8(trial: Trial) -> Iterator[ResultRow]:
    """Make one clip of 13 s in some style into one hub and its loops."""
    asked = styled_clips(trial.motion)
    for number, (library, threshold, what) in enumerate(asked):
        graph, built = time_call(build_one_hub, library, threshold)
        name = f"gleicher2003-figure8-{number + 1}"
        yield row_of(
            graph,
            *time_call(wander, graph),
            built,
            experiment="figure8",
            part="abc"[number] if len(asked) > 1 else "",
            what=what,
            printed={"hubs": 1, "match_frames": 5, "edges": 7},
            notes=(
                f"the clips between its {len(graph.matches)} match frames; what comes before the first and after "
                "the last is in no loop. The paper does not say whether its 7 clips are counted with these",
            ),
            pictures=((name, hubs_picture(graph, size_per_cell=(300, 390))),) if trial.pictures else (),
        )
        trial.progress((number + 1) / len(asked))


def figure9(trial: Trial) -> Iterator[ResultRow]:
    """Make a small graph of a second set of motions; the paper's martial arts have no clip here."""
    yield ResultRow(
        columns=COLUMNS,
        experiment="figure9",
        part="a",
        what="martial arts, a left and a right stance",
        printed={"hubs": 2, "graph_frames": 900, "designer_s": 720.0},
        notes=(NO_FIGHTER,),
    )
    library, threshold = everyday_and_threshold(trial.motion)
    graph, built = time_call(build_connected_graph, library, threshold=threshold)
    captured = trial.motion.folder is not None
    yield row_of(
        graph,
        *time_call(wander, graph),
        built,
        experiment="figure9",
        part="b",
        what="subject 143's everyday motions and mirror images" if captured else "standing, sitting, rising",
        notes=graph.notes,
        pictures=(("gleicher2003-figure9", schema_picture(graph)),) if trial.pictures else (),
    )


def walking(trial: Trial) -> Iterator[ResultRow]:
    """Make 100 s of walking into one hub, and drive a character by wished curvatures."""
    sets = [(walks(trial.motion), "100 s of walking, one hub, driven by curvature")]
    if trial.motion.folder is not None:
        sets.append((trial.motion.clips(FORWARD), "the same with mirror images"))
    for number, (library, what) in enumerate(sets):
        graph, built = time_call(build_one_hub, library)
        driven, planned = time_call(drive, graph, WISHED_CURVATURES)
        turns, ways = graph.edges.turn, graph.edges.path
        name = f"gleicher2003-walking-{number + 1}"
        yield row_of(
            graph,
            driven.walk,
            planned,
            built,
            experiment="walking",
            part="ab"[number] if len(sets) > 1 else "",
            what=what,
            values={
                "turn_right_deg": float(np.degrees(-turns.min())),
                "turn_left_deg": float(np.degrees(turns.max())),
                "curvature_right_1_m": float(-(turns / ways).min()),
                "curvature_left_1_m": float((turns / ways).max()),
                "curvature_error_1_m": float(np.abs(driven.curvatures - driven.asked).mean()),
                "curvature_error_edge_1_m": float(np.abs(driven.errors).mean()),
                "mean_error_m": float(driven.away.mean()),
                "worst_error_m": float(driven.away.max()),
                "heading_error_deg": float(np.degrees(np.abs(driven.owed).mean())),
            },
            printed={"hubs": 1, "graph_frames": 3000, "designer_s": 1200.0},
            notes=(_about_faces(graph),),
            pictures=((name, _driven_picture(graph, driven)), (f"{name}-edges", fan_picture(graph, size=560)))
            if trial.pictures
            else (),
        )
        trial.progress((number + 1) / len(sets))


def joined(trial: Trial) -> Iterator[ResultRow]:
    """Join the walks with the second set: all that either could do, and ways between."""
    everyday, threshold = everyday_and_threshold(trial.motion)
    library = walks_and_everyday(trial.motion)
    captured = trial.motion.folder is not None
    graph, built = time_call(build_connected_graph, library, threshold=threshold)
    states = graph.states
    rests, ahead, seats = states.resting, states.walking & ~states.resting, states.seated
    seconds = least_seconds(graph)
    theirs = np.isin(library.names, everyday.names)[graph.matches.clip]
    shared = ahead[graph.matches.hub]
    met = np.count_nonzero(theirs & shared)
    note = f"{met} of the {np.count_nonzero(shared)} match frames of the walking hubs are the second set's: they meet"
    yield row_of(
        graph,
        *time_call(wander, graph),
        built,
        experiment="joined",
        what="69's walks and 143's everyday motions, mirror images of both"
        if captured
        else "walking, and standing, sitting, rising, of the built-in library",
        values={
            "edges_across": int(graph.counts[rests][:, ~rests].sum() + graph.counts[~rests][:, rests].sum()),
            "switch_s": switch_seconds(seconds, ahead, seats),
            "switch_back_s": switch_seconds(seconds, seats, ahead),
        },
        notes=(note, *graph.notes),
        pictures=(("gleicher2003-joined", schema_picture(graph)), ("gleicher2003-joined-hubs", hubs_picture(graph)))
        if trial.pictures
        else (),
    )


PAPER = Paper(
    key="gleicher2003",
    title="Snap-Together Motion (Gleicher, Shin, Kovar, Jepsen 2003)",
    columns=COLUMNS,
    experiments=(
        Experiment(key="figure8", title="one clip of 13 s in some style", run=figure8, cost_s=3.0),
        Experiment(key="figure9", title="a small set of motions", run=figure9, cost_s=3.0),
        Experiment(key="walking", title="100 s of walking, driven by curvature", run=walking, cost_s=10.0),
        Experiment(key="joined", title="both sets in one graph", run=joined, cost_s=10.0),
    ),
)


def _about_faces(graph: SnapGraph) -> str:
    """Tell how many clips turn about, and how soon."""
    sharp = np.flatnonzero(np.abs(graph.edges.turn) >= ABOUT_FACE_RAD)
    words = f"{len(sharp)} about-faces of {np.degrees(ABOUT_FACE_RAD):.0f} degrees or more"
    return f"{words}, the quickest in {graph.edges.duration[sharp].min():.1f} s" if len(sharp) else words


def _driven_picture(graph: SnapGraph, driven: Driven) -> Image:
    take, duration = take_of(graph, driven.walk)
    return draw_along(take, take.sample(np.arange(0.0, duration, 0.05)).positions[:, 0, 0, :2], every=1.5)
