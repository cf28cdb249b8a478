"""What page and server say to each other: JSON requests, JSON or binary answers. See docs/designer.md.

A request is a call by name, in its field "do"; its other fields are the arguments of that method (`desk`). They are
checked on reading, by the types that the method declares: types, unknown fields, ranges of numbers. What it means is
checked by the session, before anything is changed.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Annotated, Any, get_type_hints

import msgspec

__all__ = [
    "Centimetres",
    "Number",
    "Request",
    "Seconds",
    "Words",
    "binary_message",
    "json_message",
    "read_request",
    "refusal",
    "request_of",
]

Number = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]
Centimetres = Annotated[float, msgspec.Meta(gt=0.0, le=1000.0)]
Words = Annotated[str, msgspec.Meta(max_length=1000)]
SAID = {"begin": "from", "end": "to"}
"""Arguments whose fields have names that Python keeps for itself."""


class Request(msgspec.Struct, tag_field="do", forbid_unknown_fields=True, kw_only=True):
    """What all requests have."""

    id: Number


_HEADS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    msgspec.defstruct("Head", [("id", Any, None), ("do", Any, None)])
)


def request_of(call: Callable[..., Any]) -> Any:
    """Return the type of the requests that ask for this method."""
    types = get_type_hints(call, include_extras=True)
    _, *arguments = signature(call).parameters.values()
    fields = [
        (one.name, types[one.name], msgspec.NODEFAULT if one.default is one.empty else one.default) for one in arguments
    ]
    return msgspec.defstruct(call.__name__, fields, bases=(Request,), tag=call.__name__, rename=SAID, kw_only=True)


def read_request(message: str | bytes, requests: msgspec.json.Decoder[Request]) -> Request | str:
    """Return what a page asks for; where that cannot be read, the answer that says so."""
    if not isinstance(message, str):
        return refusal(None, "requests are text, this one is binary; send JSON")
    try:
        return requests.decode(message)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        try:
            head = _HEADS.decode(message)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return refusal(None, "this is not a JSON object with an id and a do; send one")
        number = head.id if isinstance(head.id, int) and not isinstance(head.id, bool) else None
        known = f"{head.do!r:.80} " if isinstance(head.do, str) else ""
        return refusal(number, f"the request {known}cannot be read: {error}")


def json_message(fields: Mapping[str, Any]) -> str:
    """Return a JSON message."""
    return msgspec.json.encode(fields).decode()


def refusal(number: int | None, words: str) -> str:
    """Return the answer to a request that is not done."""
    return json_message({"id": number, "ok": False, "error": words})


def binary_message(header: Mapping[str, Any], *payload: bytes) -> bytes:
    """Return a binary message; what follows the header begins at a multiple of 8."""
    head = msgspec.json.encode(header)
    head += b" " * (-(len(head) + 4) % 8)
    return b"".join([len(head).to_bytes(4, "little"), head, *payload])
