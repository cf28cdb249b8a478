"""A take as one HTML file that plays it: `walkon.viewer.write_page` behind the door that all formats share."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from walkon.export.excerpt import Excerpt
from walkon.take.editing.editing import cut, delete
from walkon.viewer.page_file import write_page

__all__ = ["write"]


def write(
    excerpt: Excerpt,
    path: Path,
    *,
    progress: Callable[[float], None],
    audit: bool = False,
    character: str | Path | None = None,
    title: str | None = None,
) -> None:
    """Write the page. It poses by itself, at any rate; `audit` measures the take and lists its worst cases."""
    take = excerpt.take
    gone = np.setdiff1d(np.arange(len(take)), excerpt.characters)
    start, stop = excerpt.start, excerpt.start + (excerpt.count - 1) / excerpt.fps
    if start > take.start or stop < take.stop - 1 / excerpt.fps:
        kept = [take.names[row] for row in excerpt.characters.tolist()]
        take = cut(take, start, stop, audit=False).take
        gone = np.array([row for row, name in enumerate(take.names) if name not in kept], np.int64)
    if len(gone):
        take = delete(take, gone.tolist(), audit=False).take
    measured = take.audit(progress=lambda share: progress(0.9 * share)) if audit else None
    write_page(take, path, title=title, audit=measured, character=character)
    progress(1.0)
