"""Pages as files: the take and the audit are inside, as data that no browser takes for code."""

import base64
import gzip
import hashlib
import html
import json
import re

import pytest

from small_take import small_take
from walkon._base.errors import CannotWrite, InvalidValue, UnreadableFile
from walkon.take.auditing.report import Audit, WorstCase
from walkon.take.storing.file import load_take
from walkon.viewer import page_file, show, write_page
from walkon.viewer.page_file import audit_json, page_html, page_policy


@pytest.fixture(scope="module")
def take():
    return small_take()


def embedded(page: str, name: str) -> str:
    return re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', page, re.DOTALL)[1]


def test_the_take_comes_back_out_of_the_page(page, take, tmp_path):
    text = write_page(take, tmp_path / "crowd.html").read_text(encoding="utf-8")
    packed = gzip.decompress(base64.b64decode(embedded(text, "take-data")))
    (tmp_path / "back.take").write_bytes(packed)
    assert load_take(tmp_path / "back.take").names == take.names
    assert text.count("</body>") == 2  # one is inside the script
    assert text.rindex("take-data") > text.index("</script>")
    assert "<title>crowd</title>" in text
    assert "audit-data" not in text


def test_an_audit_goes_along_and_cannot_end_its_element(page, take, tmp_path):
    audit = take.audit()
    text = page_html(take, title="a </title><script>alert(1)</script>", audit=audit)
    inside = embedded(text, "audit-data")
    assert "<" not in inside
    assert json.loads(inside)["characters"] == len(take)
    assert "<script>alert" not in text


def test_cases_of_the_audit_stand_beside_the_limits_of_a_good_take():
    def case(figure, value):
        return WorstCase(
            figure=figure, value=value, character="ann", time=1.0, place=(0.0, 0.0, 0.0), text="At 1.00 s."
        )

    cases = {
        "foot_slide.max_m_s": (0.2, True, "0.2 m/s, over the limit of 0.005 m/s"),
        "floor.max_float_m": (0.001, False, "0.001 m, limit 0.004 m"),
        "bodies.max_penetration_m": (0.02, True, "a good take has none"),
        "collisions.max_penetration_m": (0.02, False, ""),  # nothing was counted there
        "stuck": (3.0, True, "a good take has none"),
        "adjustment.max_time_ratio": (1.2, False, ""),
    }
    audit = Audit(
        figures={
            "foot_slide": {"max_m_s": 0.2},
            "floor": {"max_float_m": 0.001},
            "bodies": {"pair_frames": 7},
            "collisions": {"pair_frames": 0},
            "stuck": ["ann"],
            "adjustment": {"max_time_ratio": 1.2},
        },
        thresholds={},
        source={},
        worst=tuple(case(figure, value) for figure, (value, _, _) in cases.items()),
    )
    told = {entry["figure"]: (entry["fault"], entry["verdict"]) for entry in json.loads(audit_json(audit))["worst"]}
    assert told == {figure: (fault, verdict) for figure, (_, fault, verdict) in cases.items()}


def test_a_page_says_first_and_last_that_it_is_whole(page, take):
    text = page_html(take)
    assert text.index('<meta name="walkon" content="exported">') < text.index("<title>")
    assert text.index('id="whole"') > text.index('id="take-data"')


def test_only_the_page_s_own_script_may_run(page, take):
    text = page_html(take)
    policy = html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1])
    script = 'console.log("</body>·→".length);'
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{hashed}';" in policy
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "connect-src 'self'" in page_policy(text, connect="'self'")


def test_a_page_that_was_not_built_says_how_to_build_it(page, take, tmp_path):
    (page / "viewer.html").unlink()
    with pytest.raises(UnreadableFile, match=r"make page"):
        write_page(take, tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


def test_what_cannot_be_written_or_is_too_large_leaves_the_old_file(page, take, tmp_path, monkeypatch):
    with pytest.raises(CannotWrite, match="folder does not exist"):
        write_page(take, tmp_path / "none" / "x.html")
    old = tmp_path / "old.html"
    old.write_text("old")
    monkeypatch.setattr(page_file, "MAX_EMBEDDED_BYTES", 10)
    with pytest.raises(InvalidValue, match="walkon view"):
        write_page(take, old)
    assert old.read_text() == "old"


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(page, take):
    frame = show(take, height=400)
    shown = frame._repr_html_()
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1]) == page_html(take)
    assert shown.isascii()
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert "height: 400px" in shown
    assert "characters" in repr(frame)
    with pytest.raises(InvalidValue, match="100 to 10000"):
        show(take, height=1)
