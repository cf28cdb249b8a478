"""Beam search by layers of time: of all walks that end within the same fraction of a second, the best few go on.

Depth-first search spends itself on the tail of its first walk where choices are dense; a beam moves through time once.
Walks are compared only with walks of about the same length, since longer ones have had more time to gather error. With
a beam as wide as there are walks it is exhaustive, and gives what `branch_and_bound` gives.
"""

from bisect import insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkon.synthesis.graph_search import PartialWalk, WalkExpander

__all__ = ["LAYER", "beam_walks"]

LAYER = 1 / 6
"""s of a layer."""


def beam_walks(
    ways: "WalkExpander", start: "PartialWalk", *, until: float, width: int, count: int = 1, layer: float = LAYER
) -> "list[tuple[PartialWalk, bool]]":
    """Return the `count` best walks that are complete or last until `until` seconds, best first; of equals the first.

    `width` walks go on from each layer of `layer` seconds.
    """
    layers: dict[int, list[PartialWalk]] = {0: [start]}
    leaves: list[tuple[PartialWalk, bool]] = []
    while layers:
        now = min(layers)
        for walk in sorted(layers.pop(now), key=_error)[:width]:
            if _beaten(walk, leaves, count):
                break
            for longer, complete in ways.onward(walk):
                if _beaten(longer, leaves, count):
                    continue
                if complete or longer.time >= until - 1e-9:
                    insort(leaves, (longer, complete), key=_leaf_error)
                    del leaves[count:]
                    if leaves[0][0].error - start.error < ways.goal.good_enough:
                        return leaves
                else:
                    layers.setdefault(max(int((longer.time - start.time) / layer), now + 1), []).append(longer)
    return leaves


def _beaten(walk: "PartialWalk", leaves: "list[tuple[PartialWalk, bool]]", count: int) -> bool:
    """Say whether nothing that begins with this walk can be among the best: g is never negative."""
    return len(leaves) >= count and walk.error >= leaves[count - 1][0].error


def _error(walk: "PartialWalk") -> float:
    return walk.error


def _leaf_error(leaf: "tuple[PartialWalk, bool]") -> float:
    return leaf[0].error
