"""Every scene of the documentation and of the examples loads, and can be performed as far as checks can tell."""

import re
from pathlib import Path

import pytest

from walkon.crowd import check_scene
from walkon.io import load_scene, scene_from_text
from walkon.script import timing_order

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "scenes.md").read_text()
FILES = sorted((ROOT / "examples" / "scenes").glob("*.yaml"))


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_scenes_of_the_page(text: str) -> None:
    assert check_scene(scene_from_text(text)) == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenes_of_the_examples(path: Path) -> None:
    scene = load_scene(path)
    assert scene.title
    assert check_scene(scene) == ()
    assert len(timing_order(scene)) == sum(len(c.marks) for c in scene.characters)
    assert scene.text.startswith("# yaml-language-server: $schema=../../docs/scene.schema.json\n")


def test_the_page_names_every_example() -> None:
    assert {path.stem for path in FILES} == set(re.findall(r"examples/scenes/(\w+)\.yaml", PAGE))


def test_the_page_names_every_key() -> None:
    from walkon.io import scene_schema

    keys = {key for record in scene_schema()["$defs"].values() for key in record.get("properties", {})}
    assert sorted(key for key in keys - {"at", "sit"} if not re.search(rf"\b{key}\b", PAGE)) == []


def test_times_of_the_meeting_follow_from_each_other() -> None:
    scene = load_scene(ROOT / "examples" / "scenes" / "meeting.yaml")
    names = [(scene.characters[c].name, scene.characters[c].marks[m].name) for c, m in timing_order(scene)]
    assert names == [("ada", "seat"), ("ben", "seat"), ("cleo", "look"), ("cleo", "seat")]
