"""What page and server say to each other: JSON requests, JSON or binary answers. See docs/designer.md.

A request is one of the structs below, told apart by its field "do"; everything about it is checked on reading: types,
unknown fields, ranges of numbers. What it means is checked by the session, before anything is changed.

Work is sorted into lanes, in each of which requests are answered one by one: "hand" for what must be quick, "picture"
for images and motions, "long" for building, saving and looking for hubs.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from walkon._base.errors import WalkonError

__all__ = ["BadMessage", "Lane", "Request", "binary", "read_request", "refusal", "text"]

Lane = Literal["hand", "picture", "long"]
Number = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]
Centimetres = Annotated[float, msgspec.Meta(gt=0.0, le=1000.0)]
Words = Annotated[str, msgspec.Meta(max_length=1000)]


class BadMessage(WalkonError):
    """A message that cannot be read; carries the id, where there is one."""

    def __init__(self, words: str, number: int | None = None) -> None:
        super().__init__(words)
        self.number = number


class Request(msgspec.Struct, tag_field="do", forbid_unknown_fields=True, kw_only=True):
    """What all requests have."""

    lane: ClassVar[Lane] = "hand"
    id: Number


class Hello(Request, tag="hello"):
    """Everything, for a page that begins."""


class SetThreshold(Request, tag="set_threshold"):
    """A slider was let go."""

    hub: Number
    threshold_cm: Centimetres


class SetSpacing(Request, tag="set_spacing"):
    """Match frames further apart, or nearer."""

    hub: Number
    spacing_s: Seconds


class Grow(Request, tag="grow"):
    """A hub from a frame."""

    clip: Number
    time: Seconds
    threshold_cm: Centimetres | None = None
    name: Words | None = None


class Pick(Request, tag="pick"):
    """A frame into a hub, or the first of a new one."""

    clip: Number
    time: Seconds
    hub: Number | None = None
    name: Words | None = None


class Unpick(Request, tag="unpick"):
    """A frame out of a hub."""

    hub: Number
    clip: Number
    time: Seconds


class Rename(Request, tag="rename"):
    """Another name."""

    hub: Number
    name: Words


class RemoveHub(Request, tag="remove_hub"):
    """One hub less."""

    hub: Number


class Suggest(Request, tag="suggest"):
    """Suggested hubs in addition, or instead."""

    lane: ClassVar[Lane] = "long"
    replace: bool = False
    threshold_cm: Centimetres | None = None
    bands: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3


class Undo(Request, tag="undo"):
    """One step back."""


class Redo(Request, tag="redo"):
    """One step on again."""


class Preview(Request, tag="preview"):
    """What a threshold would give, of a hub or of one that would grow from a frame."""

    threshold_cm: Centimetres
    hub: Number | None = None
    clip: Number | None = None
    time: Seconds | None = None


class Build(Request, tag="build"):
    """The exact graph."""

    lane: ClassVar[Lane] = "long"


class Save(Request, tag="save"):
    """The file."""

    lane: ClassVar[Lane] = "long"


class Slice(Request, tag="slice"):
    """Distances from one frame."""

    clip: Number
    time: Seconds
    hub: Number | None = None
    threshold_cm: Centimetres | None = None


class ImageRequest(Request, tag="image"):
    """Distances between all frames of two clips, or of all."""

    lane: ClassVar[Lane] = "picture"
    a: Number | None = None
    b: Number | None = None
    all: bool = False


class MotionRequest(Request, tag="motion", rename={"begin": "from", "end": "to"}):
    """Something to look at."""

    lane: ClassVar[Lane] = "picture"
    clip: Number | None = None
    begin: Seconds = 0.0
    end: Seconds | None = None
    edge: Number | None = None
    join: tuple[Number, Number] | None = None


class EdgesRequest(Request, tag="edges"):
    """All edges, to drive with."""

    lane: ClassVar[Lane] = "picture"


Any_ = (
    Hello
    | SetThreshold
    | SetSpacing
    | Grow
    | Pick
    | Unpick
    | Rename
    | RemoveHub
    | Suggest
    | Undo
    | Redo
    | Preview
    | Build
    | Save
    | Slice
    | ImageRequest
    | MotionRequest
    | EdgesRequest
)


class _Head(msgspec.Struct):
    id: Any = None
    do: Any = None


_REQUESTS = msgspec.json.Decoder(Any_)
_HEADS = msgspec.json.Decoder(_Head)


def read_request(message: str | bytes) -> Request:
    """Return what a page asks for; anything else is a `BadMessage` in words."""
    if not isinstance(message, str):
        raise BadMessage("requests are text, this one is binary; send JSON")
    try:
        return _REQUESTS.decode(message)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        try:
            head = _HEADS.decode(message)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise BadMessage("this is not a JSON object with an id and a do; send one") from None
        number = head.id if isinstance(head.id, int) and not isinstance(head.id, bool) else None
        known = f"{head.do!r:.80} " if isinstance(head.do, str) else ""
        raise BadMessage(f"the request {known}cannot be read: {error}", number) from None


def text(fields: Mapping[str, Any]) -> str:
    """Return a JSON message."""
    return msgspec.json.encode(fields).decode()


def refusal(number: int | None, words: str) -> str:
    """Return the answer to a request that is not done."""
    return text({"id": number, "ok": False, "error": words})


def binary(header: Mapping[str, Any], *payload: bytes) -> bytes:
    """Return a binary message; what follows the header begins at a multiple of 8."""
    head = msgspec.json.encode(header)
    head += b" " * (-(len(head) + 4) % 8)
    return b"".join([len(head).to_bytes(4, "little"), head, *payload])
