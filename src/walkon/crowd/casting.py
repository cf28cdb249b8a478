"""The graph that a scene's cast moves on: the built-in one, one from a file, or one built from a library and kept.

Building takes seconds to minutes, so a graph of a library is kept in the cache folder under a name that holds a hash of
everything in the library and of the code that has a say in a graph (`walkon._base.kept`).
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import numpy as np

from walkon._base.arrays import Array
from walkon._base.cache import cache_file
from walkon._base.compiler import prepare_compiler
from walkon._base.errors import InvalidValue
from walkon._base.kept import load_or_make
from walkon._base.sources import code_fingerprint
from walkon.capture import build_library, builtin_library
from walkon.capture.builtin import library_fingerprint
from walkon.crowd.people import People, draw_people
from walkon.graphs import load_graph
from walkon.graphs.file import as_stored, library_arrays, library_fields
from walkon.graphs.snap_together import SnapGraph, build_connected_graph, builtin_snap_graph, compared
from walkon.graphs.snap_together.file import load_snap_graph, save_snap_graph
from walkon.graphs.snap_together.hub_states import STATE_WORDS
from walkon.io import load_library
from walkon.motion.library import Library
from walkon.script import Cast, Scene
from walkon.script.checks import Problem, find_problems

__all__ = ["CastLimits", "cast_limits", "check_scene", "graph_for"]

Progress = Callable[[int, int, str], None]


def graph_for(
    cast: Cast,
    *,
    library: Library | str | Path | None = None,
    graph: SnapGraph | str | Path | None = None,
    progress: Progress | None = None,
) -> SnapGraph:
    """Return the graph of a cast; a `graph` or `library` given here counts more than what the cast names.

    A library is `builtin`, a file *.library, a folder of recordings, or one at hand.
    """
    prepare_compiler()
    if graph is None and library is None:
        graph, library = cast.graph or None, cast.library
    if isinstance(graph, SnapGraph):
        return graph
    if graph is not None:
        return _loaded(Path(graph))
    assert library is not None
    if isinstance(library, Library):
        return _of(library, progress)
    if str(library) == "builtin" and not Path("builtin").exists():
        return builtin_snap_graph(progress=progress)
    path = Path(library)
    if path.suffix.lower() == ".graph":
        return _loaded(path)
    if path.is_dir():
        return _of(build_library(path, progress=progress).library, progress)
    return _of(load_library(path), progress)


class CastLimits(TypedDict):
    """What a cast can do, as checks ask for it."""

    poses: frozenset[str]
    """Hubs, labels and states that marks may ask for."""
    fastest: Array
    """[N] m/s that each person walks at most."""
    radius: Array
    """[N] m: the disc that each person needs on its way."""


def cast_limits(graph: SnapGraph, people: People) -> CastLimits:
    """Return what people on a graph can do: measured on its edges and its body, for each one's size."""
    states = {word for word in STATE_WORDS if graph.states.which(word).any()}
    return CastLimits(
        poses=frozenset({*graph.hub_names, *graph.source.label_names, *states}),
        fastest=graph.speed_range[1] * np.sqrt(people.scale),
        radius=graph.radius * people.scale,
    )


def check_scene(
    scene: Scene, *, library: Library | str | Path | None = None, graph: SnapGraph | str | Path | None = None
) -> tuple[Problem, ...]:
    """Return everything that makes a scene impossible for its cast, or for one given here; nothing if all is well."""
    people = draw_people(scene, seed=scene.seeds.population)
    return find_problems(scene, **cast_limits(graph_for(scene.cast, library=library, graph=graph), people))


def _loaded(path: Path) -> SnapGraph:
    found = load_graph(path)
    if not isinstance(found, SnapGraph):
        raise InvalidValue(
            f"{path} is a motion graph, and crowds are planned on snap-together graphs; build one with "
            f"`walkon graph build LIBRARY --kind snap -o {path.stem}.graph`"
        )
    return found


def _of(library: Library, progress: Progress | None) -> SnapGraph:
    """Return the graph of a library; made on first use."""
    stored = as_stored(library)
    content = _content(stored)
    if _is_builtin(content):
        return builtin_snap_graph(progress=progress)
    return load_or_make(
        "cast",
        code_fingerprint(content, build_connected_graph.__module__, save_snap_graph.__module__),
        ".graph",
        load=load_snap_graph,
        make=lambda: build_connected_graph(stored, frames=compared(stored), progress=progress),
        save=lambda made, path: save_snap_graph(made, path, allow_cut_off=True),
    )


def _is_builtin(content: str) -> bool:
    """Say whether a library of this content is the built-in one, whose graph is kept already."""
    file = cache_file("builtin", library_fingerprint(), ".library")
    return file is not None and file.is_file() and content == _content(as_stored(builtin_library()))


def _content(library: Library) -> str:
    """Return a hash of everything in a library."""
    digest = hashlib.sha256(repr(sorted(library_fields(library).items())).encode())
    for name, values in sorted(library_arrays(library).items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
