"""Extracting characters of a take with all they need, and merging two takes. Poses stay as they are.

References between tables are row numbers; here they are followed, kept right, and what nobody refers to is dropped.
Equal clips are stored once.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from walkon._base.arrays import IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column, Table
from walkon.io.plain_fields import skeleton_fields
from walkon.motion.skeleton import Skeleton
from walkon.stage import Stage
from walkon.take.clips import ClipStore, channel_counts
from walkon.take.storing.file import body_fields, stage_fields
from walkon.take.tables import NONE, TABLES, ClipRows, flat_ranges, flat_spans
from walkon.take.take import Take

__all__ = ["extract", "fresh_names", "join", "kept_props", "renumber", "tidy"]

Thing = TypeVar("Thing")
T = TypeVar("T", bound=Table)

POOLS = (
    *("bodies", "warps", "blends", "tracks", "track_knots", "track_turns", "override_joints", "override_frames"),
    *("override_roots", "clips", "notes"),
)
"""What is only there to be referred to, in such an order that what refers comes before what it refers to."""


def extract(take: Take, characters: IntArray, *, resting: bool = True) -> Take:
    """Return a take of only these characters, in the take's order, with everything they play, meet and hold.

    Props that are held by others alone are not in it; those that rest somewhere, or are nowhere, are with `resting`.
    Reasons that are about somebody or something that is not in it stay, and refer to nobody and nothing.
    """
    keep = np.unique(characters)
    numbers = renumber(keep, len(take))

    def of_them(table: T) -> T:
        new = numbers[table.columns["character"]]
        return table.rows(new >= 0).with_columns(character=new[new >= 0])

    a = take.attachments
    stays = (numbers[a.character] >= 0) | ((a.character == NONE) & resting)
    attachments = a.rows(stays).with_columns(character=numbers[a.character[stays]])
    props = kept_props(take, keep, resting=resting)
    meets = np.flatnonzero(numbers[take.marks.character] >= 0)
    segments = of_them(take.segments)
    theirs: dict[str, Any] = {
        field: of_them(getattr(take, field))
        for field in ("overrides", "stances", "drops", "heights", "marks", "hand_shapes", "references")
    }
    marks, things, reasons = renumber(meets, len(take.marks)), renumber(props, len(take.props)), of_them(take.reasons)
    # A hand that holds on to something that is not in it lets go.
    g = take.grips
    on_props, on_others = things[g.prop], numbers[g.other]
    holds = ((g.prop < 0) | (on_props >= 0)) & ((g.other < 0) | (on_others >= 0))
    theirs["grips"] = of_them(g.with_columns(prop=on_props, other=on_others).rows(holds))
    return tidy(
        replace(
            take,
            names=tuple(take.names[k] for k in keep),
            characters=take.characters.rows(keep),
            segments=segments.with_columns(mark=marks[segments.mark]),
            reasons=reasons.with_columns(
                mark=marks[reasons.mark], other=numbers[reasons.other], prop=things[reasons.prop]
            ),
            attachments=attachments.with_columns(prop=things[attachments.prop]),
            props=tuple(take.props[k] for k in props),
            mark_names=tuple(take.mark_names[k] for k in meets),
            mark_poses=tuple(take.mark_poses[k] for k in meets),
            **theirs,
        )
    )


def kept_props(take: Take, characters: IntArray, *, resting: bool = True) -> IntArray:
    """Return the props that an extract of these characters has."""
    a = take.attachments
    stays = np.isin(a.character, characters) | ((a.character == NONE) & resting)
    unattached = np.setdiff1d(np.arange(len(take.props)), a.prop) if resting else np.zeros(0, np.int64)
    return np.union1d(unattached, a.prop[stays]).astype(np.int64)


def tidy(take: Take) -> Take:
    """Return the take without rows, clips, bodies and notes that nothing refers to."""
    tables: dict[str, Table] = {field: getattr(take, field) for field in TABLES}
    kept: dict[str, IntArray] = {}
    for field in POOLS:
        kept[field] = _used_rows(tables.values(), field)
        if field in tables:
            tables[field] = tables[field].rows(kept[field])
        _renumber_all(tables, field, kept[field], len(getattr(take, field)))
    clips = _keep_clips(take.clips, kept["clips"], take.skeletons)
    skeleton = np.unique(clips.rows.skeleton)
    on_skeleton = renumber(skeleton, len(take.skeletons))
    changed: dict[str, Any] = dict(tables)
    return replace(
        take,
        bodies=tuple(take.bodies[k] for k in kept["bodies"]),
        notes=tuple(take.notes[k] for k in kept["notes"]),
        clips=replace(clips, rows=clips.rows.with_columns(skeleton=on_skeleton[clips.rows.skeleton])),
        skeletons=tuple(take.skeletons[k] for k in skeleton),
        **changed,
    )


def _used_rows(tables: Iterable[Table], to: str) -> IntArray:
    """Return the rows of something that tables refer to, in order."""
    found = [np.zeros(0, np.int64)]
    for table in tables:
        for ref in table.references():
            if ref.to == to:
                values = table.columns[ref.name].astype(np.int64)
                found.append(flat_spans(values) if ref.span else values[values >= 0])
    return np.unique(np.concatenate(found))


def _renumber_all(tables: dict[str, Table], to: str, kept: IntArray, count: int) -> None:
    """Let all references follow rows of something of which only `kept` are left."""
    numbers = renumber(kept, count)
    for field, table in tables.items():
        # A span keeps all of its rows, so its ends are where as many kept rows lie before.
        changed = {
            ref.name: np.searchsorted(kept, table.columns[ref.name]) if ref.span else numbers[table.columns[ref.name]]
            for ref in table.references()
            if ref.to == to
        }
        if changed:
            tables[field] = table.with_columns(**changed)


def join(one: Take, two: Take) -> Take:
    """Return a take with the characters of both, those of the second after those of the first, on one clock."""
    stage = _common_stage(one.stage, two.stage)
    skeletons, skeleton = _unite(one.skeletons, two.skeletons, skeleton_fields)
    bodies, body = _unite(one.bodies, two.bodies, body_fields)
    rows: ClipRows = two.clips.rows.with_columns(skeleton=_follow(skeleton, two.clips.rows.skeleton))
    clips, clip = _share_clips(one.clips, replace(two.clips, rows=rows), skeletons)
    notes, note = _unite(one.notes, two.notes, str)
    rows_of = {"clips": clip, "bodies": body, "notes": note}

    def after(table: Table) -> Table:
        """Move references behind the rows of the first take; −1 stays."""
        changed = {}
        for ref in table.references():
            values = table.columns[ref.name]
            if ref.to in rows_of:
                changed[ref.name] = _follow(rows_of[ref.to], values)
            else:
                changed[ref.name] = np.where(values < 0, values, values + len(getattr(one, ref.to)))
        return table.with_columns(**changed) if changed else table

    added: dict[str, Any] = {field: after(getattr(two, field)) for field in TABLES}
    tables = {field: type(table).joined([getattr(one, field), table]) for field, table in added.items()}
    prop_names = fresh_names([prop.name for prop in two.props], taken=[prop.name for prop in one.props])
    new_props = [replace(prop, name=name) for prop, name in zip(two.props, prop_names, strict=True)]
    return replace(
        one,
        **tables,
        names=(*one.names, *fresh_names(two.names, taken=one.names)),
        bodies=bodies,
        skeletons=skeletons,
        clips=clips,
        stage=stage,
        props=(*one.props, *new_props),
        mark_names=(*one.mark_names, *two.mark_names),
        mark_poses=(*one.mark_poses, *two.mark_poses),
        notes=notes,
        complete=one.complete and two.complete,
    )


def fresh_names(names: Sequence[str], *, taken: Collection[str]) -> list[str]:
    """Return the names, with _2, _3 … behind those that are taken."""
    used, found = set(taken), []
    for name in names:
        number, new = 2, name
        while new in used:
            number, new = number + 1, f"{name}_{number}"
        used.add(new)
        found.append(new)
    return found


def _follow(numbers: IntArray, refs: Column) -> IntArray:
    """Follow references, −1 to −1."""
    return np.append(numbers, NONE)[refs]


def _unite(
    one: Sequence[Thing], two: Sequence[Thing], fields: Callable[[Thing], Any]
) -> tuple[tuple[Thing, ...], IntArray]:
    """Return all things, equal ones once, and the rows of the second's."""
    united = list(one)
    known = {id(thing): row for row, thing in reversed(list(enumerate(one)))}
    strange = [thing for thing in two if id(thing) not in known]
    alike = {repr(fields(thing)): row for row, thing in reversed(list(enumerate(one)))} if strange else {}
    for thing in strange:
        row = alike.setdefault(repr(fields(thing)), len(united))
        known[id(thing)] = row
        if row == len(united):
            united.append(thing)
    return tuple(united), np.array([known[id(thing)] for thing in two], np.int64)


def _common_stage(one: Stage, two: Stage) -> Stage:
    first, second, empty = (stage_fields(stage) for stage in (one, two, Stage()))
    if second in (empty, first):
        return one
    if first == empty:
        return two
    moving = " (what moves must do so at the same times, also after a shift)" if one.moving and two.moving else ""
    raise InvalidValue(
        f"takes on different stages cannot be merged: {one} and {two}{moving}; give both the same stage, or one of "
        "them none"
    )


def renumber(kept: IntArray, count: int) -> IntArray:
    """Return [count + 1] the new number of each old row if only `kept` rows stay, −1 for the others and for row −1."""
    numbers = np.full(count + 1, -1, np.int64)
    numbers[kept] = np.arange(len(kept))
    return numbers


def _keep_clips(store: ClipStore, kept: IntArray, skeletons: Sequence[Skeleton]) -> ClipStore:
    """Return the store with only these clips, in this order; skeletons keep their rows."""
    if np.array_equal(kept, np.arange(len(store))):
        return store
    rows = store.rows.rows(kept)
    numbers = renumber(kept, len(store))
    widths = rows.frames * channel_counts(skeletons)[rows.skeleton]
    contacts = store.contacts.rows(numbers[store.contacts.clip] >= 0)
    labels = store.labels.rows(numbers[store.labels.clip] >= 0)
    return ClipStore(
        names=tuple(store.names[k] for k in kept),
        label_names=store.label_names,
        rows=rows.with_columns(
            first_frame=np.cumsum(rows.frames) - rows.frames, first_rotation=np.cumsum(widths) - widths
        ),
        roots=store.roots[flat_ranges(rows.first_frame, rows.frames)],
        rotations=store.rotations[flat_ranges(rows.first_rotation, widths)],
        contacts=contacts.with_columns(clip=numbers[contacts.clip]),
        labels=labels.with_columns(clip=numbers[labels.clip]),
        events={int(numbers[clip]): events for clip, events in store.events.items() if numbers[clip] >= 0},
    )


def _share_clips(one: ClipStore, two: ClipStore, skeletons: Sequence[Skeleton]) -> tuple[ClipStore, IntArray]:
    """Return a store with the clips of both, and the rows in it of the second one's clips.

    Both must refer to the same skeletons. Clips of the second that the first has already, in every frame and label,
    are not stored again.
    """
    known: dict[Any, list[int]] = {}
    for k in range(len(one)):
        known.setdefault(_key(one, k), []).append(k)
    width = channel_counts(skeletons)
    rows = np.empty(len(two), np.int64)
    fresh: list[int] = []
    for k in range(len(two)):
        same = [j for j in known.get(_key(two, k), []) if _content(one, j, width) == _content(two, k, width)]
        rows[k] = same[0] if same else len(one) + len(fresh)
        if not same:
            fresh.append(k)
    new = _keep_clips(two, np.array(fresh, np.int64), skeletons)
    return ClipStore.joined([one, new]) if fresh else one, rows


def _key(store: ClipStore, k: int) -> tuple[Any, ...]:
    """Return what tells most clips apart at a glance."""
    return store.names[k], int(store.rows.skeleton[k]), float(store.rows.fps[k]), int(store.rows.frames[k])


def _content(store: ClipStore, k: int, width: IntArray) -> tuple[Any, ...]:
    """Return everything that a clip is, for comparison."""
    frames, first, turn = (int(v[k]) for v in (store.rows.frames, store.rows.first_frame, store.rows.first_rotation))
    contacts = store.contacts.rows(store.contacts.clip == k)
    labels = store.labels.rows(store.labels.clip == k)
    named = [store.label_names[label] for label in labels.label]
    return (
        store.roots[first : first + frames].tobytes(),
        store.rotations[turn : turn + frames * int(width[store.rows.skeleton[k]])].tobytes(),
        store.rows.hinges[k].tobytes(),
        sorted(zip(*(contacts.columns[c].tolist() for c in ("point", "start", "stop", "height")), strict=True)),
        sorted(zip(named, labels.start.tolist(), labels.stop.tolist(), strict=True)),
        store.events.get(k, ()),
    )
