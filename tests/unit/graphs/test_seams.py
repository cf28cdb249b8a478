from dataclasses import replace

import numpy as np
import pytest

from twins.seams import blend_numpy
from walkon.graphs.build import build_graph, frames_of
from walkon.graphs.frame_distance import align
from walkon.graphs.motion_graph import PIECE, TRANSITION
from walkon.graphs.thresholds import Recipe
from walkon.graphs.transitions import ComparedMotion, blend_changes, measure_seams
from walkon.graphs.walk_segments import walk_take
from walkon.take.posing.posing import pose_pairs


@pytest.fixture(scope="module")
def motion(graph):
    return ComparedMotion.of(graph.library, frames_of(graph.library, Recipe()))


@pytest.fixture(scope="module")
def pairs(graph):
    near = graph.candidates.distance < graph.settings["threshold"]
    return graph.candidates.pairs[near][::29]


def test_the_kernel_does_what_its_twin_does(motion, pairs):
    poses = align(motion.frames, pairs).poses
    change, excess = blend_changes(motion, pairs, poses)
    for m, pair in enumerate(pairs):
        wanted, over = blend_numpy(motion, (int(pair[0]), int(pair[1])), pose=poses[m])
        assert np.array_equal(np.isnan(change[m]), np.isnan(wanted))
        # Small turns are mixed evenly in the kernel, as in a take: a hundredth of a millimetre.
        assert np.nan_to_num(change[m]) == pytest.approx(np.nan_to_num(wanted), abs=3e-4)
        assert np.nan_to_num(excess[m]) == pytest.approx(np.nan_to_num(over), abs=3e-4)


def test_the_worst_is_the_worst_of_all_frames_and_joints(motion, pairs):
    poses = align(motion.frames, pairs).poses
    _, excess = blend_changes(motion, pairs, poses)
    worst = measure_seams(motion, pairs, poses=poses)
    values = np.nan_to_num(excess, nan=-1.0).reshape(len(pairs), -1).max(axis=1)
    assert worst == pytest.approx(np.maximum(values, 0.0))


def test_the_blend_is_the_one_that_a_take_poses(graph, motion):
    # A piece, a transition and a piece: posed by the take, without planted feet, at the compared frames.
    before = {int(graph.edges.stop[e]): e for e in np.flatnonzero(graph.edges.kind == PIECE)}
    after = {int(graph.edges.start[e]): e for e in np.flatnonzero(graph.edges.kind == PIECE)}
    rows = [
        e
        for e in np.flatnonzero(graph.edges.kind == TRANSITION)
        if int(graph.edges.start[e]) in before and int(graph.edges.stop[e]) in after
    ][::97]
    rate, k = motion.frames.rate, motion.frames.length
    for row in rows:
        a, b = int(graph.edges.start[row]), int(graph.edges.stop[row])
        take = walk_take(graph, [[before[a], row, after[b]]])
        when = np.clip(graph.edges.duration[before[a]] + np.arange(-1, k + 1) / rate, 0.0, take.stop)
        x = pose_pairs(take, np.zeros(k + 2, int), when, legs=False).positions
        change = np.linalg.norm(x[2:] - 2 * x[1:-1] + x[:-2], axis=-1) * rate
        first = motion.frames.starts[graph.nodes.clip[[a, b]]]
        frames = first + np.rint(graph.nodes.time[[a, b]] * rate).astype(int)
        pose = align(motion.frames, frames[None]).poses
        ours, excess = blend_changes(motion, frames[None], pose)
        # A take stores rotations in 48 bits: a tenth of a millimetre per frame at the end of a limb.
        assert change == pytest.approx(ours[0], abs=0.03)
        assert graph.edges.seam[row] == pytest.approx(max(np.nanmax(excess), 0.0), abs=1e-5)


def test_a_blend_of_a_motion_with_itself_has_no_seam(walks):
    clip = walks["walk_1.35"]
    graph = build_graph([clip, replace(clip, name="again")], roughest=np.inf)
    same = (graph.edges.kind == TRANSITION) & (graph.edges.distance < 1e-4)
    if not same.any():
        frames = frames_of(graph.library, Recipe())
        motion = ComparedMotion.of(graph.library, frames)
        pair = np.array([[30, frames.starts[1] + 30 + frames.length - 1]])
        worst = measure_seams(motion, pair, poses=align(frames, pair).poses)
    else:
        worst = graph.edges.seam[same]
    assert worst.max() < 1e-3


def test_where_a_clip_has_no_frame_beyond_nothing_is_said(motion):
    frames = motion.frames
    k = frames.length
    pair = np.array([[frames.starts[0], frames.stops[1] - 1]])
    change, _ = blend_changes(motion, pair, align(frames, pair).poses)
    assert np.isnan(change[0, 0]).all()
    assert np.isnan(change[0, -1]).all()
    assert np.isfinite(change[0, 1 : k - 1]).all()
