"""Whatever the text, reading a scene ends with a scene or with one of our errors."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from walkon._base.errors import WalkonError
from walkon.crowd import check_scene
from walkon.io import scene_from_text
from walkon.script import Scene

FILES = sorted((Path(__file__).resolve().parents[3] / "examples" / "scenes").glob("*.yaml"))
TEXTS = [path.read_text() for path in FILES if path.stem != "spell_walkon"]
BITS = [
    "3s",
    "-1",
    "1e9",
    "0",
    "[]",
    "{}",
    "~",
    ": ",
    "- ",
    "*a",
    "&a ",
    "!x ",
    "[1, 2]",
    "a_1",
    "{n}",
    "\t",
    '"',
    "nan",
    "é",
]
WORDS = st.sampled_from(
    [
        *("walkon: 1\n", "stage:\n", "  bounds: ", "  obstacles:\n", "    - ", "characters:\n", "  - name: a\n"),
        *("{box: [0, 0, 1, 1]}\n", "    position: [0, 0]\n", "    marks:\n", "seat: x", "at: ", "b.c + 1s\n"),
        *("grid: [2, 2]", *BITS),
    ]
)


def ends_well(text: str) -> None:
    try:
        scene = scene_from_text(text)
    except WalkonError as error:
        assert str(error)
    else:
        assert isinstance(scene, Scene)
        check_scene(scene)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WORDS, max_size=30).map("".join))
def test_words_in_any_order(text: str) -> None:
    ends_well(text)
    ends_well("walkon: 1\n" + text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    ends_well(text)


@pytest.mark.parametrize("seed", range(120))
def test_damaged_examples(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(TEXTS)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        cut = at + chance.choice([0, 0, 1, 1, 3, 20])
        text = text[:at] + chance.choice(["", *BITS]) + text[cut:]
    ends_well(text)
