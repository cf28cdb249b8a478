"""Walks and the batch player: concatenation is exact, choices are sound, and a take shows the same bodies."""

import numpy as np
import pytest

from snap_toys import CARRY, WALK, loops, pole_graph, with_dead_end
from twins.snap_play import play_numpy
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.snap_together.playing.player import SnapPlayer, edge_motion, play
from walkon.graphs.snap_together.playing.random_policy import RandomPolicy, endless_edges
from walkon.graphs.walk import walk_along
from walkon.graphs.walk_segments import add_walk, heights_of, segments_of, walk_take
from walkon.motion.body import Body
from walkon.motion.kinematics import forward
from walkon.take.posing.posing import pose_pairs
from walkon.take.storing.writer import TakeWriter
from walkon.take.tables import NONE
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


def places(count, seed=3):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-20, 20, (count, 2)), rng.uniform(-3, 3, count)])


def crowd(graph, count, *, seed=1, **options):
    rng = np.random.default_rng(seed)
    options = {"poses": places(count), "hubs": rng.integers(0, len(graph.hubs), count)} | options
    return SnapPlayer(graph, RandomPolicy(graph, rng), **options)


def first_edges(player, who):
    return player.graph.out_first[player.hubs[who]]


def placed(graph, edge, frame, pose):
    """World places and local rotations of one frame of edges, placed by poses."""
    at = (graph.clips.starts if frame == "first" else graph.clips.stops - 1)[edge]
    rotations = np.array(graph.clips.local_rotations[at])
    rotations[:, 0] = quat.multiply(quat.turn(pose[:, 2]), rotations[:, 0])
    world = forward(graph.clips.skeleton, planar.apply_3d(pose, graph.clips.root_positions[at]), rotations)
    return world.positions, world.rotations


# Walks


def test_concatenation_is_exact_at_cuts(small_snap_graph):
    graph = small_snap_graph
    segments = crowd(graph, 60).advance(60.0)
    cut = np.flatnonzero(segments.character[1:] == segments.character[:-1])
    assert len(cut) > 2000
    before, after = segments.edge[cut], segments.edge[cut + 1]
    assert (graph.edges.stop[before] == graph.edges.start[after]).all()
    np.testing.assert_array_equal(segments.stop[cut], segments.start[cut + 1])
    p, r = placed(graph, before, "last", segments.place[cut, :3])
    q, s = placed(graph, after, "first", segments.place[cut + 1, :3])
    assert np.abs(p - q).max() < 1e-6
    assert quat.angle_between(r, s).max() < 1e-6


def test_walks_become_segments_one_edge_each():
    graph = loops()
    walks = [[0, 3, 1], [6, 7, 5]]
    walk = walk_along(graph, walks, characters=[4, 2], starts=[1.0, 2.0], poses=places(2))
    segments, _, _ = segments_of(graph, walk)
    assert segments.edge.tolist() == segments.clip.tolist() == [0, 3, 1, 6, 7, 5]
    assert segments.character.tolist() == [4, 4, 4, 2, 2, 2]
    np.testing.assert_allclose(segments.start[3:], 2.0 + np.array([0.0, 0.8, 1.2]))
    np.testing.assert_allclose(segments.stop - segments.start, graph.edges.duration[segments.edge])
    assert (segments.clip_start == 0).all() and (segments.rate_start == 1).all() and (segments.rate_stop == 1).all()
    assert len(heights_of(walk)) == 0
    for name in ("warp", "blend", "track", "mark"):
        assert (getattr(segments, name) == NONE).all()
    q = places(2)[0]
    for k, edge in enumerate(walks[0]):
        np.testing.assert_allclose(segments.place[k, :3], q, atol=1e-12)
        q = planar.compose(q, graph.edges.displacement[edge])


@pytest.mark.parametrize(
    ("walks", "match"),
    [
        ([], "at least one edge"),
        ([[0], []], "at least one edge"),
        ([[0, 99]], "numbered 0 to 7, but a walk has 99"),
        ([[-1]], "numbered 0 to 7, but a walk has -1"),
        ([[0.5]], "whole numbers"),
        ([[2, 0], [0, 1]], "edge 1 does not start where edge 0 stops .b., so they are no walk"),
    ],
)
def test_what_is_no_walk_is_refused(walks, match):
    with pytest.raises(InvalidValue, match=match):
        walk_along(loops(), walks)


def test_walks_join_a_take_that_is_being_written(small_snap_graph):
    graph = small_snap_graph
    first = int(graph.between(0, 1)[0])
    walk = [first, int(graph.between(1, 0)[0])]
    writer = TakeWriter()
    body = writer.add_body(Body.of(graph.source.skeleton))
    who = writer.add_characters(["ann", "bob"], body=body)
    add_walk(writer, walk_along(graph, [walk, walk], characters=who, poses=places(2)), graph=graph)
    add_walk(writer, walk_along(graph, [[first]], characters=[1], starts=30.0), graph=graph)
    take = writer.close()
    assert len(take.clips) == 2  # each edge is stored once
    assert take.segments.edge.tolist().count(first) == 3
    assert take.clips.names[take.segments.clip[0]] == graph.clips.names[take.segments.edge[0]]


def test_a_take_shows_the_same_bodies_as_the_player(small_snap_graph):
    graph = small_snap_graph
    player = crowd(graph, 12)
    segments = player.advance(8.0)
    writer = TakeWriter()
    body = writer.add_body(Body.of(graph.source.skeleton))
    writer.add_characters([str(n) for n in range(12)], body=body)
    add_walk(writer, segments, graph=graph)
    take = writer.close()
    times = np.linspace(0.0, 8.0, 97)
    played = player.frames(times, positions=True)
    who, when = np.tile(np.arange(12), len(times)), np.repeat(times, 12)
    bare = pose_pairs(take, who, when, legs=False)
    apart = np.linalg.norm(bare.positions.reshape(played.positions.shape) - played.positions, axis=-1)
    assert apart.max() < 1e-3
    # Edges keep their feet themselves, so planting changes little.
    planted = pose_pairs(take, who, when)
    moved = np.linalg.norm(planted.positions.reshape(played.positions.shape) - played.positions, axis=-1)
    assert moved.max() < 5e-3


def test_a_walk_take_has_a_character_for_each_walk(small_snap_graph):
    walk = small_snap_graph.between(0, 1)[:1]
    take = walk_take(small_snap_graph, [walk, walk], starts=[0.0, 1.0], poses=places(2))
    assert take.names == ("0", "1")
    np.testing.assert_allclose(take.pose(1.0).planar[1], places(2)[1], atol=1e-3)


# Bodies


def test_the_kernel_does_what_its_twin_does(small_snap_graph):
    player = crowd(small_snap_graph, 9, starts=np.linspace(0, 2, 9))
    player.advance(6.0)
    walk = player._log
    motion = edge_motion(small_snap_graph)
    cuts = walk.start[(walk.start > 0) & (walk.start <= 6)][:5]
    times = np.sort(np.concatenate([np.linspace(0, 6, 61), cuts, np.nextafter(cuts, 0)]))
    for mine, twin in zip(
        play(motion, walk, count=9, times=times), play_numpy(motion, walk, count=9, times=times), strict=True
    ):
        np.testing.assert_allclose(mine, twin, rtol=0, atol=1e-12)
        assert np.isnan(mine).any() and not np.isnan(mine).all()


def test_frames_follow_the_arcs():
    graph = pole_graph([(0, 0, 1.0, 0.5, 0)], hubs=("a",))
    player = SnapPlayer(graph, first_edges, poses=[0.0, 0.0, 0.0])
    player.advance(10.0)
    times = np.linspace(0, 10, 101)
    played = player.frames(times, positions=True)
    heading = 0.5 * times
    circle = np.column_stack([np.sin(heading), 1 - np.cos(heading)]) / 0.5
    np.testing.assert_allclose(played.roots[:, 0, :2], circle, atol=1e-4)  # chords between frames
    turned = quat.angle_between(played.rotations[:, 0, 0], quat.turn(heading))
    assert turned.max() < 1e-4
    np.testing.assert_allclose(played.positions[:, 0, 1, 2], 1.8, atol=1e-9)


def test_nobody_is_there_before_the_start():
    player = SnapPlayer(loops(), first_edges, poses=places(3), starts=[0.0, 0.5, 5.0])
    segments = player.advance(1.0)
    assert set(segments.character.tolist()) == {0, 1}
    played = player.frames([0.0, 0.49, 0.5, 1.0], positions=True)
    np.testing.assert_array_equal(np.isnan(played.roots[..., 0]), [[0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1]])
    assert np.isnan(played.positions[:, 2]).all()
    assert player.edges[2] == -1 and player.hubs[2] == 0
    assert set(player.advance(6.0).character.tolist()) == {0, 1, 2}


def test_threads_do_not_change_a_bit(small_snap_graph, monkeypatch):
    player = crowd(small_snap_graph, 300)
    player.advance(2.0)
    times = np.arange(60) / 30
    monkeypatch.setenv("WALKON_THREADS", "1")
    one = player.frames(times)
    monkeypatch.setenv("WALKON_THREADS", "3")
    three = player.frames(times)
    np.testing.assert_array_equal(one.rotations, three.rotations)
    np.testing.assert_array_equal(one.roots, three.roots)


def test_memory_can_be_used_again():
    player = crowd(loops(), 7)
    player.advance(2.0)
    earlier = player.frames([0.0, 0.5])
    wanted = player.frames([1.0, 1.9])
    found = player.frames([1.0, 1.9], out=earlier, positions=True)
    assert found.roots is earlier.roots and found.rotations is earlier.rotations
    np.testing.assert_array_equal(found.roots, wanted.roots)
    np.testing.assert_array_equal(found.rotations, wanted.rotations)
    with pytest.raises(InvalidValue, match=r"float64 \(3, 7, 3\), got float64 \(2, 7, 3\)"):
        player.frames([1.0, 1.2, 1.4], out=earlier)


# Time


def test_state_is_that_of_the_last_choice():
    graph = loops()
    player = SnapPlayer(graph, first_edges, poses=places(2), hubs=["a", "c"], starts=1.0, characters=[7, 8])
    assert (player.time, player.edges.tolist(), player.hubs.tolist()) == (1.0, [-1, -1], [0, 2])
    segments = player.advance(2.0)
    assert segments.character.tolist() == [7, 7, 8, 8]
    assert player.edges.tolist() == segments.edge[[1, 3]].tolist()
    np.testing.assert_array_equal(player.poses, segments.place[[1, 3], :3])
    np.testing.assert_array_equal(player.starts, segments.start[[1, 3]])
    np.testing.assert_array_equal(player.stops, segments.stop[[1, 3]])
    assert player.choices.tolist() == [2, 2]
    assert (player.stops > 2.0).all()
    with pytest.raises(ValueError, match="read-only"):
        player.edges[0] = 3
    assert "2 characters at 2 s" in repr(player)


def test_it_does_not_matter_how_time_is_cut_up(small_snap_graph):
    whole = crowd(small_snap_graph, 40).advance(20.0)
    player = crowd(small_snap_graph, 40)
    parts = [player.advance(t) for t in (0.0, 0.1, 3.0, 3.0, 11.7, 20.0)]
    joined = type(whole).joined(parts)
    order = np.lexsort((joined.start, joined.character))
    for name, values in whole.columns.items():
        np.testing.assert_array_equal(values, getattr(joined, name)[order], err_msg=name)


def test_the_same_seed_gives_the_same_walks_and_another_one_others(small_snap_graph):
    one, two, other = (crowd(small_snap_graph, 40, hubs=0, seed=seed).advance(20.0) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.edge, two.edge)
    np.testing.assert_array_equal(one.place, two.place)
    assert not np.array_equal(one.edge[:40], other.edge[:40])


def test_a_character_does_not_depend_on_the_others(small_snap_graph):
    graph = small_snap_graph
    many = crowd(graph, 40, hubs=0).advance(20.0)
    few = crowd(graph, 3, hubs=0, poses=places(40)[:3], seed=1)
    # The seed is drawn after the hubs, which are given here: both policies have the same one.
    rng = np.random.default_rng(1)
    rng.integers(0, len(graph.hubs), 40)
    few.policy = RandomPolicy(graph, rng)
    mine = few.advance(20.0)
    np.testing.assert_array_equal(mine.edge, many.edge[many.character < 3])


def test_frames_outside_the_last_advance_are_refused():
    player = SnapPlayer(loops(), first_edges, poses=places(2))
    player.advance(3.0)
    player.frames([0.0, 3.0])
    player.advance(4.0)
    assert np.isfinite(player.frames([3.0, 3.5, 4.0]).roots).all()
    for times in ([2.9], [4.1], [3.5, 9.0]):
        with pytest.raises(InvalidValue, match="between 3 s and 4 s"):
            player.frames(times)
    with pytest.raises(InvalidValue, match="times must be finite"):
        player.frames([np.nan])


@pytest.mark.parametrize("until", [0.9, -1.0, np.nan, np.inf])
def test_time_goes_on(until):
    player = SnapPlayer(loops(), first_edges, poses=places(2))
    player.advance(1.0)
    with pytest.raises(InvalidValue, match="time goes on: it is 1 s"):
        player.advance(until)


def test_a_failing_policy_leaves_everybody_where_they_were():
    def fails_later(player, who):
        if player.choices.max() > 2:
            raise RuntimeError("no idea")
        return first_edges(player, who)

    player = SnapPlayer(loops(), fails_later, poses=places(5))
    player.advance(1.0)
    before = [np.array(values) for values in (player.edges, player.poses, player.stops, player.choices)]
    with pytest.raises(RuntimeError):
        player.advance(60.0)
    for values, old in zip((player.edges, player.poses, player.stops, player.choices), before, strict=True):
        np.testing.assert_array_equal(values, old)
    assert player.time == 1.0
    player.policy = first_edges
    assert len(player.advance(60.0)) > 100


@pytest.mark.parametrize(
    ("policy", "match"),
    [
        (lambda player, who: np.zeros(1, int), "an edge for each of the 2 characters"),
        (lambda player, who: np.zeros(len(who)), "an edge for each of the 2 characters, got float64"),
        (lambda player, who: np.full(len(who), -1), "numbered 0 to 7"),
        (lambda player, who: np.full(len(who), 4), "character 0 is at the hub a, but the policy chose edge 4, which"),
    ],
)
def test_what_a_policy_says_is_checked(policy, match):
    with pytest.raises(InvalidValue, match=match):
        SnapPlayer(loops(), policy, poses=places(2)).advance(1.0)


def test_bad_beginnings_are_refused():
    graph = loops()
    with pytest.raises(UnknownName, match="there is no hub 'd'"):
        SnapPlayer(graph, first_edges, poses=places(2), hubs="d")
    with pytest.raises(InvalidValue, match="hubs must be one for all or one for each of 2"):
        SnapPlayer(graph, first_edges, poses=places(2), hubs=[0, 1, 2])
    with pytest.raises(InvalidValue, match="starts must be finite"):
        SnapPlayer(graph, first_edges, poses=places(2), starts=np.nan)
    with pytest.raises(InvalidValue, match="poses must be finite"):
        SnapPlayer(graph, first_edges, poses=[np.nan, 0, 0])


def test_nobody_at_all_is_a_crowd_too():
    player = SnapPlayer(loops(), first_edges, poses=np.zeros((0, 3)))
    assert len(player.advance(1.0)) == 0
    assert player.frames([0.5], positions=True).positions.shape == (1, 0, 2, 3)


# Choices


def test_random_walks_of_ten_minutes_never_end(small_snap_graph):
    for graph in (small_snap_graph, loops()):
        core = np.flatnonzero(graph.core)
        player = crowd(graph, 20 * len(core), hubs=np.repeat(core, 20))
        segments = player.advance(600.0)
        assert (player.stops > 600.0).all()
        assert set(segments.edge.tolist()) == set(range(len(graph.edges)))  # and everything is played


def test_dead_ends_are_avoided():
    graph = with_dead_end()
    assert endless_edges(graph).tolist() == [True, True, False, False]
    player = crowd(graph, 30, hubs=[0, 1] * 15)
    assert set(player.advance(60.0).edge.tolist()) == {0, 1}
    with pytest.raises(InvalidValue, match="no edge goes on for ever from the hub c; begin at another hub"):
        crowd(graph, 1, hubs="c").advance(1.0)


def test_a_way_into_the_core_is_taken():
    graph = pole_graph([(0, 1, 0.5, 0.0, WALK), (1, 0, 0.5, 0.1, WALK), (2, 0, 0.5, 0.0, 0), (2, 2, 0.5, 0.0, 0)])
    player = crowd(graph, 50, hubs="c")
    player.advance(60.0)
    assert set(player.hubs.tolist()) <= {0, 1}


def test_labels_make_subgraphs():
    graph = loops()
    rng = np.random.default_rng(0)
    carrying = RandomPolicy(graph, rng, labels="carry")
    segments = SnapPlayer(graph, carrying, poses=places(10), hubs="c").advance(30.0)
    assert (graph.edges.common[segments.edge] & CARRY).all()
    both = RandomPolicy(graph, rng, labels=("carry", "walk"))
    segments = SnapPlayer(graph, both, poses=places(10), hubs="c").advance(30.0)
    assert set(segments.edge.tolist()) == {7}
    with pytest.raises(InvalidValue, match="no edge with the labels carry goes on for ever from the hub a"):
        SnapPlayer(graph, carrying, poses=places(1), hubs="a").advance(1.0)
    with pytest.raises(UnknownName, match="label 'swim'"):
        RandomPolicy(graph, rng, labels="swim")


def test_edges_come_as_often_as_they_weigh():
    graph = loops()
    weights = np.array([1.0, 3.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    policy = RandomPolicy(graph, np.random.default_rng(5), weights=weights)
    counts = np.bincount(SnapPlayer(graph, policy, poses=places(200)).advance(120.0).edge, minlength=8)
    assert counts[4:].sum() == 0
    assert counts[1] / counts[0] == pytest.approx(3.0, rel=0.05)
    assert counts[2] / counts[3] == pytest.approx(1.0, rel=0.05)


def test_weights_that_lead_nowhere_are_avoided():
    graph = loops()
    weights = np.ones(8)
    weights[5:] = 0.0  # nothing leaves c, so nobody may go there
    policy = RandomPolicy(graph, np.random.default_rng(5), weights=weights)
    segments = SnapPlayer(graph, policy, poses=places(20)).advance(60.0)
    assert set(segments.edge.tolist()) == {0, 1, 2, 3}
    with pytest.raises(InvalidValue, match="must not be negative, got -1 for edge 2"):
        RandomPolicy(graph, np.random.default_rng(5), weights=[1, 1, -1, 1, 1, 1, 1, 1])
    with pytest.raises(InvalidValue, match="weights must have shape"):
        RandomPolicy(graph, np.random.default_rng(5), weights=[1, 1])


def test_a_policy_belongs_to_its_graph():
    policy = RandomPolicy(loops(), np.random.default_rng(0))
    with pytest.raises(InvalidValue, match="another graph"):
        SnapPlayer(loops(), policy, poses=places(1)).advance(1.0)
