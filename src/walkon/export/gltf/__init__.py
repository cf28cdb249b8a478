"""Takes to glTF (`.glb`): skinned people, stage and props in one file."""

from walkon.export.gltf.takes import write

__all__ = ["write"]
