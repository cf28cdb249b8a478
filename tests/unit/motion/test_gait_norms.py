"""The norms are whole and consistent, and the performer lies within them."""

from dataclasses import fields, replace

import numpy as np
import pytest

from walkon.capture.recordings import prepare
from walkon.motion.gait.norms import NORM_SPEEDS_M_S, NORMS, judge
from walkon.motion.gait.report import GaitReport, gait_report
from walkon.studio import walk

ROWS = {norm.value: norm for norm in NORMS}


@pytest.fixture(scope="module")
def reports():
    return {speed: gait_report(prepare(walk(speed=speed, duration=20.0, seed=5)).clip) for speed in NORM_SPEEDS_M_S}


def test_every_row_is_a_value_of_the_report_with_a_source_and_an_interval():
    names = {field.name for field in fields(GaitReport)}
    assert len(ROWS) == len(NORMS)
    for norm in NORMS:
        assert norm.value in names
        assert any(character.isdigit() for character in norm.source)
        for speed in np.linspace(0.6, 2.0, 15):
            low, high = norm.range(speed)
            assert 0 < low < high


def test_cadence_and_step_length_make_the_speed():
    for speed in NORM_SPEEDS_M_S:
        cadence, step = np.mean(ROWS["cadence_per_min"].range(speed)), np.mean(ROWS["step_length_m"].range(speed))
        assert cadence * step / 60.0 == pytest.approx(speed)
    assert np.mean(ROWS["cadence_per_min"].range(1.35)) == pytest.approx(115.0, rel=0.03)
    assert np.mean(ROWS["step_length_m"].range(1.35)) == pytest.approx(0.70, rel=0.03)


def test_rows_are_no_wider_than_they_may_be():
    for speed, share in ((0.7, 0.20), (1.0, 0.12), (1.7, 0.12)):
        for name in ("cadence_per_min", "step_length_m"):
            low, high = ROWS[name].range(speed)
            assert (high - low) / (high + low) == pytest.approx(share)
        low, high = ROWS["stance_share"].range(speed)
        assert high - low == pytest.approx(0.06)
    assert np.mean(ROWS["stance_share"].range(0.7)) == pytest.approx(0.66)
    assert np.mean(ROWS["stance_share"].range(1.9)) == pytest.approx(0.59)


def test_a_value_out_of_its_range_is_marked_in_the_shown_unit(reports):
    good = judge(reports[1.35])
    bad = judge(replace(reports[1.35], pelvis_rise_m=0.2))
    changed = [row.value for row, was in zip(bad, good, strict=True) if row.within != was.within]
    assert changed == ["pelvis_rise_m"]
    (row,) = [row for row in bad if row.value == "pelvis_rise_m"]
    assert (row.within, row.unit, row.measured) == (False, "mm", pytest.approx(200.0))


def test_speeds_without_sources_are_not_judged(reports):
    for speed in (0.4, 2.4):
        assert {row.within for row in judge(replace(reports[1.35], speed_m_s=speed))} == {None}


@pytest.mark.parametrize("speed", NORM_SPEEDS_M_S)
def test_the_performer_is_within_every_norm(reports, speed):
    report = reports[speed]
    assert report.speed_m_s == pytest.approx(speed, rel=0.02)
    assert report.strides >= 20
    out = [
        f"{row.name} {row.measured:.3g} ({row.low:.3g} to {row.high:.3g})" for row in judge(report) if not row.within
    ]
    assert out == []
