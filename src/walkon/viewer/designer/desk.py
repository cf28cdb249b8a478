"""Answers to what pages ask for: each request becomes a call of the session, and what it gives becomes a message.

`Desk.answer` never raises because of what a page sent: what cannot be done is answered in words, and changes nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from walkon._base.errors import InvalidValue, WalkonError
from walkon.graphs.snap_together.matching.match_sets import local_minima
from walkon.viewer.designer import images, motions
from walkon.viewer.designer import protocol as asked
from walkon.viewer.designer.protocol import Request, binary, refusal, text
from walkon.viewer.designer.session import DesignSession
from walkon.viewer.designer.state import describe_library, describe_matches, describe_preview, describe_state

__all__ = ["Answer", "Desk"]

MOST_MINIMA = 2000
"""Local minima that are told of a slice, the lowest."""
PICTURES = 64
"""Images that are kept."""


class Answer(NamedTuple):
    """What is sent back."""

    message: str | bytes
    changed: bool
    """Whether everybody should be told the state before that."""


class Desk:
    """Answers requests about one session; `tell(message)` goes to every page."""

    def __init__(self, session: DesignSession, tell: Callable[[str], None]) -> None:
        self.session = session
        self._tell = tell
        self._image_of = lru_cache(PICTURES)(lambda clips: images.image_of_clips(session.material, clips, self._scale))

    def state_message(self) -> str:
        """Return the state as it is pushed."""
        return text({"push": "state", "state": describe_state(self.session)})

    def warm_up(self) -> None:
        """Make what the first page will ask for and what takes longest: the image of the whole library."""
        _ = self._whole_image

    @cached_property
    def _scale(self) -> float:
        return images.image_scale(self.session.material)

    @cached_property
    def _whole_image(self) -> images.DistanceImage:
        return images.image_of_all(self.session.material, self._scale)

    def answer(self, request: Request) -> Answer:
        """Do what is asked for; an error is an answer, too."""
        before = self.session.version
        try:
            call = _CALLS.get(type(request))
            found = call(self.session, request) if call else _DEEDS[type(request)](self, request)
        except WalkonError as error:
            return Answer(refusal(request.id, str(error)), self.session.version != before)
        except MemoryError:
            return Answer(refusal(request.id, "there is not enough memory for this"), self.session.version != before)
        message = found if isinstance(found, bytes) else text({"id": request.id, "ok": True} | (found or {}))
        return Answer(message, self.session.version != before)

    # What takes more than a call

    def _suggest(self, request: asked.Suggest) -> dict[str, Any]:
        with self._progress("suggest") as show:
            show(0, 1, "looking for hubs")
            threshold = _metres(request.threshold_cm)
            return {"hubs": self.session.suggest(replacing=request.replace, threshold=threshold, bands=request.bands)}

    def _preview(self, request: asked.Preview) -> dict[str, Any]:
        threshold = request.threshold_cm / 100
        if request.hub is not None:
            hub = replace(self.session.hub(request.hub), threshold=threshold)
            self.session.material.grown(hub)
            return describe_preview(self.session, request.hub, hub)
        if request.clip is None or request.time is None:
            raise InvalidValue("a preview is of a hub, or of a clip and a time; give either")
        hub = self.session.grown_from(request.clip, request.time, threshold=threshold)
        return describe_preview(self.session, None, hub)

    def _build(self, _: asked.Build) -> None:
        with self._progress("build") as show:
            self.session.build(progress=show)

    def _save(self, _: asked.Save) -> dict[str, Any]:
        with self._progress("build") as show:
            return {"file": str(self.session.save(progress=show))}

    @contextmanager
    def _progress(self, of: str) -> Iterator[Callable[[int, int, str], None]]:
        """Give a function that shows every page how far something is; at last it is done."""

        def show(done: int, total: int, what: str) -> None:
            self._tell(text({"push": "progress", "of": of, "done": done, "total": total, "what": what}))

        try:
            yield show
        finally:
            show(1, 1, "")

    def _slice(self, request: asked.Slice) -> bytes:
        session, material = self.session, self.session.material
        frame = material.frame(request.clip, request.time)
        material.check_frame(frame)
        distances = material.distances(frame)
        threshold = _metres(request.threshold_cm) or material.threshold
        if request.hub is not None:
            threshold = session.hub(request.hub).threshold
        clip, time = material.place(frame)
        found = material.match_set(session.grown_from(clip, time, threshold=threshold))
        minima = np.flatnonzero(local_minima(material.frames, distances) & np.isfinite(distances))
        minima = np.sort(minima[np.argsort(distances[minima], kind="stable")[:MOST_MINIMA]])
        header = {
            "id": request.id,
            "kind": "slice",
            "clip": clip,
            "time": round(time, 4),
            "threshold_cm": round(threshold * 100, 4),
            "minima": describe_matches(material, minima, distances[minima]),
            "matches": describe_matches(material, found.frames, found.distances),
        }
        return binary(header, distances.astype("<f4").tobytes())

    def _image(self, request: asked.ImageRequest) -> bytes:
        if not request.all and (request.a is None or request.b is None):
            raise InvalidValue("an image is of two clips, a and b, or of all; give either")
        whole = request.all or request.a is None or request.b is None
        made = self._whole_image if whole else self._image_of((request.a, request.b))
        height, width = made.levels.shape
        header = {
            "id": request.id,
            "kind": "image",
            "a": request.a,
            "b": request.b,
            "all": whole,
            "width": width,
            "height": height,
            "frames": list(made.frames),
            "metres_max": made.metres_max,
        }
        return binary(header, made.levels.tobytes())

    def _motion(self, request: asked.MotionRequest) -> bytes:
        session = self.session
        if [request.clip, request.edge, request.join].count(None) != 2:
            raise InvalidValue("a motion is of a clip, an edge or a join of two edges; give one of them")
        if request.clip is not None:
            found = motions.clip_motion(session.material, request.clip, begin=request.begin, end=request.end)
        else:
            with session.lock:
                look, graph = session.look(), session.graph
            edges = list(request.join) if request.join is not None else [request.edge or 0]
            found = motions.edge_motion(session.material, look, edges, graph=graph)
        header = {
            "id": request.id,
            "kind": "take",
            "seconds": found.seconds,
            "seam": found.seam,
            "exact": found.exact,
        }
        return binary(header, found.packed)

    def _edges(self, request: asked.EdgesRequest) -> bytes:
        with self.session.lock:
            graph, version = self.session.graph, self.session.version
        if graph is None:
            raise InvalidValue("the graph is not built yet, so there is nothing to drive on; build it first")
        payload, arrays, offset = [], {}, 0
        for name, values in motions.edge_arrays(graph).items():
            arrays[name] = {"offset": offset, "type": values.dtype.name, "shape": list(values.shape)}
            payload.append(values.tobytes() + b"\0" * (-values.nbytes % 8))
            offset += len(payload[-1])
        header = {
            "id": request.id,
            "kind": "edges",
            "version": version,
            "fps": graph.clips.fps,
            "joints": len(graph.source.skeleton),
            "hubs": list(graph.hub_names),
            "arrays": arrays,
        }
        return binary(header, *payload)


def _metres(centimetres: float | None) -> float | None:
    return None if centimetres is None else centimetres / 100


def _hello(session: DesignSession, _: asked.Hello) -> dict[str, Any]:
    return {"state": describe_state(session)} | describe_library(session.material)


_CALLS: dict[type[Request], Callable[[DesignSession, Any], dict[str, Any] | None]] = {
    asked.Hello: _hello,
    asked.SetThreshold: lambda session, ask: session.set_threshold(ask.hub, ask.threshold_cm / 100),
    asked.SetSpacing: lambda session, ask: session.set_spacing(ask.hub, ask.spacing_s),
    asked.Grow: lambda session, ask: {
        "hub": session.grow(ask.clip, ask.time, threshold=_metres(ask.threshold_cm), name=ask.name)
    },
    asked.Pick: lambda session, ask: {"hub": session.pick(ask.hub, ask.clip, ask.time, name=ask.name)},
    asked.Unpick: lambda session, ask: session.unpick(ask.hub, ask.clip, ask.time),
    asked.Rename: lambda session, ask: session.rename(ask.hub, ask.name),
    asked.RemoveHub: lambda session, ask: session.remove_hub(ask.hub),
    asked.Undo: lambda session, _: session.undo(),
    asked.Redo: lambda session, _: session.redo(),
}
"""Requests that are one call of the session."""
_DEEDS: dict[type[Request], Callable[[Desk, Any], dict[str, Any] | bytes | None]] = {
    asked.Suggest: Desk._suggest,
    asked.Preview: Desk._preview,
    asked.Build: Desk._build,
    asked.Save: Desk._save,
    asked.Slice: Desk._slice,
    asked.ImageRequest: Desk._image,
    asked.MotionRequest: Desk._motion,
    asked.EdgesRequest: Desk._edges,
}
"""The others."""
