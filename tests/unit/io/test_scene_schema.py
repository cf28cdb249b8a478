"""The schema for editors comes from the reader's own keys: the file is current, and both say the same."""

import io
import json
import operator
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from walkon._base.errors import WalkonError
from walkon.io import scene_from_text, scene_schema
from walkon.io.scenes import write_scene_schema

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = scene_schema()
BROKEN = {"minimum": operator.lt, "maximum": operator.gt, "exclusiveMinimum": operator.le}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}


def faults(value, schema):
    """Validate as JSON schema does, for the words that our schema uses; any other word is an error of this test."""
    found = []
    for word, rule in schema.items():
        if word in ("description", "title", "$schema", "$defs", "then", "else"):
            continue
        if word == "$ref":
            found += faults(value, SCHEMA["$defs"][rule.removeprefix("#/$defs/")])
        elif word == "type":
            kinds = [rule] if isinstance(rule, str) else rule
            if not any(
                isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "boolean") for kind in kinds
            ):
                found.append(f"{value!r} is no {rule}")
        elif word == "properties" and isinstance(value, dict):
            found += [f for key in value if key in rule for f in faults(value[key], rule[key])]
            if not schema["additionalProperties"]:
                found += [f"unknown {key}" for key in value if key not in rule]
        elif word == "items" and isinstance(value, list):
            found += [f for item in value for f in faults(item, rule)]
        elif word == "prefixItems" and isinstance(value, list):
            found += [f for item, one in zip(value, rule, strict=False) for f in faults(item, one)]
        elif word == "anyOf":
            every = [faults(value, one) for one in rule]
            found += min(every, key=len) if all(every) else []
        elif word == "allOf":
            found += [f for one in rule for f in faults(value, one)]
        elif word == "not":
            found += [] if faults(value, rule) else [f"not {rule}"]
        elif word == "if":
            found += faults(value, schema["else"] if faults(value, rule) else schema["then"])
        elif word == "required":
            found += [f"{key} is missing" for key in rule if not isinstance(value, dict) or key not in value]
        elif word == "enum":
            found += [] if value in rule else [f"{value!r} is none of {rule}"]
        elif word == "pattern":
            found += [] if not isinstance(value, str) or re.search(rule, value) else [f"{value!r} is no {rule}"]
        elif word in ("minItems", "maxItems"):
            if isinstance(value, list) and (len(value) < rule if word == "minItems" else len(value) > rule):
                found.append(f"{len(value)} items")
        elif word in ("minimum", "maximum", "exclusiveMinimum"):
            found += [f"{value} out of range"] if isinstance(value, int | float) and BROKEN[word](value, rule) else []
        else:
            assert word in ("additionalProperties", "properties", "items", "prefixItems"), word
    return found


def plain(text):
    return json.loads(json.dumps(YAML(typ="safe").load(io.StringIO(text))))


def all_scenes():
    page = (ROOT / "docs" / "scenes.md").read_text()
    scenes = {f"docs {i}": text for i, text in enumerate(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))}
    return scenes | {path.name: path.read_text() for path in sorted((ROOT / "examples" / "scenes").glob("*.yaml"))}


SCENES = all_scenes()


def test_the_file_in_the_docs_is_current(tmp_path: Path) -> None:
    fresh = write_scene_schema(tmp_path / "scene.schema.json").read_text()
    stored = (ROOT / "docs" / "scene.schema.json").read_text()
    assert stored == fresh, "write it anew: walkon.io.scenes.write_scene_schema('docs/scene.schema.json')"
    assert json.loads(fresh) == SCHEMA


def test_every_reference_leads_somewhere() -> None:
    text = json.dumps(SCHEMA)
    assert set(re.findall(r"#/\$defs/([^\"]+)", text)) == set(SCHEMA["$defs"])
    assert SCHEMA["$schema"].endswith("2020-12/schema")


@pytest.mark.parametrize("name", SCENES)
def test_what_the_reader_takes_the_schema_takes(name: str) -> None:
    scene_from_text(SCENES[name], folder=ROOT / "examples" / "scenes")
    assert faults(plain(SCENES[name]), SCHEMA) == []


@pytest.mark.parametrize(
    "text",
    [
        "walkon: 1\ntitel: x",
        "title: x",
        "walkon: 1\nstage: {obstacles: [{height: 2}]}",
        "walkon: 1\nstage: {obstacles: [{box: [0, 0, 1]}]}",
        "walkon: 1\nstage: {obstacles: [{box: [0, 0, 1, 1], circle: [0, 0], radius: 1}]}",
        "walkon: 1\nstage: {obstacles: [{box: [0, 0, 1, 1], height: 3kg}]}",
        "walkon: 1\nstage: {seats: [{name: a, position: [0, 0]}]}",
        "walkon: 1\nstage: {seats: [{row: 'a_{n}', count: 2, from: [0, 0], facing: 0}]}",
        "walkon: 1\nstage: {props: [{name: a, position: [0, 0], shape: cone}]}",
        "walkon: 1\nstage: {props: [{name: a, position: [0, 0], mass: 3m}]}",
        "walkon: 1\nstage: {props: [{name: a, position: [0, 0], keep_level: maybe}]}",
        "walkon: 1\nstage: {props: [{name: a, position: [0, 0], parts: [{shape: box}]}]}",
        "walkon: 1\nstage: {props: [{name: a, position: [0, 0], parts: [{size: 1}], size: 1}]}",
        "walkon: 1\nstage: {props: [{name: a, position: [0, 0], grips: [{name: b, position: [0, 0, 0]}]}]}",
        "walkon: 1\ncharacters: [{name: a b, position: [0, 0]}]",
        "walkon: 1\ncharacters: [{position: [0, 0]}]",
        "walkon: 1\ncharacters: [{group: g, arranged: {grid: [2, 2]}}]",
        "walkon: 1\ncharacters: [{group: g, arranged: {grd: [2, 2]}}]",
        "walkon: 1\ncharacters: [{group: g, count: 0, arranged: {circle: [2, 2], radius: 1}}]",
        "walkon: 1\ncharacters: [{name: a, position: [0, 0], marks: [{pose: stand, seat: x, position: [0, 0]}]}]",
        "walkon: 1\ncharacters: [{name: a, position: [0, 0], marks: [{pose: stand, att: 3s}]}]",
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(text: str) -> None:
    assert faults(plain(text), SCHEMA)
    with pytest.raises(WalkonError):
        scene_from_text(text)


def test_every_key_has_a_description() -> None:
    for name, record in SCHEMA["$defs"].items():
        for key, about in record.get("properties", {}).items():
            assert about.get("description"), (name, key)
