"""Snap-together graphs as files: what comes back, what is refused, and what is not written over."""

from dataclasses import replace

import numpy as np
import pytest

from snap_toys import loops, same_graph, with_dead_end
from walkon._base.array_file import read_array_file, write_array_file
from walkon._base.errors import CannotWrite, InvalidValue, NewerFile, UnreadableFile
from walkon.graphs.file import KIND, VERSION, load_graph, load_motion_graph, save_graph
from walkon.graphs.snap_together.build import build_snap_graph
from walkon.graphs.snap_together.cutting.common_pose import move_frames
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.file import load_snap_graph, save_snap_graph
from walkon.motion.clip import Event
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def file(small_snap_graph, tmp_path_factory):
    return save_snap_graph(small_snap_graph, tmp_path_factory.mktemp("graphs") / "hubs.graph")


def test_a_graph_comes_back(small_snap_graph, file):
    back = load_snap_graph(file)
    same_graph(small_snap_graph, back, atol=6e-8)
    np.testing.assert_array_equal(small_snap_graph.source.local_rotations, back.source.local_rotations)
    np.testing.assert_array_equal(small_snap_graph.clips.root_positions[1:-1], back.clips.root_positions[1:-1])
    assert back.clips.skeleton is back.source.skeleton


def test_what_was_read_is_written_and_read_again_to_the_last_bit(file, tmp_path):
    once = load_snap_graph(file)
    again = save_snap_graph(once, tmp_path / "again.graph")
    assert again.read_bytes() == file.read_bytes()
    same_graph(once, load_snap_graph(again))


def test_edges_end_exactly_in_the_common_poses_after_a_round_trip(file):
    graph = load_snap_graph(file)
    clips, edges = graph.clips, graph.edges
    common = Frames(graph.roots, graph.rotations)
    for frames, hub, places in (
        (clips.starts, edges.start, np.zeros((len(edges), 3))),
        (clips.stops - 1, edges.stop, edges.planar_displacement),
    ):
        exact = move_frames(places, Frames(common.roots[hub], common.rotations[hub]))
        np.testing.assert_allclose(clips.root_positions[frames], exact.roots, rtol=0, atol=1e-12)
        signed = np.sign((clips.local_rotations[frames] * exact.rotations).sum(axis=-1))[..., None] * exact.rotations
        np.testing.assert_allclose(clips.local_rotations[frames], signed, rtol=0, atol=1e-12)
    apart = (clips.local_rotations[1:] * clips.local_rotations[:-1]).sum(axis=-1)
    inside = np.ones(len(apart), bool)
    inside[clips.stops[:-1] - 1] = False
    assert apart[inside].min() > 0.5  # neighbours share a hemisphere


def test_the_source_of_a_file_builds_the_same_graph(small_snap_graph, file):
    again = build_snap_graph(load_snap_graph(file).source, bands=1)
    same_graph(small_snap_graph, again)


def test_events_and_notes_come_along(tmp_path):
    graph = loops()
    event = Event(time=0.2, kind="grasp", joints=("top",), object_pose=(0.0,) * 6 + (1.0,))
    clips = replace(graph.clips, events=((event,),) + ((),) * (len(graph.clips) - 1))
    back = load_snap_graph(save_snap_graph(replace(graph, clips=clips, notes=("mind the gap",)), tmp_path / "a.graph"))
    assert back.clips.events[0] == (event,)
    assert back.notes == ("mind the gap",)
    assert back.clip(0).events == (event,)


def test_either_kind_is_opened_by_load_graph_and_named_by_the_other_loader(graph, file, tmp_path):
    assert repr(load_graph(file)) == repr(load_snap_graph(file))
    with pytest.raises(UnreadableFile, match=r"hubs\.graph: this is a snap-together graph, not a motion graph; open"):
        load_motion_graph(file)
    save_graph(graph, tmp_path / "motion.graph")
    assert len(load_graph(tmp_path / "motion.graph").nodes) == len(graph.nodes)
    with pytest.raises(UnreadableFile, match=r"motion\.graph: this is a motion graph, not a snap-together graph; open"):
        load_snap_graph(tmp_path / "motion.graph")


def test_save_graph_takes_either_kind(tmp_path):
    assert load_snap_graph(save_graph(loops(), tmp_path / "loops.graph")).hub_names == ("a", "b", "c")


def test_hubs_that_are_cut_off_are_named_and_nothing_is_saved_over_a_good_graph(tmp_path):
    path = save_snap_graph(loops(), tmp_path / "hubs.graph")
    good = path.read_bytes()
    with pytest.raises(InvalidValue, match=r"1 of 3 hubs are cut off from the rest: c is a dead end: .*none back"):
        save_snap_graph(with_dead_end(), path)
    with pytest.raises(InvalidValue, match=r"raise the threshold .* add clips .* leave it out"):
        save_graph(with_dead_end(), path)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]
    save_snap_graph(with_dead_end(), path, allow_cut_off=True)
    assert not load_snap_graph(path).core.all()


def test_edges_that_miss_their_hubs_are_not_saved(tmp_path):
    graph = loops()
    rotations = np.array(graph.clips.local_rotations)
    rotations[graph.clips.stops[3] - 1, 1] = quat.about([0.0, 1.0, 0.0], 0.3)
    bent = replace(graph, clips=replace(graph.clips, local_rotations=rotations))
    with pytest.raises(InvalidValue, match="edge 3 does not end in the pose of its hub"):
        save_snap_graph(bent, tmp_path / "bent.graph")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_damage_is_noticed(file, tmp_path, share):
    content = bytearray(file.read_bytes())
    content[int(share * len(content))] ^= 0x5A
    (tmp_path / "broken.graph").write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"broken\.graph: "):
        load_snap_graph(tmp_path / "broken.graph")
    (tmp_path / "short.graph").write_bytes(file.read_bytes()[: int(share * len(content))])
    with pytest.raises(UnreadableFile, match=r"short\.graph: "):
        load_snap_graph(tmp_path / "short.graph")


def test_whole_bytes_with_the_wrong_content_are_damaged(file, tmp_path):
    headers, arrays = read_array_file(file, KIND, version=VERSION).joined()

    def refused(match, *, header=None, drop=(), **changed):
        content = {name: array for name, array in arrays.items() if name not in drop} | changed
        told = headers[0] | (header or {})
        write_array_file(tmp_path / "odd.graph", KIND, version=VERSION, header=told, arrays=content)
        with pytest.raises(UnreadableFile, match=rf"odd\.graph: damaged graph: {match}"):
            load_snap_graph(tmp_path / "odd.graph")

    refused("its header does not fit", header={"source": {}})
    refused("its header does not fit", drop=["graph.planar"])
    refused("the column SnapEdges.stop is missing", drop=["SnapEdges.stop"])
    refused("a graph of 3 hubs needs as many different names", header={"hub_names": ["walk"]})
    far = np.array(arrays["SnapEdges.stop"])
    far[0] = 99
    refused("", **{"SnapEdges.stop": far})
    moved_away = np.array(arrays["SnapEdges.displacement"])
    moved_away[2] += 0.1
    refused("edge 2 does not end in the pose of its hub", **{"SnapEdges.displacement": moved_away})
    refused("", **{"clips.starts": arrays["clips.starts"][:-1]})
    rotten = np.array(arrays["graph.rotations"])
    rotten[0, 0, 0] = np.nan
    refused("", **{"graph.rotations": rotten})


def test_a_newer_file_asks_for_an_update(file, tmp_path):
    headers, arrays = read_array_file(file, KIND, version=VERSION).joined()
    header = headers[0] | {"version": 99}
    write_array_file(tmp_path / "new.graph", KIND, version=VERSION, header=header, arrays=arrays)
    for load in (load_snap_graph, load_graph):
        with pytest.raises(NewerFile, match=r"new\.graph: written by a newer Walkon \(format 99 .*update walkon"):
            load(tmp_path / "new.graph")


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(CannotWrite, match="the folder does not exist"):
        save_snap_graph(loops(), tmp_path / "nowhere" / "a.graph")
