"""glTF 2.0: the parts of a file, read here and nowhere else; exporters write with the same parts."""

from walkon.io.gltf.reading import GltfFile, local_matrix, refusing

__all__ = ["GltfFile", "local_matrix", "refusing"]
