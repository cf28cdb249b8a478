import json
from dataclasses import replace

import numpy as np
import pytest

from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion import Clip, Skeleton
from walkon.motion.body import Body
from walkon.take import Take, TakeWriter
from walkon.take.auditing import Audit, WorstCase, audit
from walkon.take.auditing.findings import Findings, Histogram
from walkon.take.auditing.limits import GOOD, LIKE_SOURCE, good_limits

TOPICS = {
    "marks": {
        "count",
        "max_position_error_m",
        "max_facing_error_deg",
        "max_time_error_s",
        "max_pose_error_deg",
        "max_sway_m",
        "max_sway_deg",
        "unmet",
    },
    "collisions": {"pair_frames", "max_penetration_m", "obstacle_frames", "max_obstacle_penetration_m"},
    "bodies": {"pair_frames", "max_penetration_m"},
    "foot_slide": {
        *("mean_m_s", "p95_m_s", "max_m_s", "max_drift_m", "planted_share"),
        *("unlabelled_mean_m_s", "unlabelled_p95_m_s", "unlabelled_max_m_s", "unlabelled_planted_share"),
        "max_skating_s",
    },
    "floor": {"max_penetration_m", "max_float_m"},
    "smoothness": {"max_joint_speed_deg_s", "p99_joint_jerk_deg_s3", "max_root_acceleration_m_s2", "max_root_jump_m"},
    "adjustment": {"max_m_s", "max_deg_s", "max_time_ratio", "held_past_end_s"},
    "variety": {"identical_neighbours"},
    "props": {"max_gap_m", "max_penetration_m", "max_jump_m", "max_unsupported_m", "absent_holder_frames"},
    "hands": {"count", "held_frames", "idle_frames", "max_gap_m", "max_gap_deg"},
    "solids": {"limb_frames", "max_limb_penetration_m", "prop_frames", "max_prop_penetration_m"},
}


def bird(seconds: float = 2.0, start: float = 0.0) -> Take:
    """One joint that flies along a circle: no feet, no hips, no flesh."""
    t = np.arange(round(seconds * 30) + 1) / 30
    clip = Clip(
        skeleton=Skeleton(names=("bird",), parents=[-1], offsets=[[0, 0, 0]]),
        fps=30.0,
        root_positions=np.column_stack([np.cos(t), np.sin(t), 2 + 0 * t]),
        local_rotations=np.tile([1.0, 0.0, 0.0, 0.0], (len(t), 1, 1)),
        name="circle",
    )
    writer = TakeWriter()
    body = writer.add_body(Body.of(clip.skeleton))
    writer.perform(writer.add_character("bird", body=body), clip, start=start)
    return writer.close()


def made_up(**figures: object) -> Audit:
    whole = {"foot_slide": {"max_m_s": 0.02, "mean_m_s": float("nan")}, "stuck": [{"character": "ann"}], **figures}
    case = WorstCase(
        figure="foot_slide.max_m_s", value=0.02, character="ann", time=1.0, place=(0, 0, 0), text="It slides."
    )
    return Audit(figures=whole, thresholds={}, source={"stuck": None}, worst=(case,))


def test_every_figure_of_the_contract_is_there_for_any_take() -> None:
    for take in (Take(), bird()):
        told = audit(take).to_json()
        for topic, names in TOPICS.items():
            assert names <= set(told[topic]), topic
        assert isinstance(told["stuck"], list)
        assert {"characters", "duration_s", "fps", "thresholds", "source", "worst"} <= set(told)


def test_a_bird_is_audited_without_feet() -> None:
    measured = audit(bird(), fps=30.0)
    assert measured["foot_slide.planted_share"] == 0.0
    # Its 30 frames a second are straight lines to an audit's 60: what bends, bends at every other of these.
    assert measured["smoothness.max_root_acceleration_m_s2"] == pytest.approx(2.0, rel=0.01)
    assert measured["duration_s"] == 2.0


def test_an_audit_is_plain_json_in_which_no_number_is_null() -> None:
    told = json.loads(json.dumps(made_up().to_json(), allow_nan=False))
    assert told["foot_slide"] == {"max_m_s": 0.02, "mean_m_s": None}
    assert told["worst"][0]["place"] == [0, 0, 0]


def test_limits_that_are_broken_are_named_with_value_and_limit() -> None:
    measured = made_up(marks={"max_pose_error_deg": None})
    limits = {"foot_slide.max_m_s": 0.01, "stuck": 0, "marks.max_pose_error_deg": 1.0}
    *known, (name, value, limit) = measured.broken(limits)
    assert known == [("foot_slide.max_m_s", 0.02, 0.01), ("stuck", 1.0, 0.0)]
    assert (name, limit) == ("marks.max_pose_error_deg", 1.0), "what could not be measured cannot keep a limit"
    assert np.isnan(value)
    assert measured.broken({"foot_slide.max_m_s": 0.02}) == []
    assert measured.broken({"foot_slide.mean_m_s": 1.0}), "what is no number cannot keep a limit"


def test_an_unknown_figure_names_its_neighbours() -> None:
    with pytest.raises(UnknownName, match=r"foot_slide\.max_m_s"):
        made_up().broken({"foot_slide.max_ms": 0.1})
    with pytest.raises(InvalidValue, match="compares a figure with a number"):
        made_up().broken({"foot_slide.max_m_s": float("nan")})


def test_every_limit_of_a_good_take_is_on_a_figure() -> None:
    measured = audit(bird())
    # Balance is there only where a load is held, following where there is something to follow.
    loaded, led = ({name for name in GOOD if name.startswith(topic)} for topic in ("balance.", "following."))
    assert set(good_limits(measured)) == set(GOOD) - loaded - led
    with TakeWriter() as writer:
        writer.add_character("ann", body=writer.add_body(Body.of(bird().bodies[0].skeleton)))
        writer.add_references([0], np.zeros((3, 1, 2)), start=0.0, rate=1.0)
    assert set(good_limits(audit(writer.take))) == set(GOOD) - loaded
    assert set(LIKE_SOURCE) < set(GOOD)


def test_limits_on_lively_motion_follow_the_source() -> None:
    lively = Audit(
        figures={"smoothness": {"max_pop_deg": 14.0}, "marks": {"unmet": []}},
        thresholds={},
        source={"smoothness": {"max_pop_deg": 12.0}},
    )
    assert lively.broken(good_limits(lively)) == []
    dull = replace(lively, source={"smoothness": None})
    assert [name for name, _, _ in dull.broken(good_limits(dull))] == ["smoothness.max_pop_deg"]


def test_worst_cases_are_of_different_characters_even_of_one_name() -> None:
    findings = Findings(("ann", "ann", "bob"), np.zeros(1))
    findings.offer(
        "x.y",
        np.array([3.0, 2.0, 1.0]),
        who=np.arange(3),
        times=np.zeros(3),
        places=np.zeros((3, 3)),
        words=lambda i: ("", "does"),
        least=0.0,
    )
    assert [(case.character, case.row) for case in findings.worst] == [("ann", 0), ("ann", 1), ("bob", 2)]


def test_figures_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        made_up().figures["foot_slide"]["max_m_s"] = 0.0  # type: ignore[index]


def test_a_part_of_the_time_can_be_audited_at_any_rate() -> None:
    measured = audit(bird(), start=0.5, stop=1.5, fps=24.0)
    assert (measured["duration_s"], measured["fps"]) == (1.0, 24.0)
    assert len(measured.timelines["people_present"][0]) == 25
    assert np.all(measured.timelines["people_present"][1] == 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fps": 0.0}, "positive number of frames"),
        ({"fps": "many"}, "the fps of an audit is a number, got 'many'"),
        ({"start": 2.0, "stop": 1.0}, "stop after it starts"),
        ({"characters": [4]}, "rows 0 to 0"),
        ({"characters": [0.5]}, "rows 0 to 0"),
    ],
)
def test_bad_questions_get_a_sentence(options: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        audit(bird(), **options)  # type: ignore[arg-type]


def test_nobody_can_be_chosen() -> None:
    assert audit(bird(), characters=[])["characters"] == 0


def test_progress_rises_to_the_end() -> None:
    told: list[float] = []
    audit(bird(), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_spread_knows_percentiles_to_a_thousandth(rng: np.random.Generator) -> None:
    values = np.abs(rng.normal(size=5000)) * np.exp(rng.normal(size=5000))
    spread = Histogram()
    spread.add(values)
    assert spread.count == 5000
    assert spread.mean == pytest.approx(values.mean())
    assert spread.largest == values.max()
    for share in (50, 95, 99):
        assert spread.percentile(share) == pytest.approx(np.percentile(values, share, method="inverted_cdf"), rel=1e-3)


def test_a_spread_does_not_depend_on_its_batches(rng: np.random.Generator) -> None:
    values = np.abs(rng.normal(size=1000))
    whole, parts = Histogram(), Histogram()
    whole.add(values)
    for part in np.array_split(rng.permutation(values), 7):
        parts.add(part)
    parts.add(np.full(3, 1e9), np.zeros(3, bool))
    assert parts.percentile(95) == whole.percentile(95)
    assert parts.largest == whole.largest


def test_a_spread_of_nothing_is_zero() -> None:
    spread = Histogram()
    spread.add(np.zeros(0))
    assert (spread.mean, spread.percentile(95), spread.largest) == (0.0, 0.0, 0.0)
    spread.add(np.zeros(10))
    assert (spread.mean, spread.percentile(95), spread.count) == (0.0, 0.0, 10)
