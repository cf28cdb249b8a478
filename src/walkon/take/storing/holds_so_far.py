"""What a writer has been told of props and hands so far: what new rows are checked against. Seconds."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from walkon.motion.skeleton import Skeleton
from walkon.take.hold_checking import Circles, check_hands_apart, check_one_source
from walkon.take.tables import Attachments, Grips, HandShapes

__all__ = ["HoldsSoFar"]

Row = TypeVar("Row", Attachments, Grips, HandShapes)


class HoldsSoFar:
    """Rows by prop and by hand, one table each; a row that may not be is not taken in."""

    def __init__(self, names: Sequence[str], skeleton_of: Callable[[int], Skeleton]) -> None:
        self._names, self._skeleton_of = names, skeleton_of
        self._sources: dict[int, list[Attachments]] = {}
        self._grips: dict[int, list[Grips]] = {}
        self._gripped: dict[int, list[Grips]] = {}
        self._shapes: dict[int, list[HandShapes]] = {}
        self._added: list[tuple[dict[int, list[object]], int]] = []

    def has_source(self, prop: int) -> bool:
        """Say whether it is known where a prop is at any time."""
        return bool(self._sources.get(prop))

    def add_source(self, row: Attachments, props: Sequence[str]) -> None:
        """Take in where a prop is for a while; `props` are the names of all."""
        prop = int(row.prop[0])
        check_one_source(_near(self._sources.get(prop, ()), row), props)
        self._keep(self._sources, prop, row)
        if row.character[0] >= 0:
            self._check_circles(self._gripped.get(prop, ()), props, undo=1)

    def add_grip(self, row: Grips, props: Sequence[str]) -> None:
        """Take in what a hand holds on to for a while."""
        hand = int(row.whose[0])
        check_hands_apart(_near(self._grips.get(hand, ()), row), self._names, "grips")
        self._keep(self._grips, hand, row)
        self._keep(self._gripped, int(row.prop[0]), row)
        self._check_circles([row], props, undo=2)

    def add_shape(self, row: HandShapes) -> None:
        """Take in what the fingers of a hand do for a while."""
        hand = int(row.whose[0])
        check_hands_apart(_near(self._shapes.get(hand, ()), row), self._names, "shapes")
        self._keep(self._shapes, hand, row)

    def count(self) -> int:
        """Return how many entries there are: what `forget` is told."""
        return len(self._added)

    def forget(self, count: int) -> None:
        """Take back everything but the first `count` entries."""
        while len(self._added) > count:
            rows, key = self._added.pop()
            rows[key].pop()

    def _keep(self, rows: dict[int, list[Row]], key: int, row: Row) -> None:
        rows.setdefault(key, []).append(row)
        self._added.append((rows, key))  # type: ignore[arg-type]

    def _check_circles(self, grips: Iterable[Grips], props: Sequence[str], *, undo: int) -> None:
        circles = Circles(self._grips, self._sources, self._skeleton_of, self._names, props)
        try:
            for grip in grips:
                circles.check(grip)
        except BaseException:
            self.forget(self.count() - undo)
            raise


def _near(known: Sequence[Row], row: Row) -> Row:
    """Return a row, and those of the known ones that it overlaps."""
    rows: list[Row] = list(known)
    rows.append(row)
    start, stop = float(row.start[0]), float(row.stop[0])
    return type(row).joined([one for one in rows if one.start[0] < stop and one.stop[0] > start])
