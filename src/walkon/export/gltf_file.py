"""What a glTF file is made of, as it grows."""

from typing import NamedTuple

from walkon.export.gltf_body import Wardrobe
from walkon.export.gltf_motion import Keys
from walkon.io.gltf.document import Node, Skin

__all__ = ["GrowingFile"]


class GrowingFile(NamedTuple):
    """Lists that the parts of a file are appended to."""

    nodes: list[Node]
    skins: list[Skin]
    roots: list[int]
    """Nodes of the scene that hang on nothing."""
    keys: Keys
    wardrobe: Wardrobe
