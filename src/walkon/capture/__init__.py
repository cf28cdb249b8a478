"""From recordings to a library: import, defects, floors, contacts, one skeleton, labels.

Takes a folder of motion files (or clips from any other source, through `prepare` and `assemble`) and gives a
`Library` with an account of what was found, repaired and left out. Knows files only through `walkon.io`.
"""

from walkon.capture.build import BuildReport, ClipReport, assemble, build_library, library_from_folder
from walkon.capture.builtin import builtin_library
from walkon.capture.defects import Defect, repair
from walkon.capture.recordings import Recording, clean, import_recording, prepare

__all__ = [
    "BuildReport",
    "ClipReport",
    "Defect",
    "Recording",
    "assemble",
    "build_library",
    "builtin_library",
    "clean",
    "import_recording",
    "library_from_folder",
    "prepare",
    "repair",
]
