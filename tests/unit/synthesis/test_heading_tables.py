import numpy as np
import pytest

from arc_graphs import arc_graph, glide
from walkon._base.errors import InvalidValue
from walkon.graphs.walk import walk_along
from walkon.synthesis import steer, steering_table
from walkon.synthesis.planar_steps import walk_track


@pytest.fixture(scope="module")
def graph():
    return arc_graph([glide("straight", 0.0), glide("left", 0.8), glide("right", -0.8)])


@pytest.fixture(scope="module")
def table(graph):
    return steering_table(graph, directions=24)


def way(graph, walk, pose, a, b):
    """The direction of travel between two times, rad."""
    track = walk_track(graph, walk_along(graph, [walk], poses=pose), times=np.array([a, b]))
    return np.arctan2(*(track[1] - track[0])[::-1])


@pytest.mark.parametrize("wanted", [0.0, 1.2, -2.0, np.pi])
def test_a_steered_character_goes_where_it_is_told(graph, table, wanted):
    for start in (0, 5, 12):
        walk = steer(table, lambda _: wanted, start=start, duration=14.0)
        walk_along(graph, [walk])
        off = np.angle(np.exp(1j * (way(graph, walk, (0, 0, 0), 9.0, 14.0) - wanted)))
        assert abs(off) < np.radians(15.0)


def test_the_table_tells_how_long_obeying_takes(graph, table):
    directions = table.best.shape[1]
    assert table.obey.shape == (len(table.choices), directions)
    assert np.isfinite(table.obey).all()
    straight = np.flatnonzero(graph.nodes.clip[table.choices.nodes] == 0)[:4]
    assert table.obey[straight, 0].max() <= table.obey[straight, directions // 2].min()
    assert 0 < np.median(table.obey[:, directions // 2]) < 8.0


def test_the_wish_may_change_on_the_way(graph, table):
    walk = steer(table, lambda time: 0.0 if time < 8.0 else np.pi / 2, start=0, duration=20.0)
    assert abs(way(graph, walk, (0, 0, 0), 5.0, 8.0)) < np.radians(20.0)
    assert abs(way(graph, walk, (0, 0, 0), 16.0, 20.0) - np.pi / 2) < np.radians(20.0)


def test_turning_the_whole_scene_changes_nothing(graph, table):
    here = steer(table, lambda _: 0.5, start=3, duration=6.0, pose=(0, 0, 0))
    there = steer(table, lambda _: 1.7, start=3, duration=6.0, pose=(4.0, 1.0, 1.2))
    assert np.array_equal(here, there)


def test_too_few_directions_are_refused(graph):
    with pytest.raises(InvalidValue, match="at least 4"):
        steering_table(graph, directions=2)
