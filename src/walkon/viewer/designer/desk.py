"""Answers to what pages ask for: each request becomes a call of the session, and what it gives becomes a message.

`Desk.answer` never raises because of what a page sent: what cannot be done is answered in words, and changes nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
        self._pictures: dict[tuple[int, int] | None, images.DistanceImage] = {}

    def state_message(self) -> str:
        """Return the state as it is pushed."""
        return text({"push": "state", "state": describe_state(self.session)})

    def warm_up(self) -> None:
        """Make what the first page will ask for and what takes longest: the image of the whole library."""
        self._picture(None)

    @cached_property
    def _scale(self) -> float:
        return images.image_scale(self.session.material)

    def answer(self, request: Request) -> Answer:
        """Do what is asked for; an error is an answer, too."""
        before = self.session.version
        try:
            found = _DEEDS[type(request)](self, request)
        except WalkonError as error:
            return Answer(refusal(request.id, str(error)), self.session.version != before)
        except MemoryError:
            return Answer(refusal(request.id, "there is not enough memory for this"), self.session.version != before)
        message = found if isinstance(found, bytes) else text({"id": request.id, "ok": True} | (found or {}))
        return Answer(message, self.session.version != before)

    # Deeds

    def _hello(self, _: asked.Hello) -> dict[str, Any]:
        return {"state": describe_state(self.session)} | describe_library(self.session.material)

    def _set_threshold(self, request: asked.SetThreshold) -> None:
        self.session.set_threshold(request.hub, request.threshold_cm / 100)

    def _set_spacing(self, request: asked.SetSpacing) -> None:
        self.session.set_spacing(request.hub, request.spacing_s)

    def _grow(self, request: asked.Grow) -> dict[str, Any]:
        threshold = None if request.threshold_cm is None else request.threshold_cm / 100
        return {"hub": self.session.grow(request.clip, request.time, threshold=threshold, name=request.name)}

    def _pick(self, request: asked.Pick) -> dict[str, Any]:
        return {"hub": self.session.pick(request.hub, request.clip, request.time, name=request.name)}

    def _unpick(self, request: asked.Unpick) -> None:
        self.session.unpick(request.hub, request.clip, request.time)

    def _rename(self, request: asked.Rename) -> None:
        self.session.rename(request.hub, request.name)

    def _remove_hub(self, request: asked.RemoveHub) -> None:
        self.session.remove_hub(request.hub)

    def _undo(self, _: asked.Undo) -> None:
        self.session.undo()

    def _redo(self, _: asked.Redo) -> None:
        self.session.redo()

    def _suggest(self, request: asked.Suggest) -> dict[str, Any]:
        threshold = None if request.threshold_cm is None else request.threshold_cm / 100
        self._progress("suggest")(0, 1, "looking for hubs")
        try:
            added = self.session.suggest(replacing=request.replace, threshold=threshold, bands=request.bands)
        finally:
            self._progress("suggest")(1, 1, "")
        return {"hubs": added}

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
        self._told(self.session.build)

    def _save(self, _: asked.Save) -> dict[str, Any]:
        return {"file": str(self._told(self.session.save))}

    def _told(self, work: Callable[..., Any]) -> Any:
        try:
            return work(progress=self._progress("build"))
        finally:
            self._progress("build")(1, 1, "")

    def _progress(self, of: str) -> Callable[[int, int, str], None]:
        def show(done: int, total: int, what: str) -> None:
            self._tell(text({"push": "progress", "of": of, "done": done, "total": total, "what": what}))

        return show

    def _slice(self, request: asked.Slice) -> bytes:
        session, material = self.session, self.session.material
        frame = material.frame(request.clip, request.time)
        material.check_frame(frame)
        distances = material.distances(frame)
        threshold = material.threshold if request.threshold_cm is None else request.threshold_cm / 100
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

    def _picture(self, clips: tuple[int, int] | None) -> images.DistanceImage:
        made = self._pictures.get(clips)
        if made is None:
            material = self.session.material
            if clips is None:
                made = images.image_of_all(material, metres_max=self._scale)
            else:
                made = images.image_of_clips(material, clips, metres_max=self._scale)
            while len(self._pictures) > PICTURES:
                del self._pictures[next(key for key in self._pictures if key is not None)]
            self._pictures[clips] = made
        return made

    def _image(self, request: asked.ImageRequest) -> bytes:
        if not request.all and (request.a is None or request.b is None):
            raise InvalidValue("an image is of two clips, a and b, or of all; give either")
        key = None if request.all or request.a is None or request.b is None else (request.a, request.b)
        made = self._picture(key)
        height, width = made.levels.shape
        header = {
            "id": request.id,
            "kind": "image",
            "a": request.a,
            "b": request.b,
            "all": key is None,
            "width": width,
            "height": height,
            "frames": list(made.frames),
            "metres_max": made.metres_max,
        }
        return binary(header, made.levels.tobytes())

    def _motion(self, request: asked.MotionRequest) -> bytes:
        session = self.session
        given = [request.clip is not None, request.edge is not None, request.join is not None]
        if sum(given) != 1:
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
        arrays, payload, offset = motions.edge_arrays(graph), [], 0
        told = {}
        for name, values in arrays.items():
            content = _padded(values)
            told[name] = {"offset": offset, "type": values.dtype.name, "shape": list(values.shape)}
            payload.append(content)
            offset += len(content)
        header = {
            "id": request.id,
            "kind": "edges",
            "version": version,
            "fps": graph.clips.fps,
            "joints": len(graph.source.skeleton),
            "hubs": list(graph.hub_names),
            "arrays": told,
        }
        return binary(header, *payload)


def _padded(values: NDArray[Any]) -> bytes:
    content = values.tobytes()
    return content + b"\0" * (-len(content) % 8)


_DEEDS: dict[type[Request], Callable[[Desk, Any], dict[str, Any] | bytes | None]] = {
    asked.Hello: Desk._hello,
    asked.SetThreshold: Desk._set_threshold,
    asked.SetSpacing: Desk._set_spacing,
    asked.Grow: Desk._grow,
    asked.Pick: Desk._pick,
    asked.Unpick: Desk._unpick,
    asked.Rename: Desk._rename,
    asked.RemoveHub: Desk._remove_hub,
    asked.Suggest: Desk._suggest,
    asked.Undo: Desk._undo,
    asked.Redo: Desk._redo,
    asked.Preview: Desk._preview,
    asked.Build: Desk._build,
    asked.Save: Desk._save,
    asked.Slice: Desk._slice,
    asked.ImageRequest: Desk._image,
    asked.MotionRequest: Desk._motion,
    asked.EdgesRequest: Desk._edges,
}
