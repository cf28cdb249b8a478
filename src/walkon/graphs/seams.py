"""Seams: how much rougher a transition is than the motions it joins.

The velocity of a joint changes from frame to frame by

    c(f) = |x(f + 1) − 2 x(f) + x(f − 1)| · rate,   m/s

in captured motion too: a foot that lands stops within a frame. A seam shows where a blend changes a joint's velocity by
more than *both* of its sources do at the same frame: excess = c_blend − max(c_A, c_B). The blend is that of a take:
root places mixed linearly, local rotations by slerp, with the weights 1 − α, α(p) = 2p³ − 3p² + 1 (Kovar 2002, eqs. 5
to 7). All joints, in the world, at the rate at which clips are compared, before feet are planted.

The frame distance is a mean over the body, so a good one can hide one bad joint; this is the check that finds it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array, IntArray
from walkon._base.threads import in_chunks
from walkon.graphs.point_clouds import FrameSet, sample_clips
from walkon.motion.kinematics import forward
from walkon.motion.library import Library

__all__ = ["ComparedMotion", "Seams", "blend_changes", "measure_seams"]

CHUNK = 256
"""Transitions per task of the thread pool."""

Single = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedMotion:
    """The motion of all compared frames: what blends are made of."""

    library: Library
    frames: FrameSet
    roots: Array
    """[F, 3] metres."""
    rotations: Array
    """[F, J, 4] local."""
    own: Single
    """[F, J] m/s, by how much the velocity of each joint changes; NaN at the first and the last frame of a clip."""

    @classmethod
    def of(cls, library: Library, frames: FrameSet) -> "ComparedMotion":
        """Sample a library at the frames that are compared."""
        _, roots, rotations = zip(*sample_clips(library, frames.rate), strict=True)
        places, turns = np.concatenate(roots), np.concatenate(rotations)
        x = forward(library.skeleton, places, turns).positions
        own = np.full(x.shape[:2], np.nan, np.float32)
        own[1:-1] = np.linalg.norm(x[2:] - 2 * x[1:-1] + x[:-2], axis=-1) * frames.rate
        own[frames.starts] = own[frames.stops - 1] = np.nan
        return cls(library=library, frames=frames, roots=places, rotations=turns, own=own)


class Seams(NamedTuple):
    """The worst of each of M transitions."""

    excess: Array
    """[M] m/s over the larger of both sources; 0 where it is nowhere over."""
    frame: IntArray
    """[M] where in the blend, 0 to k − 1."""
    joint: IntArray
    """[M] which joint of the skeleton."""


def measure_seams(motion: ComparedMotion, pairs: ArrayLike, *, poses: Array) -> Seams:
    """Measure transitions between pairs [M, 2] of compared frames, laid onto each other by poses [M, 3] of `align`."""
    pairs = np.asarray(pairs).reshape(-1, 2)
    M, J = len(pairs), motion.rotations.shape[1]
    worst, where = np.zeros(M), np.zeros(M, np.int64)

    def work(start: int, stop: int) -> None:
        _, excess = blend_changes(motion, pairs[start:stop], poses[start:stop])
        flat = np.nan_to_num(excess.reshape(stop - start, -1), nan=-np.inf)
        where[start:stop] = flat.argmax(axis=1)
        worst[start:stop] = np.maximum(np.take_along_axis(flat, where[start:stop, None], axis=1)[:, 0], 0.0)

    in_chunks(work, M, chunk=CHUNK)
    return Seams(worst, where // J, where % J)


def blend_changes(motion: ComparedMotion, pairs: IntArray, poses: Array) -> tuple[Single, Single]:
    """Return change and excess [M, k, J] of every frame and joint, m/s; NaN where a clip has no frame beyond."""
    from walkon.graphs import _seam_kernels as kernels

    k, skeleton = motion.frames.length, motion.library.skeleton
    shape = (len(pairs), k, len(skeleton))
    change, excess = np.empty(shape, np.float32), np.empty(shape, np.float32)
    first, second = (np.ascontiguousarray(pairs[:, side] - motion.frames.leads[side]) for side in (0, 1))
    kernels.measure(
        skeleton.parents,
        skeleton.offsets,
        motion.roots,
        motion.rotations,
        motion.own,
        first,
        second,
        np.ascontiguousarray(poses),
        motion.frames.rate,
        change,
        excess,
    )
    return change, excess
