"""Writing what holds what: props at rest, on tracks and in hands; hands that grip, and what their fingers do.

Metres, seconds, rigid poses [7] = (x, y, z, qw, qx, qy, qz).
"""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, lock_array
from walkon._base.errors import InvalidValue, UnknownName
from walkon.geometry.tracks import Track
from walkon.motion.limbs.arms import has_arm
from walkon.motion.limbs.hands import HAND_SHAPES
from walkon.motion.skeleton import SIDES
from walkon.take import checking, hold_checking
from walkon.take.storing.numbers import as_number, as_positive
from walkon.take.storing.track_rows import split_track
from walkon.take.storing.track_writing import TrackWriting
from walkon.take.tables import NONE, Attachments, Grips, HandShapes

__all__ = ["HoldWriting"]

FADE_S = 0.25
"""s in which a hand reaches for what it grips and withdraws, unless told otherwise."""


class HoldWriting(TrackWriting):
    """The part of a writer that says where props are, and what hands do."""

    def rest(self, prop: str | int, pose: ArrayLike, *, start: float, stop: float) -> None:
        """Let a prop stand still at a pose in the world."""
        self._hold(prop, pose=pose, start=start, stop=stop)

    def attach(
        self,
        prop: str | int,
        character: str | int,
        joint: str,
        *,
        pose: ArrayLike,
        start: float,
        stop: float,
        pose_stop: ArrayLike | None = None,
    ) -> None:
        """Let a joint carry a prop, which has this pose in the joint's frame.

        With `pose_stop` it goes evenly from one pose to the other while it is held.
        """
        who, which = self._character(character), self._skeleton_of(character).index(joint)
        self._hold(prop, character=who, joint=which, pose=pose, pose_stop=pose_stop, start=start, stop=stop)

    def ride(
        self, prop: str | int, track: Track, *, pose: ArrayLike = (0, 0, 0, 1, 0, 0, 0), error: float = 0.002
    ) -> None:
        """Let a prop follow a track on its times; it has this pose in the track's frame."""
        with self._all_or_nothing():
            for part in split_track(track, error_m=as_positive(error, "error")):
                row = self.add_track(part)
                self._hold(prop, track=row, pose=pose, start=float(part.times[0]), stop=float(part.times[-1]))

    def grip(
        self,
        character: str | int,
        hand: str,
        *,
        start: float,
        stop: float,
        pose: ArrayLike | None = None,
        named: str = "",
        prop: str | int | None = None,
        other: str | int | None = None,
        joint: str = "",
        pose_stop: ArrayLike | None = None,
        fade_in: float = FADE_S,
        fade_out: float = FADE_S,
        swivel: float | tuple[float, float] = 0.0,
        shape: str = "",
    ) -> None:
        """Let a hand ("left" or "right") hold on to something from start to stop: the palm has this pose in its frame.

        A prop may have named grips (`Prop.grips`), which say the pose and the shape of the hand: `named="handle"`.
        That is the frame of a prop, of a joint of another character (or of one's own that does not hang on that arm),
        or, with neither, the stage. With `pose_stop` (and two swivels) the palm goes evenly from one pose to the other.
        The arm reaches for it in the `fade_in` seconds before, and withdraws in the `fade_out` seconds after. `shape`
        is what the fingers do meanwhile (`shape_hand`).
        """
        who, side = self._character(character), self._side_of(character, hand)
        thing = NONE if prop is None else self._prop(prop)
        whose = NONE if other is None else self._character(other)
        if (whose < 0) != (not joint):
            raise InvalidValue("a grip on somebody needs the joint it holds on to, and on nobody none")
        if named:
            pose, shape = self._named_grip(thing, named, hand, pose=pose, shape=shape)
        if pose is None:
            raise InvalidValue("a grip needs the pose of the palm in the frame of what it holds, or a named grip")
        turns = np.atleast_1d(np.asarray(swivel, np.float64))
        if turns.shape not in ((1,), (2,)):
            raise InvalidValue(f"a swivel is one angle, or two at start and stop, got {swivel!r}")
        row = Grips.filled(
            1,
            character=who,
            hand=side,
            start=as_number(start, "start"),
            stop=as_number(stop, "stop"),
            fade_in=fade_in,
            fade_out=fade_out,
            prop=thing,
            other=whose,
            joint=NONE if whose < 0 else self._skeleton_of(whose).index(joint),
            pose=_both_poses(pose, pose_stop, "a grip"),
            swivel=turns,
        )
        hold_checking.check_grip_rows(row)
        checking.check_rows(row, self._row_counts())
        if thing >= 0 and not self._holds.has_source(thing):
            raise InvalidValue(
                f"prop {self._props[thing].name!r} is nowhere, so no hand can grip it; rest, ride or attach it first"
            )
        with self._all_or_nothing():
            self._holds.add_grip(row, self._prop_names())
            self._add("grips", row)
            if shape:
                self.shape_hand(character, hand, shape, start=start, stop=stop, fade_in=fade_in, fade_out=fade_out)

    def shape_hand(
        self,
        character: str | int,
        hand: str,
        shape: str,
        *,
        start: float,
        stop: float,
        fade_in: float = FADE_S,
        fade_out: float = FADE_S,
    ) -> None:
        """Let the fingers of a hand take a shape from start to stop: one of `walkon.motion.limbs.hands.HAND_SHAPES`."""
        UnknownName.check("shape of a hand", shape, HAND_SHAPES)
        row = HandShapes.filled(
            1,
            character=self._character(character),
            hand=self._side_of(character, hand),
            start=as_number(start, "start"),
            stop=as_number(stop, "stop"),
            fade_in=fade_in,
            fade_out=fade_out,
            shape=HAND_SHAPES.index(shape),
        )
        hold_checking.check_shape_rows(row)
        self._holds.add_shape(row)
        self._add("hand_shapes", row)

    def _prop(self, prop: Any) -> int:
        """Return the row of a prop, by name or row."""
        names = self._prop_names()
        if isinstance(prop, str):
            UnknownName.check("prop", prop, names)
            return names.index(prop)
        if not (isinstance(prop, Integral) and 0 <= int(prop) < len(names)):
            there = f"there are {len(names)}, 0 to {len(names) - 1}" if names else "there are none yet; add one first"
            raise InvalidValue(f"there is no prop {prop!r}; {there}")
        return int(prop)

    def _hold(self, prop: str | int, *, pose: ArrayLike, pose_stop: ArrayLike | None = None, **where: Any) -> None:
        holder = {"character": NONE, "joint": NONE, "track": NONE} | where
        row = Attachments.filled(1, prop=self._prop(prop), pose=_both_poses(pose, pose_stop, "an attachment"), **holder)
        hold_checking.check_attachment_rows(row)
        checking.check_rows(row, self._row_counts())
        self._change()
        self._holds.add_source(row, self._prop_names())
        self._add("attachments", row)

    def _named_grip(
        self, prop: int, named: str, hand: str, *, pose: ArrayLike | None, shape: str
    ) -> tuple[ArrayLike, str]:
        """Return the pose and the shape of the hand of a prop's grip."""
        if prop < 0 or pose is not None:
            raise InvalidValue(f"the grip {named!r} is a prop's: name the prop, and give no pose besides")
        grip = self._props[prop].grip(named)
        if grip.hand not in ("either", hand):
            raise InvalidValue(
                f"the grip {named!r} of {self._props[prop].name!r} is for the {grip.hand} hand, not the {hand} one"
            )
        return grip.pose, shape or grip.shape

    def _prop_names(self) -> list[str]:
        return [thing.name for thing in self._props]

    def _side_of(self, character: str | int, hand: str) -> int:
        """Return the row of a hand, 0 left or 1 right, that the character has."""
        UnknownName.check("hand", hand, SIDES)
        if not has_arm(self._skeleton_of(character), hand):
            name = self._texts["names"][self._character(character)]
            raise InvalidValue(
                f"{name!r} has no {hand} arm that could grip: its skeleton needs joints in the roles {hand}_shoulder, "
                f"{hand}_elbow and {hand}_wrist"
            )
        return SIDES.index(hand)


def _both_poses(pose: ArrayLike, pose_stop: ArrayLike | None, what: str) -> Array:
    """Return the poses [1, 2, 7] at start and stop."""
    first = lock_array(pose, (7,), name=f"the pose of {what}")
    last = first if pose_stop is None else lock_array(pose_stop, (7,), name=f"the pose of {what} at its stop")
    return np.stack([first, last])[None]
