"""The graphs of Gleicher 2003, section 5, on the built-in library, and driving by curvature."""

from dataclasses import replace

import numpy as np
import pytest

from snap_toys import WALK, pole_graph
from walkon._base.errors import InvalidValue
from walkon.reproduce.driving import drive
from walkon.reproduce.experiment import Trial
from walkon.reproduce.gleicher2003.experiments import PAPER, figure8, figure9, joined, walking
from walkon.reproduce.recordings import MotionSource
from walkon.transforms import planar

WITHOUT_CLIPS = Trial(motion=MotionSource(folder=None))
WITHOUT_PICTURES = replace(WITHOUT_CLIPS, pictures=False)


@pytest.fixture(scope="module")
def walked():
    (row,) = walking(WITHOUT_CLIPS)
    return row


@pytest.fixture(scope="module")
def together():
    (row,) = joined(WITHOUT_CLIPS)
    return row


def steering(*curvatures, seconds=1.0, dead_end=False):
    """One hub with a loop of each curvature at 1 m/s; with a way out of it that never comes back, if wanted."""
    rows = [(0, 0, seconds, curvature, WALK) for curvature in curvatures]
    if dead_end:
        rows += [(0, 1, seconds, 0.31, WALK), (1, 1, seconds, 0.0, WALK)]
    graph = pole_graph(rows, hubs=("a", "b")[: 1 + dead_end])
    return replace(graph, edges=graph.edges.with_columns(path=graph.edges.duration))


def test_a_clip_in_some_style_gives_one_hub_and_its_loops():
    (row,) = figure8(WITHOUT_PICTURES)
    assert row.name == "8"
    assert row.ours("hubs") == 1
    assert dict(row.printed) == {"hubs": 1, "match_frames": 5, "edges": 7}
    assert row.ours("graph_frames") == 390
    # One clip: a loop between every two match frames that follow each other.
    assert row.ours("edges") == row.ours("match_frames") - 1
    assert row.ours("edges") >= 4
    assert row.ours("mean_duration_s") >= 60.0
    assert row.ours("bend_median_deg") < 3.0
    assert row.ours("foot_drift_m") < 0.003


def test_martial_arts_have_the_paper_s_numbers_only():
    fighting, ours = figure9(WITHOUT_PICTURES)
    assert (fighting.name, ours.name) == ("9a", "9b")
    assert not fighting.pictures + ours.pictures
    assert dict(fighting.printed) == {"hubs": 2, "graph_frames": 900, "designer_s": 720.0}
    assert dict(fighting.values) == {}
    assert "no martial-arts clip" in fighting.notes[0]
    assert ours.ours("hubs") >= 2
    assert ours.theirs("hubs") is None


def test_walking_is_one_hub_that_obeys_a_wished_curvature(walked):
    found = walked.values
    assert (found["hubs"], walked.theirs("hubs"), walked.theirs("designer_s")) == (1, 1, 1200.0)
    assert abs(found["graph_frames"] - walked.theirs("graph_frames")) < 150
    assert min(found["turn_left_deg"], found["turn_right_deg"]) > 150.0
    assert min(found["curvature_left_1_m"], found["curvature_right_1_m"]) > 0.8
    assert found["curvature_error_1_m"] < 0.1
    assert found["heading_error_deg"] < 15.0
    # Over a wish, clips make up for each other; one by one they miss it by more.
    assert found["curvature_error_1_m"] < found["curvature_error_edge_1_m"] < 1.0
    assert 0.0 < found["mean_error_m"] < found["worst_error_m"] < 6.0
    assert found["total_s"] > found["mean_synthesis_s"] > 0
    assert "about-face" in walked.notes[0]
    assert [name for name, _ in walked.pictures] == ["gleicher2003-walking-1", "gleicher2003-walking-1-edges"]


def test_two_sets_are_joined_from_walking_to_sitting_and_back(together):
    found = together.values
    assert found["hubs"] >= 4
    assert found["edges_across"] >= 2
    assert 1.0 < found["switch_s"] < 20.0
    assert 1.0 < found["switch_back_s"] < 20.0
    assert together.theirs("graph_frames") is None
    assert "gleicher2003-joined" in dict(together.pictures)


def test_pictures_show_something(walked, together):
    for _, image in (*walked.pictures, *together.pictures):
        assert image.ndim == 3
        assert image.dtype == np.uint8
        assert min(image.shape[:2]) > 200
        assert image.std() > 5.0


def test_the_experiments_have_names():
    assert PAPER.keys == ("figure8", "figure9", "walking", "joined")


@pytest.mark.parametrize("wish", [0.0, 0.3, -0.45, 0.9])
def test_a_wish_between_two_clips_is_met_by_alternating_them(wish):
    graph = steering(-1.0, -0.5, 0.0, 0.5, 1.0)
    driven = drive(graph, [(60.0, wish)])
    assert driven.curvatures[0] == pytest.approx(wish, abs=0.01)
    # Never owed more than half of what two neighbouring clips differ by.
    assert np.abs(driven.owed).max() <= 0.25 + 1e-9
    assert set(np.unique(graph.edges.displacement[driven.walk, 2])) <= {-1.0, -0.5, 0.0, 0.5, 1.0}


def test_the_heading_owed_is_the_wished_one_minus_the_walked_one():
    graph = steering(-0.7, 0.1, 0.6)
    driven = drive(graph, [(5.0, 0.2), (4.0, -0.4)])
    pose, wished = np.zeros(3), 0.0
    for edge, curvature, owed in zip(driven.walk, driven.wished, driven.owed, strict=True):
        pose = planar.compose(pose, graph.edges.displacement[edge])
        wished += curvature * float(graph.edges.path[edge])
        assert np.cos(wished - pose[2] - owed) == pytest.approx(1.0)
    assert driven.asked.tolist() == [0.2, -0.4]
    assert driven.starts.tolist() == pytest.approx(np.arange(9.0).tolist())


def test_errors_are_told_edge_by_edge_and_as_metres_from_the_wished_path():
    met = drive(steering(-0.5, 0.0, 0.5), [(6.0, 0.5), (4.0, 0.0)])
    assert met.errors == pytest.approx(np.zeros(10), abs=1e-6)
    assert met.away == pytest.approx(np.zeros(10), abs=1e-6)
    missed = drive(steering(-0.5, 0.0, 0.5), [(2.0, 1.0), (1.0, 0.5)])
    assert missed.errors.tolist() == pytest.approx([-0.5, -0.5, 0.0], abs=1e-6)
    ends = [np.array([np.sin(k * s), 1 - np.cos(k * s)]) / k for s in (1.0, 2.0) for k in (0.5, 1.0)]
    far = [float(np.linalg.norm(a - b)) for a, b in (ends[:2], ends[2:])]
    assert missed.away.tolist() == pytest.approx([*far, 0.0], abs=1e-6)  # the next wish begins where it is heard


def test_half_a_circle_and_more_is_no_turn_to_the_other_side():
    driven = drive(steering(-3.2, 0.0, 0.3), [(4.0, 1.0)])
    assert (driven.errors < 0).all()  # wrapped, −3.2 rad would look like the sharpest turn to the left
    assert 0 not in driven.walk


def test_a_wish_is_heard_at_the_next_hub():
    driven = drive(steering(-1.0, 1.0, seconds=2.0), [(3.0, 1.0), (3.0, -1.0)])
    assert driven.wished.tolist() == [1.0, 1.0, -1.0]


def test_a_wish_too_strong_for_the_clips_is_followed_as_far_as_they_go():
    driven = drive(steering(-0.5, 0.0, 0.5), [(10.0, 2.0)])
    assert driven.curvatures[0] == pytest.approx(0.5)
    assert driven.owed[-1] == pytest.approx(15.0)


def test_dead_ends_and_long_clips_are_not_driven_into():
    graph = steering(-0.5, 0.5, dead_end=True)
    driven = drive(graph, [(20.0, 0.31)])
    assert (graph.edges.stop[driven.walk] == 0).all()
    with pytest.raises(InvalidValue, match=r"at most 0\.5 s leaves the hub a"):
        drive(graph, [(20.0, 0.31)], longest=0.5)


@pytest.mark.parametrize("wishes", [[], [(0.0, 1.0)], [(3.0, 1.0), (float("nan"), 0.0)]])
def test_wishes_that_last_no_time_are_refused(wishes):
    with pytest.raises(InvalidValue, match="every wish must last"):
        drive(steering(0.0), wishes)
