from dataclasses import replace

import numpy as np
import pytest

from walkon._base.array_file import write_array_file
from walkon._base.errors import NewerFile, UnreadableFile
from walkon.graphs.file import KIND, VERSION, load_graph, load_motion_graph, save_graph
from walkon.motion.clip import Event


@pytest.fixture(scope="module")
def file(graph, tmp_path_factory):
    return save_graph(graph, tmp_path_factory.mktemp("graphs") / "walks.graph")


def test_a_graph_comes_back_to_the_last_bit(graph, file):
    back = load_graph(file)
    for table in ("nodes", "edges", "cuts"):
        for name, values in getattr(graph, table).columns.items():
            assert np.array_equal(values, getattr(getattr(back, table), name))
    assert dict(back.settings) == dict(graph.settings)
    assert back.notes == graph.notes
    assert back.known == graph.known
    assert np.array_equal(back.candidates.distance, graph.candidates.distance)
    library = graph.library
    for name in ("root_positions", "local_rotations", "contacts", "contact_heights", "labels", "starts", "stops"):
        assert np.array_equal(getattr(back.library, name), getattr(library, name)), name
    assert back.library.names == library.names
    assert back.library.skeleton.roles == library.skeleton.roles


def test_events_ensembles_and_an_infinite_limit_come_along(graph, tmp_path):
    event = Event(time=1.0, kind="grasp", joints=("head",), object_pose=(0.0,) * 6 + (1.0,))
    library = replace(graph.library, events=((event,),) + ((),) * (len(graph.library) - 1), notes=("a note",))
    library = replace(library, ensembles={"pair": graph.library.names[:2]})
    back = load_graph(save_graph(replace(graph, library=library, known=np.inf), tmp_path / "a.graph"))
    assert back.library.events[0] == (event,)
    assert back.library.ensembles == {"pair": graph.library.names[:2]}
    assert back.library.notes == ("a note",)
    assert back.known == np.inf


def test_damage_is_noticed(file, tmp_path):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    (tmp_path / "broken.graph").write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"broken.graph: damaged"):
        load_graph(tmp_path / "broken.graph")
    (tmp_path / "short.graph").write_bytes(file.read_bytes()[:-100])
    with pytest.raises(UnreadableFile, match="truncated"):
        load_graph(tmp_path / "short.graph")


def test_other_files_are_named(tmp_path):
    write_array_file(tmp_path / "a.take", "take", version=1, header={}, arrays={})
    with pytest.raises(UnreadableFile, match="this is a Walkon take, not a Walkon graph"):
        load_graph(tmp_path / "a.take")
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UnreadableFile, match=r"notes.txt: "):
        load_graph(tmp_path / "notes.txt")
    with pytest.raises(UnreadableFile, match="no such file"):
        load_graph(tmp_path / "missing.graph")


def test_a_newer_file_asks_for_an_update(tmp_path):
    write_array_file(tmp_path / "new.graph", KIND, version=VERSION + 1, header={}, arrays={})
    with pytest.raises(NewerFile, match="update walkon"):
        load_graph(tmp_path / "new.graph")


def test_whole_bytes_with_the_wrong_content_are_damaged(tmp_path):
    write_array_file(tmp_path / "odd.graph", KIND, version=VERSION, header={"kind": "motion", "version": 2}, arrays={})
    with pytest.raises(UnreadableFile, match="damaged graph: its header does not fit"):
        load_graph(tmp_path / "odd.graph")
    write_array_file(tmp_path / "snap.graph", KIND, version=VERSION, header={"kind": "snap", "version": 2}, arrays={})
    with pytest.raises(UnreadableFile, match=r"snap\.graph: this is a snap-together graph, not a motion graph"):
        load_motion_graph(tmp_path / "snap.graph")
    with pytest.raises(UnreadableFile, match="damaged graph: its header does not fit"):
        load_graph(tmp_path / "snap.graph")
    write_array_file(tmp_path / "fat.graph", KIND, version=VERSION, header={"kind": "fat"}, arrays={})
    with pytest.raises(UnreadableFile, match="this is a fat graph, not a motion graph; update walkon"):
        load_graph(tmp_path / "fat.graph")
