from dataclasses import replace

import numpy as np
import pytest
from toy_graphs import toy

from walkon._base.errors import InvalidValue
from walkon.capture.build import planted_drift
from walkon.graphs.motion_graph import PIECE, TRANSITION
from walkon.graphs.random_walks import random_walk, random_walks
from walkon.graphs.walk_clips import walk_clip
from walkon.graphs.walks import add_walks, poses_along, walk_take, walks_as_segments
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
    planned = poses_along(graph, [walk], poses=start)
    posed = take.sample(times_of(graph, walk)[:-1]).planar[:, 0]
    assert np.abs(posed[:, :2] - planned[:, :2]).max() < 2e-4
    assert np.abs(angles.difference(posed[:, 2], planned[:, 2])).max() < 2e-3
    assert planned[0] == pytest.approx(start)


def test_alignment_is_accumulated_edge_by_edge(graph, walk):
    poses = [np.array([1.0, 1.0, 1.0])]
    for edge in walk[:-1]:
        poses.append(planar.compose(poses[-1], graph.edges.displacement[edge]))
    planned = poses_along(graph, [walk], poses=poses[0])
    assert planned[:, :2] == pytest.approx(np.array(poses)[:, :2], abs=1e-9)
    assert np.abs(angles.difference(planned[:, 2], np.array(poses)[:, 2])).max() < 1e-9


def test_segments_begin_with_transitions_and_join_without_gaps(graph, walk):
    segments, blends = walks_as_segments(graph, [walk], starts=2.0)
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
    before = pose_pairs(take.score, np.zeros(len(seams), int), seams - 1e-5, legs=False)
    after = pose_pairs(take.score, np.zeros(len(seams), int), seams + 1e-5, legs=False)
    assert np.linalg.norm(before.positions - after.positions, axis=-1).max() < 1e-3


def test_many_walks_at_once_are_the_same_as_one_by_one(graph):
    rng = np.random.default_rng(8)
    walks = random_walks(graph, rng, starts=rng.integers(0, len(graph.nodes), 9), duration=6.0)
    poses = np.column_stack([rng.normal(size=(9, 2)), rng.uniform(-3, 3, 9)])
    starts = np.arange(9) * 0.5
    all_segments, all_blends = walks_as_segments(graph, walks, characters=np.arange(9), starts=starts, poses=poses)
    first = 0
    for who in range(9):
        mine = all_segments.rows(all_segments.character == who)
        segments, blends = walks_as_segments(graph, [walks[who]], characters=who, starts=starts[who], poses=poses[who])
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
    add_walks(writer, walks[:6], graph=graph, characters=who[:6])
    add_walks(writer, walks[6:], graph=graph, characters=who[6:], starts=1.0)
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
        walks_as_segments(toy([(0, 1.0), (0, 2.0), (0, 3.0)], links), walks)
