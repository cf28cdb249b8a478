"""Files to objects and back: BVH motion capture files, libraries, scenes, and trajectories of other tools.

Everything here is the border: units, axes, rates and damage are dealt with once, on the way in, and reported. Nothing
behind it (`walkon.motion` and up) knows what a file is.
"""

from walkon.io.bvh_document import BvhDocument, parse_bvh
from walkon.io.bvh_read import BvhReading, BvhReport, read_bvh
from walkon.io.bvh_write import write_bvh
from walkon.io.files import load, save
from walkon.io.library_file import load_library, save_library
from walkon.io.scenes import load_scene, scene_from_text, scene_schema
from walkon.io.trajectories import Trajectories, load_trajectories

__all__ = [
    "BvhDocument",
    "BvhReading",
    "BvhReport",
    "Trajectories",
    "load",
    "load_library",
    "load_scene",
    "load_trajectories",
    "parse_bvh",
    "read_bvh",
    "save",
    "save_library",
    "scene_from_text",
    "scene_schema",
    "write_bvh",
]
