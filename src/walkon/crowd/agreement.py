"""Two judges of one take: what the planner says of its marks, and what the audit says that looked at the posed result.

The planner knows which marks it met; the audit measures them without asking it. Where the two differ one of them is
wrong, and whoever made the take must hear it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from walkon.take.auditing import Audit

__all__ = ["Disagreement", "find_disagreements"]


class Disagreement(NamedTuple):
    """A mark of which planner and audit do not say the same."""

    character: str
    mark: str
    planned: str
    """Why it is not met, as the planner has it; "" where it says that it is met."""
    measured: str
    """Why it is not met, as the audit has it; "" where it says that it is met."""

    def __str__(self) -> str:
        words = [f"not met ({why})" if why else "met" for why in (self.planned, self.measured)]
        return (
            f"run and audit disagree on mark {self.mark!r} of {self.character}: by the run it is {words[0]}, by the "
            f"audit {words[1]}"
        )


def find_disagreements(
    unmet: Iterable[tuple[str, str, str]], measured: Audit, *, marks: Iterable[tuple[str, str]]
) -> list[Disagreement]:
    """Return the marks, of these (character, mark), that one of the two calls met and the other not.

    `unmet` are the planner's (character, mark, reason), as in `Performance.unmet`.
    """
    planned = {(who, mark): why for who, mark, why in unmet}
    seen = {(row["character"], row["mark"]): row["reason"] for row in measured.figures["marks"]["unmet"]}
    return [
        Disagreement(*key, planned=planned.get(key, ""), measured=seen.get(key, ""))
        for key in dict.fromkeys(marks)
        if (key in planned) != (key in seen)
    ]
