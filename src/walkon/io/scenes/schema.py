"""The JSON schema of scene files (draft 2020-12), for editors that complete and check keys while one writes."""

import json
from pathlib import Path
from typing import Any

from walkon._base.files import write_atomically
from walkon.io.scenes.keys import SCENE

__all__ = ["scene_schema", "write_scene_schema"]


def scene_schema() -> dict[str, Any]:
    """Return the schema, made of the same description of keys that the reader uses."""
    shared: dict[str, Any] = {}
    top = SCENE.schema(shared)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Walkon scene",
        "description": "A stage, the people on it, and what must happen; see docs/scenes.md.",
        **top,
        "$defs": dict(sorted(shared.items())),
    }


def write_scene_schema(path: str | Path) -> Path:
    """Write the schema as a JSON file."""
    text = json.dumps(scene_schema(), indent=1, ensure_ascii=False) + "\n"
    return write_atomically(path, lambda file: _write(file, text))


def _write(file: Any, text: str) -> None:
    file.write(text.encode())
