from dataclasses import replace

import numpy as np
import pytest
from toy_graphs import glide, toy

from walkon._base.errors import InvalidValue, UnknownName
from walkon.graphs.motion_graph import MotionGraph, label_bits
from walkon.motion.editing import resample
from walkon.motion.library import Library

LOOP = [(0, 1, "piece", ["walk"]), (1, 2, "piece", ["walk"]), (2, 0, "transition", ["walk"])]
PLACES = [(0, 1.0), (0, 2.0), (0, 3.0)]


def test_the_edges_of_a_node_are_found_by_ranges():
    graph = toy(PLACES, [*LOOP, (1, 0, "transition", ["sneak"])])
    assert graph.out_first.tolist() == [0, 1, 3, 4]
    assert graph.out_degree.tolist() == [1, 2, 1]
    assert graph.edges.stop[graph.out_edges(1)].tolist() == [2, 0]
    assert graph.nodes_of_clip("clip0").tolist() == [0, 1, 2]
    assert graph.seconds == pytest.approx(2.0)


def test_edges_with_a_label_have_it_in_every_frame():
    graph = toy(PLACES, [*LOOP, (1, 0, "transition", ["sneak"])])
    assert graph.edges_with("walk").tolist() == [True, True, False, True]
    assert graph.edges_with(["walk", "sneak"]).sum() == 0
    with pytest.raises(UnknownName, match=r"there is no label 'crawl'.*Known: 'carry', 'sneak', 'walk'"):
        graph.edges_with("crawl")


def test_lasting_edges_lead_to_where_the_label_goes_on_for_ever():
    ways = [(0, 1, "piece", ["walk"]), (1, 0, "transition", ["walk"]), (2, 0, "transition", ["walk"])]
    graph = toy(PLACES, [*ways, (1, 2, "piece", ["sneak"]), (0, 2, "transition", ["walk"])])
    rows = np.flatnonzero(graph.lasting_edges("walk"))
    lasting = {(int(graph.edges.start[row]), int(graph.edges.stop[row])) for row in rows}
    assert lasting == {(0, 1), (1, 0), (2, 0), (0, 2)}
    alone = toy(PLACES, [(0, 1, "piece", ["walk"]), (1, 2, "piece", ["sneak"]), (2, 0, "transition", ["sneak"])])
    assert not alone.lasting_edges("walk").any()
    assert alone.lasting_edges().all()


def test_poses_between_frames_lie_between_them(graph):
    clip = graph.library["arc_left_1.20_50"]
    number = graph.library.names.index(clip.name)
    at = np.array([0.0, 1.0, 1.0 + 0.5 / clip.fps, clip.duration, clip.duration + 5.0])
    poses = graph.poses_at(number, at)
    assert poses[1] == pytest.approx(clip.planar_poses[60], abs=1e-6)
    assert poses[2] == pytest.approx(0.5 * (clip.planar_poses[60] + clip.planar_poses[61]), abs=1e-6)
    assert poses[3] == pytest.approx(clip.planar_poses[-1], abs=1e-6)
    assert np.array_equal(poses[3], poses[4])
    finer = resample(clip, 120.0).planar_poses
    assert graph.poses_at(number, np.arange(len(finer)) / 120.0) == pytest.approx(finer, abs=1e-3)


def test_a_clip_is_the_same_object_every_time(graph):
    assert graph.clip(0) is graph.clip(0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stop": [1, 2, 9]}, "MotionEdges.stop must be from 0 to 2, got 1 to 9"),
        ({"start": [1, 0, 2]}, "sorted by their start"),
        ({"duration": [1.0, 0.0, 0.3]}, "must last some time"),
    ],
)
def test_broken_edges_are_refused(change, words):
    graph = toy(PLACES, LOOP)
    with pytest.raises(InvalidValue, match=words):
        replace(graph, edges=graph.edges.with_columns(**change))


def test_a_node_outside_its_clip_is_refused():
    graph = toy(PLACES, LOOP)
    with pytest.raises(InvalidValue, match="node 2 is at 11 s of a clip that runs from 0 to 10 s"):
        replace(graph, nodes=graph.nodes.with_columns(time=[1.0, 2.0, 11.0]))


def test_too_many_labels_are_refused():
    library = Library.of([glide("busy", labels=[f"label{i:02}" for i in range(64)])])
    graph = toy(PLACES, LOOP)
    with pytest.raises(InvalidValue, match="up to 63 labels, the library has 64"):
        MotionGraph(library=library, nodes=graph.nodes, edges=graph.edges)
    assert label_bits(library, ["label01", "label03"]) == 0b1010
