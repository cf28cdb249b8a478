"""Who is where, when: discs of people on their way in a hashed grid over place and time.

Time is cut into bins of `BIN_S`, the floor into square cells of `CELL_M`; a disc is an entry in the cell of its centre
in one bin. A disc asked about meets only entries of the cells within its reach, so the cost of a question does not grow
with the crowd. Between two bins people move by up to 15 cm; `BODY_MARGIN_M` covers by how much two discs can come
closer in between.

Everything is arrays, so that kernels can ask: an open-addressing table of cells, each the head of a chain of entries.
Entries of one character are consecutive, and are taken out again by voiding them.

Discs lie in the ground plane. Where floors lie above each other they are added with their heights, and whoever asks
leaves out those who are on another floor first (`Occupancy.without`). Metres, seconds.
"""

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon.planning.occupancy_rule import BIN_S, BODY_MARGIN_M, CELL_M, EMPTY, NOBODY, Entries

__all__ = ["BIN_S", "BODY_MARGIN_M", "CELL_M", "EMPTY", "NOBODY", "Entries", "Occupancy", "Occupants"]


class Occupants:
    """A set of discs that can be asked who is where."""

    def __init__(self, entries: Entries) -> None:
        self._arrays = entries

    @property
    def entries(self) -> Entries:
        """What kernels ask; valid until the next change."""
        return self._arrays

    def meets(self, character: int, bins: IntArray, discs: Array, *, margin: float = BODY_MARGIN_M) -> IntArray:
        """Return who else is where discs [n, 3] of a character are at bins [n], in ascending order."""
        from walkon.planning import _occupancy_kernels as kernels

        found = np.zeros(64, np.int64)
        wanted = np.ascontiguousarray(bins, np.int64), np.ascontiguousarray(discs, np.float64)
        count = kernels.meets(self._arrays, *wanted, margin, character, found)
        return np.sort(found[:count])

    def depth(self, character: int, bins: IntArray, discs: Array, *, margin: float = BODY_MARGIN_M) -> float:
        """Return by how many metres, summed, discs [n, 3] of a character at bins [n] overlap others."""
        from walkon.planning import _occupancy_kernels as kernels

        depths = np.zeros(len(bins))
        wanted = np.ascontiguousarray(bins, np.int64), np.ascontiguousarray(discs, np.float64)
        kernels.overlaps(self._arrays, *wanted, margin, character, depths)
        return float(depths.sum())


class Occupancy(Occupants):
    """A growing set of discs. Discs are added character by character."""

    def __init__(self) -> None:
        super().__init__(_blank(1 << 12, 1 << 12))
        self._count = 0
        self._cells = 0
        self._spans: dict[int, list[tuple[int, int]]] = {}
        self._heights: dict[int, list[Array]] = {}

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self._arrays) + sum(
            part.nbytes for parts in self._heights.values() for part in parts
        )

    def add(self, character: int, bins: IntArray, discs: Array, *, heights: Array | None = None) -> None:
        """Add discs [n, 3] = (x, y, r) of a character at bins [n]; radii below 0 are left out.

        Heights [n] m are those of the floor it stands on; None where a place has one floor only.
        """
        from walkon.planning import _occupancy_kernels as kernels

        kept = discs[:, 2] > 0
        bins, discs = bins[kept], discs[kept].astype(np.float32)
        n = len(bins)
        if not n:
            return
        if self._count + n > len(self._arrays.who) or 2 * (self._cells + n) > len(self._arrays.keys):
            self._grow(self._count + n)
        self._cells += int(
            kernels.insert(
                self._arrays, self._count, character, np.ascontiguousarray(bins, np.int64), np.ascontiguousarray(discs)
            )
        )
        self._spans.setdefault(character, []).append((self._count, self._count + n))
        self._count += n
        if heights is not None:
            self._heights.setdefault(character, []).append(np.asarray(heights, np.float64)[kept])

    def heights(self, *, first: int = 0) -> tuple[IntArray, Array]:
        """Return the entries [n] from bin `first` on that were added with a height and not taken out, and these [n]."""
        spans = [span for character in self._heights for span in self._spans[character]]
        every = [part for parts in self._heights.values() for part in parts]
        rows = np.concatenate([np.zeros(0, np.int64), *(np.arange(*span) for span in spans)])
        late = self._arrays.bins[rows] >= first
        return rows[late], np.concatenate([np.zeros(0), *every])[late]

    def without(self, rows: IntArray) -> Occupants:
        """Return all discs but the entries of these rows, to be asked until the next change."""
        who = self._arrays.who.copy()
        who[rows] = NOBODY
        return Occupants(self._arrays._replace(who=who))

    def remove(self, character: int) -> None:
        """Take all discs of a character out again."""
        for start, stop in self._spans.pop(character, []):
            self._arrays.who[start:stop] = NOBODY
        self._heights.pop(character, None)

    def clear(self) -> None:
        """Forget everybody, and give the memory back."""
        self._count, self._cells, self._spans, self._heights = 0, 0, {}, {}
        self._arrays = _blank(1 << 12, 1 << 12)

    def _grow(self, wanted: int) -> None:
        """Make room, and leave voided entries behind."""
        from walkon.planning import _occupancy_kernels as kernels

        size = 1 << int(np.ceil(np.log2(2 * max(wanted, 1 << 11))))
        old, spans = self._arrays, self._spans
        rows = [(character, span) for character, mine in spans.items() for span in mine]
        self._arrays = _blank(2 * size, size)
        self._count, self._cells, self._spans = 0, 0, {}
        for character, (start, stop) in rows:
            discs = np.column_stack([old.x[start:stop], old.y[start:stop], old.r[start:stop]])
            bins = old.bins[start:stop].astype(np.int64)
            self._cells += int(kernels.insert(self._arrays, self._count, character, bins, discs))
            self._spans.setdefault(character, []).append((self._count, self._count + stop - start))
            self._count += stop - start


def _blank(cells: int, entries: int) -> Entries:
    return Entries(
        keys=np.full(cells, EMPTY, np.int64),
        heads=np.full(cells, -1, np.int32),
        following=np.full(entries, -1, np.int32),
        who=np.full(entries, NOBODY, np.int32),
        bins=np.zeros(entries, np.int32),
        x=np.zeros(entries, np.float32),
        y=np.zeros(entries, np.float32),
        r=np.zeros(entries, np.float32),
        widest=np.zeros(1, np.float32),
        last=np.full(1, -1, np.int32),
    )
