"""Takes → files of other programs: BVH, glTF, USD, trajectories, one-file pages. Reads takes, writes atomically."""

from walkon.export.excerpt import Excerpt
from walkon.export.export import FORMATS, export, format_of

__all__ = ["FORMATS", "Excerpt", "export", "format_of"]
