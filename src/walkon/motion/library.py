"""A library: labelled clips of one skeleton at one rate, held as one long array with ranges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from walkon._base.arrays import Array, BoolArray, IntArray, lock
from walkon._base.errors import InvalidClip, InvalidValue, UnknownName
from walkon.motion.clip import Clip, Ensemble, Event
from walkon.motion.skeleton import Skeleton

__all__ = ["Library"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Library:
    """What the performers can do: N clips, F frames in all. Clip i is frames starts[i] to stops[i] − 1."""

    skeleton: Skeleton
    fps: float
    names: tuple[str, ...]
    """[N] different names."""
    starts: IntArray
    """[N] first frame of each clip."""
    stops: IntArray
    """[N] frame after the last one of each clip."""
    root_positions: Array
    """[F, 3] metres, world; each clip in its own place."""
    local_rotations: Array
    """[F, J, 4] unit quaternions, w first."""
    contacts: BoolArray
    """[F, C]."""
    contact_heights: Array
    """[F, C] metres."""
    label_names: tuple[str, ...] = ()
    """[L] all labels, sorted."""
    labels: BoolArray = field(default_factory=lambda: np.zeros((0, 0), bool))
    """[F, L] which frame has which label."""
    events: tuple[tuple[Event, ...], ...] = ()
    """[N] the events of each clip."""
    ensembles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name → names of the clips that were recorded together."""
    notes: tuple[str, ...] = ()
    """What was found, repaired and left out when the library was built, a sentence each."""

    def __post_init__(self) -> None:
        N, J, C = len(self.names), len(self.skeleton), len(self.skeleton.contact_names)
        F = len(self.local_rotations)
        object.__setattr__(self, "names", tuple(self.names))
        if not self.names:
            raise InvalidValue("a library needs at least one clip, got none")
        if len(set(self.names)) < N:
            twice = next(name for i, name in enumerate(self.names) if name in self.names[:i])
            raise InvalidClip(f"clip names must differ, but {twice!r} occurs more than once; rename one of them")
        if np.size(self.labels) == 0:
            object.__setattr__(self, "labels", np.zeros((F, len(self.label_names)), bool))
        for name, shape, dtype in (
            ("starts", (N,), np.int64),
            ("stops", (N,), np.int64),
            ("root_positions", (F, 3), np.float64),
            ("local_rotations", (F, J, 4), np.float64),
            ("contacts", (F, C), np.bool_),
            ("contact_heights", (F, C), np.float64),
            ("labels", (F, len(self.label_names)), np.bool_),
        ):
            lock(self, name, shape, dtype)
        if (self.starts < 0).any() or (self.stops > F).any() or (self.starts >= self.stops).any():
            raise InvalidClip(f"clip ranges must be non-empty and within the {F} frames of the library")
        if not self.events:
            object.__setattr__(self, "events", ((),) * N)
        for ensemble, members in self.ensembles.items():
            for name in members:
                UnknownName.check(f"clip of ensemble {ensemble!r},", name, self.names)

    @classmethod
    def of(
        cls,
        clips: Sequence[Clip],
        *,
        ensembles: Mapping[str, tuple[str, ...]] | None = None,
        notes: Sequence[str] = (),
    ) -> "Library":
        """Build a library of clips that share a skeleton and a rate (see `retarget` and `resample`)."""
        if not clips:
            raise InvalidValue("a library needs at least one clip, got none")
        first = clips[0]
        for clip in clips:
            same = clip.skeleton is first.skeleton or (
                clip.skeleton.same_topology(first.skeleton)
                and np.array_equal(clip.skeleton.offsets, first.skeleton.offsets)
                and clip.skeleton.contact_names == first.skeleton.contact_names
                and np.array_equal(clip.skeleton.contact_offsets, first.skeleton.contact_offsets)
            )
            for is_broken, words in (
                (not same, f"another skeleton than {first.name!r}; retarget it first"),
                (clip.fps != first.fps, f"{clip.fps:g} fps and {first.name!r} {first.fps:g}; resample it first"),
                (clip.local_translations is not None, "local translations; a library holds rotations only"),
            ):
                if is_broken:
                    raise InvalidClip(f"{clip.name!r} has {words}")
        stops = np.cumsum([len(clip) for clip in clips])
        label_names = tuple(sorted({label for clip in clips for label in clip.labels}))
        labels = np.zeros((int(stops[-1]), len(label_names)), bool)
        starts = np.concatenate([[0], stops[:-1]])
        for clip, start, stop in zip(clips, starts, stops, strict=True):
            for label, frames in clip.labels.items():
                labels[start:stop, label_names.index(label)] = frames
        return cls(
            skeleton=first.skeleton,
            fps=first.fps,
            names=tuple(clip.name for clip in clips),
            starts=starts,
            stops=stops,
            root_positions=np.concatenate([clip.root_positions for clip in clips]),
            local_rotations=np.concatenate([clip.local_rotations for clip in clips]),
            contacts=np.concatenate([clip.contacts for clip in clips]),
            contact_heights=np.concatenate([clip.contact_heights for clip in clips]),
            label_names=label_names,
            labels=labels,
            events=tuple(clip.events for clip in clips),
            ensembles=dict(ensembles or {}),
            notes=tuple(notes),
        )

    def __repr__(self) -> str:
        return (
            f"Library({len(self)} clips, {self.duration:.1f} s at {self.fps:g} fps, {len(self.skeleton)} joints, "
            f"{len(self.label_names)} labels: {', '.join(self.label_names) or 'none'})"
        )

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Clip]:
        return (self[name] for name in self.names)

    def __getitem__(self, name: str | int) -> Clip:
        """Return one clip, by name or number; its arrays are views of the library's."""
        if isinstance(name, str):
            UnknownName.check("clip", name, self.names)
        i = self.names.index(name) if isinstance(name, str) else range(len(self.names))[name]
        part = slice(int(self.starts[i]), int(self.stops[i]))
        return Clip(
            skeleton=self.skeleton,
            fps=self.fps,
            root_positions=self.root_positions[part],
            local_rotations=self.local_rotations[part],
            contacts=self.contacts[part],
            contact_heights=self.contact_heights[part],
            labels={
                label: self.labels[part, k] for k, label in enumerate(self.label_names) if self.labels[part, k].any()
            },
            events=self.events[i],
            name=self.names[i],
        )

    @property
    def duration(self) -> float:
        """Seconds of motion in all clips together."""
        return float(np.sum(self.stops - self.starts - 1)) / self.fps

    def ensemble(self, name: str) -> Ensemble:
        """Return clips that were recorded together."""
        UnknownName.check("ensemble", name, self.ensembles)
        return Ensemble(clips=tuple(self[member] for member in self.ensembles[name]), name=name)
