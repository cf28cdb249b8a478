"""The graph of a cast: given, named in a file, built from a library and kept."""

import numpy as np
import pytest

from arc_graphs import arc_graph
from snap_libraries import walkers
from snap_toys import loops, same_graph
from walkon._base import kept as keeping
from walkon._base.errors import FileError, InvalidValue
from walkon.capture.builtin import library_fingerprint
from walkon.crowd import casting
from walkon.crowd.people import draw_people
from walkon.graphs import save_graph
from walkon.graphs.snap_together import save_snap_graph
from walkon.io import save_library
from walkon.motion.body import Body
from walkon.motion.footprint import footprint_radius
from walkon.motion.library import Library
from walkon.script import Cast, Character, Scene

SIZES = (("small", 0.9), ("large", 1.1))


@pytest.fixture
def built(monkeypatch, tmp_path, own_cache):
    """A cache folder of its own, toys instead of built graphs, and a list of the libraries they were built from."""
    made = []

    def build(library, *, frames, progress):
        made.append(library)
        return loops()

    monkeypatch.setattr(casting, "build_connected_graph", build)
    monkeypatch.setattr(casting, "compared", lambda library: None)
    monkeypatch.chdir(tmp_path)
    return made


def kept(folder):
    return sorted(file.name.partition("-")[0] for file in folder.iterdir() if file.suffix in (".graph", ".library"))


@pytest.fixture
def builtin_one(monkeypatch):
    """Something in the place of the built-in graph."""
    one = loops()
    monkeypatch.setattr(casting, "builtin_snap_graph", lambda *, progress: one)
    return one


def test_a_graph_at_hand_is_the_graph_whatever_the_cast_names():
    one = loops()
    assert casting.graph_for(Cast(graph="missing.graph"), graph=one) is one


def test_the_cast_is_the_built_in_one_unless_it_names_another(built, builtin_one):
    assert casting.graph_for(Cast()) is builtin_one
    assert casting.graph_for(Cast(), library="builtin") is builtin_one


@pytest.mark.parametrize("how", ["cast graph", "graph", "cast library", "library"])
def test_a_graph_file_is_read(built, tmp_path, how):
    file = tmp_path / "cast.graph"
    save_snap_graph(loops(), file, allow_cut_off=True)
    options = {"graph": {"graph": file}, "library": {"library": str(file)}}.get(how, {})
    cast = {"cast graph": Cast(graph=str(file)), "cast library": Cast(library=str(file))}.get(how, Cast())
    same_graph(casting.graph_for(cast, **options), loops(), atol=1e-6)  # files have 32 bits
    assert built == []


def test_what_is_given_counts_more_than_what_the_cast_names(built, builtin_one, tmp_path):
    save_snap_graph(loops(), tmp_path / "cast.graph", allow_cut_off=True)
    assert casting.graph_for(Cast(graph=str(tmp_path / "cast.graph")), library="builtin") is builtin_one


def test_a_motion_graph_is_refused_with_the_way_out(built, tmp_path):
    save_graph(arc_graph(), tmp_path / "motion.graph")
    with pytest.raises(InvalidValue, match=r"motion\.graph is a motion graph.*--kind snap -o motion\.graph"):
        casting.graph_for(Cast(), graph=tmp_path / "motion.graph")


def test_files_that_are_missing_are_named(built, tmp_path):
    with pytest.raises(FileError, match=r"missing\.graph"):
        casting.graph_for(Cast(graph=str(tmp_path / "missing.graph")))
    with pytest.raises(FileError, match=r"missing\.library"):
        casting.graph_for(Cast(library=str(tmp_path / "missing.library")))


def test_the_graph_of_a_library_is_built_once_and_kept_by_content(built, own_cache, tmp_path):
    first = casting.graph_for(Cast(), library=walkers())
    assert len(built) == 1
    assert kept(own_cache) == ["cast"]
    file = save_library(walkers(), tmp_path / "people.library")
    keeping.forget()
    again = casting.graph_for(Cast(library=str(file)))
    assert len(built) == 1
    same_graph(first, again)


def test_another_library_has_another_graph(built, own_cache):
    casting.graph_for(Cast(), library=walkers())
    casting.graph_for(Cast(), library=Library.of([walkers()["slow"]]))
    assert len(built) == 2
    assert kept(own_cache) == ["cast", "cast"]


def test_without_a_cache_folder_it_is_built_once_per_process(built, monkeypatch):
    monkeypatch.setattr(keeping, "cache_file", lambda *name: None)
    for _ in range(2):
        casting.graph_for(Cast(), library=walkers())
    assert len(built) == 1
    keeping.forget()
    casting.graph_for(Cast(), library=walkers())
    assert len(built) == 2


def test_a_folder_of_recordings_becomes_a_library_first(built, monkeypatch, tmp_path):
    asked = []

    class Report:
        library = walkers()

    monkeypatch.setattr(casting, "build_library", lambda path, progress: asked.append(path) or Report)
    (tmp_path / "recordings").mkdir()
    casting.graph_for(Cast(library=str(tmp_path / "recordings")))
    assert asked == [tmp_path / "recordings"]
    assert len(built) == 1


def test_a_folder_called_builtin_is_that_folder(built, builtin_one, monkeypatch, tmp_path):
    class Report:
        library = walkers()

    monkeypatch.setattr(casting, "build_library", lambda path, progress: Report)
    (tmp_path / "builtin").mkdir()
    assert casting.graph_for(Cast()) is not builtin_one


def test_the_built_in_library_at_hand_has_the_built_in_graph(built, builtin_one, monkeypatch, own_cache):
    monkeypatch.setattr(casting, "builtin_library", walkers)
    assert casting.graph_for(Cast(), library=walkers()) is not builtin_one  # it was never made here
    (own_cache / f"builtin-{library_fingerprint()}.library").touch()
    assert casting.graph_for(Cast(), library=walkers()) is builtin_one


def poses_of(graph):
    return casting.cast_limits(graph, draw_people(Scene(), seed=0))["poses"]


def test_everybody_has_the_speed_and_the_room_of_its_size(graph):
    people = draw_people(Scene(characters=[Character(name=n, place=(0, 0, 0), scale=s) for n, s in SIZES]), seed=0)
    limits = casting.cast_limits(graph, people)
    edges, walking = graph.edges, graph.states.walking
    walks = walking[edges.start] & walking[edges.stop]
    fastest = (edges.path[walks] / edges.duration[walks]).max()
    np.testing.assert_allclose(limits["fastest"], [fastest * np.sqrt(0.9), fastest * np.sqrt(1.1)])
    np.testing.assert_allclose(
        limits["radius"], footprint_radius(Body.of(graph.source.skeleton)) * np.array([0.9, 1.1])
    )


def test_marks_may_ask_for_hubs_labels_and_walking(graph):
    poses = poses_of(graph)
    assert set(graph.hub_names) <= poses
    assert {"walk", "sit", "talk", "idle"} <= poses
    assert "fly" not in poses
    assert poses_of(loops()) == {"a", "b", "c", "walk", "carry", "stand"}  # its hubs rest, with no label
