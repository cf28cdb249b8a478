"""The built-in graph: made once, kept by content, remade when damaged, the same for two who make it at once."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from snap_toys import loops, same_graph, with_dead_end
from walkon._base import kept as keeping
from walkon._base.errors import CannotWrite
from walkon.graphs.snap_together import builtin
from walkon.graphs.snap_together.builtin import builtin_snap_graph
from walkon.graphs.snap_together.player import SnapPlayer
from walkon.graphs.snap_together.random_policy import RandomPolicy


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """A cache folder of its own, and a toy that counts how often it is made."""
    made = []

    def make(progress):
        made.append(progress)
        return loops()

    monkeypatch.setattr(builtin, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(builtin, "graph_fingerprint", lambda: "0123456789ab")
    monkeypatch.setattr(builtin, "_make", make)
    return made


def test_it_is_made_once_and_read_after_that(quick, tmp_path):
    first = builtin_snap_graph()
    assert [file.name for file in tmp_path.iterdir()] == ["builtin-0123456789ab.graph"]
    second = builtin_snap_graph()
    assert len(quick) == 1
    same_graph(first, second)  # to the last bit: the first run reads its own file back


def test_fresh_makes_it_again(quick):
    builtin_snap_graph()
    builtin_snap_graph(fresh=True)
    assert len(quick) == 2


@pytest.mark.parametrize("damage", [lambda content: b"damaged", lambda content: content[:-99], lambda content: b""])
def test_a_damaged_file_is_made_again(quick, tmp_path, damage):
    builtin_snap_graph()
    file = tmp_path / "builtin-0123456789ab.graph"
    file.write_bytes(damage(file.read_bytes()))
    assert builtin_snap_graph().hub_names == ("a", "b", "c")
    builtin_snap_graph()
    assert len(quick) == 2


def test_another_library_or_source_is_another_file(quick, monkeypatch, tmp_path):
    builtin_snap_graph()
    monkeypatch.setattr(builtin, "graph_fingerprint", lambda: "ba9876543210")
    builtin_snap_graph()
    assert len(quick) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_only_the_last_used_of_other_versions_are_kept(quick, tmp_path):
    for hours in range(8):
        old = tmp_path / f"builtin-{hours:012d}.graph"
        old.write_bytes(b"old")
        os.utime(old, (time.time() - 3600 * (hours + 1),) * 2)
    (tmp_path / "builtin-000000000009.library").write_bytes(b"another kind")
    builtin_snap_graph()
    kept = {file.name for file in tmp_path.glob("*.graph")}
    assert kept == {"builtin-0123456789ab.graph", *(f"builtin-{hours:012d}.graph" for hours in range(4))}
    assert (tmp_path / "builtin-000000000009.library").is_file()


def test_the_fingerprint_changes_with_the_library(monkeypatch):
    before = builtin.graph_fingerprint()
    assert before == builtin.graph_fingerprint()
    monkeypatch.setattr(builtin, "library_fingerprint", lambda: "another")
    assert builtin.graph_fingerprint() != before


def test_fingerprints_know_the_sources_and_their_names(tmp_path, monkeypatch):
    part = tmp_path / "walkon" / "graphs" / "deep"
    part.mkdir(parents=True)
    (tmp_path / "walkon" / "_base").mkdir()
    monkeypatch.setattr(keeping, "__file__", str(tmp_path / "walkon" / "_base" / "kept.py"))
    seen = set()
    for name, content in (("a.py", "1"), ("a.py", "2"), ("b.py", "2")):
        for old in part.iterdir():
            old.unlink()
        (part / name).write_text(content)
        seen.add(keeping.source_fingerprint("x", "graphs"))
    assert len(seen | {keeping.source_fingerprint("y", "graphs")}) == 4


def test_without_a_place_to_write_it_is_made(quick, monkeypatch):
    monkeypatch.setattr(builtin, "cache_folder", lambda: None)
    assert builtin_snap_graph().hub_names == ("a", "b", "c")
    builtin_snap_graph()
    assert len(quick) == 2


def test_a_full_disk_costs_time_only(quick, monkeypatch):
    def full(graph, path):
        raise CannotWrite("no room", path=path)

    monkeypatch.setattr(builtin, "_save", full)
    assert builtin_snap_graph().hub_names == ("a", "b", "c")
    builtin_snap_graph()
    assert len(quick) == 2


def test_hubs_that_are_cut_off_do_not_keep_it_from_being_kept(quick, monkeypatch):
    monkeypatch.setattr(builtin, "_make", lambda progress: quick.append(progress) or with_dead_end())
    builtin_snap_graph()
    builtin_snap_graph()
    assert len(quick) == 1


def test_two_processes_may_make_it_at_once(tmp_path):
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from pathlib import Path\n"
        "from snap_toys import loops\n"
        "from walkon.graphs.snap_together import builtin\n"
        "builtin._make = lambda progress: loops()\n"
        "builtin.graph_fingerprint = lambda: 'both'\n"
        "for _ in range(20): graph = builtin.builtin_snap_graph(fresh=True)\n"
        "print(graph.edges.duration.sum())\n"
    )
    paths = [entry for entry in sys.path if entry.endswith("tests")]
    environment = os.environ | {"WALKON_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", code, *paths]
    pair = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    told = [process.communicate(timeout=120)[0] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert told[0] == told[1] != ""
    assert sorted(file.name for file in tmp_path.glob("*.graph")) == ["builtin-both.graph"]
    assert not list(tmp_path.glob(".*part"))


@pytest.mark.slow
def test_the_graph_itself_goes_on_for_ever_from_every_hub():
    graph = builtin_snap_graph()
    same_graph(graph, builtin_snap_graph())
    assert graph.core.all()
    H = len(graph.hubs)
    policy = RandomPolicy(graph, np.random.default_rng(3))
    player = SnapPlayer(graph, policy, poses=np.zeros((20 * H, 3)), hubs=np.repeat(np.arange(H), 20))
    player.advance(600.0)
    assert (player.stops > 600.0).all()
