"""Sung 2005, section 4: what is printed beside Table 1 is what came of the runs, failures and all."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.reproduce import Trial, reproduce, select_experiments
from walkon.reproduce.recordings import MotionSource
from walkon.reproduce.results import ResultRow
from walkon.reproduce.sung2005 import experiments, open_floor
from walkon.reproduce.sung2005.boxes import experiment_5
from walkon.reproduce.sung2005.columns import COLUMNS, TABLE_1
from walkon.reproduce.sung2005.experiments import PAPER, SCENES, TOLERANCES_CM_S, _judge_curve, search_with_tolerance
from walkon.reproduce.sung2005.performing import Run, perform_scene, row_of
from walkon.reproduce.sung2005.pictures import draw_curve, draw_moment, draw_ways


@pytest.fixture(scope="module")
def fetched() -> Run:
    """Experiment 5, with its take."""
    return perform_scene(experiment_5(seed=0), seed=0, source=True, keep=True)


def a_run(planning: list[float], *, met: int, unmet: tuple[str, ...] = (), error: float | None = 0.0) -> Run:
    """A run of people with these planning times, whose marks are off by so much."""
    topics = {
        "marks": {"max_position_error_m": error, "max_facing_error_deg": 0.0, "max_time_error_s": 0.0},
        "collisions": {"pair_frames": 1, "obstacle_frames": 2},
        "bodies": {"max_penetration_m": 0.0},
        "adjustment": {"max_m_s": 0.01, "max_deg_s": 1.0},
        "foot_slide": {"p95_m_s": 0.0, "max_m_s": 0.0, "unlabelled_p95_m_s": 0.0, "unlabelled_max_m_s": 0.0},
        "variety": {"identical_neighbours": 0},
    }
    topics["marks"] |= {"max_pose_error_deg": 0.0, "unmet": list(unmet)}
    return Run(
        scene=open_floor.experiment_1(),
        take=None,
        durations=np.full(met, 14.8),
        planning=np.array(planning),
        unmet=unmet,
        replanned=1,
        roadmap_s=0.0,
        writing_s=0.5,
        elapsed_s=1.0,
        stretched=0.05,
        tried=10,
        audit=topics,
        source=None,
    )


def test_all_who_fetch_a_box_meet_all_marks_in_the_paper_s_time(fetched: Run) -> None:
    row = row_of("5", [fetched], what="", published="5")
    assert fetched.unmet == ()
    found = row.values
    assert found["success_share"] == 1.0
    assert TABLE_1["5"].fits(found["mean_duration_s"] or 0.0)
    assert found["collision_frames"] == 0
    assert (found["mark_error_m"] or 0.0) < 1e-3
    assert "library_slide_p95_m_s" in found
    assert 0.0 < (found["adjusted_m_s"] or 0.0) < 0.021


def test_boxes_are_carried_and_stand_where_they_are_asked_to(fetched: Run) -> None:
    from walkon.take.posing.props import prop_poses

    assert fetched.take is not None
    places, _, there = prop_poses(fetched.take, [fetched.take.stop - 0.1])
    asked = [c.marks[1].action.place for c in fetched.scene.characters if c.marks[1].action is not None]
    assert there.all()
    assert np.abs(places[0] - np.array(asked)).max() < 0.001


def test_ways_and_moments_are_drawn(fetched: Run) -> None:
    assert fetched.take is not None
    for image in (draw_ways(fetched.scene, fetched.take), draw_moment(fetched.take, "5", width=480)):
        assert image.dtype == np.uint8
        assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50


def test_a_row_counts_everybody_and_names_who_failed() -> None:
    failed = tuple(f"person {k}, place: occupied" for k in range(5))
    runs = [a_run([0.1] * 20, met=20), a_run([0.3] * 20, met=15, unmet=failed, error=0.004)]
    row = row_of("1", runs, what="", published="1")
    assert row.ours("success_share") == pytest.approx(35 / 40)
    assert row.ours("mean_synthesis_s") == pytest.approx(0.2)
    assert row.ours("worst_synthesis_s") == pytest.approx(0.3)
    assert row.ours("total_s") == pytest.approx(4.0)
    assert row.ours("times_as_fast") == pytest.approx(0.21 / 0.2)
    assert row.ours("mark_error_m") == 0.004
    assert row.ours("collision_frames") == 3
    assert row.ours("marks_off") == 5
    assert any("seed 1: person 0, place: occupied" in note for note in row.notes)
    assert any("and 2 others" in note for note in row.notes)


def test_a_figure_that_could_not_be_measured_does_not_look_fine() -> None:
    row = row_of("1", [a_run([0.1], met=1, error=None)], what="")
    assert np.isnan(row.ours("mark_error_m") or 0.0)


def test_the_totals_of_6a_and_6b_are_compared_with_what_is_meant() -> None:
    run = replace(a_run([0.001] * 300, met=300), scene=open_floor.experiment_6(300))
    row = row_of("6a", [run], what="", published="6a")
    assert row.theirs("total_s") == 10.2
    assert any("0.86 s" in note and "average × duration" in note for note in row.notes)


def test_durations_off_the_paper_s_are_told() -> None:
    run = replace(a_run([0.1], met=1), durations=np.array([20.0]))
    assert any("not within 15 %" in note for note in row_of("1", [run], what="", published="1").notes)


@pytest.mark.parametrize(
    ("means", "shown"), [((5, 3, 1, 0.9, 0.9), True), ((1, 1, 1, 1, 1), False), ((1, 2, 3, 4, 5), False)]
)
def test_what_the_text_says_of_the_curves_is_checked(means: tuple[float, ...], shown: bool) -> None:
    rows = [
        ResultRow(
            columns=COLUMNS,
            experiment="fig12",
            what="",
            values={"mean_synthesis_s": mean, "median_synthesis_s": mean, "success_share": 0.9},
        )
        for mean in means
    ]
    assert ("does not show" in _judge_curve(rows, "it falls")) != shown
    assert draw_curve(rows, range(5), label="ε", title="a curve").ndim == 3


def test_tolerances_are_in_the_paper_s_units() -> None:
    rule = search_with_tolerance("paper", 2.0)
    assert rule.position == pytest.approx(0.02)
    assert rule.facing == pytest.approx(np.deg2rad(2.0))
    assert rule.time == pytest.approx(1 / 15)
    assert rule.rounds == (1000,)
    assert 2.0 in TOLERANCES_CM_S


def test_captured_scenes_have_the_same_people_and_twice_the_time() -> None:
    scene = SCENES["1"][1](seed=3)
    slow = experiments.slow_down(scene)
    assert [c.place for c in slow.characters] == [c.place for c in scene.characters]
    assert {c.marks[0].window for c in slow.characters} == {(29.6, 29.6)}


def test_every_experiment_of_the_paper_has_a_name() -> None:
    assert PAPER.keys[:9] == ("1", "2", "3", "4", "5", "6a", "6b", "fig11", "fig12")


def test_options_that_a_paper_does_not_know_are_told() -> None:
    with pytest.raises(InvalidValue, match="kovar2002 have no seeds"):
        reproduce("kovar2002", "figure8", seeds=3)
    with pytest.raises(InvalidValue, match="at least 1 seed"):
        reproduce("sung2005", "1", seeds=0)


def test_captured_motion_is_asked_for_where_it_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WALKON_MOCAP", str(tmp_path))
    with pytest.raises(InvalidValue, match="needs the CMU clips"):
        select_experiments("sung2005", "captured")
    everything = select_experiments("sung2005", full=True)
    assert "captured" not in [one.key for one in everything.experiments]


def test_reproduce_runs_an_experiment_and_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WALKON_MOCAP", str(tmp_path))
    shares: list[tuple[str, float]] = []
    made = reproduce(
        "sung2005", "1", pictures=False, seeds=2, progress=lambda one, share: shares.append((one.key, share))
    )
    (row,) = made.rows
    assert (row.ours("agents"), row.ours("runs")) == (20, 2)
    assert row.theirs("mean_synthesis_s") == 0.21
    assert shares == [("1", 0.0), ("1", 0.5), ("1", 1.0), ("1", 1.0)]


def test_every_point_of_a_curve_is_a_row_as_soon_as_it_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_run([0.1] * 20, met=20)
    calls: list[int] = []
    monkeypatch.setattr(experiments, "ensure_compiled", lambda: None)
    monkeypatch.setattr(experiments, "_run", lambda *_, **__: calls.append(1) or run)
    rows = PAPER["fig12"].run(Trial(motion=MotionSource(folder=None), pictures=False))
    first = next(rows)
    assert (first.name, len(calls)) == ("fig12 ε 0.05", 1)
    *_, last = rows
    assert last.name == "fig12 ε 4"
    assert "the text says" in last.notes[-1]
    assert not first.notes
