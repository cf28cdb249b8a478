import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.drawing.graph_pictures import distance_picture, graph_picture, reach_picture


def shades(picture):
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    return len(np.unique(picture.reshape(-1, 3), axis=0))


def test_the_distance_picture_is_dark_where_a_clip_meets_itself(graph):
    picture = distance_picture(graph, clips=("walk_1.35", "walk_1.35"), size=400)
    assert shades(picture) > 100
    grey = picture.mean(axis=2)
    # In a clip's own image, windows that end where they begin lie one window right of the diagonal.
    k = 9 / 30 / graph.library["walk_1.35"].duration * 400
    along = [grey[46 + i, 46 + round(i + k)] for i in range(40, 340)]
    assert np.median(along) < 0.6 * np.median(grey[60:440, 60:440])


def test_the_distance_picture_marks_the_minima(graph):
    picture = distance_picture(graph, size=500).astype(int)
    bright = (picture[..., 0] > 240) & (picture[..., 1] > 150) & (picture[..., 2] < 80)
    assert bright.sum() > 20


def test_the_graph_picture_shows_lines_and_curves(graph):
    assert shades(graph_picture(graph, width=700)) > 100
    few = graph_picture(graph, width=700, transitions=3)
    many = graph_picture(graph, width=700, transitions=300)
    assert (few != 255).any(axis=2).sum() < (many != 255).any(axis=2).sum()


def test_the_fan_is_ahead_of_the_body(graph):
    assert shades(reach_picture(graph, walks=300, size=300)) >= 5


def test_wrong_clips_and_nodes_are_named(graph):
    with pytest.raises(UnknownName, match="there is no clip 'swim'"):
        distance_picture(graph, clips=("swim", "walk_1.35"))
    with pytest.raises(InvalidValue, match="nodes are numbered 0 to"):
        reach_picture(graph, node=10**6)
