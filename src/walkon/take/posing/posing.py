"""Posing (blending, forward and inverse kinematics): every character's joints in the world at any time.

For a character at time t, in this order (see `tables` for the symbols):

1. *Segment.* The last one with start ≤ t, if t ≤ stop; without one, or outside the character's `enter` and `leave`
   (where these differ), the character is absent. Its clip is read at u(t), between frames linearly (places) and by
   normalised mixing (rotations), and placed: root = R(heading) stride p + (x, y), height = scale · (leg of the body /
   leg of the clip's skeleton) · z.
2. *Blend.* While it fades in, root places are mixed linearly and all rotations by slerp with C1 weights.
3. *Warp.* The root is shifted by d(t) and the body turned about it by φ(t). *Height*: the root is lifted by the
   character's height curve (`Heights`). Where there is a track, the clip's world is the track's frame instead: root =
   place ∘ track(t) ∘ p, and the track has the height.
4. *Overrides* replace local rotations of joints, or add to them, and add offsets to the root. 5. *Drop*: the root comes
   down by the B-spline of `Drops`, its steps counted from the character's `drop_start`. Joints are placed.
6. *Feet.* With ankle a, heel h and ball b of the clip's own foot (not dropped), its toes bent (`toes`) by what heel and
   ball need where both are down and otherwise as the stance says, eased like the turn:

       heel and ball down:   turn = smallest rotation of (b − h) onto (B − H),   a' = B − turn (b − a)
       only the ball:        turn from the stance,                               a' = B − turn (b − a)
       only the heel:        turn from the stance,                               a' = H − turn (h − a)
       neither (swing):      turn eased and shift on a cubic between stances,     a' = a + shift

   where H and B are the plants, and the turn while flat is followed by the stance's `roll` about B − H (the floor's
   slope across). A swing of share p is `lift` · 16 p² (1 − p)² higher and begins with `turn_off`; a foot on its ball
   after its heel rises where its leg would stretch, and in a swing a' comes nearer to the hip (`heel_rise`). Before the
   first stance and after the last their shift and turn are kept. The turn from the stance is `turn_in` until heel and
   ball are both down and `turn_out` from then on; where the next (or the previous) stance begins within a millisecond,
   it is eased from one to the other between the two times of lying flat.
   Hip and knee are solved for a' (law of cosines; the knee's hinge is the clip's, mixed while blending), the foot turns
   by `turn`, and the toes ride along: planted points stand still to rounding, at any t, at any rate.

7. *Hands* that hold on to something: arms are solved onto their grips, what they hold on to first (`holding`).

A stretch of a track alone poses no joints: all are at the root, which is where the track is, or, of somebody who can
stand, as high above it as at rest. Nothing depends on what was asked before.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column
from walkon._base.threads import in_chunks
from walkon.take.posing.holding import BodyArrays, find_shapes, solve_hands
from walkon.take.posing.toes import rigs_of_legs
from walkon.transforms import angles
from walkon.transforms import quaternions as quat

if TYPE_CHECKING:
    from walkon.take.posing.score_rule import Rigs
    from walkon.take.take import Take

__all__ = ["ABSENT", "BOTH_HANDS", "PLANAR", "POSED", "Poses", "check_times", "pose_pairs"]

ABSENT, PLANAR = 0, 2
"""Values of `Poses.presence`; 1 is a whole body."""
BOTH_HANDS = 3
POSED = (
    *("positions", "rotations", "presence", "contacts", "missed", "hands_missed", "hand_shapes", "hand_weights"),
    "segments",
)
"""Fields of `Poses` that have its leading axes."""
CHUNK_BODY_COUNT = 512
"""Bodies per task of the thread pool: handing the kernel all tables of a score costs as much as ten bodies."""
CHUNK_TRACK_COUNT = 4096
"""Tracks per task."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Poses:
    """Characters posed in the world: [N] of them at one time, or [T, N] at several; absent ones are NaN."""

    positions: Array
    """[..., J, 3] metres."""
    rotations: Array
    """[..., J, 4] joint → world."""
    presence: Column
    """[...] 0 absent, 1 a whole body, 2 a track only."""
    contacts: BoolArray
    """[..., 4] which heels and balls bear, in the order of `FOOT_CONTACTS`."""
    missed: Array
    """[..., 2] metres by which the left and the right leg fall short of their plants; 0 where all is well."""
    hands_missed: Array
    """[..., 2] metres by which the left and the right hand fall short of what they grip."""
    hand_shapes: Column
    """[..., 2] what the fingers of the left and the right hand do: row of `walkon.motion.limbs.hands.HAND_SHAPES`."""
    hand_weights: Array
    """[..., 2] how much of that, 0 (relaxed) to 1."""
    segments: IntArray
    """[...] row of `Take.segments`, −1 where absent."""
    bodies: Column
    """[N] row of `Take.bodies` of each character."""
    rigs: "Rigs"

    def __repr__(self) -> str:
        shape = " x ".join(str(n) for n in self.presence.shape)
        return f"Poses({shape} characters of {self.positions.shape[-2]} joints, {int(self.present.sum())} present)"

    @property
    def present(self) -> BoolArray:
        """[...] whether the character is there."""
        return self.presence != ABSENT

    @property
    def planar(self) -> Array:
        """[..., 3] = (x, y, heading) of each character (see `walkon.motion.kinematics`)."""
        hips = self.rigs.legs[self.bodies, :, 0]
        legged = hips[:, 0] >= 0
        ahead = quat.rotate(self.rotations[..., 0, :], np.array([1.0, 0.0, 0.0]))[..., :2]
        if legged.any():
            column = np.arange(len(hips))[legged]
            across = self.positions[..., column, hips[legged, 0], :2] - self.positions[..., column, hips[legged, 1], :2]
            # Where only a track is posed the hips are where the root is, which faces along the track.
            posed = self.presence[..., column, None] != PLANAR
            sideways = np.stack([across[..., 1], -across[..., 0]], axis=-1)
            ahead[..., column, :] = np.where(posed, sideways, ahead[..., column, :])
        heading = angles.wrap(np.arctan2(ahead[..., 1], ahead[..., 0]))
        return np.concatenate([self.positions[..., 0, :2], heading[..., None]], axis=-1)

    @property
    def local_rotations(self) -> Array:
        """[..., J, 4] joint → parent, root → world, as files want them."""
        parents = self.rigs.parents[self.bodies]
        above = np.take_along_axis(self.rotations, np.broadcast_to(parents[..., None], self.rotations.shape), axis=-2)
        local = quat.multiply(quat.conjugate(above), self.rotations)
        local[self.presence == PLANAR] = quat.IDENTITY
        local[..., 0, :] = self.rotations[..., 0, :]
        return local


def check_times(times: ArrayLike) -> Array:
    """Return times [T] in seconds as they are asked for, one or a list, checked."""
    try:
        when = np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError):
        when = np.full(1, np.nan)
    if when.ndim != 1 or not np.isfinite(when).all():
        raise InvalidValue(f"times must be a list of finite seconds, got {times!r}")
    return when


def pose_pairs(
    take: "Take",
    who: ArrayLike,
    when: ArrayLike,
    *,
    legs: bool = True,
    hands: ArrayLike = BOTH_HANDS,
    depth: int = 0,
    legs_alone: bool = False,
) -> Poses:
    """Pose characters who [K] at when [K] seconds, one by one; `Poses` with leading axis [K].

    With `legs=False` the clips' own legs are left as they are: what the feet would do without plants. Bits of `hands`
    (1 left, 2 right; one for all or [K]) say which arms are solved onto their grips; so many holds led here: `depth`.
    With `legs_alone` joints that lead to no foot are as at rest, which is faster and changes no leg.
    """
    from walkon.take.posing import _kernels, _track_kernels

    score = take.score
    if legs_alone:
        score = score._replace(rigs=rigs_of_legs(score.rigs))
    who = np.ascontiguousarray(who, np.int32)
    when = np.ascontiguousarray(when, np.float64)
    K, J = len(who), score.rigs.parents.shape[1]
    positions, rotations = np.empty((K, J, 3)), np.empty((K, J, 4))
    presence, bits = np.empty(K, np.uint8), np.empty(K, np.uint8)
    missed, segments = np.empty((K, 2)), np.empty(K, np.int64)

    def place(a: int, b: int) -> None:
        _track_kernels.pose_tracks(
            score, who[a:b], when[a:b], positions[a:b], rotations[a:b], presence[a:b], segments[a:b]
        )

    def work(a: int, b: int) -> None:
        _kernels.pose(
            score,
            who[a:b],
            when[a:b],
            legs,
            positions[a:b],
            rotations[a:b],
            presence[a:b],
            bits[a:b],
            missed[a:b],
            segments[a:b],
        )

    if (score.segments.clip >= 0).any():
        in_chunks(work, K, chunk=CHUNK_BODY_COUNT)
    else:
        bits[:], missed[:] = 0, 0.0
        in_chunks(place, K, chunk=CHUNK_TRACK_COUNT)
    bodies = BodyArrays(positions, rotations, presence, segments, np.zeros((K, 2)))
    wanted = np.broadcast_to(np.asarray(hands, np.int64), (K,))
    if len(take.grips) and wanted.any():
        solve_hands(take, who, when, wanted, bodies, depth=depth)
    shapes, weights = find_shapes(take, who, when)
    return Poses(
        positions=positions,
        rotations=rotations,
        presence=presence,
        contacts=(bits[:, None] >> np.arange(4, dtype=np.uint8)) & 1 > 0,
        missed=missed,
        hands_missed=bodies.missed,
        hand_shapes=shapes,
        hand_weights=weights,
        segments=segments,
        bodies=score.characters.body[who],
        rigs=score.rigs,
    )
