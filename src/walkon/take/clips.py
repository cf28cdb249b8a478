"""Clips as a take carries them: rotations quantized to 48 bits, roots in float32, contacts and labels as runs.

Joints that never turn (end sites) have no channel. What comes back from `clip(i)` is the clip that went in, to 0.0086
degrees and a micrometre or so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidClip
from walkon._base.table import Column
from walkon.motion.clip import Clip, Event
from walkon.motion.contacts.runs import find_runs
from walkon.motion.limbs.arms import elbow_hinges
from walkon.motion.limbs.legs import Leg, read_leg
from walkon.motion.skeleton import FOOT_CONTACTS, SIDES, Skeleton
from walkon.take.storing.rotations48 import pack, unpack
from walkon.take.tables import ClipRows, ContactRuns, LabelRuns
from walkon.transforms import quaternions as quat

__all__ = [
    "ClipStore",
    "channel_counts",
    "channels",
    "foot_columns",
    "foot_runs",
    "stands",
]


def channels(skeleton: Skeleton) -> IntArray:
    """Return [J] the channel of each joint in stored frames, −1 for joints that never turn."""
    moving = ~skeleton.end_sites
    return np.where(moving, np.cumsum(moving) - 1, -1)


def channel_counts(skeletons: Sequence[Skeleton]) -> IntArray:
    """Return the number of rotations in a stored frame for each skeleton."""
    return np.array([np.count_nonzero(~skeleton.end_sites) for skeleton in skeletons], np.int64)


def stands(skeleton: Skeleton) -> bool:
    """Say whether the skeleton has legs and the four contact points of feet: then its feet can be planted."""
    return skeleton.has_feet and set(FOOT_CONTACTS) <= set(skeleton.contact_names)


def foot_columns(skeleton: Skeleton) -> IntArray:
    """Return [4] the columns of a standing skeleton's contacts in the order of `FOOT_CONTACTS`."""
    return np.array([skeleton.contact(name) for name in FOOT_CONTACTS])


@dataclass(frozen=True, eq=False, kw_only=True)
class ClipStore:
    """The clips of a take: K clips of F frames in all."""

    names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    rows: ClipRows = field(default_factory=ClipRows)
    roots: Column = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    """[F, 3] float32, metres."""
    rotations: Column = field(default_factory=lambda: np.zeros((0, 3), np.uint16))
    """[R, 3] uint16 (see `rotations48`)."""
    contacts: ContactRuns = field(default_factory=ContactRuns)
    labels: LabelRuns = field(default_factory=LabelRuns)
    events: Mapping[int, tuple[Event, ...]] = field(default_factory=dict)
    """Clip → its events, for the clips that have some."""

    def __post_init__(self) -> None:
        lock(self, "roots", (None, 3), np.float32)
        lock(self, "rotations", (None, 3), np.uint16)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "label_names", tuple(self.label_names))
        object.__setattr__(self, "events", MappingProxyType(dict(self.events)))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"ClipStore({len(self)} clips, {len(self.roots)} frames, {self.nbytes / 1e6:.1f} MB)"

    @property
    def nbytes(self) -> int:
        """Bytes of all frames."""
        return self.roots.nbytes + self.rotations.nbytes

    @property
    def durations(self) -> Array:
        """[K] seconds."""
        seconds: Array = (self.rows.frames - 1) / self.rows.fps
        return seconds

    def clip(self, index: int, skeleton: Skeleton) -> Clip:
        """Return one clip on its skeleton, as it will be played."""
        rows = self.rows
        T, first, start = (int(column[index]) for column in (rows.frames, rows.first_frame, rows.first_rotation))
        moving = np.flatnonzero(~skeleton.end_sites)
        rotations = np.tile(quat.IDENTITY, (T, len(skeleton), 1))
        stored = self.rotations[start : start + T * len(moving)].reshape(T, len(moving), 3)
        rotations[:, moving] = unpack(stored)
        C = len(skeleton.contact_names)
        contacts, heights = np.zeros((T, C), bool), np.zeros((T, C))
        runs = self.contacts.rows(self.contacts.clip == index)
        for point, a, b, height in zip(runs.point, runs.start, runs.stop, runs.height, strict=True):
            contacts[a:b, point] = True
            heights[a:b, point] = height
        labels: dict[str, BoolArray] = {}
        named = self.labels.rows(self.labels.clip == index)
        for label, a, b in zip(named.label, named.start, named.stop, strict=True):
            labels.setdefault(self.label_names[label], np.zeros(T, bool))[a:b] = True
        return Clip(
            skeleton=skeleton,
            fps=float(rows.fps[index]),
            root_positions=self.roots[first : first + T],
            local_rotations=quat.continuous(rotations),
            contacts=contacts,
            contact_heights=heights,
            labels=labels,
            events=self.events.get(index, ()),
            name=self.names[index],
        )

    def extended(self, clips: Sequence[Clip], skeletons: Sequence[int]) -> "ClipStore":
        """Return the store with these clips added; `skeletons` are the rows of their skeletons in the take."""
        if not clips:
            return self
        whole = ClipStore.joined([self, *(_pack_clip(clip) for clip in clips)])
        rows = whole.rows.with_columns(skeleton=np.append(self.rows.skeleton, skeletons))
        return replace(whole, rows=rows)

    @staticmethod
    def joined(stores: "Sequence[ClipStore]") -> "ClipStore":
        """Return the clips of several stores, which refer to the same skeletons, in one."""
        rows = ClipRows.joined([store.rows for store in stores])
        contacts = ContactRuns.joined([store.contacts for store in stores])
        labels = LabelRuns.joined([store.labels for store in stores])
        names = [name for store in stores for name in store.label_names]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        label = np.array([numbers[name] for name in names], np.int64)

        def before(part: str, of: str) -> IntArray:
            """Return how much of `part` the stores before have, for each row of a table."""
            sizes = np.array([len(getattr(store, part)) for store in stores])
            return np.repeat(np.cumsum(sizes) - sizes, [len(getattr(store, of)) for store in stores])

        return ClipStore(
            names=tuple(name for store in stores for name in store.names),
            label_names=tuple(numbers),
            rows=rows.with_columns(
                first_frame=rows.first_frame + before("roots", "rows"),
                first_rotation=rows.first_rotation + before("rotations", "rows"),
            ),
            roots=np.concatenate([store.roots for store in stores]),
            rotations=np.concatenate([store.rotations for store in stores]),
            contacts=contacts.with_columns(clip=contacts.clip + before("rows", "contacts")),
            labels=labels.with_columns(
                clip=labels.clip + before("rows", "labels"),
                label=label[labels.label + before("label_names", "labels")],
            ),
            events={
                int(first) + clip: events
                for first, store in zip(np.cumsum([0, *map(len, stores[:-1])]), stores, strict=True)
                for clip, events in store.events.items()
            },
        )


_PACKED: "WeakKeyDictionary[Clip, ClipStore]" = WeakKeyDictionary()
"""Clips that were packed before: those of a graph go into take after take."""


def _pack_clip(clip: Clip) -> ClipStore:
    """Return a clip as it is stored, alone."""
    if clip in _PACKED:
        return _PACKED[clip]
    if clip.local_translations is not None:
        raise InvalidClip(f"clip {clip.name!r} has local translations; a take holds rotations only: retarget it first")
    contacts = [
        (0, point, a, b, clip.contact_heights[a, point])
        for point in range(clip.contacts.shape[1])
        for a, b in zip(*find_runs(clip.contacts[:, point]), strict=True)
    ]
    labels = [
        (0, number, a, b)
        for number, flags in enumerate(clip.labels.values())
        for a, b in zip(*find_runs(flags), strict=True)
    ]
    made = _PACKED[clip] = ClipStore(
        names=(clip.name,),
        label_names=tuple(clip.labels),
        rows=ClipRows.filled(1, fps=clip.fps, frames=len(clip), hinges=_hinges(clip)),
        roots=clip.root_positions.astype(np.float32),
        rotations=pack(clip.local_rotations[:, ~clip.skeleton.end_sites]).reshape(-1, 3),
        contacts=_runs(ContactRuns, contacts),
        labels=_runs(LabelRuns, labels),
        events={0: clip.events} if clip.events else {},
    )
    return made


def foot_runs(clips: ClipStore, skeletons: Sequence[Skeleton]) -> ContactRuns:
    """Return the contacts of feet alone, of clips that stand, with `point` in the order of `FOOT_CONTACTS`."""
    runs = clips.contacts
    most = max((len(skeleton.contact_names) for skeleton in skeletons), default=0)
    point = np.full((len(skeletons), most), -1)
    for number, skeleton in enumerate(skeletons):
        if stands(skeleton):
            point[number, foot_columns(skeleton)] = np.arange(len(FOOT_CONTACTS))
    found = point[clips.rows.skeleton[runs.clip], runs.point]
    if np.array_equal(found, runs.point):
        return runs
    return runs.with_columns(point=found).rows(found >= 0)


def _runs(kind: Any, found: Sequence[tuple[float, ...]]) -> Any:
    return kind(**dict(zip(kind().columns, np.array(found).T, strict=True))) if found else kind()


def _hinges(clip: Clip) -> Array:
    """Return [4, 3] the axes of knees and elbows, left and right, in the frames of hips and shoulders."""
    knees = np.zeros((2, 3))
    if clip.skeleton.has_feet:
        for k, side in enumerate(SIDES):
            leg = Leg.of(clip.skeleton, side)
            back = quat.conjugate(clip.world.rotations[0, leg.hip])
            knees[k] = quat.rotate(back, read_leg(clip, leg).hinges[0])
    return np.concatenate([knees, elbow_hinges(clip)])
