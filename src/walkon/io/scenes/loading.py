"""`load_scene(path)`: a scene file as a `Scene`, or one error with everything that is wrong with it, line by line.

What the file means is read here; whether it can be performed (marks in walls, seats taken twice, speeds that nobody
walks at) is for `walkon.script.check_scene` to say.

`scene_schema` is the JSON schema of scene files (draft 2020-12), for editors that complete and check keys while one
writes. Reader and schema follow from one description of keys (`keys`).
"""

import json
from pathlib import Path
from typing import Any

from walkon._base.errors import NewerFile, UnreadableFile
from walkon._base.files import read_whole, write_atomically
from walkon.io.scenes.keys import SCENE, VERSION
from walkon.io.scenes.people_reading import read_characters
from walkon.io.scenes.problems import Problems
from walkon.io.scenes.records import Fields
from walkon.io.scenes.stage_reading import read_stage
from walkon.io.scenes.yaml_nodes import YamlNode, parse_yaml
from walkon.script.scene import Cast, Scene, Seeds

__all__ = ["load_scene", "scene_from_text", "scene_schema", "write_scene_schema"]

MAX_FILE_BYTES = 32_000_000
"""Bytes of a scene file."""


def load_scene(path: str | Path) -> Scene:
    """Read a scene file; files that it names are looked for in its own folder."""
    path = Path(path)
    content = read_whole(path, limit=MAX_FILE_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableFile("this is not UTF-8 text; save it as UTF-8", path=path, line=line) from None
    return scene_from_text(text, name=path, folder=path.parent)


def scene_from_text(text: str, *, name: str | Path = "scene", folder: str | Path = ".") -> Scene:
    """Read a scene from YAML text; `name` stands in messages, and files that it names are looked for in `folder`."""
    problems, folder = Problems(), Path(folder)
    root = parse_yaml(text, path=name, problems=problems)
    if root is None or root.empty:
        raise UnreadableFile("this scene is empty; it begins with 'walkon: 1'", path=name)
    _refuse_newer(root, name)
    fields = SCENE.read(root, problems, "a scene")
    if fields is None:
        problems.raise_if_any(name)
        raise UnreadableFile("a scene is made of keys and values; it begins with 'walkon: 1'", path=name)
    seeds = Seeds(**fields.get("seeds", {}))
    stage, props = read_stage(fields.get("stage"), folder=folder, problems=problems)
    cast = _cast(fields, folder, problems)
    characters = read_characters(fields.get("characters", []), stage=stage, props=props, seeds=seeds, problems=problems)
    problems.raise_if_any(name)
    return Scene(
        stage=stage,
        cast=cast,
        characters=characters,
        props=props,
        seeds=seeds,
        ends=fields.get("ends"),
        title=fields.get("title", ""),
        text=text,
    )


def _refuse_newer(root: YamlNode, name: str | Path) -> None:
    """Refuse a file of a newer version as such, instead of naming each of its keys that are not known here."""
    if not isinstance(root.value, dict) or "walkon" not in root.value:
        return
    line, node = root.value["walkon"]
    number = node.value if isinstance(node.value, str) else ""
    if number.isascii() and number.isdigit() and (len(number) > 6 or int(number) > VERSION):
        words = f"written for version {number[:9]} of scene files, and this Walkon reads {VERSION}; update Walkon"
        raise NewerFile(words, path=name, line=line)


def _cast(fields: Fields, folder: Path, problems: Problems) -> Cast:
    given = fields.get("cast", Fields(0, {}, {}))
    values: dict[str, Any] = {}
    for key in ("scale", "speed"):
        if key in given:
            low, high = given[key] if isinstance(given[key], tuple) else (given[key], given[key])
            if low > high:
                problems.add(given.line_of(key), f"{key!r} must be [lowest, highest], got [{low:g}, {high:g}]")
            values[key] = (low, high)
    for key in ("library", "graph"):
        file = given.get(key, "")
        if file and not (key == "library" and file == "builtin"):
            if "\0" in file or not (folder / file).exists():
                problems.add(given.line_of(key), f"there is no {key} {file!r} in {folder}")
            values[key] = str(folder / file)
    return Cast(**values)


def scene_schema() -> dict[str, Any]:
    """Return the schema, made of the same description of keys that the reader uses."""
    shared: dict[str, Any] = {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Walkon scene",
        "description": "A stage, the people on it, and what must happen; see docs/scenes.md.",
        **SCENE.schema(shared),
        "$defs": dict(sorted(shared.items())),
    }


def write_scene_schema(path: str | Path) -> Path:
    """Write the schema as a JSON file."""
    text = json.dumps(scene_schema(), indent=1, ensure_ascii=False) + "\n"
    return write_atomically(path, lambda file: file.write(text.encode()))
