"""The laws of snap-together graphs: what must not change when clips are moved, reordered, or built by more threads."""

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from snap_libraries import performances, performer, performer_graph, walkers
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.matching.match_sets import grow
from walkon.motion.editing import move
from walkon.motion.library import Library
from walkon.transforms import planar
from walkon.transforms import quaternions as quat

TENTH_OF_A_MILLIMETRE = 1e-4
ARRAYS = ("roots", "rotations", "root_velocities", "angular_velocities", "contacts", "displacements", "planar")


def edge_keys(graph):
    """Edges by where they come from: the order that does not depend on numbers."""
    source = [graph.source.names[c] for c in graph.matches.clip[graph.edges.first_match]]
    begin, end = (graph.matches.frame[m] for m in (graph.edges.first_match, graph.edges.last_match))
    names = graph.hub_names
    return [
        (names[a], names[b], clip, int(f), int(g))
        for a, b, clip, f, g in zip(graph.edges.start, graph.edges.stop, source, begin, end, strict=True)
    ]


def assert_same_graph(a, b, *, tolerance=TENTH_OF_A_MILLIMETRE):
    assert set(a.hub_names) == set(b.hub_names)
    hubs = [b.hub(name) for name in a.hub_names]
    assert a.roots == pytest.approx(b.roots[hubs], abs=tolerance)
    assert quat.angle_between(a.rotations, b.rotations[hubs]).max() < tolerance
    keys, others = edge_keys(a), edge_keys(b)
    assert sorted(keys) == sorted(others)
    order = [others.index(key) for key in keys]
    assert np.abs(planar.relative(a.edges.displacement, b.edges.displacement[order])).max() < tolerance
    assert np.array_equal(a.edges.duration, b.edges.duration[order])
    for e, f in enumerate(order):
        one, other = a.clip(e), b.clip(f)
        assert np.array_equal(one.contacts, other.contacts)
        assert one.world.positions == pytest.approx(other.world.positions, abs=10 * tolerance)


UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Every try builds a graph: looking for a simpler failing case would take minutes and make none."""
places = st.tuples(st.floats(-200, 200), st.floats(-200, 200), st.floats(-3.2, 3.2))


@settings(max_examples=3, deadline=None, phases=UNSHRUNK)
@given(st.lists(places, min_size=4, max_size=4))
@example([(0.0, 38.08156060169233, 0.0), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)])
def test_a_graph_does_not_change_when_clips_are_turned_and_slid_along_the_floor(where):
    clips = [move(clip, np.array(place)) for clip, place in zip(performances(), where, strict=True)]
    moved = build_snap_graph(Library.of(clips))
    assert moved.hub_names == performer_graph().hub_names
    assert_same_graph(moved, performer_graph())


def test_a_graph_does_not_depend_on_the_order_of_clips():
    for order in ((3, 2, 1, 0), (2, 0, 3, 1)):
        turned = build_snap_graph(Library.of([performances()[k] for k in order]))
        assert_same_graph(turned, performer_graph())


def test_walking_hubs_do_not_depend_on_the_order_of_clips():
    order = (2, 1, 0)
    here = build_snap_graph(walkers())
    there = build_snap_graph(Library.of([walkers()["fast"], walkers()["slow"]]))
    assert_same_graph(here, there)
    frames = compared(performer())
    turned = compared(Library.of([performances()[k] for k in order]))
    seed = 60
    a = grow(frames, seed, threshold=0.05)
    b = grow(turned, int(turned.starts[2]) + seed, threshold=0.05)
    names = [
        {(f.names[int(f.clips_of(k))], round(float(f.times[k]), 6)) for k in s.frames}
        for f, s in ((frames, a), (turned, b))
    ]
    assert {key for key in names[0] if key[0] != "sit"} == names[1]


def test_the_same_input_gives_the_same_bits(monkeypatch):
    graphs = []
    for threads in (1, 2):
        monkeypatch.setenv("WALKON_THREADS", str(threads))
        with threadpool_limits(threads):
            graphs.append(build_snap_graph(performer()))
    one, two = graphs
    for name in (*ARRAYS, "footprints"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    for name in one.edges.columns:
        assert np.array_equal(one.edges.columns[name], two.edges.columns[name]), name
    for name in one.matches.columns:
        assert np.array_equal(one.matches.columns[name], two.matches.columns[name]), name
    assert np.array_equal(one.clips.local_rotations, two.clips.local_rotations)
    assert np.array_equal(one.clips.root_positions, two.clips.root_positions)
    assert one.notes == two.notes
    assert one.clips.names == two.clips.names


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), places)
def test_any_walk_is_continuous_where_edges_meet(seed, place):
    """Place, play, update the transform: joints before and after every cut are in one place."""
    graph, rng = performer_graph(), np.random.default_rng(seed)
    hub, q = int(rng.integers(len(graph.hubs))), np.array(place)
    last = None
    for _ in range(6):
        edge = int(rng.choice(graph.out_edges(hub)))
        clip = move(graph.clip(edge), q)
        if last is not None:
            assert clip.world.positions[0] == pytest.approx(last.world.positions[-1], abs=1e-6)
            apart = quat.multiply(quat.conjugate(last.world.rotations[-1]), clip.world.rotations[0])
            assert 2 * np.linalg.norm(apart[..., 1:], axis=-1).max() < 1e-6
            # A point that is planted before and after the cut does not move.
            held = last.contacts[-1] & clip.contacts[0]
            assert np.array_equal(last.contacts[-1], clip.contacts[0])
            assert clip.contact_positions[0, held] == pytest.approx(last.contact_positions[-1, held], abs=1e-6)
        q = planar.compose(q, graph.edges.displacement[edge])
        hub, last = int(graph.edges.stop[edge]), clip


@settings(max_examples=20, deadline=None)
@given(st.integers(12, 160), st.floats(0.02, 0.2), st.floats(0.0, 1.0))
def test_a_larger_threshold_never_loses_the_nearest_and_spacing_always_holds(seed, threshold, spacing):
    frames = compared(performer())
    found, wider = (grow(frames, seed, threshold=t, spacing=spacing) for t in (threshold, 2 * threshold))
    assert len(wider.frames) >= len(found.frames)
    assert set(found.frames.tolist()) <= set(wider.frames.tolist())  # nearest first: what was taken is taken again
    assert (found.distances <= threshold).all()
    for one in (found, wider):
        same = np.diff(frames.clips_of(one.frames)) == 0
        assert (np.diff(one.frames)[same] >= spacing * frames.rate - 1e-6).all()


def test_turned_about_a_full_circle_nothing_changes():
    place = np.array([0.0, 0.0, 2 * np.pi])
    turned = build_snap_graph(Library.of([move(clip, place) for clip in performances()]))
    assert_same_graph(turned, performer_graph(), tolerance=1e-6)
