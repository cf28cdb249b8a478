"""A take: the score of a crowd. Who plays which clip, when and where; posed at any time, audited, edited, explained.

Read one with `walkon.load_take(path)`, make one with `TakeWriter`. All times are seconds of the take's own clock.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, IntArray
from walkon._base.errors import InvalidValue, UnknownName
from walkon.motion.body import Body
from walkon.motion.clip import Clip
from walkon.motion.skeleton import Skeleton
from walkon.stage import Prop, Stage
from walkon.take.checking import check_take
from walkon.take.clips import ClipStore
from walkon.take.posing.holds import Holds, make_holds
from walkon.take.posing.posing import POSED, Poses, check_times, pose_pairs
from walkon.take.posing.score import Score, make_score, with_feet
from walkon.take.reasons import in_stretches
from walkon.take.tables import (
    Attachments,
    Blends,
    Characters,
    Drops,
    Grips,
    HandShapes,
    Heights,
    MarkTable,
    OverrideFrames,
    OverrideJoints,
    OverrideRoots,
    Overrides,
    Reasons,
    References,
    Segments,
    Stances,
    TrackKnots,
    Tracks,
    TrackTurns,
    Warps,
    in_order,
)

if TYPE_CHECKING:
    from walkon.take.auditing import Audit
    from walkon.take.why import Reason

__all__ = ["Take"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Take:
    """N characters over time. Every field is read-only; edits (`walkon.take.editing.editing`) return another take."""

    fps: float = 60.0
    """Frames per second at which it is meant to be played, exported and audited; posing works at any time."""
    names: tuple[str, ...] = ()
    """[N] names of the characters."""
    characters: Characters = field(default_factory=Characters)
    bodies: tuple[Body, ...] = ()
    skeletons: tuple[Skeleton, ...] = ()
    """Skeletons of the clips."""
    clips: ClipStore = field(default_factory=ClipStore)
    segments: Segments = field(default_factory=Segments)
    """Sorted by character and start."""
    warps: Warps = field(default_factory=Warps)
    blends: Blends = field(default_factory=Blends)
    tracks: Tracks = field(default_factory=Tracks)
    track_knots: TrackKnots = field(default_factory=TrackKnots)
    track_turns: TrackTurns = field(default_factory=TrackTurns)
    references: References = field(default_factory=References)
    """Sorted by character and start."""
    heights: Heights = field(default_factory=Heights)
    overrides: Overrides = field(default_factory=Overrides)
    override_joints: OverrideJoints = field(default_factory=OverrideJoints)
    override_frames: OverrideFrames = field(default_factory=OverrideFrames)
    override_roots: OverrideRoots = field(default_factory=OverrideRoots)
    stances: Stances = field(default_factory=Stances)
    drops: Drops = field(default_factory=Drops)
    stage: Stage = field(default_factory=Stage)
    props: tuple[Prop, ...] = ()
    attachments: Attachments = field(default_factory=Attachments)
    grips: Grips = field(default_factory=Grips)
    hand_shapes: HandShapes = field(default_factory=HandShapes)
    marks: MarkTable = field(default_factory=MarkTable)
    mark_names: tuple[str, ...] = ()
    mark_poses: tuple[str, ...] = ()
    """Per mark the label that the motion must have then, "" for none."""
    reasons: Reasons = field(default_factory=Reasons)
    """Sorted by character and start; the same free words without a break are one row."""
    notes: tuple[str, ...] = ()
    """Free words that reasons refer to."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Where it comes from: version of walkon, seeds, scene text, library."""
    complete: bool = True
    """False while its writer is still at work, or where it was stopped."""

    def __post_init__(self) -> None:
        for name in ("names", "bodies", "skeletons", "props", "mark_names", "mark_poses", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "fps", float(self.fps))
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))
        s = self.segments
        object.__setattr__(self, "segments", in_order(s, s.character, s.start))
        r = self.references
        object.__setattr__(self, "references", in_order(r, r.character, r.start))
        object.__setattr__(self, "reasons", in_stretches(self.reasons))
        check_take(self)

    def __repr__(self) -> str:
        parts = [f"{len(self)} characters", f"{self.start:.2f} to {self.stop:.2f} s", f"{self.fps:g} fps"]
        parts += [f"{len(self.segments)} segments of {len(self.clips)} clips"]
        parts += [f"{len(rows)} {kind}" for kind, rows in (("props", self.props), ("marks", self.marks)) if len(rows)]
        parts += [] if self.complete else ["unfinished"]
        return f"Take({', '.join(parts)})"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def start(self) -> float:
        """Seconds: when the first character enters; 0 in an empty take."""
        return float(np.nanmin(self.enters)) if len(self.segments) else 0.0

    @property
    def stop(self) -> float:
        """Seconds: when the last character leaves."""
        return float(np.nanmax(self.leaves)) if len(self.segments) else 0.0

    @property
    def duration(self) -> float:
        """Seconds from `start` to `stop`."""
        return self.stop - self.start

    @cached_property
    def enters(self) -> Array:
        """[N] seconds at which each character enters; NaN for one that never does."""
        found = self._ends(self.segments.start, np.minimum)
        return np.where(self.characters.limited, np.maximum(found, self.characters.enter), found)

    @cached_property
    def leaves(self) -> Array:
        """[N] seconds at which each character leaves."""
        found = self._ends(self.segments.stop, np.maximum)
        return np.where(self.characters.limited, np.minimum(found, self.characters.leave), found)

    def _ends(self, times: Array, pick: Any) -> Array:
        found = np.full(len(self), np.nan)
        if len(times):
            first = np.flatnonzero(np.diff(self.segments.character, prepend=-1))
            found[self.segments.character[first]] = pick.reduceat(times, first)
        return found

    @cached_property
    def score(self) -> Score:
        """The take as posing reads it."""
        return make_score(self)

    @cached_property
    def holds(self) -> Holds:
        """What hands hold on to and what holds props, as posing reads it."""
        return make_holds(self)

    def with_feet(self, stances: Stances, drops: Drops, heights: Heights | None = None) -> "Take":
        """Return the same take with other feet and heights. Nothing else is checked or arranged for posing again."""
        made = copy(self)
        made.__dict__.update(stances=stances, drops=drops)
        if heights is not None:
            made.__dict__["heights"] = heights
        made.__dict__["score"] = with_feet(self.score, made)
        return made

    def sketched(self, **fields: Any) -> "Take":
        """Return the same take with other fields, which are in order and have been checked; its score is not made."""
        made = copy(self)
        for name in ("score", "holds", "enters", "leaves", "_rows", "_sized", "_clips_read"):
            made.__dict__.pop(name, None)
        made.__dict__.update(fields)
        return made

    def finished(self) -> "Take":
        """Return the same take as one whose writer is done."""
        made = copy(self)
        made.__dict__["complete"] = True
        return made

    def character(self, who: str | int) -> int:
        """Return the row of a character, by name or number."""
        if isinstance(who, str):
            if who not in self._rows:
                raise UnknownName.among("character", who, self.names)
            return self._rows[who]
        if not -len(self) <= who < len(self):
            raise InvalidValue(f"there are {len(self)} characters, 0 to {len(self) - 1}; got {who}")
        return int(who) % len(self)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in reversed(list(enumerate(self.names)))}

    def body(self, who: str | int) -> Body:
        """Return a character's body in its size and colour."""
        row = self.character(who)
        scale = float(self.characters.scale[row])
        red, green, blue = (float(c) for c in self.characters.colour[row])
        key = (int(self.characters.body[row]), scale, red, green, blue)
        if key not in self._sized:
            body = self.bodies[key[0]]
            self._sized[key] = replace(body if scale == 1.0 else body.scaled(scale), colour=(red, green, blue))
        return self._sized[key]

    @cached_property
    def _sized(self) -> dict[tuple[Any, ...], Body]:
        return {}

    def character_rows(self, characters: ArrayLike | None) -> IntArray:
        """Return these rows of characters, checked; all of them where none are given."""
        if characters is None:
            return np.arange(len(self))
        rows = np.atleast_1d(np.asarray(characters))
        if rows.size == 0:
            return np.zeros(0, np.int64)  # an empty list has no type of its own
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= len(self):
            raise InvalidValue(f"characters must be rows 0 to {len(self) - 1} of the take, got {characters!r}")
        return rows

    def clip(self, index: int) -> Clip:
        """Return one of the clips that the take carries."""
        if index not in self._clips_read:
            skeleton = self.skeletons[int(self.clips.rows.skeleton[index])]
            self._clips_read[index] = self.clips.clip(index, skeleton)
        return self._clips_read[index]

    @cached_property
    def _clips_read(self) -> dict[int, Clip]:
        return {}

    def pose(self, time: float, *, characters: ArrayLike | None = None) -> Poses:
        """Pose all characters (or those rows [N]) at a time in seconds; `Poses` with leading axis [N]."""
        found = self.sample([time], characters=characters)
        return replace(found, **{name: getattr(found, name)[0] for name in POSED})

    def sample(self, times: ArrayLike, *, characters: ArrayLike | None = None) -> Poses:
        """Pose all characters (or those rows [N]) at times [T] in seconds; `Poses` with leading axes [T, N]."""
        when, who = check_times(times), self.character_rows(characters)
        found = pose_pairs(self, np.tile(who, len(when)), np.repeat(when, len(who)))
        lead = len(when), len(who)
        return Poses(
            **{name: getattr(found, name).reshape(*lead, *getattr(found, name).shape[1:]) for name in POSED},
            bodies=self.characters.body[who],
            rigs=found.rigs,
        )

    def audit(
        self,
        *,
        fps: float | None = None,
        characters: ArrayLike | None = None,
        start: float | None = None,
        stop: float | None = None,
        source: bool = True,
        progress: Callable[[float], None] | None = None,
    ) -> "Audit":
        """Measure everything that can be wrong with the posed take (see `walkon.take.auditing.audit`)."""
        from walkon.take.auditing import audit

        return audit(self, fps=fps, characters=characters, start=start, stop=stop, source=source, progress=progress)

    def why(self, character: str | int, time: float) -> "Reason":
        """Say why a character does what it does at a time: clip or edge, mark, neighbours."""
        from walkon.take.why import why

        return why(self, character, time)
