"""Gleicher, Shin, Kovar, Jepsen 2003, section 4.1: sets of frames that are alike."""

import numpy as np
import pytest

from snap_walks import walks
from walkon.graphs.frame_distance import align
from walkon.graphs.snap_together.build import compared
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.match_sets import has_window

THRESHOLD, SPACING = 0.03, 1 / 3


@pytest.fixture(scope="module")
def frames():
    return compared(walks(1.0, 1.05, 1.15, seconds=2.6))


@pytest.fixture(scope="module")
def distances(frames):
    """[F, F] metres between all windows, by the slow closed form; infinite without one."""
    usable = np.flatnonzero(has_window(frames))
    found = np.full((len(frames), len(frames)), np.inf)
    first, second = (part.ravel() for part in np.meshgrid(usable, usable, indexing="ij"))
    found[first, second] = align(frames, np.column_stack([first, second])).distances
    return found


def by_hand(frames, row):
    """The steps of section 4.1 for one frame's distances [F], written down plainly."""
    chosen = []
    for start, stop in zip(frames.starts, frames.stops, strict=True):
        for f in range(start, stop):
            left = row[f - 1] if f > start else np.inf
            right = row[f + 1] if f + 1 < stop else np.inf
            if row[f] < left and row[f] <= right and row[f] <= THRESHOLD:
                chosen.append((row[f], f))
    kept = []
    for _, f in sorted(chosen):
        same = [k for k in kept if frames.clips_of(np.array([k]))[0] == frames.clips_of(np.array([f]))[0]]
        if all(abs(f - k) >= round(SPACING * frames.rate) for k in same):
            kept.append(f)
    return sorted(kept)


def test_a_set_is_the_local_minima_under_the_threshold_with_room_between_them(frames, distances):
    for seed in np.flatnonzero(has_window(frames))[::17].tolist():
        grown = match_sets.grow(frames, seed, threshold=THRESHOLD, spacing=SPACING, distances=distances[seed])
        assert grown.frames.tolist() == by_hand(frames, distances[seed])
        assert seed in grown.frames
        assert np.array_equal(grown.distances, distances[seed, grown.frames])


def test_fast_distances_are_those_of_equation_1(frames, distances):
    seed = int(np.flatnonzero(has_window(frames))[20])
    row = match_sets.distances_from(frames, seed)
    inside = np.isfinite(distances[seed])
    assert np.array_equal(np.isfinite(row), inside)
    assert np.abs(row[inside] - distances[seed, inside]).max() < 2e-4


def test_the_largest_set_is_the_one_with_most_frames_and_then_the_lowest_mean_distance(frames, distances):
    usable = np.flatnonzero(has_window(frames))
    every = {int(f): by_hand(frames, distances[f]) for f in usable}
    most = max(len(members) for members in every.values())
    means = {f: distances[f, members].mean() for f, members in every.items() if len(members) == most}
    assert len(means) > 1  # so that ties are broken
    found = match_sets.largest(frames, threshold=THRESHOLD, spacing=SPACING)
    assert len(found.frames) == most
    assert found.mean_distance == pytest.approx(min(means.values()), abs=2e-4)


def test_a_looser_threshold_gives_more_edges_of_less_quality(frames):
    seed = int(np.flatnonzero(has_window(frames))[10])
    tight, loose = (match_sets.grow(frames, seed, threshold=t, spacing=SPACING) for t in (0.005, 0.04))
    assert set(tight.frames.tolist()) < set(loose.frames.tolist())
    assert loose.distances.max() > tight.distances.max()
