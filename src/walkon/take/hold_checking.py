"""Invariants of what holds what: attachments of props, grips and shapes of hands; one source each, and no circle.

An arm depends on another where it grips a prop which that arm carries, or a joint of it; what a prop rests on in a gap
is the arm that left it, at the time it did. Posing follows these dependencies, so they must end: a depth-first search
narrows the time from row to row, and no arm may come up again at a time that it is solved for. Rows that overlap by
less than a microsecond follow each other; there posing gives up after `MAX_HOLD_DEPTH`.

    arm at t  →  frame of its grip at t: prop → arm that carries it at t (or at the end of the stretch before t)
                                         joint → arm that it hangs on, at t
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from walkon._base.errors import InvalidValue
from walkon._base.table import Table
from walkon.motion.limbs.arms import has_arm
from walkon.motion.limbs.hands import HAND_SHAPES
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.take.checking import check_references, check_rule
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.tables import Attachments, Grips, HandShapes, in_order

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = [
    "Circles",
    "arm_of_joint",
    "check_attachment_rows",
    "check_grip_rows",
    "check_hands_apart",
    "check_holds",
    "check_one_source",
    "check_shape_rows",
]

MAX_FADE_S = 60.0


class Hand(NamedTuple):
    """One hand of a character."""

    character: int
    side: int


class Span(NamedTuple):
    """Times start ≤ t < stop; one moment where both are equal."""

    start: float
    stop: float

    def within(self, other: "Span") -> "Span | None":
        """Return the times that both have, None where there are none."""
        low, high = max(self.start, other.start), min(self.stop, other.stop)
        if high - low > SEAM_TOLERANCE_S:
            return Span(low, high)
        moment = self if self.start == self.stop else other if other.start == other.stop else None
        whole = other if moment is self else self
        inside = moment is not None and (whole.start <= moment.start < whole.stop - SEAM_TOLERANCE_S or moment == whole)
        return moment if inside else None


class Epoch(NamedTuple):
    """Hands that rest on one another at the same time, and when that is."""

    hands: tuple[Hand, ...]
    when: Span
    words: tuple[str, ...]


def check_holds(take: "Take") -> None:
    """Raise `InvalidValue` with the first rule that what holds what in a take breaks."""
    names = [prop.name for prop in take.props]
    check_attachment_rows(take.attachments)
    check_one_source(take.attachments, names)
    check_grip_rows(take.grips)
    check_shape_rows(take.hand_shapes)
    for table, what in ((take.grips, "grips"), (take.hand_shapes, "shapes")):
        check_hands_apart(table, take.names, what)
    joints = np.array([len(body.skeleton) for body in take.bodies])
    arms = np.array([[has_arm(body.skeleton, side) for side in SIDES] for body in take.bodies], bool).reshape(-1, 2)
    for rows, holder, what in (
        (take.attachments, take.attachments.character, "an attachment"),
        (take.grips, take.grips.other, "a grip"),
    ):
        held = np.flatnonzero(holder >= 0)
        count = joints[take.characters.body[holder[held]]]
        joint = rows.columns["joint"][held]
        check_rule((joint >= 0) & (joint < count), f"{what} must name a joint that the body has")
    has = arms[take.characters.body[take.grips.character], take.grips.hand]
    check_rule(has, "a grip needs an arm with shoulder, elbow and wrist")
    skeletons = [take.bodies[b].skeleton for b in take.characters.body.tolist()] if len(take.grips) else []
    _check_no_circle(take.attachments, take.grips, take.names, names, skeletons)


def check_attachment_rows(a: Attachments) -> None:
    """Let attachments last, and turn props properly."""
    check_rule(a.stop > a.start, "an attachment must last")
    _check_turns(a, "an attachment")
    check_rule((a.track < 0) | (a.character < 0), "a prop is on a track or held, not both")


def check_one_source(a: Attachments, names: Sequence[str]) -> None:
    """Let every prop have one source of its pose at any moment."""
    a = in_order(a, a.prop, a.start)
    over = (a.prop[1:] == a.prop[:-1]) & (a.start[1:] < a.stop[:-1] - SEAM_TOLERANCE_S)
    if over.any():
        k = int(np.argmax(over))
        raise InvalidValue(
            f"a prop has one source of its pose at a time, but {names[a.prop[k]]!r} has one from {a.start[k]:g} to "
            f"{a.stop[k]:g} s and another from {a.start[k + 1]:g} s on; let one end before, or let a hand grip it"
        )


def check_grip_rows(g: Grips) -> None:
    """Let grips last, hold on to one thing, and turn palms properly."""
    check_references(g.hand, 2, "the hand of a grip")
    check_rule(g.stop > g.start, "a grip must last")
    _check_turns(g, "a grip")
    _check_fades(g, "a grip")
    check_rule((g.prop < 0) | (g.other < 0), "a grip holds on to a prop or to somebody, not both")


def check_shape_rows(shapes: HandShapes) -> None:
    """Let shapes of hands last, and be known."""
    check_references(shapes.hand, 2, "the hand of a shape")
    check_rule(shapes.stop > shapes.start, "the shape of a hand must last")
    _check_fades(shapes, "the shape of a hand")
    check_references(shapes.shape, len(HAND_SHAPES), "the shape of a hand")


def check_hands_apart(rows: Grips | HandShapes, names: Sequence[str], what: str) -> None:
    """Let a hand do one thing at a time."""
    rows = in_order(rows, rows.whose, rows.start)
    over = (np.diff(rows.whose) == 0) & (rows.start[1:] < rows.stop[:-1] - SEAM_TOLERANCE_S)
    if over.any():
        k = int(np.argmax(over))
        raise InvalidValue(
            f"a hand has one of its {what} at a time, but the {SIDES[rows.hand[k]]} hand of "
            f"{names[rows.character[k]]!r} has one from {rows.start[k]:g} to {rows.stop[k]:g} s and another from "
            f"{rows.start[k + 1]:g} s on; let the first end before, or use the other hand"
        )


def _check_turns(rows: Attachments | Grips, what: str) -> None:
    size = np.linalg.norm(rows.pose[..., 3:], axis=-1)
    check_rule((np.abs(size - 1.0) < 1e-3).all(axis=1), f"the rotation of {what} must be a unit quaternion")


def _check_fades(rows: Table, what: str) -> None:
    for name in ("fade_in", "fade_out"):
        fade = rows.columns[name]
        check_rule((fade >= 0) & (fade <= MAX_FADE_S), f"the fades of {what} must be 0 to {MAX_FADE_S:g} s")


def arm_of_joint(skeleton: Skeleton, joint: int) -> int:
    """Return which arm a joint hangs on: 0 left, 1 right, −1 none."""
    line = skeleton.line_up(joint)
    for k, side in enumerate(SIDES):
        if has_arm(skeleton, side) and skeleton.role(f"{side}_shoulder") in line:
            return k
    return -1


def _check_no_circle(
    a: Attachments, g: Grips, names: Sequence[str], props: Sequence[str], skeletons: Sequence[Skeleton]
) -> None:
    """Refuse holds that go round in a circle."""
    if not len(g):
        return
    carries = a.rows(a.character >= 0)
    holders = np.unique(np.concatenate([carries.character, g.other[g.other >= 0]]))
    if not np.isin(g.character, holders).any():
        return  # nobody who grips anything carries anything: the usual case, and a quick one
    sources: dict[int, list[Attachments]] = {}
    for row in range(len(a)):
        sources.setdefault(int(a.prop[row]), []).append(a.rows([row]))
    grips: dict[int, list[Grips]] = {}
    for row in range(len(g)):
        grips.setdefault(int(g.whose[row]), []).append(g.rows([row]))
    circles = Circles(grips, sources, skeletons.__getitem__, names, props)
    for row in range(len(g)):
        circles.check(g.rows([row]))


class Circles:
    """Looks for holds that go round in a circle, among rows by hand (`Grips.whose`) and by prop."""

    def __init__(
        self,
        grips: Mapping[int, Sequence[Grips]],
        sources: Mapping[int, Sequence[Attachments]],
        skeleton_of: Callable[[int], Skeleton],
        names: Sequence[str],
        props: Sequence[str],
    ) -> None:
        self._grips, self._sources, self._skeleton_of = grips, sources, skeleton_of
        self._names, self._props = names, props

    def check(self, grip: Grips) -> None:
        """Raise `InvalidValue` where a grip (one row) depends on the arm that it solves."""
        self._follow(grip, (Epoch((), _span(grip), ()),))

    def _follow(self, grip: Grips, path: "tuple[Epoch, ...]") -> None:
        hand = Hand(int(grip.character[0]), int(grip.hand[0]))
        for holder, here, moment, words in self._holders(grip, path[-1].when):
            now = Epoch((*path[-1].hands, hand), here, (*path[-1].words, words))
            line = (*path[:-1], now)
            there = moment or here
            if any(holder in known.hands and known.when.within(there) for known in line):
                said = ", ".join(part for known in line for part in known.words)
                raise InvalidValue(
                    f"the {SIDES[holder.side]} hand of {self._names[holder.character]!r} would hold on to itself at "
                    f"{there.start:g} s: {said}; let one of them rest, ride a track, or be held by another joint"
                )
            for row in self._grips.get(2 * holder.character + holder.side, ()):
                if common := _span(row).within(there):
                    # Who rests on what at the same time has the same time to do so; what was left has its own.
                    ahead = (*line, Epoch((), common, ())) if moment else (*line[:-1], now._replace(when=common))
                    self._follow(row, ahead)

    def _holders(self, grip: Grips, when: Span) -> list[tuple[Hand, Span, Span | None, str]]:
        """Return the arms that a grip depends on in a span: (arm, when, at which moment if not then, words)."""
        who = f"the {SIDES[grip.hand[0]]} hand of {self._names[grip.character[0]]!r}"
        if (other := int(grip.other[0])) >= 0:
            side = arm_of_joint(self._skeleton_of(other), int(grip.joint[0]))
            words = f"{who} holds on to {self._names[other]!r}"
            return [(Hand(other, side), when, None, words)] if side >= 0 else []
        rows = sorted(self._sources.get(int(grip.prop[0]), ()), key=lambda row: float(row.start[0]))
        begins = [-np.inf, *(float(row.start[0]) for row in rows[1:]), np.inf]
        found: list[tuple[Hand, Span, Span | None, str]] = []
        for row, begin, end in zip(rows, begins, begins[1:], strict=False):
            if (holder := int(row.character[0])) < 0:
                continue
            side = arm_of_joint(self._skeleton_of(holder), int(row.joint[0]))
            start, stop = float(row.start[0]), float(row.stop[0])
            words = f"{who} grips {self._props[grip.prop[0]]!r}, which {self._names[holder]!r} carries"
            for part, moment in (
                (Span(max(begin, start), min(end, stop)), None),
                (Span(max(begin, stop), end), Span(stop, stop)),
                (Span(begin, start), Span(start, start)),
            ):
                if side >= 0 and part.start < part.stop and (here := when.within(part)):
                    found.append((Hand(holder, side), here, moment, words))
        return found


def _span(grip: Grips) -> Span:
    """Return when a grip has a say, fades included."""
    return Span(float(grip.start[0] - grip.fade_in[0]), float(grip.stop[0] + grip.fade_out[0]))
