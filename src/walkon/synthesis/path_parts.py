"""The parts of a path and what motion each asks for: labels, and the edges of a graph that have them.

    None                                    any motion
    "walk"                                  one label, all along
    [("walk", 20.0), ("sneak", None)]       a label (or several) up to so many metres along the path, then the next

A part can be walked on where the edges that have its labels in every frame hold together: their largest strongly
connected component (Kovar 2002, section 3.4), in which motion has no dead end.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from walkon._base.arrays import Array, BoolArray
from walkon._base.errors import InvalidValue
from walkon.graphs.motion_graph import PIECE, MotionGraph
from walkon.synthesis.choices import Choices, strong_part

__all__ = ["Labels", "Part", "borders_of", "check_joined", "parts_of", "usable_edges"]

Labels = str | Sequence[tuple[str | Sequence[str], float | None]] | None
Part = tuple[tuple[str, ...], float | None]
"""Labels, and the metres along the path where it ends (None: at the path's end)."""


def parts_of(labels: Labels) -> list[Part]:
    """Read what a user wrote."""
    if labels is None:
        return [((), None)]
    if isinstance(labels, str):
        return [((labels,), None)]
    parts: list[Part] = []
    for part in labels:
        if isinstance(part, str) or len(part) != 2:
            raise InvalidValue(
                f'a part of a path is a pair (label or labels, metres where it ends), as ("walk", 20.0), got {part!r}'
            )
        wanted, end = part
        parts.append(((wanted,) if isinstance(wanted, str) else tuple(wanted), None if end is None else float(end)))
    if not parts:
        raise InvalidValue("labels has no parts; give None for any motion")
    return parts


def usable_edges(graph: MotionGraph, wanted: tuple[str, ...]) -> BoolArray:
    """Return the largest strongly connected component of the edges [E] with these labels; an error if it is empty."""
    inside = strong_part(graph, graph.edges_with(wanted))
    if not (inside & (graph.edges.kind == PIECE)).any():
        raise InvalidValue(
            f"no motion with {_words(wanted)} can go on for ever in this graph; raise its threshold, add mirror "
            f"images, or build it with labels=[{wanted!r}]"
        )
    return inside


def check_joined(choices: Choices, parts: Sequence[Part]) -> None:
    """Refuse parts between which no transition leads."""
    for number, ((a, _), (b, _)) in enumerate(pairwise(parts)):
        if not (choices.switches & (choices.parts[choices.starts] == number)).any():
            raise InvalidValue(
                f"there is no transition from {_words(a)} to {_words(b)} in this graph; raise its threshold between "
                "them (label_thresholds) or add clips that go from one to the other"
            )


def borders_of(ends: Sequence[float | None], length: float) -> Array:
    """Return the metres along a path of this length where all parts but the last end."""
    borders = np.array([np.nan if end is None else end for end in ends[:-1]], dtype=np.float64)
    whole = np.concatenate([[0.0], borders, [length]])
    if not (np.isfinite(borders).all() and (np.diff(whole) > 0).all()):
        raise InvalidValue(
            f"the parts of a path must end one after the other, between 0 and its {length:.1f} m, got "
            f"{list(ends[:-1])}; only the last may end with None"
        )
    last = ends[-1]
    if last is not None and abs(last - length) > 1e-3:
        raise InvalidValue(
            f"the last part ends at {last:.1f} m, but the path is {length:.1f} m long; end it with None or add a part"
        )
    return borders


def _words(labels: tuple[str, ...]) -> str:
    return "the label " + " and ".join(map(repr, labels)) if labels else "any label"
