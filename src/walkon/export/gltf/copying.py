"""What a user's own rig looks like, copied from its `.glb` into ours: meshes, materials, textures and pictures as they
are there, each once, and only those that are asked for. Only the numbers by which parts refer to each other change.

Left behind: animations, lamps, cameras; what is compressed beside its plain form; other looks of the same mesh
(KHR_materials_variants).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.export.gltf.buffers import Buffers
from walkon.io.gltf import GltfFile
from walkon.io.gltf.document import Copied, Document

__all__ = ["Copier"]

IN_ARRAYS = ("KHR_mesh_quantization",)
"""Extensions that show in the kinds of arrays only."""


class Copier:
    """Copies parts of one file as they are asked for."""

    def __init__(self, file: GltfFile, target: Document, buffers: Buffers) -> None:
        self.told, self._blob = file.told, file.binary or b""
        self.name = file.path.name
        self.target, self.buffers = target, buffers
        self._known: dict[tuple[str, int], int] = {}
        self._extensions: set[str] = set()

    def part(self, kind: str, number: int) -> Mapping[str, Any]:
        """Return a part as the file has it: "nodes", 3."""
        shelf = self.told.get(kind) or ()
        if not 0 <= number < len(shelf):
            raise InvalidValue(f"{self.name} is damaged: it has no {kind} number {number}; export it again")
        return shelf[number]

    def extensions(self, told: str) -> list[str]:
        """Return those of the file's "extensionsUsed" or "extensionsRequired" that its copied parts use."""
        used = {*self._extensions, *IN_ARRAYS}
        return [name for name in self.told.get(told, ()) if name in used]

    def mesh(self, number: int) -> int:
        """Return the mesh in our file."""
        return self._once("meshes", number, self.target.meshes, self._mesh)

    def accessor(self, number: int) -> int:
        """Return the accessor in our file."""
        return self._once("accessors", number, self.target.accessors, self._accessor)

    def _once(self, kind: str, number: int, shelf: list[Any], made: Callable[[Mapping[str, Any]], Copied]) -> int:
        if (kind, number) not in self._known:
            try:
                copy = made(self.part(kind, number))
            except (LookupError, TypeError, AttributeError) as error:
                words = f"{self.name} is damaged: {kind} number {number} is not as glTF has it ({error!r})"
                raise InvalidValue(f"{words}; export it again") from None
            self._known[kind, number] = len(shelf)
            shelf.append(copy)
        return self._known[kind, number]

    def _mesh(self, told: Mapping[str, Any]) -> Copied:
        return _without(told, "extensions") | {"primitives": [self._primitive(part) for part in told["primitives"]]}

    def _primitive(self, told: Mapping[str, Any]) -> Copied:
        copy = _without(told, "extensions")
        copy["attributes"] = self._vertices(told["attributes"])
        if "indices" in told:
            copy["indices"] = self.accessor(told["indices"])
        if "targets" in told:
            copy["targets"] = [self._vertices(target) for target in told["targets"]]
        if "material" in told:
            copy["material"] = self._once("materials", told["material"], self.target.materials, self._with_textures)
        return copy

    def _vertices(self, told: Mapping[str, int]) -> dict[str, int]:
        return {name: self.accessor(number) for name, number in told.items()}

    def _accessor(self, told: Mapping[str, Any]) -> Copied:
        copy = _without(told, "extensions")
        if "bufferView" in told:
            copy["bufferView"] = self._view(told["bufferView"])
        if "sparse" in told:
            sparse = dict(told["sparse"])
            for side in ("indices", "values"):
                sparse[side] = dict(sparse[side]) | {"bufferView": self._view(sparse[side]["bufferView"])}
            copy["sparse"] = sparse
        return copy

    def _view(self, number: int) -> int:
        if ("bufferViews", number) not in self._known:
            told = self.part("bufferViews", number)
            start = told.get("byteOffset", 0)
            stop = start + told["byteLength"]
            if told.get("buffer", 0) != 0 or not 0 <= start < stop <= len(self._blob):
                raise InvalidValue(f"{self.name} is damaged: some of its numbers are missing; export it again")
            values = np.frombuffer(self._blob, np.uint8, stop - start, start)
            made = self.buffers.add_view(values, stride=told.get("byteStride"), target=told.get("target"))
            self._known["bufferViews", number] = made
        return self._known["bufferViews", number]

    def _with_textures(self, told: Any, name: str = "") -> Any:
        """Return a part of a material in which textures have our numbers, those of extensions too."""
        if not isinstance(told, dict) or name == "extras":
            return told
        if name == "extensions":
            self._extensions.update(told)
        copy = {key: self._with_textures(value, key) for key, value in told.items()}
        if name.lower().endswith("texture") and isinstance(told.get("index"), int):
            copy["index"] = self._once("textures", told["index"], self.target.textures, self._texture)
        return copy

    def _texture(self, told: Mapping[str, Any]) -> Copied:
        copy = dict(told)
        if "sampler" in told:
            copy["sampler"] = self._once("samplers", told["sampler"], self.target.samplers, dict)
        if "source" in told:
            copy["source"] = self._once("images", told["source"], self.target.images, self._image)
        if "extensions" in told:  # the same picture in another kind of file
            self._extensions.update(told["extensions"])
            copy["extensions"] = {
                name: dict(more) | {"source": self._once("images", more["source"], self.target.images, self._image)}
                if "source" in more
                else more
                for name, more in told["extensions"].items()
            }
        return copy

    def _image(self, told: Mapping[str, Any]) -> Copied:
        return dict(told) | ({"bufferView": self._view(told["bufferView"])} if "bufferView" in told else {})


def _without(told: Mapping[str, Any], name: str) -> Copied:
    return {key: value for key, value in told.items() if key != name}
