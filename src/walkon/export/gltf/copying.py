"""What a user's own rig looks like, copied from its `.glb` into ours: meshes, materials, textures and pictures as they
are there, each once, and only those that are asked for. Only the numbers by which parts refer to each other change.

Left behind: animations, lamps, cameras; what is compressed beside its plain form; other looks of the same mesh
(KHR_materials_variants).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.export.gltf.buffers import Buffers
from walkon.io.gltf import GltfFile
from walkon.io.gltf.document import Document

__all__ = ["Copier"]

REFERENCES = {
    "indices": "accessors",
    "material": "materials",
    "sampler": "samplers",
    "source": "images",
    "bufferView": "bufferViews",
}
"""Property → the kind of part whose number it is."""
FIRST = ("attributes", "indices", "targets", "material", "sampler", "source")
"""Parts that these refer to are copied in this order, and before those of other properties."""
PLAIN = ("meshes", "accessors")
"""Kinds of parts that are copied without their extensions."""
IN_ARRAYS = ("KHR_mesh_quantization",)
"""Extensions that show in the kinds of arrays only."""


class Copier:
    """Copies parts of one file as they are asked for."""

    def __init__(self, file: GltfFile, target: Document, buffers: Buffers) -> None:
        self.told, self._blob = file.told, file.binary or b""
        self.name = file.path.name
        self.target, self.buffers = target, buffers
        self._known: dict[tuple[str, int], int] = {}
        self._extensions = set(IN_ARRAYS)

    def extensions(self, told: str) -> list[str]:
        """Return those of the file's "extensionsUsed" or "extensionsRequired" that its copied parts use."""
        return [name for name in self.told.get(told, ()) if name in self._extensions]

    def number(self, kind: str, number: int) -> int:
        """Return what is the number of a part, "meshes" 3 say, in our file; it is copied when it is first asked for."""
        if (kind, number) not in self._known:
            parts = self.told.get(kind) or ()
            if not 0 <= number < len(parts):
                raise InvalidValue(f"{self.name} is damaged: it has no {kind} number {number}; export it again")
            try:
                if kind == "bufferViews":
                    self._known[kind, number] = self._view(parts[number])
                else:
                    copy, shelf = self._copied(parts[number], kind), getattr(self.target, kind)
                    self._known[kind, number] = len(shelf)
                    shelf.append(copy)
            except (LookupError, TypeError, AttributeError) as error:
                words = f"{self.name} is damaged: {kind} number {number} is not as glTF has it ({error!r})"
                raise InvalidValue(f"{words}; export it again") from None
        return self._known[kind, number]

    def _view(self, told: Mapping[str, Any]) -> int:
        start = told.get("byteOffset", 0)
        stop = start + told["byteLength"]
        if told.get("buffer", 0) != 0 or not 0 <= start < stop <= len(self._blob):
            raise InvalidValue(f"{self.name} is damaged: some of its numbers are missing; export it again")
        values = np.frombuffer(self._blob, np.uint8, stop - start, start)
        return self.buffers.add_view(values, stride=told.get("byteStride"), target=told.get("target"))

    def _copied(self, told: Any, kind: str, name: str = "", above: str = "") -> Any:
        """Return a value in a part, property `name` of property `above`, with our numbers in place of the file's."""
        if isinstance(told, list):
            return [self._copied(one, kind, name, above) for one in told]
        if isinstance(told, dict) and name != "extras":
            if name == "extensions":
                self._extensions.update(told)
            keys = [key for key in told if not (key == "extensions" and kind in PLAIN)]
            order = sorted(keys, key=lambda key: FIRST.index(key) if key in FIRST else len(FIRST))
            copies = {key: self._copied(told[key], kind, key, name) for key in order}
            return {key: copies[key] for key in keys}
        if not isinstance(told, int) or isinstance(told, bool):
            return told
        if kind == "meshes" and above in ("attributes", "targets"):
            return self.number("accessors", told)
        if kind == "materials":
            texture = name == "index" and above.lower().endswith("texture")
            return self.number("textures", told) if texture else told
        return self.number(REFERENCES[name], told) if name in REFERENCES else told
