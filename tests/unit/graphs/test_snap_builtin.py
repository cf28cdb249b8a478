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
from walkon._base.kept import forget
from walkon.graphs.snap_together import builtin
from walkon.graphs.snap_together.builtin import builtin_snap_graph
from walkon.graphs.snap_together.playing.player import SnapPlayer
from walkon.graphs.snap_together.playing.random_policy import RandomPolicy

KEY = "0123456789abcdef"
FILE = f"builtin-{KEY}.graph"


@pytest.fixture
def quick(monkeypatch, own_cache):
    """A cache folder of its own, and a toy that counts how often it is made."""
    made = []

    def make(progress):
        made.append(progress)
        return loops()

    monkeypatch.setattr(builtin, "graph_fingerprint", lambda: KEY)
    monkeypatch.setattr(builtin, "_make", make)
    return made


def _graphs(folder):
    return sorted(file.name for file in folder.glob("*.graph"))


def test_it_is_made_once_and_read_after_that(quick, own_cache):
    first = builtin_snap_graph()
    assert _graphs(own_cache) == [FILE]
    forget()
    second = builtin_snap_graph()
    assert len(quick) == 1
    same_graph(first, second)  # to the last bit: the first run reads its own file back


def test_a_process_reads_it_once(quick):
    assert builtin_snap_graph() is builtin_snap_graph()


def test_fresh_makes_it_again(quick):
    builtin_snap_graph()
    builtin_snap_graph(fresh=True)
    assert len(quick) == 2


@pytest.mark.parametrize("damage", [lambda content: b"damaged", lambda content: content[:-99], lambda content: b""])
def test_a_damaged_file_is_made_again(quick, own_cache, damage):
    builtin_snap_graph()
    file = own_cache / FILE
    file.write_bytes(damage(file.read_bytes()))
    forget()
    assert builtin_snap_graph().hub_names == ("a", "b", "c")
    forget()
    builtin_snap_graph()
    assert len(quick) == 2


def test_another_library_or_source_is_another_file(quick, monkeypatch, own_cache):
    builtin_snap_graph()
    monkeypatch.setattr(builtin, "graph_fingerprint", lambda: KEY[::-1])
    builtin_snap_graph()
    assert len(quick) == 2
    assert len(_graphs(own_cache)) == 2


def test_only_the_last_used_of_other_versions_are_kept(quick, own_cache):
    for hours in range(8):
        old = own_cache / f"builtin-{hours:016d}.graph"
        old.write_bytes(b"old")
        os.utime(old, (time.time() - 3600 * (hours + 1),) * 2)
    (own_cache / "builtin-0000000000000009.library").write_bytes(b"another kind")
    builtin_snap_graph()
    assert _graphs(own_cache) == sorted([FILE, *(f"builtin-{hours:016d}.graph" for hours in range(4))])
    assert (own_cache / "builtin-0000000000000009.library").is_file()


def test_the_fingerprint_changes_with_the_library(monkeypatch):
    before = builtin.graph_fingerprint()
    assert before == builtin.graph_fingerprint()
    monkeypatch.setattr(builtin, "library_fingerprint", lambda: "another")
    assert builtin.graph_fingerprint() != before


def test_without_a_place_to_write_it_is_made_once_per_process(quick, monkeypatch):
    monkeypatch.setattr(keeping, "cache_file", lambda *name: None)
    assert builtin_snap_graph() is builtin_snap_graph()
    forget()
    assert builtin_snap_graph().hub_names == ("a", "b", "c")
    assert len(quick) == 2


def test_a_full_disk_costs_time_only(quick, monkeypatch):
    def full(graph, path):
        raise CannotWrite("no room", path=path)

    monkeypatch.setattr(builtin, "_save", full)
    assert builtin_snap_graph().hub_names == ("a", "b", "c")
    forget()
    builtin_snap_graph()
    assert len(quick) == 2


def test_hubs_that_are_cut_off_do_not_keep_it_from_being_kept(quick, monkeypatch):
    monkeypatch.setattr(builtin, "_make", lambda progress: quick.append(progress) or with_dead_end())
    builtin_snap_graph()
    forget()
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
