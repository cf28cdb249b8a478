"""Random policy: at every hub an edge is drawn, never into a dead end, and the same however time is cut up.

Every choice is drawn from a hash of (seed, character, number of the choice), `walkon._base.chance`, so a character's
walk depends neither on the others nor on how far each call of `advance` goes.

Only edges are taken that have no dead end after them: without labels those into the main part of the graph (`core`),
with labels those that lead to a cycle of edges with the labels.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray, lock_array
from walkon._base.chance import uniforms
from walkon._base.errors import InvalidValue
from walkon.graphs.components import lasting, reachable
from walkon.graphs.snap_together.snap_graph import SnapGraph

if TYPE_CHECKING:
    from walkon.graphs.snap_together.playing.player import SnapPlayer

__all__ = ["RandomPolicy", "endless_edges"]


def endless_edges(graph: SnapGraph, labels: str | Iterable[str] = ()) -> BoolArray:
    """Say which edges [E] may be taken if motion is never to end (see above)."""
    labels = (labels,) if isinstance(labels, str) else tuple(labels)
    start, stop = graph.edges.start, graph.edges.stop
    if not labels:
        # From a hub outside the core, too, as long as there is a way into it.
        return np.asarray(reachable(len(graph.hubs), stop, start, sources=graph.core)[stop])
    usable = graph.edges_with(labels)
    usable[usable] = lasting(len(graph.hubs), start[usable], stop[usable])
    return usable


class RandomPolicy:
    """Chooses among the edges that leave a hub, with equal or given weights."""

    def __init__(
        self,
        graph: SnapGraph,
        rng: np.random.Generator,
        *,
        labels: str | Iterable[str] = (),
        weights: ArrayLike | None = None,
    ) -> None:
        """Prepare choices on a graph. `weights` [E] are relative to each other; 0 is never."""
        given = np.ones(len(graph.edges)) if weights is None else weights
        each = np.array(lock_array(given, (len(graph.edges),), name="weights"))
        if (each < 0).any():
            edge = int(np.argmax(each < 0))
            raise InvalidValue(f"weights must not be negative, got {each[edge]:g} for edge {edge}")
        self.graph = graph
        self.labels = (labels,) if isinstance(labels, str) else tuple(labels)
        each[~endless_edges(graph, self.labels)] = 0.0
        if weights is not None:
            each = _lasting_weights(graph, each)
        self._key = int(rng.integers(2**63))
        self._edges = np.flatnonzero(each > 0)
        self._upto = np.cumsum(each[self._edges])
        self._first = np.searchsorted(graph.edges.start[self._edges], np.arange(len(graph.hubs) + 1))

    def __call__(self, player: "SnapPlayer", who: IntArray) -> IntArray:
        """Return an edge for each of these characters."""
        if player.graph is not self.graph:
            raise InvalidValue("this policy chooses on another graph than the player's; make one for each graph")
        hub = player.hubs[who]
        first, stop = self._first[hub], self._first[hub + 1]
        stuck = first == stop
        if stuck.any():
            kind = f"with the labels {', '.join(self.labels)} " if self.labels else ""
            raise InvalidValue(
                f"no edge {kind}goes on for ever from the hub {self.graph.hub_names[hub[np.argmax(stuck)]]}; begin at "
                "another hub, or give other labels or weights"
            )
        low = np.where(first > 0, self._upto[first - 1], 0.0)
        draw = low + (self._upto[stop - 1] - low) * uniforms(self._key, who, player.choices[who])
        # The last of a draw just under 1 would be one too many by rounding.
        return self._edges[np.clip(np.searchsorted(self._upto, draw, side="right"), first, stop - 1)]


def _lasting_weights(graph: SnapGraph, weights: Array) -> Array:
    """Take out edges after which only edges of weight 0 would be left."""
    used = weights > 0
    used[used] = lasting(len(graph.hubs), graph.edges.start[used], graph.edges.stop[used])
    return np.where(used, weights, 0.0)
