"""Strongly connected components: the parts of a graph in which every node can be reached from every other.

Motion that stays in one component never comes to an end. A component's size is the seconds of captured motion in it,
its pieces; of two equal ones the first counts as the larger.

Reference: Tarjan 1972, "Depth-first search and linear graph algorithms", as SciPy has it; Kovar 2002, section 3.4.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.table import Column

__all__ = ["Components", "components_of", "lasting", "reachable"]


class Components(NamedTuple):
    """The components of a graph with N nodes."""

    of_node: IntArray
    """[N] which component each node is in."""
    seconds: Array
    """[C] size of each component."""
    cyclic: BoolArray
    """[C] whether it has a cycle; a single node without an edge to itself has none."""

    @property
    def largest(self) -> int:
        """The component with the most motion."""
        return int(np.argmax(self.seconds))


def components_of(count: int, start: Column, stop: Column, seconds: Column) -> Components:
    """Return the components of `count` nodes with edges [E] that bring so many seconds of captured motion each."""
    matrix = csr_array((np.ones(len(start), np.int8), (start, stop)), shape=(count, count))
    number, of_node = connected_components(matrix, connection="strong")
    # Renumbered by their first node, so that the numbering is ours and ties are broken by it.
    _, first = np.unique(of_node, return_index=True)
    mine = np.argsort(np.argsort(first))[of_node]
    inside = mine[start] == mine[stop]
    sizes = np.bincount(mine[start[inside]], weights=seconds[inside], minlength=number).astype(np.float64)
    return Components(mine, sizes, np.bincount(mine[start[inside]], minlength=number) > 0)


def reachable(count: int, start: Column, stop: Column, *, sources: BoolArray) -> BoolArray:
    """Say which of `count` nodes can be reached along edges from any of the `sources` [count], these included."""
    # One more node, from which all sources can be reached, makes it a single search.
    roots = np.flatnonzero(sources)
    rows = np.concatenate([start, np.full(len(roots), count)])
    columns = np.concatenate([stop, roots])
    matrix = csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(count + 1, count + 1))
    found = np.zeros(count + 1, bool)
    found[breadth_first_order(matrix, count, return_predecessors=False)] = True
    return found[:count]


def lasting(count: int, start: Column, stop: Column) -> BoolArray:
    """Say which edges [E] among `count` nodes lead to a cycle (a strongly connected component), no dead end."""
    found = components_of(count, start, stop, np.ones(len(start)))
    on_cycle = found.cyclic[found.of_node] if count else np.zeros(0, bool)
    return np.asarray(reachable(count, stop, start, sources=on_cycle)[stop])
