from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import UnknownName
from walkon.capture import builtin_library
from walkon.drawing.snap_charts import displacement_picture, fan_picture, schema_picture
from walkon.drawing.snap_pictures import hub_figure, hubs_picture, match_poses, worst_picture
from walkon.graphs.snap_together import build_snap_graph
from walkon.motion.kinematics import planar_poses
from walkon.motion.library import Library

CELL = (60, 80)


@pytest.fixture(scope="module")
def hubs():
    library = builtin_library()
    names = ("walk_1.10", "walk_1.35", "arc_left_1.20_50", "arc_right_1.20_50", "idle_neutral")
    return build_snap_graph(Library.of([library[name] for name in names]))


def coloured(picture, colour, *, within=40):
    assert picture.dtype == np.uint8
    return int((np.abs(picture.astype(int) - colour).max(axis=2) < within).sum())


def test_match_frames_lie_on_their_hub(hubs):
    poses = match_poses(hubs, np.flatnonzero(hubs.matches.hub == 0))
    places = planar_poses(hubs.source.skeleton, poses)
    assert np.abs(places[:, :2]).max() < 0.06
    assert np.abs(places[:, 2]).max() < 0.15


def test_hubs_are_drawn_before_and_after(hubs):
    every = hubs_picture(hubs, size_per_cell=CELL)
    one = hubs_picture(hubs, hubs=["stand"], size_per_cell=CELL)
    assert every.shape[0] > one.shape[0]
    assert every.shape[1] > one.shape[1]
    assert coloured(one, (51, 158, 107)) > 10  # left limbs of the sticks
    assert coloured(one, (230, 122, 51)) > 10
    with pytest.raises(UnknownName, match="there is no hub 'swim'"):
        hubs_picture(hubs, hubs=["swim"])


def test_more_match_frames_make_broader_sticks(hubs):
    few = hubs_picture(hubs, hubs=[0], size_per_cell=(120, 160), most=1)
    many = hubs_picture(hubs, hubs=[0], size_per_cell=(120, 160), most=100)
    assert (many[30:, :120] < 250).any(axis=2).sum() > 1.1 * (few[30:, :120] < 250).any(axis=2).sum()


def test_the_worst_frame_has_a_ring(hubs):
    picture = worst_picture(hubs, size_per_cell=(120, 160))
    assert coloured(picture, (200, 40, 60), within=30) > 4 * len(hubs.hubs) * 20


def test_a_wider_hub_has_a_wider_histogram(hubs):
    def last_bar(picture, hub, row=60):
        band = picture[30 + hub * row : 30 + (hub + 1) * row - 10, 170:].astype(int)
        bars = np.abs(band - (140, 168, 206)).max(axis=2) < 12
        return int(np.flatnonzero(bars.any(axis=0)).max())

    before = displacement_picture(hubs, width=600, row=60)
    wide = np.array(hubs.displacements)
    wide[hubs.matches.hub == 1] *= 3
    after = displacement_picture(replace(hubs, displacements=wide), width=600, row=60)
    assert last_bar(after, 1) > last_bar(before, 1)
    assert last_bar(after, 0) == last_bar(before, 0)


def test_fans_show_turns_to_both_sides(hubs):
    left, right = hubs.hub_names[:2]
    picture = fan_picture(hubs, pairs=[(left, right)], size=240)
    turns = np.degrees(hubs.edges.displacement[hubs.between(left, right), 2])
    for colour, some in (((96, 184, 142), (turns > 10).any()), ((236, 150, 84), (turns < -10).any())):
        assert (coloured(picture, colour, within=25) > 5) == some
    assert fan_picture(hubs, size=120).shape[1] >= 240


def test_the_schema_has_every_hub_and_marks_dead_ends(hubs):
    assert hubs.core.all()
    whole = schema_picture(hubs, size=400)
    assert whole.shape == (400, 400, 3)
    stand = hubs.hub("stand")
    kept = np.flatnonzero(hubs.edges.stop != stand)
    cut = replace(hubs, edges=hubs.edges.rows(kept), **_frames_of(hubs, kept))
    assert not cut.core[stand]
    rim = (214, 96, 44)
    assert coloured(schema_picture(cut, size=400), rim, within=20) > coloured(whole, rim, within=20) + 50


def _frames_of(graph, kept):
    clips = [graph.clips[int(edge)] for edge in kept]
    frames = np.concatenate([np.arange(graph.clips.starts[e], graph.clips.stops[e]) for e in kept])
    return {"clips": Library.of(clips), "planar": graph.planar[frames], "footprints": graph.footprints[frames]}


def test_a_hub_is_drawn_alone(hubs):
    figure = hub_figure(hubs, "stand", (64, 64))
    assert figure.shape == (64, 64, 3)
    assert len(np.unique(figure.reshape(-1, 3), axis=0)) > 100
