"""Who is where when in the coarse plan: pieces of ways and rests in hashed grids over place and time.

Within a step all go straight and evenly, so that the least distance of two is known exactly (`apart` of the kernels):
who changes places, cuts corners, follows or crosses is found by one test. Metres, steps of `STEP_S`.
"""

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, IntArray
from walkon.navigation.coarse.coarse_rule import Traffic
from walkon.planning.occupancy_rule import EMPTY, NOBODY

__all__ = ["TrafficTable"]

Rows = NDArray[np.int32]


class TrafficTable:
    """A growing set of pieces and rests, taken out again person by person."""

    def __init__(self) -> None:
        self._pieces, self._rests = _blank_table(1 << 12), _blank_table(1 << 10)
        self._piece_rows, self._rest_rows = np.zeros((1 << 11, 5), np.float32), np.zeros((1 << 9, 3), np.float32)
        self._spans = np.zeros((1 << 9, 2), np.int32)
        self._counts, self._cells = [0, 0], [0, 0]
        self._mine: dict[int, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
        self._steps = np.zeros(1 << 11, np.int32)
        self._widest = np.zeros(1)
        self.last = 0
        """The last step in which anybody moves or comes to be anywhere."""

    @property
    def arrays(self) -> Traffic:
        """What kernels ask; valid until the next change."""
        return Traffic(*self._pieces, self._piece_rows, *self._rests, self._rest_rows, self._spans, self._widest)

    def add_way(self, me: int, *, step: int, places: Array, radii: Array) -> None:
        """Add a way: places [n + 1, 2] at the beginnings of steps `step`, `step` + 1 … and at the end of the last.

        Its pieces have radii [n] m.
        """
        from walkon.navigation.coarse import _traffic_kernels as kernels

        n = len(places) - 1
        if n <= 0:
            return
        self._make_room(0, n)
        first = self._counts[0]
        pieces = np.column_stack([places[:-1], places[1:], radii])
        self._cells[0] += int(kernels.insert_pieces(self.arrays, first, me, step, pieces))
        self._steps[first : first + n] = step + np.arange(n)
        self._counts[0] += n
        self._mine.setdefault(me, ([], []))[0].append((first, first + n))
        self.last = max(self.last, step + n - 1)

    def add_rest(self, me: int, *, discs: Array, first: int, stop: int) -> None:
        """Add discs [k, 3] = (x, y, r) that are there from the beginning of one step to the beginning of another."""
        from walkon.navigation.coarse import _traffic_kernels as kernels

        n = len(discs)
        if n == 0 or stop <= first:
            return
        self._make_room(1, n)
        row = self._counts[1]
        spans = np.tile(np.array([first, stop], np.int64), (n, 1))
        self._cells[1] += int(kernels.insert_rests(self.arrays, row, me, np.asarray(discs, np.float64), spans))
        self._counts[1] += n
        self._mine.setdefault(me, ([], []))[1].append((row, row + n))
        self.last = max(self.last, first)

    def remove(self, me: int) -> None:
        """Take somebody out."""
        pieces, rests = self._mine.pop(me, ([], []))
        for start, stop in pieces:
            self._pieces[3][start:stop] = NOBODY
        for start, stop in rests:
            self._rests[3][start:stop] = NOBODY

    def blocked(self, discs: Array, *, me: int, steps: int) -> Rows:
        """Return [steps + 1] the first step from each on in which others meet discs [k, 3] that rest."""
        from walkon.navigation.coarse import _traffic_kernels as kernels

        found: Rows = np.zeros(steps + 1, np.int32)
        kernels.fill_blocked(self.arrays, np.ascontiguousarray(discs, np.float64), me, self.last, found)
        return found

    def met(self, me: int, knots: Array, *, radius: float, discs: Array, gap: float = 0.0) -> set[int]:
        """Return who is met by a trip with knots [K, ≥ 3] = (x, y, step), and by discs [k, 3] that rest at its end.

        Who comes nearer than a `gap` (m) is met.
        """
        from walkon.navigation.coarse import _traffic_kernels as kernels

        found = np.zeros(256, np.int64)
        last = self.last
        count = kernels.fill_met(
            self.arrays, np.ascontiguousarray(knots[:, :3]), radius, gap, np.ascontiguousarray(discs), me, last, found
        )
        return set(found[:count].tolist())

    def _make_room(self, kind: int, more: int) -> None:
        """Make room for rows of a kind, and leave those behind that were taken out."""
        from walkon.navigation.coarse import _traffic_kernels as kernels

        table = (self._pieces, self._rests)[kind]
        rows = (self._piece_rows, self._rest_rows)[kind]
        if self._counts[kind] + more <= len(rows) and 2 * (self._cells[kind] + more) <= len(table[0]):
            return
        kept = [(me, span) for me, mine in self._mine.items() for span in mine[kind]]
        wanted = sum(stop - start for _, (start, stop) in kept) + more
        size = 1 << int(np.ceil(np.log2(2 * max(wanted, 1 << 10))))
        old_rows, old_spans, old_steps = rows, self._spans, self._steps
        self._counts[kind], self._cells[kind] = 0, 0
        fresh = np.zeros((size, rows.shape[1]), np.float32)
        if kind == 0:
            self._pieces, self._piece_rows, self._steps = _blank_table(2 * size), fresh, np.zeros(size, np.int32)
        else:
            self._rests, self._rest_rows, self._spans = _blank_table(2 * size), fresh, np.zeros((size, 2), np.int32)
        for me, (start, stop) in kept:
            first, values = self._counts[kind], old_rows[start:stop].astype(np.float64)
            if kind == 0:
                step = int(old_steps[start])
                self._cells[0] += int(kernels.insert_pieces(self.arrays, first, me, step, values))
                self._steps[first : first + len(values)] = old_steps[start:stop]
            else:
                spans = old_spans[start:stop].astype(np.int64)
                self._cells[1] += int(kernels.insert_rests(self.arrays, first, me, values, spans))
            self._counts[kind] += len(values)
            mine = self._mine[me][kind]
            mine[mine.index((start, stop))] = (first, first + len(values))


def _blank_table(cells: int) -> tuple[IntArray, Rows, Rows, Rows]:
    """Return blank keys, heads, followers and owners; half as many rows as cells."""
    return (
        np.full(cells, EMPTY, np.int64),
        np.full(cells, -1, np.int32),
        np.full(cells // 2, -1, np.int32),
        np.full(cells // 2, NOBODY, np.int32),
    )
