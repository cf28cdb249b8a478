"""The frame distance: fast against slow, symmetric, blind to place and facing, and its yardstick."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from wandering_clouds import wandering

from twins.frame_distance import distance_matrix_numpy
from walker import spoil, walk
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.graphs import FrameSet, align, default_threshold, distance_matrix, frame_distance, typical_distance
from walkon.io import load
from walkon.motion.editing import move
from walkon.transforms import planar

ROUNDING = 5e-6
"""Metres: what float32 may cost where windows differ by more than a few millimetres."""
HALF_A_MILLIMETRE = 5e-4
"""Metres: what it may cost anywhere; near 0 the root makes much of little."""

BOXES = [(5, 6), (6, 6), (10, 1), (1, 1), (1, 2), (13, 14), (30, 1)]


@pytest.mark.parametrize("boxes", BOXES)
@pytest.mark.parametrize("layout", ["kovar", "centred"])
def test_fast_and_slow_distances_agree(boxes: tuple[int, int], layout: str) -> None:
    frames = wandering(boxes=boxes, layout=layout)
    for clips in ((0, 0), (0, 1), (2, 1)):
        fast, slow = distance_matrix(frames, clips), distance_matrix_numpy(frames, clips)
        known = np.isfinite(slow)
        assert np.array_equal(np.isfinite(fast), known)
        assert fast[known] == pytest.approx(slow[known], abs=HALF_A_MILLIMETRE)
        far = known & (slow > 5e-3)
        assert far.sum() > 100
        assert fast[far] == pytest.approx(slow[far], abs=ROUNDING)


def test_distances_do_not_depend_on_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = wandering((600, 530), boxes=(5, 6))
    whole = [distance_matrix(frames, clips) for clips in ((0, 0), (1, 0))]
    for height, width in ((512, 40), (37, 512), (1, 300)):
        monkeypatch.setattr(frame_distance, "MAX_TILE_ROWS", height)
        monkeypatch.setattr(frame_distance, "MAX_TILE_COLUMNS", width)
        for clips, matrix in zip(((0, 0), (1, 0)), whole, strict=True):
            assert np.array_equal(distance_matrix(frames, clips), matrix)


def test_distances_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = wandering((600, 530))
    monkeypatch.setattr(frame_distance, "MAX_TILE_ROWS", 50)
    monkeypatch.setenv("WALKON_THREADS", "1")
    alone = distance_matrix(frames, (0, 1))
    monkeypatch.setenv("WALKON_THREADS", "3")
    assert np.array_equal(distance_matrix(frames, (0, 1)), alone)


@pytest.mark.parametrize("layout", ["kovar", "centred"])
def test_the_distance_is_the_same_both_ways_round(layout: str) -> None:
    frames = wandering(boxes=(4, 4), layout=layout)
    k = frames.length
    there, back = distance_matrix(frames, (0, 1)), distance_matrix(frames, (1, 0))
    first, second = frames.leads
    windows_there = there[first : 60 - k + 1 + first, second : 45 - k + 1 + second]
    windows_back = back[first : 45 - k + 1 + first, second : 60 - k + 1 + second]
    assert np.array_equal(windows_there, windows_back.T)
    slow = distance_matrix_numpy(frames, (0, 0))
    known = slow[first : 60 - k + 1 + first, second : 60 - k + 1 + second]
    assert known == pytest.approx(known.T, abs=1e-9)


def test_windows_lie_where_the_layout_says() -> None:
    frames = wandering((40, 30), boxes=(3, 4))
    matrix = np.isfinite(distance_matrix(frames, (0, 1)))
    assert matrix[:35, 5:].all()  # A's window begins at its frame, B's ends at it
    assert matrix.sum() == 35 * 25
    centred = replace(frames, boxes=(4, 4), layout="centred")
    matrix = np.isfinite(distance_matrix(centred, (0, 1)))
    assert matrix[3:37, 3:27].all()
    assert matrix.sum() == 34 * 24


def test_a_transition_to_itself_is_the_diagonal_and_costs_nothing() -> None:
    frames = wandering((40,), boxes=(3, 4))
    fast, slow = distance_matrix(frames, (0, 0)), distance_matrix_numpy(frames, (0, 0))
    k = frames.length
    i = np.arange(40 - k + 1)
    assert slow[i, i + k - 1] == pytest.approx(0.0, abs=1e-12)
    assert fast[i, i + k - 1] == pytest.approx(0.0, abs=HALF_A_MILLIMETRE)


def test_turning_and_sliding_a_clip_changes_the_fit_and_not_the_distance(rng: np.random.Generator) -> None:
    clip = spoil(walk(seconds=2.0, fps=60.0), rng)
    pose = np.array([80.0, -35.0, 2.5])
    slow = replace(spoil(walk(seconds=2.0, fps=60.0, speed=0.9), rng), name="slow")
    here = FrameSet.of([clip, slow])
    there = FrameSet.of([clip, move(slow, pose)])
    assert distance_matrix(here, (0, 1)) == pytest.approx(distance_matrix(there, (0, 1)), abs=ROUNDING)
    pairs = np.array([[0, 80], [30, 100], [51, 121]])
    before, after = align(here, pairs), align(there, pairs)
    assert after.distances == pytest.approx(before.distances, abs=1e-7)
    assert planar.compose(after.poses, pose) == pytest.approx(before.poses, abs=1e-5)


def test_a_clip_moved_elsewhere_is_laid_back_onto_itself(rng: np.random.Generator) -> None:
    clip = spoil(walk(seconds=2.0, fps=60.0), rng)
    pose = np.array([5.0, 2.0, -1.0])
    frames = FrameSet.of([clip, replace(move(clip, pose), name="moved")])
    found = align(frames, [[7, frames.starts[1] + 7 + frames.length - 1]])
    assert found.distances[0] < 1e-6
    assert found.poses[0] == pytest.approx(planar.inverse(pose), abs=1e-5)


def test_fast_clips_far_away_lose_no_digits() -> None:
    slow = wandering((60, 60))
    fast = replace(slow, centroids=slow.centroids + np.outer(np.arange(120), [0.3, 0.1]) + 4000.0)  # 9.5 m/s
    matrix, twin = distance_matrix(fast, (0, 1)), distance_matrix_numpy(fast, (0, 1))
    known = np.isfinite(twin)
    assert matrix[known] == pytest.approx(twin[known], abs=ROUNDING)


@pytest.mark.mocap
def test_captured_motion_is_compared_to_half_a_millimetre(mocap: Path) -> None:
    frames = FrameSet.of([load(mocap / "cmu" / "16_15.bvh")])
    fast, slow = distance_matrix(frames, (0, 0)), distance_matrix_numpy(frames, (0, 0))
    known = np.isfinite(slow)
    assert fast[known] == pytest.approx(slow[known], abs=HALF_A_MILLIMETRE)
    far = known & (slow > 5e-3)
    assert fast[far] == pytest.approx(slow[far], abs=ROUNDING)


def test_the_typical_distance_is_that_of_moving_frames() -> None:
    clip = walk(seconds=3.0, fps=60.0)
    still = replace(
        clip,
        root_positions=np.repeat(clip.root_positions[:1], len(clip), axis=0),
        local_rotations=np.repeat(clip.local_rotations[:1], len(clip), axis=0),
        name="still",
    )
    moving = FrameSet.of([clip])
    lag, k = 3, moving.length
    matrix = distance_matrix_numpy(moving, (0, 0))
    i = np.arange(len(moving) - k + 1 - lag)
    assert typical_distance(moving) == pytest.approx(np.median(matrix[i, i + lag + k - 1]), abs=1e-9)
    assert 0.03 < typical_distance(moving) < 0.10
    assert default_threshold(moving) == pytest.approx(0.8 * typical_distance(moving))
    assert typical_distance(FrameSet.of([still, clip])) == typical_distance(moving)
    assert typical_distance(FrameSet.of([still])) == pytest.approx(0.0, abs=1e-9)  # nothing moves: all frames count


def test_bad_input_is_refused() -> None:
    frames = wandering((40, 30, 4), boxes=(3, 4))
    with pytest.raises(InvalidValue, match="frame 35 cannot be the first of a pair"):
        align(frames, [[0, 10], [35, 10]])
    with pytest.raises(InvalidValue, match="frame 44 cannot be the second"):
        align(frames, [[0, 44]])
    with pytest.raises(InvalidValue, match="frame 74"):
        align(frames, [[0, 74]])
    with pytest.raises(InvalidShape, match="whole numbers"):
        align(frames, [[0.0, 10.0]])
    with pytest.raises(InvalidValue, match="from 0 to 2, got 0 and 3"):
        distance_matrix(frames, (0, 3))
    with pytest.raises(InvalidValue, match="no clip is as long"):
        typical_distance(wandering((8, 7), boxes=(3, 4)))
    assert np.isinf(distance_matrix(frames, (2, 0))).all()
    assert len(align(frames, np.empty((0, 2), int)).distances) == 0
