"""Gleicher, Shin, Kovar, Jepsen 2003, section 4.2.1 and equation 5: transforms that agree, and the common pose."""

import numpy as np
import pytest

from snap_walks import walks
from walkon.graphs.frame_distance import align
from walkon.graphs.point_clouds import library_frames
from walkon.graphs.snap_together.build import build_snap_graph, compared
from walkon.graphs.snap_together.cutting import common_pose
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.matching import match_sets
from walkon.motion.kinematics import forward
from walkon.transforms import planar
from walkon.transforms import quaternions as quat


@pytest.fixture(scope="module")
def library():
    return walks(0.95, 1.1, 1.25)


@pytest.fixture(scope="module")
def frames(library):
    return compared(library)


@pytest.fixture(scope="module")
def found(frames):
    return match_sets.largest(frames, threshold=0.05)


def test_transforms_through_the_base_are_consistent_and_pairwise_ones_are_not(frames, found):
    base = common_pose.find_central(frames, found.frames)
    to_base = common_pose.lay_on_base(frames, found.frames, base)  # T_kb
    n = len(found.frames)
    through = planar.compose(planar.inverse(to_base)[None, :], to_base[:, None])  # T_pq = T_bq T_pb
    alone = np.array(
        [[align(frames, [(found.frames[q], found.frames[p])]).poses[0] for q in range(n)] for p in range(n)]
    )

    def worst(T):
        gaps = [
            planar.relative(planar.compose(T[q, r], T[p, q]), T[p, r])
            for p in range(n)
            for q in range(n)
            for r in range(n)
        ]
        return np.abs(gaps).max()

    assert worst(through) < 1e-9
    assert worst(alone) > 1e-5


def test_the_base_is_the_most_central_match_frame(frames, found):
    n = len(found.frames)
    sums = [align(frames, np.column_stack([np.full(n, f), found.frames])).distances.sum() for f in found.frames]
    assert common_pose.find_central(frames, found.frames) == int(np.argmin(sums))


def test_without_constraints_the_common_pose_is_the_average_of_aligned_frames(library, frames, found):
    at = library_frames(library, frames)[found.frames]
    base = common_pose.find_central(frames, found.frames)
    laid = common_pose.lay_on_base(frames, found.frames, base)
    moved = common_pose.move_frames(laid, Frames(library.root_positions[at], library.local_rotations[at]))
    mean = common_pose.mean_pose(moved)
    assert np.allclose(mean.roots, moved.roots.mean(axis=0))
    # The mean turns the joints the least: small turns to either side only make the sum of squares larger.
    rng = np.random.default_rng(0)
    best = (quat.angle_between(moved.rotations, mean.rotations) ** 2).sum(axis=0)
    for _ in range(5):
        other = quat.multiply(mean.rotations, quat.exp(0.02 * rng.standard_normal((len(library.skeleton), 3))))
        assert ((quat.angle_between(moved.rotations, other) ** 2).sum(axis=0) > best).all()


def test_aligned_match_frames_lie_on_the_common_pose(library, frames, found):
    graph = build_snap_graph(library, {"hub": found}, frames=frames)
    at = library.starts[graph.matches.clip] + graph.matches.frame
    body = library.skeleton
    mine = forward(body, library.root_positions[at], library.local_rotations[at]).positions
    here = planar.apply_3d(planar.inverse(graph.matches.pose)[:, None], mine)
    pose = forward(body, graph.roots[:1], graph.rotations[:1]).positions
    # Their worlds are metres apart and turned; in the hub's frame they are centimetres apart.
    assert np.linalg.norm(here - pose, axis=2).mean() < 0.05
    assert graph.roots[0, :2] == pytest.approx([0.0, 0.0], abs=1e-9)
