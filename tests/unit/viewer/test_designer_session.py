"""A design session: what commands do, what they refuse, undo, and what is written."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from snap_libraries import bird, performer, walkers
from walkon._base.errors import CannotWrite, InvalidValue, UnreadableFile
from walkon.graphs.snap_together.build import build_snap_graph
from walkon.graphs.snap_together.file import load_snap_graph, save_snap_graph
from walkon.graphs.snap_together.matching import match_sets
from walkon.motion.library import Library
from walkon.viewer.designer import DesignSession, session
from walkon.viewer.designer.changes import with_threshold
from walkon.viewer.designer.quick_look import quick_look
from walkon.viewer.designer.state import describe_preview, describe_state

STRAIGHT, SIT = 0, 3


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A file with suggested hubs, and the session that wrote it."""
    made = DesignSession.open(tmp_path_factory.mktemp("graphs") / "first.graph", library=performer())
    made.save()
    return made


@pytest.fixture
def new(tmp_path):
    return DesignSession.open(tmp_path / "new.graph", library=performer())


@pytest.fixture
def opened(first, tmp_path):
    """A session of a file of its own that is saved and built."""
    path = tmp_path / "opened.graph"
    path.write_bytes(first.file.read_bytes())
    return DesignSession.open(path)


def frames_of(session, number=0):
    return session.material.match_set(session.design.hubs[number]).frames.tolist()


def unchanged(session, command, match):
    """Hold that a command is refused in these words and leaves everything as it is."""
    design, version = session.design, session.version
    with pytest.raises(InvalidValue, match=match):
        command()
    assert session.design is design
    assert session.version == version


def test_a_new_design_begins_with_the_suggested_hubs(new):
    assert [name.rpartition("_")[0] or name for name in new.design.names] == ["walk_left", "walk_right", "stand"]
    assert [hub.family for hub in new.design.hubs] == ["walk", "walk", "stand"]
    assert [round(hub.spacing, 2) for hub in new.design.hubs] == [0.33, 0.33, 1.5]
    assert not any(hub.added or hub.removed for hub in new.design.hubs)
    assert len({hub.colour for hub in new.design.hubs}) == 3
    assert not new.saved and new.graph is None and not new.file.exists()


def test_what_is_saved_is_found_again_as_it_was(first):
    again = DesignSession.open(first.file)
    assert again.design == first.design
    assert again.saved and again.graph is not None
    assert describe_state(again)["hubs"] == describe_state(first)["hubs"]


def test_the_graph_that_is_saved_is_the_one_that_building_gives(first):
    saved, built = load_snap_graph(first.file), build_snap_graph(first.material.library)
    np.testing.assert_array_equal(saved.edges.first_match, built.edges.first_match)
    np.testing.assert_allclose(saved.edges.displacement, built.edges.displacement, atol=1e-9)


def test_a_graph_built_without_the_designer_gives_its_hubs_back(tmp_path, new):
    path = save_snap_graph(build_snap_graph(new.material.library), tmp_path / "plain.graph")
    opened = DesignSession.open(path)
    assert opened.graph is not None and opened.saved
    assert [(h.name, h.seed, h.family, h.spacing, h.added, h.removed) for h in opened.design.hubs] == [
        (h.name, h.seed, h.family, h.spacing, h.added, h.removed) for h in new.design.hubs
    ]


def test_any_match_frames_of_a_graph_are_kept_whatever_they_were_made_by(tmp_path, new):
    frames = new.material.frames
    grown = new.material.match_set(new.design.hubs[0])
    odd = match_sets.MatchSet(grown.frames[1:], grown.distances[1:], grown.seed, grown.threshold)
    hubs = {"odd": odd, "picked": match_sets.picked(frames, [20, 60, 150])}
    path = save_snap_graph(build_snap_graph(new.material.library, hubs, frames=frames), tmp_path / "odd.graph")
    opened = DesignSession.open(path)
    assert frames_of(opened, 0) == odd.frames.tolist()
    assert frames_of(opened, 1) == [20, 60, 150]
    assert describe_state(opened)["hubs"][1]["picked"]


def test_notes_of_a_design_that_make_no_sense_are_not_believed(first, tmp_path):
    graph = load_snap_graph(first.file)
    for wrong in ("nonsense", [1, {"name": 3}], [{"name": graph.hub_names[0], "seed": "x"}]):
        path = tmp_path / "wrong.graph"
        save_snap_graph(replace(graph, settings=dict(graph.settings) | {"design": wrong}), path)
        opened = DesignSession.open(path)
        assert frames_of(opened) == frames_of(first)


def test_edges_are_told_before_building_as_building_finds_them(new):
    quick = new.look()
    graph = new.build()
    np.testing.assert_array_equal(quick.first, graph.edges.first_match)
    np.testing.assert_array_equal(quick.last, graph.edges.last_match)
    np.testing.assert_array_equal(quick.counts, graph.counts)
    np.testing.assert_array_equal(quick.core, graph.core)
    np.testing.assert_allclose(quick.duration, graph.edges.duration)
    np.testing.assert_allclose(quick.displacement, graph.edges.planar_displacement, atol=0.3)
    assert abs(np.median(quick.angles) - np.median(graph.displacements)) < np.deg2rad(1.0)


def test_edges_of_further_copies_are_told_nearly_as_building_finds_them(tmp_path):
    new = DesignSession.open(tmp_path / "x.graph", library=performer())
    hubs = tuple(
        replace(hub, copies=(0,) if hub.name.startswith("walk_left") else (0, 1) if hub.name == "stand" else (1,))
        for hub in new.design.hubs
    )
    new.design = replace(new.design, hubs=hubs)
    assert new.design.copies == ((0, 2), (1, 2))
    quick, graph = new.look(), new.build()
    told = set(zip(quick.first.tolist(), quick.last.tolist(), strict=True))
    made = set(zip(graph.edges.first_match.tolist(), graph.edges.last_match.tolist(), strict=True))
    bare = quick_look(new.material, [new.material.match_set(h) for h in hubs], spacing=new.spacing)
    plain = set(zip(bare.first.tolist(), bare.last.tolist(), strict=True))
    assert len(made) > len(plain)
    assert len(told ^ made) <= 2
    again = DesignSession.open(new.save())
    assert again.design == new.design


def test_thresholds_grow_and_shrink_match_sets_one_within_the_other(opened):
    sizes = []
    for threshold in (0.01, 0.03, 0.08, 0.2):
        opened.set_threshold(0, threshold)
        sizes.append(set(frames_of(opened)))
    assert sizes[0] < sizes[2] <= sizes[3]
    assert all(a <= b for a, b in pairwise(sizes))


def test_a_preview_tells_what_the_change_would_give_and_changes_nothing(opened):
    before = opened.version
    hub = with_threshold(opened.material, opened.hub(0), 0.08)
    told = describe_preview(opened, 0, hub)
    assert opened.version == before
    opened.set_threshold(0, 0.08)
    state = describe_state(opened)
    assert told["edges"] == len(state["edges"]) and told["counts"] == state["counts"]
    assert [m["time"] for m in told["matches"]] == [m["time"] for m in state["hubs"][0]["matches"]]
    assert (told["median_deg"], told["p95_deg"]) == (state["hubs"][0]["median_deg"], state["hubs"][0]["p95_deg"])
    assert told["hub_edges"] == sum(0 in (edge["start"], edge["stop"]) for edge in state["edges"])


def test_every_change_is_undone_and_made_again(opened):
    seen = [opened.design]
    free = next(
        f for f in range(40, 90) if f not in frames_of(opened) and min(abs(f - g) for g in frames_of(opened)) > 11
    )
    for change in (
        lambda: opened.set_threshold(0, 0.05),
        lambda: opened.set_spacing(0, 1.0),
        lambda: opened.grow(STRAIGHT, 2.0),
        lambda: opened.pick(0, STRAIGHT, free / 30),
        lambda: opened.unpick(0, STRAIGHT, free / 30),
        lambda: opened.pick(None, STRAIGHT, 3.0, name="mine"),
        lambda: opened.rename(1, "other"),
        lambda: opened.suggest(replacing=True),
        lambda: opened.remove_hub(2),
    ):
        change()
        assert opened.design != seen[-1]
        seen.append(opened.design)
    for design in reversed(seen[:-1]):
        opened.undo()
        assert opened.design == design
    assert opened.saved and opened.graph is not None, "undoing brings the built graph back"
    unchanged(opened, opened.undo, "nothing to undo")
    for design in seen[1:]:
        opened.redo()
        assert opened.design == design
    unchanged(opened, opened.redo, "nothing to redo")
    opened.undo()
    opened.rename(0, "another")
    unchanged(opened, opened.redo, "nothing to redo")


def test_a_change_that_changes_nothing_is_no_step(opened):
    opened.rename(0, opened.design.names[0])
    opened.set_threshold(0, opened.design.hubs[0].threshold)
    assert opened.before == []


def test_hands_are_kept_while_the_threshold_moves(opened):
    taken = frames_of(opened)[2]
    clip, time = opened.material.place(taken)
    opened.unpick(0, clip, time)
    assert taken not in frames_of(opened)
    put = frames_of(opened)[0] - 12
    opened.pick(0, *opened.material.place(put))
    opened.set_threshold(0, 0.08)
    assert taken not in frames_of(opened) and put in frames_of(opened)
    hub = describe_state(opened)["hubs"][0]
    assert hub["picked"] and [m["hand"] for m in hub["matches"]].count(True) == 1
    opened.pick(0, clip, time)
    assert taken in frames_of(opened) and opened.design.hubs[0].removed == ()


def test_a_picked_frame_takes_the_place_of_grown_ones_beside_it(opened):
    grown = frames_of(opened)[1]
    opened.pick(0, *opened.material.place(grown + 3))
    assert grown + 3 in frames_of(opened) and grown not in frames_of(opened)


def test_frames_and_hubs_that_cannot_be_are_refused_in_words(opened):
    last = opened.material.library[STRAIGHT].duration
    there = opened.material.place(frames_of(opened)[0])
    for command, match in (
        (lambda: opened.grow(STRAIGHT, 0.05), "too near an end of its clip"),
        (lambda: opened.pick(0, STRAIGHT, last), "too near an end of its clip"),
        (lambda: opened.grow(STRAIGHT, last + 1), "outside clip 'straight'"),
        (lambda: opened.grow(17, 1.0), "clips are numbered 0 to 3"),
        (lambda: opened.grow(STRAIGHT, 2.0, threshold=-1.0), "must be positive"),
        (lambda: opened.grow(STRAIGHT, 2.0, name="stand"), "there is a hub 'stand' already"),
        (lambda: opened.rename(0, "stand"), "there is a hub 'stand' already"),
        (lambda: opened.rename(0, "  "), "1 to 60 letters"),
        (lambda: opened.rename(0, "a\nb"), "1 to 60 letters"),
        (lambda: opened.rename(0, "x" * 61), "1 to 60 letters"),
        (lambda: opened.set_threshold(0, 0.0), "must be positive"),
        (lambda: opened.set_threshold(0, float("nan")), "must be positive"),
        (lambda: opened.set_threshold(3, 0.1), "hubs are numbered 0 to 2"),
        (lambda: opened.remove_hub(-1), "hubs are numbered 0 to 2"),
        (lambda: opened.set_spacing(0, 0.1), "must be 0.33 s apart or more"),
        (lambda: opened.set_spacing(0, float("nan")), "must be 0.33 s apart or more"),
        (lambda: opened.pick(0, *there), "is a match frame of .* already"),
        (lambda: opened.unpick(0, STRAIGHT, 0.5), "is not a match frame"),
        (lambda: opened.suggest(bands=0), "1 to 10 bands"),
    ):
        unchanged(opened, command, match)


def test_a_threshold_that_would_join_sitting_with_walking_is_refused(opened):
    number = opened.grow(*opened.material.place(opened.design.hubs[0].seed))
    opened.set_threshold(number, 0.2)
    unchanged(opened, lambda: opened.set_threshold(number, 0.6), r"would join sitting .*'sit'.* with walking .*lower")
    unchanged(opened, lambda: opened.pick(number, SIT, 4.0), "would join sitting")
    opened.set_threshold(0, 0.6)  # a suggested hub keeps to its family


def test_frames_picked_too_near_each_other_are_refused(opened):
    number = opened.pick(None, STRAIGHT, 2.0)
    unchanged(opened, lambda: opened.pick(number, STRAIGHT, 2.2), "less than 0.33 s apart; leave one of them out")
    opened.pick(number, STRAIGHT, 2.4)
    unchanged(opened, lambda: opened.set_spacing(number, 1.0), "less than 1.00 s apart")
    unchanged(opened, lambda: opened.set_threshold(number, 0.1), "made of picked frames")
    opened.unpick(number, STRAIGHT, 2.0)
    unchanged(opened, lambda: opened.unpick(number, STRAIGHT, 2.4), "remove the hub instead")


def test_suggestions_come_in_addition_or_instead(opened):
    assert opened.suggest() == 0, "they are there"
    opened.remove_hub(1)
    opened.rename(0, "mine")
    opened.set_threshold(0, 0.05)
    assert opened.suggest() == 1, "a hub whose threshold was moved is there still"
    assert "mine" in opened.design.names
    assert opened.suggest(replacing=True) == 3
    assert "mine" not in opened.design.names


def test_other_names_need_no_building(opened):
    opened.rename(2, "rest")
    graph = opened.graph
    assert graph is not None and graph.hub_names[2] == "rest"
    names = " ".join(graph.clips.names)
    assert ":rest>" in names and "stand" not in names
    assert not opened.saved
    opened.save()
    assert DesignSession.open(opened.file).design.names[2] == "rest"


def test_a_design_with_cut_off_hubs_is_not_saved_and_the_old_file_stays(opened):
    before = opened.file.read_bytes()
    opened.remove_hub(2)
    opened.grow(SIT, 3.0, threshold=0.001, name="alone")
    assert describe_state(opened)["dead_ends"] == [2]
    assert any("alone is cut off" in note for note in describe_state(opened)["notes"])
    with pytest.raises(InvalidValue, match=r"cut off from the rest.*alone"):
        opened.save()
    assert opened.file.read_bytes() == before
    assert not opened.saved


def test_only_the_file_is_ever_written(opened):
    folder = opened.file.parent
    before = sorted(folder.iterdir())
    opened.set_threshold(0, 0.05)
    opened.build()
    written = opened.file.read_bytes()
    opened.save()
    assert sorted(folder.iterdir()) == before
    assert opened.file.read_bytes() != written and opened.saved


def test_a_save_that_fails_keeps_the_old_file(opened, monkeypatch):
    before = opened.file.read_bytes()
    opened.set_threshold(0, 0.05)

    def full(*_, **__):
        raise CannotWrite("writing failed (no space left)", path=opened.file)

    monkeypatch.setattr(session, "save_snap_graph", full)
    with pytest.raises(CannotWrite):
        opened.save()
    assert opened.file.read_bytes() == before and not opened.saved
    monkeypatch.undo()
    opened.save()
    assert opened.saved and DesignSession.open(opened.file).design == opened.design


def test_what_was_changed_while_it_was_built_is_not_taken_for_saved(opened):
    opened.set_threshold(0, 0.05)
    wanted = opened.design
    opened.save(progress=lambda done, total, what: opened.rename(1, "later") if what == "edges" else None)
    assert not opened.saved
    assert DesignSession.open(opened.file).design == wanted


def test_nothing_can_be_built_of_no_hubs(opened):
    for _ in range(3):
        opened.remove_hub(0)
    state = describe_state(opened)
    assert state["hubs"] == state["edges"] == state["dead_ends"] == []
    with pytest.raises(InvalidValue, match="there are no hubs"):
        opened.save()


def test_files_and_libraries_that_do_not_go_together_are_refused(first, tmp_path):
    with pytest.raises(InvalidValue, match="carries its library"):
        DesignSession.open(first.file, library=performer())
    with pytest.raises(InvalidValue, match="does not exist; give a library"):
        DesignSession.open(tmp_path / "none.graph")
    damaged = tmp_path / "damaged.graph"
    damaged.write_bytes(first.file.read_bytes()[:-200])
    with pytest.raises(UnreadableFile):
        DesignSession.open(damaged)


@pytest.mark.parametrize("library", [walkers(), Library.of([bird()])], ids=["walkers", "bird"])
def test_other_bodies_can_be_designed_as_well(library, tmp_path):
    new = DesignSession.open(tmp_path / "x.graph", library=library)
    new.grow(0, 3.0, threshold=0.05, name="mine")
    for number in range(len(new.design.hubs) - 2, -1, -1):
        new.remove_hub(number)
    state = describe_state(new)
    assert [hub["name"] for hub in state["hubs"]] == ["mine"] and not state["dead_ends"]
    assert state["quality"]["edges"] == len(state["edges"]) > 1
