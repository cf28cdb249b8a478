"""The page: takes in a browser, posed there by the same rule as here. Served, as one HTML file, or in a notebook.

The page is TypeScript (`page/`), built into `static/` when the package is built; it receives segments, clips and
plants, not baked frames. See docs/viewer.md.
"""

from walkon.viewer.character import RiggedCharacter, read_character
from walkon.viewer.packing import pack_take
from walkon.viewer.page_file import show, write_page
from walkon.viewer.server import PageServer, serve

__all__ = ["PageServer", "RiggedCharacter", "pack_take", "read_character", "serve", "show", "write_page"]
