from dataclasses import replace

import numpy as np
import pytest
from toy_graphs import glide

from walkon._base.errors import InvalidClip, InvalidValue, UnknownName
from walkon.graphs.build import build_graph, frames_of
from walkon.graphs.components import components_of
from walkon.graphs.file import as_stored
from walkon.graphs.frame_distance import align, typical_distance
from walkon.graphs.motion_graph import PIECE, TRANSITION
from walkon.graphs.thresholds import Recipe
from walkon.motion.editing import cut, move
from walkon.motion.library import Library
from walkon.transforms import angles, planar


def test_everything_in_the_graph_can_be_reached_from_everything_else(graph):
    edges = graph.edges
    seconds = np.where(edges.kind == PIECE, edges.duration, 0.0)
    parts = components_of(len(graph.nodes), edges.start, edges.stop, seconds)
    assert len(parts.seconds) == 1
    assert parts.seconds[0] == pytest.approx(graph.seconds)
    assert graph.seconds > 0.8 * graph.library.duration
    assert (graph.out_degree > 0).all()


def test_the_default_threshold_is_a_share_of_the_typical_distance(graph):
    typical = typical_distance(frames_of(graph.library, Recipe()))
    assert graph.settings["threshold"] == pytest.approx(0.8 * typical)
    transitions = graph.edges.kind == TRANSITION
    assert graph.edges.distance[transitions].max() < graph.settings["threshold"]
    assert graph.edges.distance[transitions].min() > 0


def test_pieces_are_the_clips_own_motion(graph):
    pieces = graph.edges.rows(graph.edges.kind == PIECE)
    a, b = pieces.start, pieces.stop
    assert np.array_equal(graph.nodes.clip[a], graph.nodes.clip[b])
    assert pieces.duration == pytest.approx(graph.nodes.time[b] - graph.nodes.time[a])
    assert planar.compose(graph.nodes.pose[a], pieces.displacement)[:, :2] == pytest.approx(graph.nodes.pose[b][:, :2])
    assert (pieces.distance == 0).all()


def test_transitions_lay_one_clip_onto_the_other(graph):
    frames = frames_of(graph.library, Recipe())
    rows = np.flatnonzero(graph.edges.kind == TRANSITION)[::7]
    edges, nodes = graph.edges.rows(rows), graph.nodes
    ends = [
        frames.starts[nodes.clip[n]] + np.rint(nodes.time[n] * frames.rate).astype(int)
        for n in (edges.start, edges.stop)
    ]
    laid = align(frames, np.stack(ends, axis=1))
    assert edges.distance == pytest.approx(laid.distances, abs=5e-4)
    moved = planar.compose(laid.poses, nodes.pose[edges.stop])
    wanted = planar.relative(nodes.pose[edges.start], moved)
    assert edges.displacement[:, :2] == pytest.approx(wanted[:, :2], abs=1e-9)
    assert np.abs(angles.difference(edges.displacement[:, 2], wanted[:, 2])).max() < 1e-9
    assert edges.duration == pytest.approx(np.full(len(rows), 9 / 30))


def test_blends_stay_within_their_clips(graph):
    edges = graph.edges.rows(graph.edges.kind == TRANSITION)
    w = graph.settings["blend"]
    lasts = (graph.library.stops - graph.library.starts - 1) / graph.library.fps
    assert (graph.nodes.time[edges.start] + w <= lasts[graph.nodes.clip[edges.start]] + 1e-9).all()
    assert (graph.nodes.time[edges.stop] - w >= -1e-9).all()


def test_labels_of_a_transition_are_those_of_both_clips(graph):
    edges, nodes = graph.edges, graph.nodes
    w = graph.settings["blend"]
    for row in np.flatnonzero(edges.kind == TRANSITION)[::211]:
        some, every = 0, (1 << len(graph.library.label_names)) - 1
        for node, start in ((edges.start[row], 0.0), (edges.stop[row], -w)):
            clip = graph.library[int(nodes.clip[node])]
            first = round((nodes.time[node] + start) * clip.fps)
            part = slice(first, first + round(w * clip.fps) + 1)
            for bit, label in enumerate(graph.library.label_names):
                flags = clip.labels.get(label, np.zeros(len(clip), bool))[part]
                some |= int(flags.any()) << bit
                every &= ~0 if flags.all() else ~(1 << bit)
        assert edges.labels[row] == some
        assert edges.common[row] == every


def test_where_clips_lie_in_the_world_makes_no_difference(graph, walks):
    rng = np.random.default_rng(3)
    places = np.column_stack([rng.uniform(-40, 40, (len(walks), 2)), rng.uniform(-3, 3, len(walks))])
    moved = build_graph([move(clip, place) for clip, place in zip(walks, places, strict=True)])
    assert moved.settings["threshold"] == pytest.approx(graph.settings["threshold"], abs=1e-5)
    assert moved.seconds == pytest.approx(graph.seconds, rel=0.01)

    def ways(g):
        rows = np.flatnonzero(g.edges.kind == TRANSITION)
        keys = zip(g.nodes.clip[g.edges.start[rows]], g.nodes.time[g.edges.start[rows]].round(3), strict=True)
        ends = zip(g.nodes.clip[g.edges.stop[rows]], g.nodes.time[g.edges.stop[rows]].round(3), strict=True)
        return {(a, b): g.edges.displacement[row] for a, b, row in zip(keys, ends, rows, strict=True)}

    here, there = ways(graph), ways(moved)
    shared = here.keys() & there.keys()
    assert len(shared) > 0.98 * max(len(here), len(there))  # minima that are nearly equal may fall either way
    apart = np.array([here[key] - there[key] for key in shared])
    assert np.abs(apart[:, :2]).max() < 1e-3
    assert np.abs(angles.wrap(apart[:, 2])).max() < 1e-3


def test_short_clips_are_left_out_and_named(walks):
    short = replace(cut(walks["walk_1.35"], 1.0, 1.2), name="snippet")
    graph = build_graph([*walks, short])
    assert len(graph.nodes_of_clip("snippet")) == 0
    assert any("shorter than the window of 0.33 s and left out: snippet" in note for note in graph.notes)


def test_only_short_clips_are_refused(walks):
    with pytest.raises(InvalidValue, match=r"no clip is as long as the window of 0\.333 s .* give longer clips"):
        build_graph([cut(walks["walk_1.35"], 1.0, 1.2)])


def test_a_window_too_short_to_blend_is_refused(walks):
    with pytest.raises(InvalidValue, match="too short to blend; give a window of at least"):
        build_graph(walks, window=0.03)


def test_clips_of_different_skeletons_are_refused(walks):
    with pytest.raises(InvalidClip, match=r"'lamp' has another skeleton than 'walk_1.35'; retarget it first"):
        build_graph([walks["walk_1.35"], glide("lamp", fps=60.0)])


def test_labels_that_exist_nowhere_are_named(walks):
    with pytest.raises(UnknownName, match=r"there is no label 'wolk'\. Close matches: 'walk'"):
        build_graph(walks, labels=["wolk"])


def test_clips_that_join_nowhere_say_so(walks):
    with pytest.raises(InvalidValue, match=r"nothing can go on for ever: under .* raise the threshold"):
        build_graph([cut(walks["start_left_0.90"], 0.0, 1.2)])


def test_what_is_lost_is_noted(performer):
    clips = [performer[name] for name in ("walk_0.90", "walk_1.35", "jog")]
    graph = build_graph(clips)
    assert any("nothing is left of jog" in note for note in graph.notes)
    both = build_graph(clips, labels=["walk", "jog"])
    assert len(both.nodes_of_clip("jog")) > 0
    assert any("no way leads from 'walk' to 'jog'" in note for note in both.notes)
    assert any("no way leads from 'jog' to 'walk'" in note for note in both.notes)


def test_a_share_to_connect_is_reached_or_told(walks):
    graph = build_graph(walks, connect=0.7)
    assert graph.seconds >= 0.69 * graph.library.duration
    assert graph.settings["rule"] == "connect"
    told = build_graph(walks, connect=1.0)
    assert any("no threshold connects 100% of the motion" in note for note in told.notes)


def test_a_percentile_of_the_minima_is_taken(walks):
    graph = build_graph(walks, percentile=10.0)
    assert graph.known == np.inf
    assert (graph.candidates.distance < graph.settings["threshold"]).mean() == pytest.approx(0.1, abs=0.005)


def test_rough_transitions_are_left_out(walks, graph):
    strict = build_graph(walks, roughest=0.12)
    assert strict.edges.seam.max() <= 0.12
    assert strict.settings["too_rough"] > 0
    assert graph.edges.seam.max() > 0.12


def test_progress_runs_to_the_end(walks):
    seen = []
    build_graph(walks, progress=lambda done, total, what: seen.append((done, total, what)))
    assert {what for _, _, what in seen} == {"comparing clips", "joining clips"}
    assert seen[-1] == (1, 1, "joining clips")
    done = [a / b for a, b, what in seen if what == "comparing clips"]
    assert done == sorted(done)


def test_a_stored_library_does_not_change_when_stored_again(walks):
    once = as_stored(walks)
    twice = as_stored(once)
    assert np.array_equal(once.local_rotations, twice.local_rotations)
    assert np.abs(once.local_rotations - walks.local_rotations).max() < 1e-7


def test_rates_that_do_not_divide_work_as_well(walks):
    graph = build_graph(Library.of(list(walks)[:3]), rate=25.0)
    assert graph.settings["blend"] == pytest.approx(7 / 25)
    pieces = graph.edges.rows(graph.edges.kind == PIECE)
    assert graph.nodes.pose[pieces.stop] == pytest.approx(
        graph.poses_at(graph.nodes.clip[pieces.stop], graph.nodes.time[pieces.stop])
    )
