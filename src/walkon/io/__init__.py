"""Files to objects and back: BVH motion capture files, and libraries.

Everything here is the border: units, axes, rates and damage are dealt with once, on the way in, and reported. Nothing
behind it (`walkon.motion` and up) knows what a file is.
"""

from walkon.io.bvh_document import BvhDocument, parse_bvh
from walkon.io.bvh_read import BvhReading, BvhReport, read_bvh
from walkon.io.bvh_write import write_bvh
from walkon.io.files import load, save
from walkon.io.library_file import load_library, save_library

__all__ = [
    "BvhDocument",
    "BvhReading",
    "BvhReport",
    "load",
    "load_library",
    "parse_bvh",
    "read_bvh",
    "save",
    "save_library",
    "write_bvh",
]
