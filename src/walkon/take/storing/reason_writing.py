"""Writing why characters do what they do: reasons in bulk, and free words beside what is played. Seconds."""

import numpy as np

from walkon._base.errors import InvalidValue
from walkon.take import checking
from walkon.take.reasons import ReasonKind, check_one_reason, check_reason_rows
from walkon.take.storing.pending import Pending
from walkon.take.tables import NONE, Reasons, in_order

__all__ = ["ReasonWriting"]


class ReasonWriting(Pending):
    """The part of a writer that writes reasons."""

    def add_note(self, words: str) -> int:
        """Add free words that reasons can refer to, or find them, and return their row."""
        if not isinstance(words, str) or not words:
            raise InvalidValue(f"a note is words, got {words!r}; leave it out where there is nothing to say")
        if words not in self._note_rows:
            self._change()
            self._note_rows[words] = len(self._texts["notes"])
            self._texts["notes"].append(words)
        return self._note_rows[words]

    def add_reasons(self, reasons: Reasons) -> None:
        """Add reasons of many characters at once (see `walkon.take.reasons`), each with at most one at a time."""
        self._change()
        checking.check_rows(reasons, self._row_counts())
        check_reason_rows(reasons, self._texts["names"])
        self._check_alone(reasons)
        np.maximum.at(self._until["reasons"], reasons.character, reasons.stop)
        self._add("reasons", reasons)

    def _check_alone(self, reasons: Reasons) -> None:
        """Refuse reasons at times for which there is another one already."""
        r = self._with_overlapped("reasons", reasons)
        check_one_reason(in_order(r, r.character, r.start), self._texts["names"])

    def _in_words(self, character: int, start: float, stop: float, words: str) -> Reasons:
        """Return free words as a reason whose note is still to be added, none for "", if nothing else is told then."""
        if not isinstance(words, str):
            raise InvalidValue(f"a reason is told in words, got {words!r}; leave it out where there is nothing to say")
        row = Reasons.filled(
            1 if words else 0,
            character=character,
            start=start,
            stop=stop,
            kind=ReasonKind.NOTE,
            mark=NONE,
            other=NONE,
            prop=NONE,
            note=NONE,
        )
        self._check_alone(row)
        return row

    def _tell(self, row: Reasons, words: str) -> None:
        """Add what `_in_words` has returned."""
        if len(row):
            self.add_reasons(row.with_columns(note=[self.add_note(words)]))
