import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.walk import walk_along
from walkon.graphs.walk_segments import segments_of
from walkon.synthesis import Path, PathFollower, follow_path

CLIPS = (
    glide("straight", 0.0, labels=("walk",)),
    glide("left", 0.6, labels=("walk",)),
    glide("right", -0.6, labels=("walk",)),
    glide("slow", 0.02, speed=0.5, labels=("sneak",)),
    glide("slow left", 0.4, speed=0.5, labels=("sneak",)),
    glide("slow right", -0.4, speed=0.5, labels=("sneak",)),
)
WAVE = Path.through([(0, 0), (3, 0.6), (6, -0.6), (9, 0.5), (12, 0)], rounding=0.8)


@pytest.fixture(scope="module")
def graph():
    return arc_graph(list(CLIPS))


def test_a_path_is_walked_from_end_to_end(graph):
    result = follow_path(graph, WAVE, labels="walk")
    walk_along(graph, [result.walk.edge])
    assert result.worst < 0.25
    assert result.mean < 0.12
    assert result.along[0] < 0.2
    assert result.along[-1] > WAVE.length - 0.3
    assert result.duration == pytest.approx(WAVE.length, abs=1.0)  # everything in these clips is at 1 m/s


def test_the_same_is_found_again_and_points_serve_as_a_path(graph):
    first, again = follow_path(graph, WAVE), follow_path(graph, WAVE.points)
    assert np.array_equal(first.walk.edge, again.walk.edge)
    assert np.array_equal(first.walk.place, again.walk.place)


def test_moving_the_path_moves_the_walk(graph):
    where = (7.0, -3.0, 2.1)
    here, there = follow_path(graph, WAVE, labels="walk"), follow_path(graph, WAVE.moved(where), labels="walk")
    assert there.mean == pytest.approx(here.mean, abs=0.03)
    assert np.linalg.norm(there.track[0] - WAVE.moved(where).at(0.0)) < 0.05


def test_each_part_has_its_motion_and_changes_once_near_the_border(graph):
    result = follow_path(graph, WAVE, labels=[("walk", 4.0), ("sneak", 8.0), ("walk", None)], switch_within=0.8)
    sneaks = graph.edges_with("sneak")[result.walk.edge]
    starts = np.concatenate([[0.0], np.cumsum(graph.edges.duration[result.walk.edge])])[:-1]
    assert np.count_nonzero(np.diff(sneaks.astype(int)) == 1) == 1
    assert np.count_nonzero(np.diff(sneaks.astype(int)) == -1) == 1
    assert [switch.border for switch in result.switches] == [4.0, 8.0]
    for switch in result.switches:
        assert switch.distance <= 0.8 + 0.15
    between = (starts > result.switches[0].time + 0.3) & (starts < result.switches[1].time - 0.3)
    assert sneaks[between].all()


def test_searching_in_increments_follows_the_path_too(graph):
    result = follow_path(graph, WAVE, labels="walk", horizon=4.0, keep=1.0)
    walk_along(graph, [result.walk.edge])
    assert result.worst < 0.5
    assert result.along[-1] > WAVE.length - 0.3


def test_a_crowd_gets_different_walks_that_are_all_good(graph):
    ready = PathFollower.of(graph, labels="walk")
    results = [ready.follow(WAVE, best=6, tolerance=1.0, seed=seed) for seed in range(4)]
    assert len({result.walk.edge.tobytes() for result in results}) > 1
    again = ready.follow(WAVE, best=6, tolerance=1.0, seed=2)
    assert np.array_equal(again.walk.edge, results[2].walk.edge)
    for result in results:
        walk_along(graph, [result.walk.edge])
        assert result.worst < 0.5


def test_dearer_transitions_are_fewer(graph):
    cheap = follow_path(graph, WAVE, labels="walk", transition_cost=0.0)
    dear = follow_path(graph, WAVE, labels="walk", transition_cost=0.05)
    assert dear.transitions_per_second < cheap.transitions_per_second
    assert dear.mean >= cheap.mean - 1e-3


def test_a_walk_goes_on_from_where_another_stopped(graph):
    ready = PathFollower.of(graph)
    node = int(ready.choices.nodes[3])
    result = ready.follow(Path(points=[(0, 0), (5, 0)]), start=node, pose=(0.0, 0.0, 0.0))
    assert graph.edges.start[result.walk.edge[0]] == node
    assert result.walk.place[0] == pytest.approx([0, 0, 0, 0])


def test_a_path_tighter_than_the_clips_gets_a_result_and_a_warning_that_says_where_and_how_far(graph):
    sharp = Path.through([(0, 0), (4, 0), (4, 0.7), (0, 0.7)], rounding=0.15)
    result = follow_path(graph, sharp, labels="walk")
    assert result.sustained < 1.0
    assert result.warnings
    assert "radius" in " ".join(result.warnings)
    assert f"{result.worst:.2f} m" in " ".join(result.warnings)


def test_the_share_of_a_path_that_clips_sustain_counts_the_side(graph):
    lefts = arc_graph([glide("straight", 0.0), glide("left", 0.6, seconds=6.0)])
    assert follow_path(lefts, Path.circle(1 / 0.6, turns=0.5)).sustained > 0.9
    assert follow_path(lefts, Path.circle(1 / 0.6, turns=-0.5)).sustained < 0.1


def test_a_result_becomes_segments_a_take_and_a_clip(graph):
    result = follow_path(graph, WAVE)
    segments, _, blends = segments_of(graph, result.walk)
    assert segments.stop[-1] == pytest.approx(result.duration)
    assert len(blends) == round(result.transitions_per_second * result.duration)
    posed = result.take().sample(result.times).positions[:, 0, 0, :2]
    assert posed == pytest.approx(result.track, abs=1e-4)
    clip = result.clip(name="wave")
    assert clip.name == "wave"
    assert clip.root_positions[:, :2] == pytest.approx(result.track[: len(clip)], abs=1e-4)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"labels": [("walk", None), ("sneak", None)]}, "one after the other"),
        ({"labels": [("walk", 20.0), ("sneak", None)]}, "one after the other"),
        ({"labels": ["walk", "sneak"]}, "pair"),
        ({"labels": []}, "no parts"),
        ({"start": 10_000}, "nearest one"),
        ({"pose": (0, 0, 0)}, "give that node"),
        ({"horizon": 3.0}, "go together"),
        ({"horizon": 1.0, "keep": 2.0}, "at most the horizon"),
        ({"width": 0}, "positive"),
        ({"transition_cost": -1.0}, "transition_cost"),
    ],
)
def test_what_cannot_be_asked_is_told(graph, given, words):
    with pytest.raises(InvalidValue, match=words):
        follow_path(graph, WAVE, **given)


def test_labels_that_exist_nowhere_or_never_meet_are_told(graph):
    with pytest.raises(UnknownName, match="sneak"):
        follow_path(graph, WAVE, labels="sneek")
    apart = arc_graph(list(CLIPS), allowed=lambda a, b: (a < 3) == (b < 3))
    with pytest.raises(InvalidValue, match="no transition from the label 'walk' to the label 'sneak'"):
        follow_path(apart, WAVE, labels=[("walk", 4.0), ("sneak", None)])


@pytest.mark.parametrize("points", [[(0.0, 0.0)], [(0.0, 0.0), (np.nan, 0.0)], [(1.0, 1.0), (1.0, 1.0)]])
def test_bad_points_are_no_path(graph, points):
    with pytest.raises(InvalidValue):
        follow_path(graph, points)


def test_a_graph_without_motion_is_told(graph):
    from walkon.graphs.motion_graph import MotionEdges, MotionGraph, Nodes

    with pytest.raises(InvalidValue, match="can go on for ever"):
        follow_path(MotionGraph(library=graph.library, nodes=Nodes(), edges=MotionEdges()), WAVE)


def test_the_shortest_of_paths_gets_a_walk(graph):
    assert 0 < follow_path(graph, [(0, 0), (0.05, 0)]).duration < 1.5


def test_a_change_is_told_where_it_is_though_its_transition_was_taken_before(graph):
    circle = Path.circle(2.0, turns=2)
    for border in (5.0, 9.0, 14.0):
        result = follow_path(graph, circle, labels=[("walk", border), ("walk", None)])
        assert result.switches[0].distance < 1.2


def test_the_last_part_ends_where_the_path_does(graph):
    with pytest.raises(InvalidValue, match=r"the last part ends at 5\.0 m, but the path is"):
        follow_path(graph, WAVE, labels=[("walk", 5.0)])


def test_a_walk_that_does_not_get_along_says_so():
    still = arc_graph([glide("still", 0.0, speed=0.01), glide("still too", 0.1, speed=0.01)])
    result = follow_path(still, Path(points=[(0, 0), (5, 0)]))
    assert result.missing > 4.0
    assert "before the path does" in result.warnings[0]
