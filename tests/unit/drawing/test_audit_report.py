"""The page of an audit: complete, self-contained, safe with other people's names."""

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from small_take import small_take
from walkon._base.errors import CannotWrite
from walkon.drawing import audit_report, save_audit_report
from walkon.drawing.audit_pictures import draw_case
from walkon.drawing.audit_report import TIMELINES
from walkon.drawing.audit_words import FAULTS, figure_words, format_exactly, format_value, rows_of, unit_of, verdict
from walkon.take.auditing import Audit, WorstCase
from walkon.take.auditing.limits import GOOD

NASTY = "<script>alert('x')</script>\"&"


@pytest.fixture(scope="module")
def take():
    return small_take(("ann", NASTY, "disc"))


@pytest.fixture
def audit():
    """An audit made by hand, with a value of each kind."""
    times = np.arange(121) / 60.0
    figures = {
        "characters": 3,
        "duration_s": 2.0,
        "fps": 60.0,
        "marks": {
            "count": 1,
            "max_position_error_m": 0.002,
            "unmet": [{"character": NASTY, "mark": "m", "why": "far"}],
        },
        "bodies": {"pair_frames": 0, "max_penetration_m": 0.0},
        "foot_slide": {"max_m_s": 0.0123, "planted_share": 0.971, "p95_m_s": 1e-9},
        "smoothness": {"max_joint_speed_deg_s": 512.3, "new_figure_deg": None},
        "stuck": [],
    }
    source = {"foot_slide": {"max_m_s": 0.034, "planted_share": 1.0, "p95_m_s": 0.01}, "marks": None}
    worst = (
        WorstCase(
            figure="foot_slide.max_m_s",
            value=0.0123,
            character="ann",
            other="left heel",
            time=1.0,
            place=(1.1, 0.0, 0.05),
            text=f"At 1.00 s ann slides near {NASTY}.",
        ),
        WorstCase(
            figure="bodies.max_penetration_m",
            value=0.02,
            character="ann",
            other=NASTY,
            time=0.5,
            place=(0.5, 0.75, 1.0),
            text="They touch.",
        ),
    )
    return Audit(
        figures=figures,
        thresholds={"foot_slide": {"within_m": 0.05}},
        source=source,
        worst=worst,
        timelines={"worst_slide_m_s": (times, 0.01 * np.sin(times) ** 2), "people_present": (times, np.full(121, 3.0))},
    )


class Reader(HTMLParser):
    """Collects tags and checks that they close."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_the_page_is_whole_and_needs_nothing_else(take, audit):
    page = audit_report(take, audit, title="x.take")
    reader = read(page)
    text = " ".join(reader.text)
    for words in ("x.take", "3 characters", "slide, fastest", "0.0123 m/s", "0.0340 m/s", "97.1 %", "512 deg/s"):
        assert words in text
    assert "within 0.05 m" in text
    assert not re.search(r"(src|href)=.?(http|//)|@import|url\(", page)
    assert not any(tag in ("script", "link") for tag, _ in reader.seen)
    assert "prefers-color-scheme: dark" in page
    assert any(attrs.get("name") == "viewport" for tag, attrs in reader.seen if tag == "meta")
    assert sum(tag == "svg" for tag, _ in reader.seen) == 2


def test_names_of_takes_are_escaped_everywhere(take, audit):
    page = audit_report(take, audit, title=NASTY, limits={"foot_slide.max_m_s": 0.01})
    assert "<script" not in page
    assert " ".join(read(page).text).count(NASTY) >= 3
    for _, attrs in read(page).seen:
        assert not any(name.startswith("on") for name in attrs)


def test_every_worst_case_has_a_picture_up_to_a_number(take, audit):
    for most in (24, 1):
        images = [attrs for tag, attrs in read(audit_report(take, audit, pictures=most)).seen if tag == "img"]
        assert len(images) == min(2, most)
        picture = Image.open(BytesIO(base64.b64decode(images[0]["src"].partition("base64,")[2])))
        assert picture.format == "PNG"
        assert picture.size == (400, 300)


def test_a_ring_marks_the_place_of_a_case(take, audit):
    image = draw_case(take, audit.worst[0]).astype(int)
    ring = (image[..., 0] > 150) & (image[..., 1] < 110) & (image[..., 2] < 100) & (image[..., 0] - image[..., 1] > 90)
    rows, cols = np.nonzero(ring)
    assert len(rows) > 100
    assert np.ptp(cols) > 50


def test_cases_that_lie_nowhere_have_no_picture(take, audit):
    lost = replace(audit, worst=(replace(audit.worst[0], place=(np.nan, 0.0, 0.0)),))
    assert "<img" not in audit_report(take, lost)


def test_broken_limits_are_marked_and_told_first(take, audit):
    limits = {"foot_slide.max_m_s": 0.01, "bodies.max_penetration_m": 0.1}
    page = audit_report(take, audit, limits=limits)
    assert "The limit is broken" not in page
    assert "1 of 2 limits are broken: slide, fastest 0.0123 m/s, limit 0.01 m/s." in " ".join(read(page).text)
    assert page.count('class="over"') == 1
    assert page.count('class="kept"') == 1
    assert page.index("case over") < page.index("They touch.")


def test_progress_runs_to_the_end(take, audit):
    shares = []
    audit_report(take, audit, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_page_is_written_whole_or_not_at_all(take, audit, tmp_path):
    path = save_audit_report(take, audit, path=tmp_path / "x.html")
    assert path.read_text().endswith("</html>\n")
    with pytest.raises(CannotWrite):
        save_audit_report(take, audit, path=tmp_path / "no" / "x.html")
    assert [file.name for file in tmp_path.iterdir()] == ["x.html"]


def test_the_verdict_is_about_limits_or_else_about_what_is_notable(audit):
    assert verdict(audit, {"foot_slide.max_m_s": 0.1}) == (True, "The limit is kept.")
    well, text = verdict(audit)
    assert not well
    assert text == "1 mark not met; a planted foot slides at 0.0123 m/s."
    clean = {**audit.figures, "marks": {"count": 0, "unmet": []}, "foot_slide": {"max_m_s": 0.0}}
    assert verdict(replace(audit, figures=clean)) == (True, "No faults found.")


def test_every_limit_of_a_good_take_has_a_sentence(audit):
    assert set(FAULTS) == set(GOOD)
    for key in GOOD:
        topic, _, name = key.partition(".")
        bad = {**audit.figures, "marks": {"unmet": []}, "foot_slide": {}, topic: {name: 1e4} if name else [1]}
        well, text = verdict(replace(audit, figures=bad, source={}))
        assert not well
        assert text == f"{text[:1].upper()}{text[1:]}"
        assert "{}" not in text


def test_what_could_not_be_measured_is_said_so(take, audit):
    limits = {"smoothness.new_figure_deg": 1.0}
    assert verdict(audit, limits) == (False, "The limit is broken: new figure deg could not be measured.")
    assert "could not be measured" in audit_report(take, audit, limits=limits)


def test_the_plot_of_gaps_is_of_footprints_and_their_cases():
    title, figure = TIMELINES["smallest_gap_m"]
    assert "footprints" in title
    assert figure == "collisions.max_penetration_m"


def test_rows_have_words_units_and_sources(audit):
    rows = {row.key: row for row in rows_of(audit)}
    assert rows["foot_slide.max_m_s"].source == 0.034
    assert rows["marks.unmet"].value == 1
    assert rows["stuck"].value == 0
    assert rows["smoothness.new_figure_deg"].words == "new figure deg"
    assert figure_words("bodies.pair_frames") == "frames in which two touch"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("a.max_m_s", 0.01234, "0.0123 m/s"),
        ("a.max_m_s", 1e-7, "< 0.0001 m/s"),
        ("a.max_m_s", 0.0, "0 m/s"),
        ("a.max_deg_s3", 123456.7, "123,457 deg/s³"),
        ("a.x_share", 0.5, "50.0 %"),
        ("a.count", 12345, "12,345"),
        ("a.max_m", None, "–"),
        ("a.max_m", float("nan"), "–"),
        ("a.max_time_ratio", 1.25, "1.250 ×"),
    ],
)
def test_values_are_written_with_their_units(key, value, told):
    assert format_value(key, value) == told


def test_limits_are_written_exactly():
    assert format_exactly("a.max_m", 1e-5) == "1e-05 m"
    assert format_exactly("a.pair_frames", 3.0) == "3"
    assert unit_of("a.max_root_acceleration_m_s2") == "m/s²"
