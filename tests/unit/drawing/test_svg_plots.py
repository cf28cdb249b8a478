"""Inline plots: valid, true to their peaks, safe with any text."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from walkon._base.errors import InvalidShape
from walkon.drawing.svg_plots import MAX_BINS, PLOT_HEIGHT, PLOT_WIDTH, plot_svg


def read(text):
    return ElementTree.fromstring(text)


def lines(text):
    """Return the points [K, 2] of each unbroken curve."""
    found = []
    for path in read(text).iter("path"):
        if path.get("class") == "plot-line":
            numbers = re.findall(r"-?\d+\.?\d*", path.get("d").removesuffix("h0"))
            found.append(np.array(numbers, dtype=float).reshape(-1, 2))
    return found


def test_a_curve_runs_over_the_whole_width_and_up_to_its_largest_value():
    times = np.linspace(2.0, 6.0, 50)
    (curve,) = lines(plot_svg(times, np.sin(times) + 1.0, title="wave"))
    assert curve[:, 0].min() == 0.0
    assert curve[:, 0].max() == PLOT_WIDTH
    assert 0.0 < curve[:, 1].min() < 0.1 * PLOT_HEIGHT
    assert curve[:, 1].max() <= PLOT_HEIGHT


def test_a_peak_of_one_sample_is_never_lost():
    values = np.zeros(100_000)
    values[77_777] = 3.0
    text = plot_svg(np.arange(100_000) / 60.0, values, title="peak", unit="m/s")
    (curve,) = lines(text)
    assert len(curve) <= 2 * MAX_BINS + 2
    top = curve[curve[:, 1].argmin()]
    assert top[0] == pytest.approx(0.77777 * PLOT_WIDTH, abs=1.0)
    assert "3 m/s" in text


def test_gaps_break_the_curve():
    values = np.array([1.0, 2.0, np.nan, np.nan, 1.0, 3.0, np.nan, 2.0])
    assert [len(curve) for curve in lines(plot_svg(np.arange(8.0), values, title="gaps"))] == [2, 2, 1]
    assert lines(plot_svg(np.arange(3.0), np.full(3, np.nan), title="nothing")) == []
    assert "nothing" in plot_svg([], [], title="empty")


def test_moments_and_limits_are_drawn_at_their_places():
    text = plot_svg([0.0, 1.0, 2.0], [0.0, 4.0, 0.0], title="t", limit=8.0, marks=[(1.0, "here")])
    marks = [e for e in read(text).iter("path") if e.get("class") == "plot-mark"]
    (limit,) = (e for e in read(text).iter("line") if e.get("class") == "plot-limit")
    assert len(marks) == 1
    assert marks[0].find("title").text == "here"
    x, y = (float(n) for n in re.findall(r"[\d.]+", marks[0].get("d"))[:2])
    (curve,) = lines(text)
    assert (x, y) == tuple(curve[1])
    assert float(limit.get("y1")) < y  # a higher limit lies above
    outside = plot_svg([0.0, 1.0], [0.0, 1.0], title="t", marks=[(9.0, "")])
    assert "plot-mark" not in outside


def test_rounding_is_not_blown_up():
    (curve,) = lines(plot_svg([0.0, 1.0], [1e-14, 2e-14], title="t", least=0.01))
    assert np.ptp(curve[:, 1]) == 0.0


def test_all_text_is_escaped():
    nasty = "<script>alert('&')</script>\""
    text = plot_svg([0.0, 1.0], [0.0, 1.0], title=nasty, unit=nasty, marks=[(0.5, nasty)])
    assert "<script" not in text
    assert read(text).find("figcaption/b").text == nasty


def test_values_must_match_times():
    with pytest.raises(InvalidShape, match="one value per time"):
        plot_svg([0.0, 1.0], [0.0], title="t")
