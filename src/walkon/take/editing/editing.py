"""Layout editing: what one does to a finished take. Every edit returns another take and a re-audit of what changed.

    edit = move(take, "ann", (0.5, 0.0, 0.2))
    edit.take, edit.audit

Characters are given by name or row, one or several. The others keep their poses, bit for bit; those edited keep theirs,
shifted and moved (`relocating`, `cutting` and `splicing` say how exactly). Carried props go with their carriers;
where an edit tears a prop from its place or from another's hands, or a character from its mark, the audit shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray, lock, lock_array
from walkon._base.errors import InvalidValue
from walkon.motion.body import Body
from walkon.take.editing.broken_grips import kept_grips, tell_lost, tell_not_copied, tell_short
from walkon.take.editing.cutting import cut_window
from walkon.take.editing.relocating import move_characters, shift_characters
from walkon.take.editing.splicing import extract, fresh_names, join, kept_props, tidy
from walkon.take.planting.planting import plant_feet
from walkon.take.posing.posing import pose_pairs
from walkon.take.tables import Drops, Segments, Stances, in_order
from walkon.take.take import Take
from walkon.transforms import planar

if TYPE_CHECKING:
    from walkon.take.auditing import Audit

__all__ = ["Edit", "Who", "cut", "delete", "duplicate", "merge", "move", "shift", "swap_body"]

Who = str | int | Sequence[str | int]
"""One character or several, by name or row."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Edit:
    """An edited take."""

    take: Take
    changed: IntArray
    """Rows, in the new take, of the characters that the edit touched."""
    audit: "Audit | None"
    """The audit of these characters and of whom they meet; None where it was not asked for, or nobody was touched."""
    broken: tuple[str, ...] = ()
    """Grips that the edit breaks, a sentence each: what was held is gone, or out of reach."""

    def __post_init__(self) -> None:
        lock(self, "changed", (None,), np.int64)


def cut(take: Take, start: float, stop: float, *, to_zero: bool = False, audit: bool = True) -> Edit:
    """Keep what happens from `start` to `stop` seconds, with those who are there; poses are exactly as before.

    With `to_zero` the clock starts anew at the cut. Marks that are met outside the window go; a prop that was left
    somewhere before it lies there.
    """
    if not (np.isfinite(start) and np.isfinite(stop) and start < stop):
        raise InvalidValue(f"a cut must end after it begins, got {start} to {stop} s")
    part = cut_window(take, float(start), float(stop))
    if not len(part):
        raise InvalidValue(
            f"nobody is there from {start:g} to {stop:g} s; the take runs from {take.start:g} to {take.stop:g} s"
        )
    everybody = np.arange(len(part))
    if to_zero:
        part = shift_characters(part, everybody, -float(start), windows=True, resting=True)
    return _edit(part, everybody, audit)


def merge(one: Take, two: Take, *, shift: float = 0.0, audit: bool = True) -> Edit:
    """Put two takes into one, the second later by `shift` seconds.

    Names that are taken get _2, _3 … behind them; equal clips and bodies are stored once. Both takes must be on the
    same stage, or one of them on none. Frame rate and provenance are the first one's; the second's provenance is kept
    under "merged".
    """
    later = shift_characters(two, np.arange(len(two)), _seconds(shift), windows=True, resting=True) if shift else two
    both = join(one, later)
    origins = [*one.provenance.get("merged", ()), dict(two.provenance)]
    both = replace(both, provenance={**one.provenance, "merged": origins})
    return _edit(both, np.arange(len(one), len(both)), audit)


def shift(take: Take, character: Who, seconds: float, *, marks: bool = False, audit: bool = True) -> Edit:
    """Let characters do everything some seconds later (or earlier), and what they hold with them.

    When their marks are due stays as it was, unless `marks` go along.
    """
    rows = _rows(take, character)
    later = shift_characters(take, rows, _seconds(seconds), windows=marks)
    return _edit(later, rows, audit, tell_short(take, later, rows))


def move(
    take: Take,
    character: Who,
    by: ArrayLike,
    *,
    pivot: ArrayLike | None = None,
    marks: bool = False,
    audit: bool = True,
) -> Edit:
    """Move characters over the floor: turn all they do by `by[2]` radians, and slide it by `by[:2]` metres.

    Each turns about where it enters, or all about the point `pivot` (x, y). Their marks stay where they are, unless
    `marks` go along.
    """
    rows = _rows(take, character)
    there = move_characters(take, rows, _transforms(take, rows, by, pivot), marks=marks)
    return _edit(there, rows, audit, tell_short(take, there, rows))


def delete(take: Take, character: Who, *, audit: bool = True) -> Edit:
    """Take characters out, with their marks and with props that nobody else ever holds and that rest nowhere.

    Those who held a prop together with them count as changed.
    """
    rows = _rows(take, character)
    others = np.setdiff1d(np.arange(len(take)), rows)
    a, g = take.attachments, take.grips
    held = np.isin(a.prop, a.prop[np.isin(a.character, rows)])
    gripping = g.character[np.isin(g.prop, a.prop[held]) | np.isin(g.other, rows)]
    touched = np.intersect1d(np.concatenate([a.character[held], gripping]), others)
    kept, lost = kept_grips(take, others, kept_props(take, others))
    left, changed = extract(take, others), np.searchsorted(others, touched)
    return _edit(left, changed, audit, (*tell_lost(take, lost), *tell_short(take, left, changed, kept)))


def duplicate(
    take: Take,
    character: Who,
    *,
    name: str | Sequence[str] | None = None,
    by: ArrayLike | None = None,
    seconds: float = 0.0,
    pivot: ArrayLike | None = None,
    audit: bool = True,
) -> Edit:
    """Add copies of characters, moved (see `move`) and later by some seconds; their new rows are the last ones.

    A copy has marks of its own, moved and shifted with it, and copies of what it holds while it holds it. Without names
    they are called like the originals with _2, _3 … behind.
    """
    rows = np.sort(_rows(take, character))
    given = [name] if isinstance(name, str) else name
    names = fresh_names([take.names[k] for k in rows], taken=take.names) if given is None else list(given)
    if len(names) != len(rows) or len({*names, *take.names}) < len(names) + len(set(take.names)):
        raise InvalidValue(
            f"copies need {len(rows)} new names that differ from each other and are not taken; got {names}"
        )
    _, lost = kept_grips(take, rows, kept_props(take, rows, resting=False))
    broken = tell_not_copied(take, lost, dict(zip(rows.tolist(), names, strict=True)))
    copies = replace(extract(take, rows, resting=False), names=tuple(names))
    everybody = np.arange(len(rows))
    if by is not None:
        copies = move_characters(copies, everybody, _transforms(take, rows, by, pivot), marks=True)
    if seconds:
        copies = shift_characters(copies, everybody, _seconds(seconds), windows=True)
    return _edit(join(take, copies), len(take) + everybody, audit, broken)


def swap_body(take: Take, character: Who, body: Body | int, *, scale: float = 1.0, audit: bool = True) -> Edit:
    """Give characters another body (or row of `take.bodies`) of the same joints, in a size, on the same paths.

    Timing and path over the floor stay; legs of another length carry the body higher or lower, and feet are planted
    anew.
    """
    rows = _rows(take, character)
    bodies = list(take.bodies)
    if isinstance(body, Body):
        known = [k for k, other in enumerate(bodies) if other is body]
        which = known[0] if known else len(bodies)
        bodies += [] if known else [body]
    else:
        which = int(body)
        if not 0 <= which < len(bodies):
            raise InvalidValue(f"there are {len(bodies)} bodies, 0 to {len(bodies) - 1}; got {body}")
    for row in rows:
        old = take.body(int(row)).skeleton
        if not old.same_topology(bodies[which].skeleton):
            raise InvalidValue(
                f"{take.names[row]!r} plays clips of {len(old)} joints and needs a body with the same joints in the "
                f"same order, but this one has {len(bodies[which].skeleton)}; retarget it or the clips first"
            )
    c, mine = take.characters, np.isin(np.arange(len(take)), rows)
    characters = c.with_columns(body=np.where(mine, which, c.body), scale=np.where(mine, scale, c.scale))
    swapped = replace(take, bodies=tuple(bodies), characters=characters)
    swapped = tidy(_replant(swapped, rows))
    return _edit(swapped, rows, audit, tell_short(take, swapped, rows))


def _edit(take: Take, changed: IntArray, audit: bool, broken: tuple[str, ...] = ()) -> Edit:
    if not audit or not len(changed):
        return Edit(take=take, changed=changed, audit=None, broken=broken)
    from walkon.take.auditing import audit as measure

    return Edit(take=take, changed=changed, audit=measure(take, characters=changed), broken=broken)


def _rows(take: Take, character: Who) -> IntArray:
    """Return the rows of the characters that are meant."""
    one = isinstance(character, str) or not np.iterable(character)
    asked: list[Any] = [character] if one else list(character)  # type: ignore[arg-type]
    rows = [take.character(who) for who in asked]
    if not rows or len(set(rows)) < len(rows):
        raise InvalidValue(f"say which characters are meant, each once; got {character!r}")
    return np.array(rows, np.int64)


def _seconds(seconds: float) -> float:
    if not np.isfinite(seconds):
        raise InvalidValue(f"a shift in time must be a finite number of seconds, got {seconds}")
    return float(seconds)


def _transforms(take: Take, rows: IntArray, by: ArrayLike, pivot: ArrayLike | None) -> Array:
    """Return [rows, 3] the transforms of the floor that turn about the pivots and then slide."""
    step = lock_array(by, (3,), name="the planar pose by which to move")
    if pivot is None:
        enters = np.nan_to_num(take.enters[rows])  # who never enters has no place either
        points = np.nan_to_num(pose_pairs(take, rows, enters, hands=0).positions[:, 0, :2])
    else:
        points = np.tile(lock_array(pivot, (2,), name="pivot"), (len(rows), 1))
    turn = np.array([0.0, 0.0, step[2]])
    slide = points + step[:2] - planar.apply(turn, points)
    return np.column_stack([slide, np.full(len(rows), step[2])])


def _replant(take: Take, rows: IntArray) -> Take:
    """Plant the feet of some characters anew; the others' stances and drops stay."""
    c, mine = take.characters, np.isin(np.arange(len(take)), rows)
    # Feet are planted also where a cut hides the character.
    free = {name: np.where(mine, 0.0, c.columns[name]) for name in ("enter", "leave", "drop_start")}
    own: Segments = take.segments.rows(mine[take.segments.character])
    part = plant_feet(replace(take, characters=c.with_columns(**free), segments=own))
    stances = Stances.joined([take.stances.rows(~mine[take.stances.character]), part.stances])
    drops = Drops.joined([take.drops.rows(~mine[take.drops.character]), part.drops])
    return replace(
        take,
        characters=c.with_columns(drop_start=free["drop_start"]),
        stances=in_order(stances, stances.whose, stances.start),
        drops=in_order(drops, drops.character, drops.step),
    )
