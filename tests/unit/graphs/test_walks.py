from dataclasses import replace

import numpy as np
import pytest
from toy_graphs import toy

from walkon._base.errors import InvalidValue
from walkon.capture.build import planted_drift
from walkon.graphs.motion_graph import PIECE, TRANSITION
from walkon.graphs.random_walks import random_walk, random_walks
from walkon.graphs.snap_together import RandomPolicy, SnapPlayer
from walkon.graphs.walk import walk_along
from walkon.graphs.walk_segments import add_walk, heights_of, segments_of, walk_clip, walk_take
from walkon.motion.body import Body
from walkon.motion.clip import Event
from walkon.take.posing.posing import pose_pairs
from walkon.take.storing.writer import TakeWriter
from walkon.transforms import angles, planar


@pytest.fixture(scope="module")
def walk(graph):
    return random_walk(graph, np.random.default_rng(4), duration=15.0)


@pytest.fixture(scope="module")
def clip(graph, walk):
    return walk_clip(graph, walk)


def times_of(graph, walk):
    return np.concatenate([[0.0], np.cumsum(graph.edges.duration[walk])])


def test_the_posed_body_is_where_the_plan_says(graph, walk):
    start = np.array([3.0, -2.0, 2.5])
    take = walk_take(graph, [walk], poses=start)
    planned = walk_along(graph, [walk], poses=start).place[:, :3]
    posed = take.sample(times_of(graph, walk)[:-1]).planar[:, 0]
    assert np.abs(posed[:, :2] - planned[:, :2]).max() < 2e-4
    assert np.abs(angles.difference(posed[:, 2], planned[:, 2])).max() < 2e-3
    assert planned[0] == pytest.approx(start)


def test_alignment_is_accumulated_edge_by_edge(graph, walk):
    poses = [np.array([1.0, 1.0, 1.0])]
    for edge in walk[:-1]:
        poses.append(planar.compose(poses[-1], graph.edges.displacement[edge]))
    planned = walk_along(graph, [walk], poses=poses[0]).place[:, :3]
    assert planned[:, :2] == pytest.approx(np.array(poses)[:, :2], abs=1e-9)
    assert np.abs(angles.difference(planned[:, 2], np.array(poses)[:, 2])).max() < 1e-9


def test_segments_begin_with_transitions_and_join_without_gaps(graph, walk):
    segments, _, blends = segments_of(graph, walk_along(graph, [walk], starts=2.0))
    jumps = int(np.count_nonzero(graph.edges.kind[walk] == TRANSITION))
    begins_with_piece = graph.edges.kind[walk[0]] == PIECE
    assert len(segments) == jumps + begins_with_piece
    assert len(blends) == jumps
    assert segments.start[0] == 2.0
    assert np.array_equal(segments.start[1:], segments.stop[:-1])
    assert segments.stop[-1] == pytest.approx(2.0 + times_of(graph, walk)[-1])


def test_at_a_seam_the_old_and_the_new_segment_agree(graph, walk):
    take = walk_take(graph, [walk])
    seams = take.segments.start[1:]
    before = pose_pairs(take, np.zeros(len(seams), int), seams - 1e-5, legs=False)
    after = pose_pairs(take, np.zeros(len(seams), int), seams + 1e-5, legs=False)
    assert np.linalg.norm(before.positions - after.positions, axis=-1).max() < 1e-3


def test_many_walks_at_once_are_the_same_as_one_by_one(graph):
    rng = np.random.default_rng(8)
    walks = random_walks(graph, rng, starts=rng.integers(0, len(graph.nodes), 9), duration=6.0)
    poses = np.column_stack([rng.normal(size=(9, 2)), rng.uniform(-3, 3, 9)])
    starts = np.arange(9) * 0.5
    all_segments, _, all_blends = segments_of(graph, walk_along(graph, walks, starts=starts, poses=poses))
    first = 0
    for who in range(9):
        mine = all_segments.rows(all_segments.character == who)
        one = walk_along(graph, [walks[who]], characters=who, starts=starts[who], poses=poses[who])
        segments, _, blends = segments_of(graph, one)
        assert mine.place == pytest.approx(segments.place, abs=1e-9)
        assert mine.start == pytest.approx(segments.start, abs=1e-9)
        assert np.array_equal(mine.clip, segments.clip)
        assert np.array_equal(np.where(mine.blend >= 0, mine.blend - first, -1), segments.blend)
        first += len(blends)
    assert first == len(all_blends)


def test_a_crowd_in_one_take_shares_its_clips(graph):
    rng = np.random.default_rng(9)
    walks = random_walks(graph, rng, starts=rng.integers(0, len(graph.nodes), 12), duration=4.0)
    writer = TakeWriter(fps=60.0)
    body = writer.add_body(Body.of(graph.library.skeleton))
    who = writer.add_characters([f"p{i}" for i in range(12)], body=body)
    add_walk(writer, walk_along(graph, walks[:6], characters=who[:6]), graph=graph)
    add_walk(writer, walk_along(graph, walks[6:], characters=who[6:], starts=1.0), graph=graph)
    take = writer.close()
    assert len(take.clips) <= len(graph.library)
    assert len(set(take.clips.names)) == len(take.clips.names)
    assert take.duration >= 4.9


def test_a_walk_becomes_a_clip_at_the_librarys_rate(graph, walk, clip):
    seconds = times_of(graph, walk)[-1]
    assert clip.fps == graph.library.fps
    assert abs(clip.duration - seconds) <= 1 / clip.fps
    assert clip.contacts.any(axis=1).mean() > 0.5
    assert planted_drift(clip) < 0.003
    assert clip.planar_poses[0] == pytest.approx([0.0, 0.0, 0.0], abs=2e-3)


def test_labels_are_united_in_blends(graph):
    differ = np.flatnonzero((graph.edges.kind == TRANSITION) & (graph.edges.labels != graph.edges.common))
    edge = int(differ[0])
    after = int(graph.out_edges(int(graph.edges.stop[edge]))[0])
    made = walk_clip(graph, [edge, after])
    inside = slice(1, round(graph.settings["blend"] * made.fps) - 1)
    for bit, label in enumerate(graph.library.label_names):
        if graph.edges.common[edge] >> bit & 1:
            assert made.labels[label][inside].all()
        elif not graph.edges.labels[edge] >> bit & 1:
            assert label not in made.labels or not made.labels[label][inside].any()


def test_events_come_along_at_their_moment(graph):
    row = int(np.flatnonzero((graph.edges.kind == TRANSITION) & (graph.out_degree[graph.edges.stop] > 0))[5])
    a, b = int(graph.edges.start[row]), int(graph.edges.stop[row])
    w = graph.settings["blend"]
    events = [[] for _ in graph.library.names]
    # Each clip has one event in either half of the blend: A's first and B's second are heard.
    for node, begin, kind in ((a, 0.0, "old"), (b, -w, "new")):
        for part in (0.25, 0.75):
            time = float(graph.nodes.time[node]) + begin + part * w
            events[graph.nodes.clip[node]].append(Event(time=time, kind=f"{kind} {part}"))
    marked = replace(graph, library=replace(graph.library, events=tuple(map(tuple, events))))
    made = walk_clip(marked, [row])
    found = {event.kind: event.time for event in made.events}
    assert found["old 0.25"] == pytest.approx(0.25 * w)
    assert found["new 0.75"] == pytest.approx(0.75 * w)
    if graph.nodes.clip[a] != graph.nodes.clip[b]:
        assert set(found) == {"old 0.25", "new 0.75"}


@pytest.mark.parametrize(
    ("walks", "words"),
    [
        ([[]], "needs at least one edge"),
        ([], "needs at least one edge"),
        ([[0.5]], "a list of whole numbers"),
        ([[99]], "numbered 0 to 2, but a walk has 99"),
        ([[0, 0]], r"edge 0 does not start where edge 0 stops \(node 1\)"),
    ],
)
def test_what_is_no_walk_is_refused(walks, words):
    links = [(0, 1, "piece", []), (1, 2, "piece", []), (2, 0, "transition", [])]
    with pytest.raises(InvalidValue, match=words):
        walk_along(toy([(0, 1.0), (0, 2.0), (0, 3.0)], links), walks)


# Cutting


def posed(graph, walk, times):
    take = walk_take(graph, walk)
    return take.sample(times).positions


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_cut_at_random_moments_gives_the_same_poses(graph, seed):
    rng = np.random.default_rng(seed)
    walks = random_walks(graph, rng, starts=rng.integers(0, len(graph.nodes), 2), duration=5.0)
    whole = walk_along(graph, walks, poses=[[1.0, 2.0, 3.0], [-4.0, 0.0, 1.0]], starts=[0.0, 0.3])
    moments = rng.uniform(0.0, 5.5, 40)
    cut = whole.cut(moments)
    assert len(cut) > len(whole) + 40
    times = np.sort(np.concatenate([rng.uniform(0.3, 5.0, 60), moments[(moments > 0.3) & (moments < 5.0)]]))
    np.testing.assert_allclose(posed(graph, cut, times), posed(graph, whole, times), atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_on_hubs_cut_at_random_moments_gives_the_same_poses(small_snap_graph, seed):
    """With changing rates and displacements: the parts have the values and slopes of the whole where it is cut."""
    rng, graph = np.random.default_rng(seed), small_snap_graph
    player = SnapPlayer(graph, RandomPolicy(graph, rng), poses=np.zeros((1, 3)))
    whole = player.advance(6.0)
    n = len(whole)
    rate = rng.uniform(0.8, 1.25, (n, 2))
    stop = np.cumsum(graph.edges.duration[whole.edge] / rate.mean(axis=1))
    offset, slope = rng.normal(0.0, 0.02, (n + 1, 3)), rng.normal(0.0, 0.02, (n + 1, 3))
    whole = whole.with_columns(
        start=np.append(0.0, stop[:-1]),
        stop=stop,
        rate=rate,
        offset=np.stack([offset[:-1], offset[1:]], axis=1),
        slope=np.stack([slope[:-1], slope[1:]], axis=1),
    )
    cut = whole.cut(rng.uniform(0.0, stop[-1], 25))
    assert len(cut) == n + 25
    np.testing.assert_array_equal(cut.start[1:], cut.stop[:-1])
    times = rng.uniform(0.0, stop[-1], 80)
    a, b = (pose_pairs(walk_take(graph, walk), np.zeros(80, int), times, legs=False) for walk in (cut, whole))
    np.testing.assert_allclose(a.positions, b.positions, atol=2e-6)
    apart = np.linalg.norm(posed(graph, cut, times) - posed(graph, whole, times), axis=-1)
    assert apart.max() < 2e-3  # feet are planted for each part that shows a contact


def test_what_is_played_before_a_time_ends_there(small_snap_graph):
    graph = small_snap_graph
    whole = SnapPlayer(graph, RandomPolicy(graph, np.random.default_rng(0)), poses=np.zeros((3, 3))).advance(5.0)
    first = whole.before(3.21)
    assert first.stop.max() == 3.21
    assert (first.start < 3.21).all()
    assert first.duration == pytest.approx(3 * 3.21)
    assert len(whole.before(99.0)) == len(whole)


def test_a_walk_that_begins_within_a_transition_is_refused(graph, walk):
    whole = walk_along(graph, [walk])
    row = int(np.flatnonzero(graph.edges.kind[whole.edge] == TRANSITION)[0])
    middle = 0.5 * (whole.start[row] + whole.stop[row])
    cut = whole.cut([middle])
    with pytest.raises(InvalidValue, match="cannot begin within a transition"):
        segments_of(graph, cut.rows(cut.start >= middle))
    late, _, _ = segments_of(graph, whole.rows(slice(row, None)))
    assert late.start[0] == whole.start[row]


def test_a_piece_may_be_played_from_its_middle_on(graph, walk):
    whole = walk_along(graph, [walk])
    row = int(np.flatnonzero(graph.edges.kind[whole.edge] == PIECE)[0])
    middle = 0.5 * (whole.start[row] + whole.stop[row])
    rest = whole.cut([middle])
    rest = rest.rows(rest.start >= middle)
    times = np.linspace(middle, whole.stop[-1], 50)
    a, b = (pose_pairs(walk_take(graph, one), np.zeros(50, int), times, legs=False) for one in (rest, whole))
    np.testing.assert_allclose(a.positions, b.positions, atol=1e-6)


def test_heights_are_accumulated_and_carried(small_snap_graph):
    graph = small_snap_graph
    edges = graph.edges.with_columns(displacement=graph.edges.displacement + np.array([0.0, 0.0, 0.0, 0.15]))
    stairs = replace(graph, edges=edges)
    one = int(stairs.between(0, 1)[0])
    back = int(stairs.between(1, 0)[0])
    walk = walk_along(stairs, [[one, back, one]], poses=[[1.0, 2.0, 0.0, 3.0]])
    np.testing.assert_allclose(walk.place[:, 3], [3.0, 3.15, 3.3])
    np.testing.assert_allclose(heights_of(walk).height, [3.0, 3.0, 3.15, 3.15, 3.3, 3.3])
    np.testing.assert_allclose(heights_of(walk).time, np.stack([walk.start, walk.stop], axis=1).ravel())
