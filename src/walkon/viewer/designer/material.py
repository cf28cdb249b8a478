"""The material of a design and its caches: a library, its compared frames, distances and match sets.

Distances from a seed are kept (a row of 20,000 frames is 160 kB), and so are match sets: moving a slider costs
milliseconds. All methods may be called from several threads.

Metres, seconds; frames are compared frames unless called library frames.
"""

import threading
from collections import OrderedDict
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon.graphs.frame_distance import typical_distance
from walkon.graphs.point_clouds import FrameSet, library_frames
from walkon.graphs.snap_together.build import SNAP_THRESHOLD_RATIO
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.match_sets import MatchSet
from walkon.graphs.snap_together.matching.passing import Posture, postures
from walkon.graphs.snap_together.matching.suggestions import families
from walkon.motion.kinematics import forward, planar_poses
from walkon.motion.library import Library
from walkon.transforms import quaternions as quat
from walkon.viewer.designer.design import DesignedHub

__all__ = ["Material"]

ROWS_KEPT = 400
"""Seeds whose distances are remembered."""
SETS_KEPT = 2000
"""Match sets that are remembered."""
ANGLES_KEPT = 400
"""Match sets whose angles are remembered, so that moving one slider computes one hub."""


class Material:
    """A library ready for designing; `frames` are its compared frames."""

    def __init__(self, library: Library, frames: FrameSet, *, threshold: float | None = None) -> None:
        self.library = library
        self.frames = frames
        self.at: IntArray = library_frames(library, frames)
        """[F] the library frame of each compared frame."""
        self.usable: BoolArray = match_sets.has_window(frames)
        """[F] which frames can be match frames."""
        self.threshold = SNAP_THRESHOLD_RATIO * typical_distance(frames) if threshold is None else threshold
        """Metres: what a new hub begins with."""
        self._lock = threading.RLock()
        self._rows: OrderedDict[int, Array] = OrderedDict()
        self._match_set_by = lru_cache(SETS_KEPT)(self._find)
        self._angles_of = lru_cache(ANGLES_KEPT)(self._measure_angles)

    @cached_property
    def posture(self) -> Posture:
        """What each library frame looks like."""
        return postures(self.library)

    @cached_property
    def families(self) -> dict[str, BoolArray]:
        """Which frames [F] belong to which family."""
        return families(self.library, self.frames, self.posture)

    @cached_property
    def planar(self) -> Array:
        """[library frames, 3] planar poses."""
        library = self.library
        return planar_poses(
            library.skeleton, forward(library.skeleton, library.root_positions, library.local_rotations)
        )

    # Frames

    def check_clip(self, clip: int) -> None:
        """Refuse a clip that does not exist."""
        if not 0 <= clip < len(self.library):
            raise InvalidValue(f"clips are numbered 0 to {len(self.library) - 1}, got {clip}")

    def frame(self, clip: int, time: float) -> int:
        """Return the compared frame nearest to a time of a clip; refuse clips and times that do not exist."""
        self.check_clip(clip)
        frames = self.frames
        first, stop = int(frames.starts[clip]), int(frames.stops[clip])
        last = float(frames.times[stop - 1])
        if not -0.5 <= time * frames.rate <= last * frames.rate + 1.0:
            raise InvalidValue(f"{time:g} s is outside clip {frames.names[clip]!r}, which runs from 0 to {last:.2f} s")
        return first + int(np.argmin(np.abs(frames.times[first:stop] - time)))

    def place(self, frame: int) -> tuple[int, float]:
        """Return the clip and the time of a compared frame."""
        return int(self.frames.clips_of(frame)), float(self.frames.times[frame])

    def check_frame(self, frame: int, *, beside: tuple[int, ...] = (), spacing: float = 0.0) -> None:
        """Refuse a frame that cannot be a match frame, or lies too near to one `beside` it."""
        clip, reach = self.frames.clips_of(frame), spacing * self.frames.rate
        near = [f for f in beside if self.frames.clips_of(f) == clip and abs(f - frame) < reach and f != frame]
        match_sets.picked(self.frames, [*near, frame], spacing=spacing)

    # Distances and match sets

    def distances(self, frame: int) -> Array:
        """Return [F] metres from one frame to all; infinite for those without a window."""
        return self.rows([frame])[0]

    def rows(self, seeds: list[int]) -> list[Array]:
        """Return the distances from several frames; those that are not known yet are computed together."""
        with self._lock:
            missing = sorted({seed for seed in seeds if seed not in self._rows})
            for rows, block in match_sets.distance_rows(self.frames, np.array(missing, np.int64)):
                for seed, row in zip(rows.tolist(), block, strict=True):
                    self._rows[seed] = row.astype(np.float64)
            found = [self._rows[seed] for seed in seeds]
            for seed in seeds:
                self._rows.move_to_end(seed)
            while len(self._rows) > max(ROWS_KEPT, len(seeds)):
                self._rows.popitem(last=False)
        return found

    def match_set(self, hub: DesignedHub) -> MatchSet:
        """Return the match frames of a hub."""
        return self._match_set_by(hub.rule)

    def grow(self, hub: DesignedHub) -> MatchSet:
        """Return what grows from a hub's seed, whatever hands did."""
        if hub.seed is None:
            raise InvalidValue(f"{hub.name!r} is made of picked frames; it has no frame to grow from and no threshold")
        among = None if hub.family is None else self.families[hub.family]
        return match_sets.grow(
            self.frames,
            hub.seed,
            threshold=hub.threshold,
            spacing=hub.spacing,
            among=among,
            distances=self.distances(hub.seed),
        )

    def _find(self, hub: DesignedHub) -> MatchSet:
        added: NDArray[np.int64] = np.array(hub.added, np.int64)
        if hub.seed is None:
            found = match_sets.picked(self.frames, added, spacing=hub.spacing)
            return found._replace(threshold=max(found.threshold, 1e-6))
        found = self.grow(hub)
        if not (hub.added or hub.removed):
            return found
        kept = found.frames[~np.isin(found.frames, hub.removed)]
        if len(added) and len(kept):
            least = np.ceil(hub.spacing * self.frames.rate - 1e-9)
            same = self.frames.clips_of(kept)[:, None] == self.frames.clips_of(added)
            kept = kept[~(same & (np.abs(kept[:, None] - added) < least)).any(axis=1)]
        chosen = np.union1d(kept, added)
        return MatchSet(chosen, self.distances(hub.seed)[chosen], hub.seed, hub.threshold)

    def angles(self, found: MatchSet) -> Array:
        """Return [n, J] radians by which the joints of a set differ from their means; the root's without heading."""
        return self._angles_of(found.frames.astype(np.int64).tobytes())

    def _measure_angles(self, frames: bytes) -> Array:
        at = self.at[np.frombuffer(frames, np.int64)]
        rotations = np.array(self.library.local_rotations[at])
        if not len(at):
            return np.zeros(rotations.shape[:2])
        rotations[:, 0] = quat.multiply(quat.turn(-self.planar[at, 2]), rotations[:, 0])
        return quat.angle_between(rotations, quat.mean(rotations))

    def refusal(self, hub: DesignedHub) -> str | None:
        """Say why a hub cannot be: it holds nothing, or joins sitting with walking. None where it can."""
        found = self.match_set(hub)
        if not len(found.frames):
            return f"the hub {hub.name!r} would have no match frames; raise its threshold, or remove the hub"
        sitting = found.frames[self.families["sit"][found.frames]]
        walking = found.frames[(self.families["walk"] | self.families["carry"])[found.frames]]
        if not len(sitting) or not len(walking):
            return None
        way = "leave one of them out"
        if hub.seed is not None:
            nearest = max(found.distances[np.isin(found.frames, f)].min() for f in (sitting, walking))
            way = f"lower its threshold under {nearest * 100:.1f} cm"
        return (
            f"{hub.name!r} would join sitting ({self.frames.words(sitting[0])}) with walking "
            f"({self.frames.words(walking[0])}); {way}"
        )

    def check_hub(self, hub: DesignedHub) -> DesignedHub:
        """Return a hub that can be, or raise what is wrong with it."""
        if words := self.refusal(hub):
            raise InvalidValue(words)
        return hub

    def fit_frames(self, hub: DesignedHub, frames: IntArray) -> DesignedHub:
        """Return the hub whose match frames are these, whatever grows by itself: hands put in and take out the rest."""
        grown = self.grow(hub).frames
        added, removed = np.setdiff1d(frames, grown), np.setdiff1d(grown, frames)
        return replace(hub, added=tuple(added.tolist()), removed=tuple(removed.tolist()))
