import pytest

from walkon.io.bvh_numbers import format_frame_time, rate_from_frame_time


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        (".0083333", 120.0),
        ("0.008333", 120.0),
        ("0.00833", 120.0),
        ("0.008334", 120.0),
        ("8.33333e-3", 120.0),
        ("0.0083416", 119.88),
        ("0.00834168", 119.88),
        ("0.033333", 30.0),
        ("0.0333667", 29.97),
        ("0.0417083", 23.976),
        ("0.0416667", 24.0),
        ("0.0417", 24.0),
        ("0.0166667", 60.0),
        ("0.0167", 60.0),
        ("0.016683", 59.94),
        ("0.01666666753590106964", 60.0),
        ("0.0166666675359011", 60.0),
        ("0.01", 100.0),
        ("1", 1.0),
        ("1.0", 1.0),
        ("0.03", 1 / 0.03),
        ("0.07", 1 / 0.07),
        ("0.016", 62.5),
        ("4", 0.25),
    ],
)
def test_a_printed_frame_time_stands_for_the_usual_rate_it_was_rounded_from(text, rate):
    if text == "0.01666666753590106964":  # nineteen digits are more than any double prints: taken at its word
        assert rate_from_frame_time(text) == pytest.approx(rate, rel=1e-7)
    else:
        assert rate_from_frame_time(text) == pytest.approx(rate, rel=1e-15)


@pytest.mark.parametrize(
    "fps", [24, 29.97, 30000 / 1001, 59.94, 100 / 3, 119.88, 119.8801, 120, 390.625, 240.0001, 0.7]
)
def test_any_rate_survives_printing_and_reading(fps):
    assert rate_from_frame_time(format_frame_time(fps)) == fps
