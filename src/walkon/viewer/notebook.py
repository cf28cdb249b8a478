"""A take in a notebook: the page with the take inside, in a frame of its own. Nothing is served and nothing written."""

import html
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from walkon._base.errors import InvalidValue
from walkon.take.take import Take
from walkon.viewer.character import RiggedCharacter
from walkon.viewer.page_file import page_html

if TYPE_CHECKING:
    from walkon.take.auditing import Audit

__all__ = ["Frame", "show"]


@dataclass(frozen=True, repr=False)
class Frame:
    """A page in a frame; a notebook shows it when it is the last value of a cell."""

    page: str
    height: int
    about: str

    def __repr__(self) -> str:
        return f"Frame({self.about}; a notebook shows it)"

    def _repr_html_(self) -> str:
        # In ASCII, whatever the notebook is written in: the page's script must be what its policy says, to the byte.
        page = html.escape(self.page).encode("ascii", "xmlcharrefreplace").decode()
        # Scripts, but not the notebook's own rights: the page has an origin to itself.
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" allow="fullscreen" '
            f'title="Walkon" style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )


def show(
    take: Take,
    *,
    height: int = 560,
    audit: "Audit | None" = None,
    character: str | Path | RiggedCharacter | None = None,
) -> Frame:
    """Show a take in a notebook, `height` pixels high and as wide as the cell.

    With a `character`, a rigged person in a .glb file, people are shown as that.
    """
    if not 100 <= height <= 10_000:
        raise InvalidValue(f"a frame is 100 to 10000 pixels high, got {height}")
    return Frame(page_html(take, audit=audit, character=character), height, repr(take))
