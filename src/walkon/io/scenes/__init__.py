"""Scene files: YAML → `Scene`, with every problem named by its line; and their JSON schema for editors.

Takes a file or text and gives the types of `walkon.script` and `walkon.stage`, groups written out one by one. Whether a
scene can be performed is left to `walkon.script.check_scene`.
"""

from walkon.io.scenes.loading import load_scene, scene_from_text, scene_schema, write_scene_schema

__all__ = ["load_scene", "scene_from_text", "scene_schema", "write_scene_schema"]
