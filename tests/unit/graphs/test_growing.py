import numpy as np
import pytest

from walkon._base.errors import InvalidClip
from walkon.graphs import minima
from walkon.graphs.build import add_clips, build_graph
from walkon.graphs.file import load_graph, save_graph
from walkon.graphs.motion_graph import MotionGraph


def assert_same(one: MotionGraph, other: MotionGraph) -> None:
    for table in ("nodes", "edges", "cuts"):
        for name, values in getattr(one, table).columns.items():
            assert np.array_equal(values, getattr(getattr(other, table), name)), (table, name)
    assert dict(one.settings) == dict(other.settings)
    assert one.notes == other.notes
    assert one.library.names == other.library.names
    assert np.array_equal(one.library.local_rotations, other.library.local_rotations)


WISHES = [{}, {"threshold": 0.04}, {"connect": 0.8}, {"percentile": 8.0}, {"labels": ["walk", "stand"]}]


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: next(iter(wish), "typical"))
def test_a_grown_graph_is_the_one_built_from_scratch(walks, wish):
    clips = list(walks)
    some = [clips[i] for i in (0, 2, 4)]
    rest = [clips[i] for i in (1, 3, 5)]
    wish = wish if "labels" not in wish else {"labels": ["walk"]}
    grown = add_clips(build_graph(some, **wish), rest)
    assert_same(grown, build_graph([*some, *rest], **wish))


def test_growing_in_steps_and_by_way_of_a_file_changes_nothing(walks, tmp_path):
    clips = list(walks)
    graph = build_graph(clips[:3])
    for clip in clips[3:]:
        save_graph(graph, tmp_path / "walks.graph")
        graph = add_clips(load_graph(tmp_path / "walks.graph"), [clip])
    assert_same(graph, build_graph(clips))


def test_only_new_pairs_are_compared(walks, monkeypatch):
    clips = list(walks)
    graph = build_graph(clips[:5], threshold=0.05)
    compared = []
    find = minima.find_minima

    def watch(frames, *, threshold, pairs):
        compared.extend(map(tuple, np.asarray(pairs).tolist()))
        return find(frames, threshold=threshold, pairs=pairs)

    monkeypatch.setattr(minima, "find_minima", watch)
    add_clips(graph, clips[5:])
    assert set(compared) == {(5, i) for i in range(6)} | {(i, 5) for i in range(6)}


def test_a_name_that_is_taken_is_refused(graph, walks):
    with pytest.raises(InvalidClip, match=r"the graph has a clip 'walk_1.35' already; rename the new one"):
        add_clips(graph, [walks["walk_1.35"]])
