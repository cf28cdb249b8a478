"""A design session: one graph file that is being designed, every change undoable, saved when asked.

A `DesignSession` holds the material, the design as it is now, what it was before, and the last graphs that were built.
Commands are methods; one that is refused raises a `WalkonError` and changes nothing. They may be called from several
threads: changes are made one at a time, and building and looking for hubs run beside them.

Metres, seconds; clips, hubs and edges by number. Arguments of methods that pages may ask for have the types by which
those requests are checked. Nothing is written but `file`, and only by `save`.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path

from walkon._base.errors import InvalidValue
from walkon.graphs.file import as_stored
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.file import load_snap_graph, save_snap_graph
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.library import Library
from walkon.viewer.designer import changes
from walkon.viewer.designer.design import Design, DesignedHub
from walkon.viewer.designer.material import Material
from walkon.viewer.designer.protocol import Number, Seconds, Words
from walkon.viewer.designer.quick_look import QuickLook, quick_look

__all__ = ["DesignSession", "check_start"]

UNDO_STEPS_KEPT = 500
"""Changes that can be undone."""
GRAPHS_KEPT = 3
"""Built graphs that are remembered: undoing a change brings the graph back as well."""
Progress = Callable[[int, int, str], None]


class DesignSession:
    """What is being designed; make it with `DesignSession.open`."""

    def __init__(
        self,
        file: str | Path,
        library: Library,
        *,
        graph: SnapGraph | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.file = Path(file).absolute()
        show = progress or (lambda done, total, what: None)
        settings = {} if graph is None else graph.settings
        show(0, 3, "comparing frames")
        frames = compared(library, rate=settings.get("rate", 30.0), window=settings.get("window", 1 / 3))
        self.material = Material(library, frames, threshold=settings.get("threshold"))
        self.spacing = float(settings.get("spacing", 1 / 3))
        self.rounds = int(settings.get("rounds", 3))
        self.lock = threading.RLock()
        """Held while something changes; hold it to see one state of everything."""
        self._building = threading.Lock()
        self._writing = threading.Lock()
        self.before: list[Design] = []
        """What changes can be undone to, the last one first undone."""
        self.after: list[Design] = []
        """What was undone and can be made again."""
        self._graphs: OrderedDict[tuple[DesignedHub, ...], SnapGraph] = OrderedDict()
        self._suggested = cache(partial(changes.suggested_hubs, self.material, spacing=self.spacing))
        self._looked_at = lru_cache(1)(self._look_at)
        self.version = 0
        self.building = False
        show(1, 3, "looking for hubs")
        if graph is None:
            self.design = changes.with_suggestions(Design(), self.suggestions())
            self._saved: Design | None = None
        else:
            self.design = changes.design_of(self.material, graph)
            self._saved = self.design
            self._graphs[self.design.graph_key] = graph
        show(2, 3, "looking at the design")
        self.look()
        show(3, 3, "")

    @classmethod
    def open(
        cls, file: str | Path, *, library: Library | None = None, progress: Progress | None = None
    ) -> "DesignSession":
        """Open a snap-together graph; or begin a new one, from a library, where the file does not exist yet."""
        file = Path(file)
        check_start(file, new=library is not None)
        if library is not None:
            # In the precision of files, so that hubs are the same before and after saving.
            return cls(file, as_stored(library), progress=progress)
        graph = load_snap_graph(file)
        return cls(file, graph.source, graph=graph, progress=progress)

    # What is there

    @property
    def graph(self) -> SnapGraph | None:
        """The built graph of the design as it is now, where there is one."""
        with self.lock:
            return self._known_graph(self.design)

    def _known_graph(self, design: Design) -> SnapGraph | None:
        """Return the built graph of a design; other names need no building."""
        graph = self._graphs.get(design.graph_key)
        if graph is not None and graph.hub_names != design.names:
            graph = self._graphs[design.graph_key] = _rename_hubs(graph, design.names)
        return graph

    @property
    def saved(self) -> bool:
        """Whether the file holds this design."""
        return self._saved == self.design

    def look(self) -> QuickLook:
        """Return what the design gives, as far as can be told at once."""
        with self.lock:
            look, graph = self._looked_at(self.design), self.graph
            return look if graph is None else look.exactly(graph)

    def _look_at(self, design: Design) -> QuickLook:
        sets = [self.material.match_set(hub) for hub in design.hubs]
        return quick_look(self.material, sets, design.copies, spacing=self.spacing)

    def hub(self, number: int) -> DesignedHub:
        """Return a hub by number."""
        hubs = self.design.hubs
        if not 0 <= number < len(hubs):
            words = f"hubs are numbered 0 to {len(hubs) - 1}" if hubs else "there are no hubs"
            raise InvalidValue(f"{words}, got {number}; somebody may have removed it")
        return hubs[number]

    # Changes

    def _change(self, design: Design) -> None:
        if design == self.design:
            return
        self.before[:] = [*self.before[-UNDO_STEPS_KEPT + 1 :], self.design]
        self.after.clear()
        self._set(design)

    def _set(self, design: Design) -> None:
        self.design = design
        self.version += 1

    def undo(self) -> None:
        """Take the last change back."""
        self._step(self.before, self.after, "undo")

    def redo(self) -> None:
        """Make the change again that was undone last."""
        self._step(self.after, self.before, "redo")

    def _step(self, source: list[Design], target: list[Design], word: str) -> None:
        with self.lock:
            if not source:
                raise InvalidValue(f"there is nothing to {word}")
            target.append(self.design)
            self._set(source.pop())

    def _change_hub(self, number: int, change: Callable[[DesignedHub], DesignedHub]) -> None:
        with self.lock:
            self._change(self.design.with_hubs(number, change(self.hub(number))))

    def _add_hub(self, make: Callable[[], DesignedHub]) -> int:
        with self.lock:
            self._change(self.design.with_hubs(len(self.design.hubs), self.material.check_hub(make())))
            return len(self.design.hubs) - 1

    def set_threshold(self, number: int, threshold: float) -> None:
        """Let a hub grow up to another distance, in metres."""
        self._change_hub(number, lambda hub: changes.with_threshold(self.material, hub, threshold))

    def set_spacing(self, hub: Number, spacing_s: Seconds) -> None:
        """Let match frames of a hub be at least so many seconds apart."""
        self._change_hub(hub, lambda old: changes.with_spacing(self.material, old, spacing_s, least=self.spacing))

    def grow(self, clip: int, time: float, *, threshold: float | None = None, name: str | None = None) -> int:
        """Add a hub that grows from one frame; returns its number."""
        return self._add_hub(lambda: self.hub_from_frame(clip, time, threshold=threshold, name=name))

    def hub_from_frame(
        self, clip: int, time: float, *, threshold: float | None = None, name: str | None = None
    ) -> DesignedHub:
        """Return the hub that would grow from a frame, without adding it."""
        frame = self.material.frame(clip, time)
        return changes.new_hub(
            self.material, self.design, frame, grows=True, threshold=threshold, spacing=self.spacing, name=name
        )

    def pick(self, number: int | None, clip: int, time: float, *, name: str | None = None) -> int:
        """Put a frame into a hub by hand, or begin a hub of picked frames with it; returns the hub's number."""
        frame = self.material.frame(clip, time)
        if number is None:
            return self._add_hub(
                lambda: changes.new_hub(self.material, self.design, frame, grows=False, spacing=self.spacing, name=name)
            )
        self._change_hub(number, lambda hub: changes.with_frame(self.material, hub, frame))
        return number

    def unpick(self, hub: Number, clip: Number, time: Seconds) -> None:
        """Take a match frame out of a hub by hand."""
        frame = self.material.frame(clip, time)
        self._change_hub(hub, lambda old: changes.without_frame(self.material, old, frame))

    def rename(self, hub: Number, name: Words) -> None:
        """Give a hub another name."""
        if name.strip() != self.hub(hub).name:
            self._change_hub(hub, lambda old: replace(old, name=changes.check_name(self.design, name)))

    def remove_hub(self, hub: Number) -> None:
        """Leave a hub out."""
        with self.lock:
            self.hub(hub)
            self._change(self.design.with_hubs(hub))

    def suggest(self, *, replacing: bool = False, threshold: float | None = None, bands: int = 3) -> int:
        """Add the suggested hubs that are not there yet, or put them in the place of all; returns how many are new."""
        found = self.suggestions(threshold=threshold, bands=bands)
        if not found:
            raise InvalidValue("no two moments are alike enough to suggest a hub; raise the threshold, or pick frames")
        with self.lock:
            before = 0 if replacing else len(self.design.hubs)
            self._change(changes.with_suggestions(Design() if replacing else self.design, found))
            return len(self.design.hubs) - before

    def suggestions(self, *, threshold: float | None = None, bands: int = 3) -> tuple[DesignedHub, ...]:
        """Return suggested hubs; found once for each threshold and number of walking speeds."""
        return self._suggested(
            threshold=self.material.threshold if threshold is None else float(threshold), bands=bands
        )

    # Building and saving

    def build(self, *, progress: Progress | None = None) -> SnapGraph:
        """Build the graph of the design as it is now; changes may go on meanwhile."""
        return self._graph_of(self.design, progress)

    def _graph_of(self, design: Design, progress: Progress | None) -> SnapGraph:
        with self._building:
            with self.lock:
                graph = self._known_graph(design)
            if graph is None:
                self.building = True
                try:
                    graph = self._build_graph(design, progress)
                finally:
                    self.building = False
            return graph

    def _build_graph(self, design: Design, progress: Progress | None) -> SnapGraph:
        if not design.hubs:
            raise InvalidValue("there are no hubs; grow one, pick frames, or ask for suggestions")
        material = self.material
        graph = build_snap_graph(
            material.library,
            {hub.name: material.match_set(hub) for hub in design.hubs},
            copies=[[design.names[number] for number in copy] for copy in design.copies],
            frames=material.frames,
            threshold=material.threshold,
            spacing=self.spacing,
            rounds=self.rounds,
            progress=progress,
        )
        with self.lock:
            self._graphs[design.graph_key] = graph
            while len(self._graphs) > GRAPHS_KEPT:
                self._graphs.popitem(last=False)
            self.version += 1
        return graph

    def save(self, *, progress: Progress | None = None) -> Path:
        """Build if need be and write the file; one with cut-off hubs is refused and the old file stays."""
        design = self.design
        graph = self._graph_of(design, progress)
        settings = dict(graph.settings) | changes.design_setting(self.material, design)
        with self._writing:
            save_snap_graph(replace(graph, settings=settings), self.file)
        with self.lock:
            self._saved = design
            self.version += 1
        return self.file

    def close(self) -> None:
        """Wait until a file that is being written is written."""
        with self._writing:
            pass


def check_start(file: Path, *, new: bool) -> None:
    """Refuse to begin a new graph where there is one, or to open one that is not there."""
    if new and file.exists():
        raise InvalidValue(f"{file} is there and carries its library; leave the library out, or name a new file")
    if not new and not file.exists():
        raise InvalidValue(f"{file} does not exist; give a library (--library builtin) to begin a new graph from")


def _rename_hubs(graph: SnapGraph, names: tuple[str, ...]) -> SnapGraph:
    """Return a graph whose hubs have these names, in its edges and notes as well, without building it again."""
    old = graph.hub_names
    clips = []
    for edge, name in enumerate(graph.clips.names):
        start, stop = graph.edges.start[edge], graph.edges.stop[edge]
        before, after = f"{edge}:{old[start]}>{old[stop]}:", f"{edge}:{names[start]}>{names[stop]}:"
        clips.append(after + name[len(before) :] if name.startswith(before) else name)
    by_old = dict(zip(old, names, strict=True))
    longest_first = sorted(map(re.escape, old), key=len, reverse=True)
    words = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
    notes = tuple(words.sub(lambda found: by_old[found[0]], note) for note in graph.notes)
    return replace(graph, hub_names=names, clips=replace(graph.clips, names=tuple(clips)), notes=notes)
