"""The page tells reasons in the words of Python, and finds them at the same times."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import walkon
from page_posing import build_modules, why_no_node
from reason_scenes import told
from take_scenes import every_feature
from walkon.take import TakeWriter, save_take
from walkon.take.reasons import KINDS, reason_at, reason_words
from walkon.take.tables import NONE

pytestmark = pytest.mark.skipif(why_no_node() is not None, reason=why_no_node() or "")
DRIVER = Path(__file__).with_name("tell_reasons.mjs")
SCENES = Path(__file__).parents[3] / "examples" / "scenes"


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    return build_modules(tmp_path_factory.mktemp("modules"))


def tell(modules, file, asked):
    path = file.with_suffix(".json")
    path.write_text(json.dumps(asked))
    command = ["node", str(DRIVER), str(modules), str(file), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["words"], found["rows"]


def check(modules, take, folder):
    r, rng = take.reasons, np.random.default_rng(1)
    times = np.concatenate([r.start, r.stop, rng.uniform(take.start - 1.0, take.stop + 1.0, 300)]).tolist()
    asked = [(int(who), t) for t in times for who in rng.integers(0, len(take), 3)]
    words, rows = tell(modules, save_take(take, folder / "some.take"), asked)
    assert words == [reason_words(take, k) for k in range(len(r))]
    expected = [reason_at(take, who, t) for who, t in asked]
    assert rows == [-1 if row is None else row for row in expected]
    assert 0 < sum(row >= 0 for row in rows) < len(rows)


def test_words_of_every_kind_are_pythons(modules, tmp_path):
    take = every_feature(np.random.default_rng(2))
    assert set(take.reasons.kind.tolist()) == {int(kind) for kind in KINDS}
    check(modules, take, tmp_path)
    check(modules, told(), tmp_path)
    nothing = np.full(len(told().reasons), NONE)
    check(modules, replace(told(), reasons=told().reasons.with_columns(mark=nothing, prop=nothing)), tmp_path)


def test_numbers_are_rounded_as_python_does(modules, tmp_path):
    rng = np.random.default_rng(3)
    numbers = np.concatenate([np.arange(0.0, 40.0, 0.05), np.arange(0.0, 40.0, 0.125), rng.uniform(0, 1e6, 500)])
    writer = TakeWriter()
    who = writer.add_character("ann", body=writer.add_body(walkon.Body.of(walkon.builtin_library().skeleton)))
    rows = np.arange(len(numbers))
    waits = {"kind": 2, "number": numbers} | dict.fromkeys(("mark", "other", "prop", "note"), NONE)
    table = walkon.take.tables.Reasons.filled(len(rows), character=who, start=rows, stop=rows + 1.0, **waits)
    writer.add_reasons(table)
    take = writer.close()
    words, _ = tell(modules, save_take(take, tmp_path / "numbers.take"), [])
    assert words == [reason_words(take, k) for k in range(len(take.reasons))]


@pytest.mark.parametrize("name", ["boxes", "meeting"])
def test_a_planned_crowd_is_told_as_python_tells_it(modules, tmp_path, name):
    check(modules, walkon.perform(walkon.load_scene(SCENES / f"{name}.yaml")), tmp_path)


def test_reasons_out_of_order_are_found_too(modules, tmp_path):
    """A take that grew has its reasons in the order in which they were written."""
    writer = TakeWriter(tmp_path / "grown.take")
    library = walkon.builtin_library()
    body = writer.add_body(walkon.Body.of(library.skeleton))
    writer.add_characters(["ann", "bob"], body=body)
    for k in range(3):
        for who in (1, 0):
            words = f"{'first' if k < 2 else 'then'} {who}"
            writer.perform(who, library["idle_neutral"], start=k, stop=k + 1.0, clip_start=k, reason=words)
        writer.flush()
    take = writer.close()
    asked = [(who, t) for who in (0, 1) for t in (0.5, 1.0, 1.5, 2.5, 3.5)]
    words, rows = tell(modules, tmp_path / "grown.take", asked)
    assert [words[row] if row >= 0 else "" for row in rows] == [take.why(who, t).reason for who, t in asked]
