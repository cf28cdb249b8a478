"""The page's posing client: the latest request wins, buffers are used again, and failures reach whoever waits."""

import json
import subprocess
from pathlib import Path

import pytest

from page_posing import build_modules, why_no_node

pytestmark = pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    modules = build_modules(tmp_path_factory.mktemp("modules")).with_name("posing_client.js")
    driver = Path(__file__).with_name("client_answers.mjs")
    done = subprocess.run(["node", str(driver), str(modules)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_requests_wait_until_the_take_is_read_and_the_latest_wins(told):
    assert told["beforeReady"] == ["take"]
    assert told["summary"] == {
        "size": {"characters": 2, "joints": 3, "props": 1},
        "start": 0,
        "stop": 9,
        "fps": 60,
    }
    assert told["early"] == [3, 3, 3]
    assert told["same"]
    assert told["shape"] == [18, 24, 8]


def test_a_request_under_way_is_answered_and_overtaken_ones_get_the_later_frame(told):
    assert told["asked"] == [3, 4, 6]
    assert told["four"] == 4
    assert told["six"] == [6, 6]


def test_a_few_buffers_serve_for_ever(told):
    assert told["buffers"] <= 3


def test_failures_reach_whoever_waits_and_whoever_asks_later(told):
    assert told["failures"][:3] == [["UnreadableTake", "This take is damaged."]] * 3
    assert told["failures"][3] == ["Error", "The page stopped posing."]
    assert told["ended"]
