"""Writing takes: characters, clips and segments go in, a planted take comes out, at once or piece by piece.

    with TakeWriter("crowd.take") as writer:
        body = writer.add_body(Body.of(library.skeleton))
        ann = writer.add_character("ann", body=body)
        writer.perform(ann, library["walk"], start=0.0, place=(2.0, 1.0, 0.0))
    take = writer.take

Without a path the take is only held in memory. Thousands of characters go in at once with `add_characters` and
`add_segments`. `flush` appends what came since the last one to the file, which can be read while it grows, and plants
feet for good as far as that is possible; a take that was flushed step by step is the same as one written at once.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import lock_array
from walkon._base.errors import InvalidValue
from walkon.motion.clip import Clip
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.script import Mark
from walkon.take import checking
from walkon.take.storing.hold_writing import HoldWriting
from walkon.take.storing.numbers import as_number, as_positive, as_rates, as_row, played_seconds
from walkon.take.storing.rotations48 import pack
from walkon.take.tables import (
    FACING,
    HEIGHT,
    MEANT,
    NONE,
    POSE,
    POSITION,
    WINDOW,
    Blends,
    MarkTable,
    OverrideFrames,
    OverrideJoints,
    OverrideRoots,
    Overrides,
    Segments,
    Warps,
)

__all__ = ["TakeWriter"]


class TakeWriter(HoldWriting):
    """Collects a take. Use it in a `with` block: leaving it closes the file, an error leaves what was flushed."""

    def add_character(
        self,
        name: str,
        *,
        body: int = 0,
        scale: float = 1.0,
        colour: tuple[float, float, float] | None = None,
        near: float | None = None,
    ) -> int:
        """Add a character and return its row; without a colour it has its body's.

        Where floors lie above each other it enters on the one nearest to the height `near` (m), or on the highest.
        """
        looks = None if colour is None else [colour]
        return int(self.add_characters([name], body=[body], scale=[scale], colour=looks, near=near)[0])

    def perform(
        self,
        character: str | int,
        clip: Clip | int,
        *,
        start: float,
        place: ArrayLike = (0.0, 0.0, 0.0),
        stop: float | None = None,
        clip_start: float = 0.0,
        rate: float | tuple[float, float] = 1.0,
        warp: Warps | None = None,
        blend: Blends | None = None,
        edge: int = NONE,
        mark: int = NONE,
        reason: str = "",
    ) -> float:
        """Let one character play a clip from `start` on, to `stop` or the clip's end; returns when it stops.

        `place` is (x, y, heading[, z]): where the clip's own world lies on the stage; with z, the floor under it is so
        high from start to stop (see `lift`). A rate of (a, b) runs evenly from a to b times real speed; a pose is held
        with rate 0 for as long as `stop` says.
        """
        row = self.add_clip(clip) if isinstance(clip, Clip) else as_row(clip, "clip")
        rates = as_rates(rate)
        start = as_number(start, "start")
        if not 0 <= row < len(self._clips):
            raise InvalidValue(f"there is no clip {row}; there are {len(self._clips)}: add it first")
        stop = start + played_seconds(self._clips[row], start, stop, clip_start=clip_start, rates=rates)
        given = lock_array(place, (None,), name="place")
        if len(given) not in (3, 4):
            raise InvalidValue(f"place must be (x, y, heading) or (x, y, heading, z), got {place!r}")
        who = self._character(character)
        told = self._in_words(who, start, stop, reason)
        segment = Segments.filled(
            1,
            character=who,
            start=start,
            stop=stop,
            clip=row,
            clip_start=clip_start,
            rate_start=rates[0],
            rate_stop=rates[1],
            place=given[:3],
            warp=NONE if warp is None else 0,
            blend=NONE if blend is None else 0,
            track=NONE,
            edge=edge,
            mark=mark,
        )
        self.add_segments(segment, warps=warp, blends=blend)
        self._tell(told, reason)
        if len(given) == 4:
            self.lift(character, [start, stop], [given[3], given[3]], slopes=[0.0, 0.0])
        return stop

    def override(
        self,
        character: str | int,
        joints: Mapping[str, ArrayLike] | None = None,
        *,
        start: float,
        rate: float,
        root: ArrayLike | None = None,
        added: bool = False,
        fade_in: float = 0.2,
        fade_out: float = 0.2,
    ) -> float:
        """Replace local rotations of some joints (name → [T, 4], `rate` frames per second); returns when it stops.

        With `added`, rotations are added to the joints' own (local = own · track). `root` [T, 3] m is added to the
        root's place, in the stage's axes, before legs are solved: planted feet stay where they are.
        """
        skeleton, joints = self._skeleton_of(character), joints or {}
        order = sorted(joints, key=skeleton.index)
        tracks = [lock_array(joints[name], (None, 4), name=f"the rotations of {name!r}") for name in order]
        offsets = np.zeros((0, 3)) if root is None else lock_array(root, (None, 3), name="the offsets of the root")
        lengths = {len(track) for track in tracks} | ({len(offsets)} if root is not None else set())
        if len(lengths) != 1:
            raise InvalidValue("an override needs at least one joint or the root, and as many frames for each")
        for name, track in zip(order, tracks, strict=True):
            if len(track) and np.linalg.norm(track, axis=1).min() < 1e-6:
                raise InvalidValue(f"the rotations of {name!r} must be quaternions, but one of them is zero")
        start, rate = as_number(start, "start"), as_positive(rate, "rate")
        T = lengths.pop()
        stop = start + (T - 1) / rate
        row = Overrides.filled(
            1,
            character=self._character(character),
            start=start,
            stop=stop,
            fade_in=fade_in,
            fade_out=fade_out,
            rate=rate,
            frames=T,
            added=int(added),
            joints=[0, len(order)],
            rotations=[0, T * len(order)],
            roots=[0, len(offsets)],
        )
        checking.check_override_rows(row)
        if len(offsets) or any(skeleton.index(name) in _legs_of(skeleton) for name in order):
            self._feet.check_override(self._texts["names"], row)
        self._add_rows("overrides", row, joints="override_joints", rotations="override_frames", roots="override_roots")
        self._add("override_joints", OverrideJoints(joint=np.array([skeleton.index(name) for name in order], np.int32)))
        turns = np.stack(tracks, axis=1) if tracks else np.zeros((0, 1, 4))
        self._add("override_frames", OverrideFrames(rotation=pack(turns).reshape(-1, 3)))
        self._add("override_roots", OverrideRoots(offset=offsets))
        return stop

    def add_mark(self, character: str | int, mark: Mark, *, met: float | None = None) -> int:
        """Add a mark and when the take means to meet it (None: it does not); returns its row."""
        asked = {POSITION: mark.position, FACING: mark.facing, POSE: mark.pose, WINDOW: mark.window, MEANT: met}
        asked[HEIGHT] = mark.z
        row = MarkTable.filled(
            1,
            character=self._character(character),
            asks=sum(bit for bit, value in asked.items() if value is not None),
            position=mark.position or (0.0, 0.0),
            height=mark.z or 0.0,
            facing=mark.facing or 0.0,
            window=mark.window or (0.0, 0.0),
            hold=mark.hold,
            met=0.0 if met is None else met,
        )
        checking.check_mark_rows(row)
        first = self._add_rows("marks", row)
        self._texts["mark_names"].append(mark.name)
        self._texts["mark_poses"].append(mark.pose or "")
        self._mark_of += row.character.tolist()
        return first


def _legs_of(skeleton: Skeleton) -> set[int]:
    """Return the root and all joints that lead to the feet."""
    roles = (f"{side}_ball" for side in SIDES) if skeleton.has_feet else ()
    return {0, *(joint for role in roles for joint in skeleton.line_up(skeleton.role(role)))}
