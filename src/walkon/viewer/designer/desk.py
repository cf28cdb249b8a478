"""Request handlers: each request of a page is a method, which asks the session and returns what becomes a message.

Where the session itself takes what a page sends and tells nothing, the request is the session's method.

`Desk.answer` never raises because of what a page sent: what cannot be done is answered in words, and changes nothing.

Work is sorted into lanes, in each of which requests are answered one by one: "hand" for what must be quick, "picture"
for images and motions, "long" for building, saving and looking for hubs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace as replaced
from functools import cached_property, lru_cache, reduce
from operator import or_
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from walkon._base.errors import InvalidValue, WalkonError
from walkon.graphs.snap_together.matching.match_sets import local_minima
from walkon.viewer.designer import pictures
from walkon.viewer.designer.protocol import (
    Centimetres,
    Number,
    Request,
    Seconds,
    Words,
    binary_message,
    json_message,
    refusal,
    request_of,
)
from walkon.viewer.designer.session import DesignSession
from walkon.viewer.designer.state import describe_library, describe_matches, describe_preview, describe_state
from walkon.viewer.packing import pack_take

__all__ = ["LANES", "REQUESTS", "Desk"]

MAX_SLICE_MINIMA = 2000
"""Local minima that are sent of a slice, the lowest."""
IMAGES_KEPT = 64
"""Images that are kept."""
LANES = {
    "hand": (
        *("hello", "set_threshold", "set_spacing", "grow", "pick", "unpick", "rename", "remove_hub"),
        *("undo", "redo", "preview", "slice"),
    ),
    "picture": ("image", "motion", "edges"),
    "long": ("suggest", "build", "save"),
}
"""Everything that can be asked for, by where it is answered."""


class Desk:
    """Answers requests about one session; `tell(message)` goes to every page.

    Methods that are requests return the fields of their answer, or a header and bytes for a binary one.
    """

    def __init__(self, session: DesignSession, tell: Callable[[str], None]) -> None:
        self.session = session
        self._tell = tell
        self._image_of = lru_cache(IMAGES_KEPT)(
            lambda clips: pictures.image_of_clips(session.material, clips, self._scale)
        )

    def answer(self, request: Request) -> tuple[str | bytes, bool]:
        """Do what is asked for and say whether anything changed; an error is an answer, too."""
        before, fields = self.session.version, msgspec.structs.asdict(request)
        number = fields.pop("id")
        message: str | bytes
        try:
            name = type(request).__name__
            found = getattr(self if hasattr(self, name) else self.session, name)(**fields)
            if isinstance(found, tuple):
                header, *payload = found
                message = binary_message({"id": number} | header, *payload)
            else:
                message = json_message({"id": number, "ok": True} | (found or {}))
        except WalkonError as error:
            message = refusal(number, str(error))
        except MemoryError:
            message = refusal(number, "there is not enough memory for this")
        return message, self.session.version != before

    def state_message(self) -> str:
        """Return the state as it is pushed."""
        return json_message({"push": "state", "state": describe_state(self.session)})

    def warm_up(self) -> None:
        """Make what the first page will ask for and what takes longest: the image of the whole library."""
        _ = self._whole_image

    @cached_property
    def _scale(self) -> float:
        return pictures.image_scale(self.session.material)

    @cached_property
    def _whole_image(self) -> NDArray[np.uint8]:
        return pictures.image_of_all(self.session.material, self._scale)

    @contextmanager
    def _progress(self, of: str) -> Iterator[Callable[[int, int, str], None]]:
        """Give a function that shows every page how far something is; at last it is done."""

        def show(done: int, total: int, what: str) -> None:
            self._tell(json_message({"push": "progress", "of": of, "done": done, "total": total, "what": what}))

        try:
            yield show
        finally:
            show(1, 1, "")

    # What is asked for by hand

    def hello(self) -> dict[str, Any]:
        """Tell everything, for a page that begins."""
        return {"state": describe_state(self.session)} | describe_library(self.session.material)

    def set_threshold(self, hub: Number, threshold_cm: Centimetres) -> None:
        """Set a threshold: a slider was let go."""
        self.session.set_threshold(hub, threshold_cm / 100)

    def grow(
        self, clip: Number, time: Seconds, threshold_cm: Centimetres | None = None, name: Words | None = None
    ) -> dict[str, Any]:
        """Grow a hub from a frame."""
        return {"hub": self.session.grow(clip, time, threshold=_metres(threshold_cm), name=name)}

    def pick(self, clip: Number, time: Seconds, hub: Number | None = None, name: Words | None = None) -> dict[str, Any]:
        """Put a frame into a hub, or make it the first of a new one."""
        return {"hub": self.session.pick(hub, clip, time, name=name)}

    def preview(
        self,
        threshold_cm: Centimetres,
        hub: Number | None = None,
        clip: Number | None = None,
        time: Seconds | None = None,
    ) -> dict[str, Any]:
        """Tell what a threshold would give, of a hub or of one that would grow from a frame."""
        if hub is not None:
            made = replaced(self.session.hub(hub), threshold=threshold_cm / 100)
            self.session.material.grow(made)
        elif clip is None or time is None:
            raise InvalidValue("a preview is of a hub, or of a clip and a time; give either")
        else:
            made = self.session.hub_from_frame(clip, time, threshold=threshold_cm / 100)
        return describe_preview(self.session, hub, made)

    def slice(
        self, clip: Number, time: Seconds, hub: Number | None = None, threshold_cm: Centimetres | None = None
    ) -> tuple[Any, ...]:
        """Show distances from one frame."""
        session, material = self.session, self.session.material
        frame = material.frame(clip, time)
        material.check_frame(frame)
        distances = material.distances(frame)
        threshold = _metres(threshold_cm) or material.threshold
        if hub is not None:
            threshold = session.hub(hub).threshold
        clip, time = material.place(frame)
        found = material.match_set(session.hub_from_frame(clip, time, threshold=threshold))
        minima = np.flatnonzero(local_minima(material.frames, distances) & np.isfinite(distances))
        minima = np.sort(minima[np.argsort(distances[minima], kind="stable")[:MAX_SLICE_MINIMA]])
        header = {
            "kind": "slice",
            "clip": clip,
            "time": round(time, 4),
            "threshold_cm": round(threshold * 100, 4),
            "minima": describe_matches(material, minima, distances[minima]),
            "matches": describe_matches(material, found.frames, found.distances),
        }
        return header, distances.astype("<f4").tobytes()

    # Pictures

    def image(self, a: Number | None = None, b: Number | None = None, all: bool = False) -> tuple[Any, ...]:
        """Show distances between all frames of two clips, or of all."""
        frames = self.session.material.frames
        if all:
            levels, shown = self._whole_image, [len(frames), len(frames)]
        elif a is None or b is None:
            raise InvalidValue("an image is of two clips, a and b, or of all; give either")
        else:
            levels = self._image_of((a, b))
            shown = (frames.stops - frames.starts)[[a, b]].tolist()
        height, width = levels.shape
        header = {
            "kind": "image",
            "a": a,
            "b": b,
            "all": all,
            "width": width,
            "height": height,
            "frames": shown,
            "metres_max": self._scale,
        }
        return header, levels.tobytes()

    def motion(
        self,
        clip: Number | None = None,
        begin: Seconds = 0.0,
        end: Seconds | None = None,
        edge: Number | None = None,
        join: tuple[Number, Number] | None = None,
    ) -> tuple[Any, ...]:
        """Show a clip, an edge or a join."""
        if [clip, edge, join].count(None) != 2:
            raise InvalidValue("a motion is of a clip, an edge or a join of two edges; give one of them")
        session, seam, exact = self.session, None, True
        if clip is not None:
            take = pictures.clip_take(session.material, clip, begin=begin, end=end)
        else:
            with session.lock:
                look, graph = session.look(), session.graph
            edges = [edge or 0] if join is None else list(join)
            take = pictures.edge_take(session.material, look, edges, graph=graph)
            seam, exact = None if join is None else float(look.duration[join[0]]), graph is not None
        return {"kind": "take", "seconds": take.stop, "seam": seam, "exact": exact}, pack_take(take)

    def edges(self) -> tuple[Any, ...]:
        """Give all edges, to drive with."""
        with self.session.lock:
            graph, version = self.session.graph, self.session.version
        if graph is None:
            raise InvalidValue("the graph is not built yet, so there is nothing to drive on; build it first")
        payload, arrays, offset = [], {}, 0
        for name, values in pictures.edge_arrays(graph).items():
            arrays[name] = {"offset": offset, "type": values.dtype.name, "shape": list(values.shape)}
            payload.append(values.tobytes() + b"\0" * (-values.nbytes % 8))
            offset += len(payload[-1])
        header = {
            "kind": "edges",
            "version": version,
            "fps": graph.clips.fps,
            "joints": len(graph.source.skeleton),
            "hubs": list(graph.hub_names),
            "arrays": arrays,
        }
        return header, *payload

    # What takes long

    def suggest(
        self,
        replace: bool = False,
        threshold_cm: Centimetres | None = None,
        bands: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3,
    ) -> dict[str, Any]:
        """Suggest hubs, in addition or instead."""
        with self._progress("suggest") as show:
            show(0, 1, "looking for hubs")
            return {"hubs": self.session.suggest(replacing=replace, threshold=_metres(threshold_cm), bands=bands)}

    def build(self) -> None:
        """Build the exact graph."""
        with self._progress("build") as show:
            self.session.build(progress=show)

    def save(self) -> dict[str, Any]:
        """Write the file."""
        with self._progress("build") as show:
            return {"file": str(self.session.save(progress=show))}


def _metres(centimetres: float | None) -> float | None:
    return None if centimetres is None else centimetres / 100


REQUESTS: msgspec.json.Decoder[Request] = msgspec.json.Decoder(
    reduce(
        or_,
        (
            request_of(getattr(Desk if hasattr(Desk, name) else DesignSession, name))
            for names in LANES.values()
            for name in names
        ),
    )
)
"""Reads what pages send."""
