"""Reasons: why a character does what it does, as data. Kinds are declared here, once; words are made when asked.

A row of `tables.Reasons` says who, from when to when, of which kind, and refers to what the kind is about: a mark,
another character, a prop, a note in free words. Its number has the kind's quantity and unit. A character has at most
one reason at a time. Where a reference leads to nothing any more (a cut took its mark), general words stand for it.

The page makes the same words from the same declaration (`walkon.viewer.page_tables`). Metres, seconds.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from walkon._base.arrays import BoolArray
from walkon._base.errors import InvalidValue
from walkon.take.posing.posing_rule import SEAM_TOLERANCE_S
from walkon.take.tables import Reasons, in_order

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = [
    "GENERAL_WORDS",
    "KINDS",
    "MAX_NUMBER",
    "ReasonKind",
    "check_one_reason",
    "check_reason_rows",
    "in_stretches",
    "reason_at",
    "reason_words",
]

MAX_NUMBER = 1e6
"""Metres or seconds: the largest number of a reason."""
GENERAL_WORDS = {"mark": "a mark", "other": "somebody", "prop": "something", "note": ""}
"""What stands for a reference that leads to nothing, or to something without a name."""


class ReasonKind(IntEnum):
    """Kinds of reasons: number in files, words with the references that they name, quantity and unit of the number.

    Numbers of kinds stay what they are; a new kind gets the next one.
    """

    words: str
    quantity: str
    unit: str

    def __new__(cls, number: int, words: str, quantity: str = "", unit: str = "") -> "ReasonKind":
        """Make a kind; one without a number has neither quantity nor unit."""
        made = int.__new__(cls, number)
        made._value_, made.words, made.quantity, made.unit = number, words, quantity, unit
        return made

    NOTE = 0, "{note}"
    """Free words of the take's maker."""
    ON_THE_WAY = 1, "on the way to {mark}, {number}", "length of the way", "m"
    """Moves towards a mark; the way is the shortest through the stage."""
    WAITS_BEFORE = 2, "waits {number} before going to {mark}", "time waited", "s"
    """Has time to spare before it sets out for a mark."""
    WAITS_FOR = 3, "waits {number} for {mark}", "time waited", "s"
    """Is where a mark asks it to be, before its time."""
    HOLDS = 4, "holds {mark}"
    """Stays at a mark for as long as that asks."""
    STAYS = 5, "stays"
    """Has nothing more to do."""
    PICKS_UP = 6, "picks up {prop}"
    PUTS_DOWN = 7, "puts down {prop}"
    """Does so with a prop, at a mark."""
    LEAVES = 8, "on the way out through the door {note}, {number}", "length of the way", "m"
    """Moves towards the door, by name, through which it leaves."""
    WAITS_TO_LEAVE = 9, "waits {number} before leaving through the door {note}", "time waited", "s"
    """Has to wait before it sets out for that door."""


KINDS = tuple(ReasonKind)
"""Kinds by number."""
NUMBERED = [kind for kind in KINDS if kind.unit]
NOTED = [kind for kind in KINDS if "{note}" in kind.words]


def reason_words(take: "Take", row: int) -> str:
    """Return a row of the take's reasons in words."""
    r = take.reasons
    kind = KINDS[int(r.kind[row])]
    names = {"mark": take.mark_names, "other": take.names, "prop": [p.name for p in take.props], "note": take.notes}
    told = {"number": f"{_tenths(float(r.number[row]))} {kind.unit}"}
    for ref, known in names.items():
        k = int(r.columns[ref][row])
        told[ref] = (known[k] if k >= 0 else "") or GENERAL_WORDS[ref]
    return kind.words.format(**told)


def _tenths(number: float) -> str:
    """Return a number from 0 on with one decimal, halves up: the page's rule, whatever a language does with ties."""
    count = int(np.floor(10.0 * number + 0.5))
    return f"{count // 10}.{count % 10}"


def reason_at(take: "Take", character: int, time: float) -> int | None:
    """Return the row of a character's reason at a time, or None; where one ends as another begins it is the later."""
    r = take.reasons
    first, stop = np.searchsorted(r.character, [character, character + 1]).tolist()
    row = first + int(np.searchsorted(r.start[first:stop], time, side="right")) - 1
    return row if row >= first and time <= r.stop[row] else None


def in_stretches(reasons: Reasons) -> Reasons:
    """Return reasons by character and start, with equal ones that go on without a break as one row.

    Those with a number stay as they are: two waits of two seconds are not one of two.
    """
    r = in_order(reasons, reasons.character, reasons.start)
    goes_on: BoolArray = np.abs(r.start[1:] - r.stop[:-1]) <= SEAM_TOLERANCE_S
    goes_on &= ~np.isin(r.kind[1:], NUMBERED)
    for name in ("character", "kind", "mark", "other", "prop", "note", "number"):
        goes_on &= r.columns[name][1:] == r.columns[name][:-1]
    if not goes_on.any():
        return r
    first = np.append(True, ~goes_on)
    return r.rows(first).with_columns(stop=r.stop[np.append(~goes_on, True)])


def check_reason_rows(r: Reasons, names: Sequence[str]) -> None:
    """Let reasons be of a known kind, last, and have what their kind tells; one at a time for each character.

    What they refer to must have been checked before.
    """
    for fine, words in (
        (r.kind < len(KINDS), f"is of kind {{kind}}; kinds are 0 to {len(KINDS) - 1} (ReasonKind)"),
        (r.stop > r.start, "must stop after it starts"),
        ((r.number >= 0) & (r.number <= MAX_NUMBER), f"must have a number from 0 to {MAX_NUMBER:g}, not {{number:g}}"),
        (np.isin(r.kind, NUMBERED) | (r.number == 0), "is of a kind without a number, got {number:g}; leave it 0"),
        (~np.isin(r.kind, NOTED) | (r.note >= 0), "is told in a note, but has none; add one first"),
    ):
        if not fine.all():
            row = {name: values[int(np.argmin(fine))].item() for name, values in r.columns.items()}
            who = "the reason of {name!r} from {start:g} to {stop:g} s "
            raise InvalidValue((who + words).format(name=names[row["character"]], **row))
    check_one_reason(in_order(r, r.character, r.start), names)


def check_one_reason(r: Reasons, names: Sequence[str]) -> None:
    """Let characters have one reason at a time; rows are sorted by character and start."""
    over = (r.character[1:] == r.character[:-1]) & (r.start[1:] < r.stop[:-1] - SEAM_TOLERANCE_S)
    if over.any():
        k = int(np.argmax(over))
        raise InvalidValue(
            f"a character has one reason at a time, but {names[r.character[k]]!r} has one from {r.start[k]:g} to "
            f"{r.stop[k]:g} s and another from {r.start[k + 1]:g} s on; let one end before"
        )
