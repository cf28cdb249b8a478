"""Transitions: the raw motion graph of pairs of frames, with a blend for each, and the quality of their seams.

A minimum (i, j) of the frame distance becomes the transition from A's moment t_i to B's moment t_j (Kovar 2002,
section 3.3). It blends A from t_i to t_i + w with B from t_j − w to t_j, where w = (k − 1) / rate is the time between
the first and the last of a window's k frames. With T the turn and slide that lay B's window onto A's,

    displacement = pose_A(t_i)⁻¹ ∘ T ∘ pose_B(t_j)

The distance is a mean over the body: where one joint's velocity would change by more than `roughest` m/s beyond what it
does in both clips, a pair is no transition, however near it is.

The graph made here is not pruned: it also has the first and the last moment of each clip as nodes, so that what leads
nowhere can be named (`pruning`).

Differences from the paper: the paper's weights begin one frame before the window, at A_{i−1}; ours begin at A_i, where
the node is, so that an edge starts and stops at poses of the clips themselves.

Seams: how much rougher a transition is than the motions it joins.

The velocity of a joint changes from frame to frame by

    c(f) = |x(f + 1) − 2 x(f) + x(f − 1)| · rate,   m/s

in captured motion too: a foot that lands stops within a frame. A seam shows where a blend changes a joint's velocity by
more than *both* of its sources do at the same frame: excess = c_blend − max(c_A, c_B). The blend is that of a take:
root places mixed linearly, local rotations by slerp, with the weights 1 − α, α(p) = 2p³ − 3p² + 1 (Kovar 2002, eqs. 5
to 7). All joints, in the world, at the rate at which clips are compared, before feet are planted.

The frame distance is a mean over the body, so a good one can hide one bad joint; this is the check that finds it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from walkon._base.arrays import Array, BoolArray, IntArray
from walkon._base.errors import InvalidValue
from walkon._base.table import Column
from walkon._base.threads import in_chunks
from walkon.graphs.frame_distance import align
from walkon.graphs.minima import Minima
from walkon.graphs.motion_graph import PIECE, TRANSITION, MotionEdges, MotionGraph, Nodes
from walkon.graphs.point_clouds import FrameSet, sample_clips
from walkon.motion.kinematics import forward
from walkon.motion.library import Library
from walkon.transforms import planar

__all__ = [
    "ComparedMotion",
    "blend_changes",
    "blend_duration",
    "label_spans",
    "measure_seams",
    "raw_graph",
    "sort_edges",
    "velocity_changes",
]

CHUNK_TRANSITIONS = 256
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
        joints = forward(library.skeleton, places, turns).positions
        own = velocity_changes(joints, frames.starts, frames.stops, rate=frames.rate).astype(np.float32)
        return cls(library=library, frames=frames, roots=places, rotations=turns, own=own)


def velocity_changes(places: Array, starts: IntArray, stops: IntArray, *, rate: float) -> Array:
    """Return [F, J] m/s by which joints' velocities change at each frame of clips; NaN at their ends.

    Places [F, J, 3] are those of clips end to end, which begin at frames `starts` and are over at `stops`.
    """
    change = np.full(places.shape[:2], np.nan)
    change[1:-1] = np.linalg.norm(places[2:] - 2 * places[1:-1] + places[:-2], axis=-1) * rate
    change[starts] = change[stops - 1] = np.nan
    return change


def measure_seams(motion: ComparedMotion, pairs: ArrayLike, *, poses: Array) -> Array:
    """Measure transitions between pairs [M, 2] of compared frames, laid onto each other by poses [M, 3] of `align`.

    Returns [M] m/s over the larger of both sources, where that is most; 0 where it is nowhere over.
    """
    pairs = np.asarray(pairs).reshape(-1, 2)
    worst = np.zeros(len(pairs))

    def work(start: int, stop: int) -> None:
        _, excess = blend_changes(motion, pairs[start:stop], poses[start:stop])
        worst[start:stop] = np.nan_to_num(excess, nan=0.0).max(axis=(1, 2), initial=0.0)

    in_chunks(work, len(pairs), chunk=CHUNK_TRANSITIONS)
    return worst


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


def blend_duration(frames: FrameSet) -> float:
    """Return w, the seconds of a transition."""
    if frames.length < 2:
        raise InvalidValue(
            f"a window of {frames.length} frame at {frames.rate:g} frames/s is too short to blend; "
            f"give a window of at least {2 / frames.rate:.3g} s"
        )
    return (frames.length - 1) / frames.rate


def raw_graph(library: Library, frames: FrameSet, *, minima: Minima, roughest: float = np.inf) -> MotionGraph:
    """Return the graph of these transitions, before anything is cut.

    Clips that have no window take no part. What an edge is does not depend on which others there are.
    """
    w = blend_duration(frames)
    laid = _align_pairs(frames, minima.pairs)
    seam = measure_seams(ComparedMotion.of(library, frames), minima.pairs, poses=laid)
    smooth = seam <= roughest
    laid, seam, minima = laid[smooth], seam[smooth], minima.rows(smooth)
    long = frames.window_stops > frames.starts
    ends = np.concatenate([frames.starts[long], frames.stops[long] - 1])
    at = np.unique(np.concatenate([minima.frame_a, minima.frame_b, ends]))
    clip, time = frames.clips_of(at), frames.times[at]
    # A graph with nodes only: it knows the planar poses of its clips.
    bare = MotionGraph(library=library, nodes=Nodes.filled(len(at), clip=clip, time=time), edges=MotionEdges())
    pose = bare.poses_at(clip, time)

    same = np.flatnonzero(clip[1:] == clip[:-1])
    any_label, all_labels = label_spans(library, clip[same], start=time[same], stop=time[same + 1])
    pieces = MotionEdges(
        start=same,
        stop=same + 1,
        kind=np.full(len(same), PIECE),
        distance=np.zeros(len(same)),
        seam=np.zeros(len(same)),
        duration=time[same + 1] - time[same],
        displacement=planar.with_height(planar.relative(pose[same], pose[same + 1])),
        labels=any_label,
        common=all_labels,
    )

    a, b = np.searchsorted(at, minima.frame_a), np.searchsorted(at, minima.frame_b)
    leaving = label_spans(library, clip[a], start=time[a], stop=time[a] + w)
    entering = label_spans(library, clip[b], start=time[b] - w, stop=time[b])
    transitions = MotionEdges(
        start=a,
        stop=b,
        kind=np.full(len(a), TRANSITION),
        distance=minima.distance,
        seam=seam,
        duration=np.full(len(a), w),
        displacement=planar.with_height(planar.relative(pose[a], planar.compose(laid, pose[b]))),
        labels=leaving[0] | entering[0],
        common=leaving[1] & entering[1],
    )
    nodes = Nodes(clip=clip, time=time, pose=pose)
    return MotionGraph(library=library, nodes=nodes, edges=sort_edges(MotionEdges.joined([pieces, transitions])))


def _align_pairs(frames: FrameSet, pairs: IntArray) -> Array:
    """Return [M, 3] how the second clip of each pair is laid onto the first.

    The way back between the same two windows is the inverse, so each two windows are aligned once, lower first.
    """
    windows = pairs - np.array(frames.leads)
    back = windows[:, 0] > windows[:, 1]
    key = windows.min(axis=1, initial=len(frames)) * len(frames) + windows.max(axis=1, initial=0)
    keys, which = np.unique(key, return_inverse=True)
    once = np.stack([keys // len(frames), keys % len(frames)], axis=1)
    poses = align(frames, once + np.array(frames.leads)).poses[which]
    return np.where(back[:, None], planar.inverse(poses), poses)


def sort_edges(edges: MotionEdges) -> MotionEdges:
    """Return edges in the order that graphs keep: by start, then kind, then stop."""
    return edges.rows(np.lexsort((edges.stop, edges.kind, edges.start)))


def label_spans(library: Library, clip: Column, *, start: Column, stop: Column) -> tuple[IntArray, IntArray]:
    """Return the labels of stretches of clips, seconds, as bits: [M] those of any frame, and [M] those of all."""
    count = (library.stops - library.starts)[clip]
    first = library.starts[clip] + np.clip(np.rint(start * library.fps).astype(np.int64), 0, count - 1)
    after = library.starts[clip] + np.clip(np.rint(stop * library.fps).astype(np.int64), 0, count - 1) + 1
    some, every = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    for bit in range(len(library.label_names)):
        flags: BoolArray = library.labels[:, bit]
        upto = np.concatenate([[0], np.cumsum(flags)])
        frames = upto[after] - upto[first]
        some |= np.where(frames > 0, 1 << bit, 0)
        every |= np.where(frames == after - first, 1 << bit, 0)
    return some, every
