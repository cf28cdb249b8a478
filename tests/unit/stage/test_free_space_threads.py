"""Free space may be asked by several threads at once: GEOS builds prepared geometries and trees unguarded.

Two threads that were the first to ask a prepared polygon damaged the heap, once in a hundred runs. So it is counted how
many threads are inside GEOS at a time.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import shapely

from walkon.geometry import polygons
from walkon.stage import Obstacle, Stage
from walkon.stage.free_space import FreeSpace

THREADS = 4
BOX = np.array([(4.0, 4.0), (6.0, 4.0), (6.0, 6.0), (4.0, 6.0)])
HALL = np.array([(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)])
POINTS = np.array([(1.0, 1.0), (5.0, 5.0), (3.9, 5.0)])


@pytest.fixture
def inside(monkeypatch):
    """How many threads were inside `intersects_xy`, `distance` and trees at once: the largest number."""
    now, most, lock = [0], [0], threading.Lock()

    def watched(function):
        def call(*given, **options):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.002)
            try:
                return function(*given, **options)
            finally:
                with lock:
                    now[0] -= 1

        return call

    for name in ("intersects_xy", "distance"):
        monkeypatch.setattr(shapely, name, watched(getattr(shapely, name)))
    for name in ("nearest", "query", "query_nearest"):
        monkeypatch.setattr(shapely.STRtree, name, watched(getattr(shapely.STRtree, name)))
    return most


@pytest.mark.parametrize("ask", ["parts", "leave", "nearest", "covering", "near", "contains", "distances"])
def test_one_thread_at_a_time_asks_geos(ask, inside):
    space = FreeSpace.of(Stage(bounds=HALL, obstacles=[Obstacle(polygon=BOX)]), radius=0.25)

    def answer(_):
        parts = space.parts(0.3)
        part = parts.part_of(POINTS)
        return {
            "parts": lambda: parts.away(POINTS, part)[~parts.holds(POINTS, part)],
            "leave": lambda: parts.leave(POINTS, part, walls=space.walls(0.3)),
            "nearest": lambda: space.nearest(POINTS)[0],
            "covering": lambda: space.covering(POINTS),
            "near": lambda: space.solids_near(POINTS, within=2.0),
            "contains": lambda: polygons.contains(space.area, POINTS),
            "distances": lambda: polygons.distances(space.area, POINTS),
        }[ask]()

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(answer, range(THREADS)))
    assert inside[0] == 1
    for one in found[1:]:
        np.testing.assert_equal(one, found[0])
