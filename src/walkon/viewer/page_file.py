"""Pages as files: the viewer with a take inside, in one HTML file that opens by double-click, with no network.

In a notebook the same page is in a frame of its own (`show`): nothing is served and nothing written.

The page itself is built once (`make page`) and shipped with the package; here data is put into it, as text that no
browser takes for code. What may run on the page is said by a Content-Security-Policy: its own script, by its hash.
"""

import base64
import hashlib
import html
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from walkon._base.errors import InvalidValue, UnreadableFile
from walkon._base.files import write_atomically
from walkon.take.take import Take
from walkon.viewer.character import RiggedCharacter, resolve_character
from walkon.viewer.packing import pack_take

if TYPE_CHECKING:
    from walkon.take.auditing import Audit

__all__ = [
    "MAX_EMBEDDED_BYTES",
    "Frame",
    "audit_json",
    "character_tag",
    "page_html",
    "page_policy",
    "read_page",
    "show",
    "write_page",
]

STATIC = Path(__file__).with_name("static")
MAX_EMBEDDED_BYTES = 250_000_000
"""Bytes of a packed take inside a page: browsers end strings at half a gigabyte."""


def write_page(
    take: Take,
    path: str | Path,
    *,
    title: str | None = None,
    audit: "Audit | None" = None,
    character: str | Path | RiggedCharacter | None = None,
) -> Path:
    """Write a page that plays a take, atomically; with an audit its worst cases can be jumped to.

    With a `character`, a rigged person in a .glb file, people are shown as that.
    """
    path = Path(path)
    page = page_html(take, title=title or path.stem, audit=audit, character=character).encode()
    return write_atomically(path, lambda file: file.write(page))


def page_html(
    take: Take,
    *,
    title: str = "Walkon",
    audit: "Audit | None" = None,
    character: str | Path | RiggedCharacter | None = None,
) -> str:
    """Return the page with a take (and an audit, and a character) inside."""
    page = read_page(title=title)
    worn = resolve_character(character, take)
    packed = pack_take(take)
    if len(packed) > MAX_EMBEDDED_BYTES:
        raise InvalidValue(
            f"the take has {len(packed) / 1e6:.0f} MB packed, more than the {MAX_EMBEDDED_BYTES / 1e6:.0f} MB that a "
            "page can have inside; show it with `walkon view`, or cut it in time"
        )
    data = base64.b64encode(packed).decode()
    parts = [f'<script type="application/octet-stream;base64" id="take-data">{data}</script>']
    if audit is not None:
        parts.append(f'<script type="application/json" id="audit-data">{audit_json(audit)}</script>')
    if worn is not None:
        model = base64.b64encode(worn.rig.content).decode()
        parts.append(character_tag(worn))
        parts.append(f'<script type="application/octet-stream;base64" id="character-model">{model}</script>')
    head, mark, tail = page.rpartition("</body>")
    policy = html.escape(page_policy(page, connect="'none'"))
    # Said first and last, so that the page knows a file that was cut off (take_bytes.ts).
    first = f'<meta http-equiv="Content-Security-Policy" content="{policy}"><meta name="walkon" content="exported">'
    parts.append('<span id="whole" hidden></span>')
    return head.replace("<head>", f"<head>{first}", 1) + "\n".join(parts) + mark + tail


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


COUNTED = {
    "bodies.max_penetration_m": "bodies.pair_frames",
    "collisions.max_penetration_m": "collisions.pair_frames",
    "collisions.max_obstacle_penetration_m": "collisions.obstacle_frames",
}
"""Figures of events that a limit counts instead of measuring them."""


def audit_json(audit: "Audit") -> str:
    """Return an audit as JSON that can stand inside a page.

    Every worst case tells whether it is a fault, and its value beside the limit of a good take ("" for none) in words.
    """
    from walkon.drawing.audit_words import format_exactly, unit_of
    from walkon.take.auditing.limits import good_limits

    figures = audit.to_json()
    limits = good_limits(audit)
    broken = {name for name, _, _ in audit.broken(limits)}
    for entry, case in zip(figures["worst"], audit.worst, strict=True):
        limit = limits.get(case.figure)
        entry["fault"] = COUNTED.get(case.figure) in broken if limit is None else not case.value <= limit
        if entry["fault"] and (limit is None or not unit_of(case.figure)):
            entry["verdict"] = "a good take has none"
        elif limit is None:
            entry["verdict"] = ""
        else:
            values = format_exactly(case.figure, case.value), format_exactly(case.figure, limit)
            entry["verdict"] = (", over the limit of " if entry["fault"] else ", limit ").join(values)
    return msgspec.json.encode(figures).decode().replace("<", "\\u003c")


def character_tag(character: RiggedCharacter) -> str:
    """Return the element that tells the page how a character follows the take."""
    return f'<script type="application/json" id="character-data">{character.to_json()}</script>'


def read_page(name: str = "viewer", *, title: str = "Walkon") -> str:
    """Return one of the built pages, without data."""
    page = _read_built(STATIC / f"{name}.html")
    shown = html.escape(title)
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{shown}</title>", page, count=1, flags=re.DOTALL)


def page_policy(page: str, *, connect: str) -> str:
    """Return the Content-Security-Policy of a page: its own scripts by their hashes, and no other code.

    `connect` says what it may fetch: 'self' from a server, 'none' as a file.
    """
    scripts = re.findall(r"<script(?:\s+type=\"module\")?(?:\s+crossorigin)?\s*>(.*?)</script>", page, flags=re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes or chr(39) + 'none' + chr(39)}; worker-src blob:; "
        f"style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )


def _read_built(path: Path) -> str:
    try:
        written = path.stat().st_mtime_ns
    except OSError:
        raise UnreadableFile(
            "the page has not been built; run `make page` in Walkon's source tree (it needs Node)", path=path
        ) from None
    return _read_text(path, written)


@lru_cache(maxsize=4)
def _read_text(path: Path, written: int) -> str:  # `written` is in the key: a page that is built anew is read anew
    return path.read_text(encoding="utf-8")
