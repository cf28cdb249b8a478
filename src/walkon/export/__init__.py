"""Takes → files of other programs: BVH, glTF, USD, trajectories, one-file pages. Reads takes, writes atomically.

The package is called what its function is called, so it can be called itself: `walkon.export(take, "crowd.usdc")`
works whether or not anything of the package was imported before.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from walkon.export.excerpt import Excerpt
from walkon.export.export import FORMATS, export, format_of
from walkon.take.take import Take

__all__ = ["FORMATS", "Excerpt", "export", "format_of"]


class _Callable(ModuleType):
    """A module that is also its function."""

    def __call__(self, take: Take, path: str | Path, **options: Any) -> Path:
        """Write a take; see `walkon.export.export.export`."""
        return export(take, path, **options)


sys.modules[__name__].__class__ = _Callable
