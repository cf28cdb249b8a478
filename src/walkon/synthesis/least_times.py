"""The least time from node to node, by Dijkstra's algorithm. Seconds."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from walkon._base.arrays import Array
from walkon._base.table import Column

__all__ = ["least_times", "time_matrix"]


def time_matrix(count: int, start: Column, stop: Column, lasts: Column) -> "csr_array[np.float64, tuple[int, int]]":
    """Return the times of edges [E] between `count` nodes as a matrix; of several edges the quickest counts.

    Edges of no duration last a nanosecond: a zero would be no edge.
    """
    order = np.lexsort((lasts, stop, start))
    start, stop = start[order], stop[order]
    once = np.ones(len(order), bool)
    once[1:] = (start[1:] != start[:-1]) | (stop[1:] != stop[:-1])
    times = np.maximum(lasts[order][once], 1e-9)
    return csr_array((times, (start[once], stop[once])), shape=(count, count))


def least_times(count: int, start: Column, stop: Column, lasts: Column, *, target: int) -> Array:
    """Return [count] the least time from each node to the target; infinite where no way leads there."""
    back = time_matrix(count, stop, start, lasts)
    return np.asarray(dijkstra(back, indices=np.array([target]))[0])
