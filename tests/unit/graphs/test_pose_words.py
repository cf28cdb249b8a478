"""Poses by words: edges have the words of their hubs as labels where they are in that pose."""

import numpy as np
import pytest

import walkon
from walkon._base.errors import UnknownName
from walkon.crowd.casting import graph_for
from walkon.graphs.snap_together import SnapGraph
from walkon.graphs.snap_together.pose_words import hub_for, label_poses
from walkon.graphs.walk_segments import walk_take
from walkon.script import Mark
from walkon.take import TakeWriter


@pytest.fixture(scope="module")
def graph() -> SnapGraph:
    return graph_for(walkon.Scene().cast)


@pytest.mark.parametrize("pose", ["stand", "sit", "carry_stand", "walk"])
def test_ends_at_the_hub_have_the_word_and_no_others_do(graph: SnapGraph, pose: str) -> None:
    hub, edges = hub_for(graph, pose), graph.edges
    rng = np.random.default_rng(5)
    for side, frame in (("start", 0), ("stop", -1)):
        for edge in rng.permutation(np.flatnonzero(getattr(edges, side) == hub))[:4].tolist():
            assert label_poses(graph, edge, [pose]).label(pose)[frame]
    elsewhere = np.flatnonzero((edges.start != hub) & (edges.stop != hub))
    for edge in rng.permutation(elsewhere)[:4].tolist():
        assert label_poses(graph, edge, [pose]) is graph.clip(edge)


def test_who_rests_has_the_word_all_along(graph: SnapGraph) -> None:
    for pose in ("stand", "sit", "carry_stand"):
        hub = hub_for(graph, pose)
        rests = np.flatnonzero((graph.edges.start == hub) & (graph.edges.stop == hub))
        assert label_poses(graph, int(rests[0]), [pose]).label(pose).all()


def test_a_walk_between_hubs_is_not_in_the_pose_on_its_way(graph: SnapGraph) -> None:
    hub = hub_for(graph, "stand")
    away = np.flatnonzero((graph.edges.start == hub) & (graph.edges.stop != hub))
    has = label_poses(graph, int(away[0]), ["stand"]).label("stand")
    own = graph.clip(int(away[0])).labels.get("stand", np.zeros(len(has), bool))
    np.testing.assert_array_equal(has[1:], own[1:])


def test_a_pose_that_is_unknown_is_refused(graph: SnapGraph) -> None:
    with pytest.raises(UnknownName, match="there is no pose 'pivot'"):
        hub_for(graph, "pivot")


def test_the_audit_still_sees_who_is_not_in_the_pose(graph: SnapGraph) -> None:
    """Whoever is amid an edge is at no hub: the label is not there, and the pose is not either."""
    away = np.flatnonzero((graph.edges.start == hub_for(graph, "stand")) & graph.states.walking[graph.edges.stop])
    clip = label_poses(graph, int(away[0]), ["stand"])
    unmet = {}
    for when in (0.0, 0.7 * clip.duration):
        with TakeWriter() as writer:
            who = writer.add_character("ann", body=writer.add_body(walkon.Body.of(clip.skeleton)))
            writer.perform(who, clip, start=0.0)
            writer.add_mark(who, Mark(name="here", pose="stand"), met=when)
        unmet[when] = len(writer.take.audit(source=False).figures["marks"]["unmet"])
    assert list(unmet.values()) == [0, 1]
    assert walk_take(graph, [[int(away[0])]]).clips.names
