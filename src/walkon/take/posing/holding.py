"""Holding: where props are, and arms solved onto what hands grip. World frame, metres, seconds, rigid poses [7].

*Props.* At any moment a prop has one source of its pose, the attachment with start ≤ t < stop. Its own pose (a, A)
goes evenly from that at its start to that at its stop, places straight and rotations by normalised mixing, and the prop
is at

    (a, A)                                    at rest
    T(t) ∘ (a, A)                             on a track, with the track's pose T
    (p, R) ∘ (a, A) = (p + R a, R A)          held by a joint with world pose (p, R)                               (1)

In a gap, and after the last attachment, it stays where it was left: the one before, posed at the time it ended. Before
the first it is where the first puts it at its start. A prop that is kept level turns about the vertical only. It is
absent where it was never attached, and while the character that holds it is.

*Grips.* While start ≤ t < stop of a grip the palm is at F(t) ∘ G(t), where F is the frame it holds on to (a prop, the
stage, a joint of a character) and G goes evenly from one pose to another like (a, A). With the palm's frame Q in that
of the wrist, the wrist is at F ∘ G ∘ Q⁻¹; shoulder and elbow are solved for it (`motion.limbs.limb`: the elbow's hinge
is the clip's, mixed while blending; the plane of the bend stays where it was, but for the swivel). Fades mix local
rotations of shoulder, elbow and wrist with what the arm does otherwise, by slerp with C1 weights; between two grips the
first is let go while the second is reached for. Where the frame is absent nothing is solved.

*Order.* Bodies and legs are posed first, then what hands and props rest on, as deep as it goes: a prop in another's
hand, that hand on a cart, the cart on a track. Only the arm in question is asked for, so that both hands of somebody
may be on a box of which one has it. Rows that would go round in a circle cannot be written (`checking`).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from walkon._base.arrays import Array, IntArray
from walkon._base.table import Column
from walkon._base.threads import in_chunks
from walkon.take.posing.posing_rule import GRIP_FADE_SHARE, MAX_HOLD_DEPTH, SHAPE_FADE_SHARE
from walkon.take.posing.track_poses import read_tracks
from walkon.take.tables import Attachments, Grips, HandShapes
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid
from walkon.transforms.easing import smoothstep

if TYPE_CHECKING:
    from walkon.take.take import Take

__all__ = ["BodyArrays", "find_shapes", "grip_frames", "held_poses", "joint_poses", "prop_pose_pairs", "solve_hands"]

POSED_AT_ONCE_COUNT = 8192
"""Bodies that are posed at once to find their holding joints: some ten megabytes."""
CHUNK_ARM_COUNT = 256
"""Arms per task of the thread pool."""
UP = np.array([0.0, 0.0, 1.0])
STAGE_FRAME = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


class BodyArrays(NamedTuple):
    """K posed bodies, written in place."""

    positions: Array
    """[K, J, 3]."""
    rotations: Array
    """[K, J, 4]."""
    presence: Column
    """[K]."""
    segments: IntArray
    """[K]."""
    missed: Array
    """[K, 2] m by which left and right hand fall short."""


def held_poses(rows: Attachments | Grips, times: Array) -> Array:
    """Return the poses [n, 7] of attachments or grips [n] at times [n], each in the frame of what holds it."""
    share = np.clip((times - rows.start) / np.maximum(rows.stop - rows.start, 1e-9), 0.0, 1.0)[:, None]
    first, last = rows.pose[:, 0], rows.pose[:, 1]
    sign = np.where(np.sum(first[:, 3:] * last[:, 3:], axis=1, keepdims=True) < 0, -1.0, 1.0)
    turn = quat.normalize((1 - share) * first[:, 3:] + share * sign * last[:, 3:])
    mixed = np.concatenate([(1 - share) * first[:, :3] + share * last[:, :3], turn], axis=1)
    # What does not change is the same to the last bit.
    return np.where((first == last).all(axis=1, keepdims=True), first, mixed)


def prop_pose_pairs(take: "Take", props: IntArray, when: Array, *, depth: int = 0) -> Array:
    """Return the poses [M, 7] of props [M] at times [M] s; NaN where they are nowhere. `depth` holds led here."""
    from walkon.take.posing import _arm_kernels

    holds = take.holds
    found, row = np.full((len(props), 7), np.nan), np.empty(len(props), np.int64)
    _arm_kernels.find_sources(holds.first_attachment, holds.attachments.start, props, when, row)
    cells = np.flatnonzero(row >= 0)
    a = holds.attachments.rows(row[cells])
    posed = np.clip(when[cells], a.start, a.stop)
    frames = np.tile(STAGE_FRAME, (len(cells), 1))
    riding = np.flatnonzero(a.track >= 0)
    frames[riding] = read_tracks(take, a.track[riding], a.track_start[riding] + posed[riding] - a.start[riding])
    held = np.flatnonzero(a.character >= 0)
    frames[held] = joint_poses(take, a.character[held], a.joint[held], posed[held], depth=depth)
    found[cells] = rigid.compose(frames, held_poses(a, posed))
    level = cells[holds.level[props[cells]]]
    found[level, 3:] = quat.swing_twist(found[level, 3:], UP)[1]
    return found


def joint_poses(take: "Take", who: Column, joint: Column, when: Array, *, depth: int = 0) -> Array:
    """Return the poses [M, 7] of joints [M] of characters [M] at times [M] s, their arm solved; NaN where absent."""
    from walkon.take.posing.posing import pose_pairs

    found = np.full((len(who), 7), np.nan)
    if depth > MAX_HOLD_DEPTH:
        return found
    arms = take.holds.arms
    # Where nobody plays a clip bodies are posed as one joint, and the others are there too.
    joint = np.minimum(joint, arms.side.shape[1] - 1)
    arm = arms.side[take.characters.body[who], joint]
    order = np.lexsort((arm, when, who))
    changes = [np.diff(key[order], prepend=np.nan) != 0 for key in (who, when, arm.astype(np.float64))]
    fresh = np.logical_or.reduce(changes)
    body, heads = np.cumsum(fresh) - 1, order[fresh]
    solved = np.where(arm < 0, 0, 1 << np.maximum(arm, 0))
    for k in range(0, len(heads), POSED_AT_ONCE_COUNT):
        part = heads[k : k + POSED_AT_ONCE_COUNT]
        poses = pose_pairs(take, who[part], when[part], hands=solved[part], depth=depth)
        mine = (body >= k) & (body < k + POSED_AT_ONCE_COUNT)
        near, at = body[mine] - k, order[mine]
        found[at] = np.concatenate([poses.positions[near, joint[at]], poses.rotations[near, joint[at]]], axis=1)
    return found


def _find_rows(
    table: Grips | HandShapes, first: IntArray, share: float, who: Column, when: Array
) -> tuple[IntArray, Array]:
    """Return the rows [K, 2, 2] that hold hands of characters [K] at times [K], −1 for none, and their weights."""
    from walkon.take.posing import _arm_kernels

    rows, weights = np.empty((len(who), 2, 2), np.int64), np.empty((len(who), 2, 2))
    _arm_kernels.find_holds(
        first, table.start, table.stop, table.fade_in, table.fade_out, share, who, when, rows, weights
    )
    return rows, weights


def find_shapes(take: "Take", who: Column, when: Array) -> tuple[Column, Array]:
    """Return the shapes [K, 2] of hands of characters [K] at times [K], 0 relaxed, and their weights [K, 2]."""
    if not len(take.hand_shapes):
        return np.zeros((len(who), 2), np.uint8), np.zeros((len(who), 2))
    shapes = take.holds.shapes
    rows, weights = _find_rows(shapes, take.holds.first_shape, SHAPE_FADE_SHARE, who, when)
    # Of two rows that follow each other closely only one counts at a time.
    late = (weights[..., 1] > weights[..., 0]).astype(np.int64)[..., None]
    row, weight = np.take_along_axis(rows, late, axis=2)[..., 0], np.take_along_axis(weights, late, axis=2)[..., 0]
    return np.where(row >= 0, shapes.shape[row], 0).astype(np.uint8), weight


def solve_hands(take: "Take", who: Column, when: Array, hands: IntArray, bodies: BodyArrays, *, depth: int = 0) -> None:
    """Solve the arms of posed characters [K] at times [K] onto their grips, in place; bits of hands [K] say which."""
    holds = take.holds
    rows, weights = _find_rows(holds.grips, holds.first_grip, GRIP_FADE_SHARE, who, when)
    asked = ((hands[:, None] >> np.arange(2)) & 1 > 0) & (bodies.presence == 1)[:, None]
    for late in range(2):
        k, hand = np.nonzero(asked & (rows[..., late] >= 0))
        if len(k):
            grips = holds.grips.rows(rows[k, hand, late])
            palms = rigid.compose(grip_frames(take, grips, when[k], depth=depth + 1), held_poses(grips, when[k]))
            _solve_arms(take, grips, palms, who[k], when[k], weights[k, hand, late], k, bodies)


def _solve_arms(
    take: "Take",
    grips: Grips,
    palms: Array,
    who: Column,
    when: Array,
    weights: Array,
    at: IntArray,
    bodies: BodyArrays,
) -> None:
    """Solve arms so that palms are at palms [M, 7] at times [M]; `at` [M] are the rows of the bodies, each arm once."""
    from walkon.take.posing import _arm_kernels

    hinges = _elbow_hinges(take, bodies.segments[at], grips.hand, when)
    share = np.clip((when - grips.start) / np.maximum(grips.stop - grips.start, 1e-9), 0.0, 1.0)
    swivels = (1 - share) * grips.swivel[:, 0] + share * grips.swivel[:, 1]
    body, scale = take.characters.body[who].astype(np.int64), take.characters.scale[who].astype(np.float64)
    there = np.flatnonzero(np.isfinite(palms[:, 0]) & (hinges != 0).any(axis=1))
    columns = [at, body, grips.hand.astype(np.int64), scale, hinges, palms, swivels, weights]
    columns = [np.ascontiguousarray(values[there]) for values in columns]
    arms, rigs = take.holds.arms.group, take.score.rigs

    def work(a: int, b: int) -> None:
        _arm_kernels.solve_arms(
            arms,
            rigs.joints,
            rigs.parents,
            rigs.offsets,
            *(values[a:b] for values in columns),
            bodies.positions,
            bodies.rotations,
            bodies.missed,
        )

    in_chunks(work, len(there), chunk=CHUNK_ARM_COUNT)


def grip_frames(take: "Take", grips: Grips, when: Array, *, depth: int = 0) -> Array:
    """Return the poses [M, 7] of what grips [M] hold on to at times [M]; NaN where it is absent."""
    frames = np.tile(STAGE_FRAME, (len(grips), 1))
    things = np.flatnonzero(grips.prop >= 0)
    frames[things] = prop_pose_pairs(take, grips.prop[things].astype(np.int64), when[things], depth=depth)
    people = np.flatnonzero(grips.other >= 0)
    frames[people] = joint_poses(take, grips.other[people], grips.joint[people], when[people], depth=depth)
    return frames


def _elbow_hinges(take: "Take", segments: IntArray, hand: Column, when: Array) -> Array:
    """Return the unit axes [M, 3] of elbows in segments [M] at times [M], in the shoulders' frames; 0 without one."""
    s, axes = take.segments, take.clips.rows.hinges[:, 2:].astype(np.float64)
    hinges = axes[s.clip[segments], hand]
    fading = np.flatnonzero(s.blend[segments] >= 0)
    blend = s.blend[segments[fading]]
    span = take.blends.duration[blend].astype(np.float64)
    w = smoothstep((when[fading] - s.start[segments[fading]]) / span)[:, None]
    hinges[fading] = (1 - w) * axes[take.blends.clip[blend], hand[fading]] + w * hinges[fading]
    size = np.linalg.norm(hinges, axis=1, keepdims=True)
    return np.where(size > 1e-6, hinges / np.maximum(size, 1e-6), 0.0)
