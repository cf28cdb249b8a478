"""Graphs for tests: a small one of real walks, made once, and toys whose every edge is known."""

import numpy as np
import pytest

from walkon.capture import builtin_library
from walkon.graphs.build import build_graph
from walkon.graphs.file import as_stored
from walkon.graphs.snap_together import build_snap_graph
from walkon.motion.library import Library

WALKS = ("walk_0.90", "walk_1.35", "arc_left_1.20_50", "arc_right_1.20_50", "idle_neutral", "start_left_0.90")


@pytest.fixture(scope="session")
def performer():
    """The built-in library."""
    return builtin_library()


@pytest.fixture(scope="session")
def walks(performer):
    """Walks at two speeds, arcs to both sides, a start, and standing."""
    return Library.of([performer[name] for name in WALKS])


@pytest.fixture(scope="session")
def graph(walks):
    return build_graph(walks)


@pytest.fixture
def generator():
    return np.random.default_rng(11)


@pytest.fixture(scope="session")
def small_snap_graph(walks):
    """Two walking hubs and a standing one, all reached from each other."""
    return build_snap_graph(as_stored(walks), bands=1)
