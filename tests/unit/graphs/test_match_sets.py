"""Match sets: against plain loops written from the text of section 4.1, and against the slow distance."""

import numpy as np
import pytest
from wandering_clouds import wandering

from snap_libraries import walker_frames
from twins.frame_distance import distance_matrix_numpy
from walkon._base.errors import InvalidValue
from walkon.graphs import align, distance_matrix
from walkon.graphs.snap_together.matching import match_sets
from walkon.graphs.snap_together.matching.match_sets import (
    PREFERRED_SIZE_SHARE,
    MatchSet,
    distance_rows,
    distances_from,
    grow,
    has_window,
    largest,
    local_minima,
    picked,
)

ROUNDING = 5e-5
"""Metres: what float32 may cost where windows differ by more than a few millimetres."""
NEAR_ZERO = 1e-3
"""Metres: what it may cost anywhere; near 0 the root makes much of little."""


def clouds(lengths=(60, 45, 80), **fields):
    return wandering(lengths, layout="centred", **fields)


def whole_matrix(frames, of):
    n = len(frames.names)
    return np.block([[of(frames, (i, j)) for j in range(n)] for i in range(n)])


def grown_by_loops(frames, distances, *, threshold, spacing, among=None):
    """Local minima clip by clip, nearest first, unless one already taken in the same clip is less than w_min away."""
    found = []
    for clip, (start, stop) in enumerate(zip(frames.starts.tolist(), frames.stops.tolist(), strict=True)):
        for f in range(start, stop):
            d = distances[f]
            before = distances[f - 1] if f > start else np.inf
            after = distances[f + 1] if f + 1 < stop else np.inf
            if d <= before and d <= after and d <= threshold and (among is None or among[f]):
                found.append((d, f, clip))
    taken = []
    for _, f, clip in sorted(found):
        if all(c != clip or abs(f - g) / frames.rate >= spacing - 1e-9 for g, c in taken):
            taken.append((f, clip))
    return sorted(f for f, _ in taken)


@pytest.mark.parametrize("boxes", [(3, 4), (5, 6), (1, 1)])
def test_rows_are_those_of_the_distance_matrix(boxes):
    frames = clouds(boxes=boxes)
    seeds = np.flatnonzero(has_window(frames))
    ((rows, block),) = list(distance_rows(frames, seeds))
    assert np.array_equal(rows, seeds)
    for twin in (distance_matrix, distance_matrix_numpy):
        matrix = whole_matrix(frames, twin)[seeds]
        known = np.isfinite(matrix)
        assert np.array_equal(np.isfinite(block), known)
        assert block[known] == pytest.approx(matrix[known], abs=NEAR_ZERO)
        far = known & (np.where(known, matrix, 0.0) > 5e-3)
        assert block[far] == pytest.approx(matrix[far], abs=ROUNDING)


def test_rows_do_not_depend_on_how_many_are_computed_at_once(monkeypatch):
    frames = clouds()
    seeds = np.flatnonzero(has_window(frames))
    ((_, whole),) = list(distance_rows(frames, seeds))
    monkeypatch.setattr(match_sets, "BLOCK_ROWS", 7)
    monkeypatch.setattr(match_sets, "BLOCK_COLUMNS", 11)
    parts = list(distance_rows(frames, seeds))
    assert np.array_equal(np.concatenate([rows for rows, _ in parts]), seeds)
    assert max(len(rows) for rows, _ in parts) == 7
    pieces = np.concatenate([block for _, block in parts])
    known = np.isfinite(whole) & (whole > 5e-3)
    assert pieces[known] == pytest.approx(whole[known], abs=ROUNDING)
    assert distances_from(frames, 30)[known[np.searchsorted(seeds, 30)]] == pytest.approx(
        whole[np.searchsorted(seeds, 30)][known[np.searchsorted(seeds, 30)]], abs=ROUNDING
    )


def test_rows_among_some_frames_find_the_same_minima_there(generator):
    frames = clouds()
    among = generator.random(len(frames)) < 0.4
    seeds = np.flatnonzero(has_window(frames))[::9]
    ((_, whole),) = list(distance_rows(frames, seeds))
    ((_, part),) = list(distance_rows(frames, seeds, among=among))
    assert np.isfinite(part).sum() < np.isfinite(whole).sum()
    assert np.array_equal(local_minima(frames, part) & among, local_minima(frames, whole) & among)


def test_a_clip_shorter_than_a_window_has_no_row_and_no_match():
    frames = clouds((40, 5, 6, 30), boxes=(4, 4))
    flags = has_window(frames)
    assert flags[:40].sum() == 40 - 6
    assert not flags[40:51].any()
    row = distances_from(frames, 20)
    assert np.isinf(row[40:51]).all()
    assert not np.isin(grow(frames, 20, threshold=10.0, spacing=0.0).frames, np.arange(40, 51)).any()


@pytest.mark.parametrize("spacing", [0.0, 0.1, 1 / 3, 0.7])
@pytest.mark.parametrize("threshold", [0.15, 0.25, 5.0])
def test_growing_is_what_the_text_says(threshold, spacing, generator):
    frames = clouds()
    for seed in (10, 50, 75, 120, 170):
        distances = distances_from(frames, seed)
        for among in (None, generator.random(len(frames)) < 0.7):
            found = grow(frames, seed, threshold=threshold, spacing=spacing, among=among)
            wanted = grown_by_loops(frames, distances, threshold=threshold, spacing=spacing, among=among)
            assert found.frames.tolist() == wanted
            assert np.array_equal(found.distances, distances[found.frames])
            assert (found.seed, found.threshold) == (seed, threshold)
    assert len(wanted) > 0


def test_a_frame_s_own_set_has_the_frame_itself():
    frames = clouds()
    for seed in (10, 50, 75, 120, 170):
        found = grow(frames, seed, threshold=0.05)
        assert seed in found.frames
        assert found.distances[found.frames == seed] == pytest.approx(0.0, abs=NEAR_ZERO)


def test_frames_given_distances_are_used_as_they_are():
    frames = clouds((12, 12), boxes=(1, 1))
    distances = np.full(24, 5.0)
    distances[[3, 5, 9, 14]] = [0.3, 0.2, 0.1, 0.2]
    close = grow(frames, 9, threshold=1.0, spacing=4 / 30, distances=distances)
    assert close.frames.tolist() == [5, 9, 14]  # 3 is too near to 5; 14 is in another clip
    wide = grow(frames, 9, threshold=1.0, spacing=5 / 30, distances=distances)
    assert wide.frames.tolist() == [3, 9, 14]  # 5 is too near to the nearer 9
    assert grow(frames, 9, threshold=0.2, spacing=0.0, distances=distances).frames.tolist() == [5, 9, 14]


def test_the_ends_of_clips_can_be_minima_and_clips_do_not_see_each_other():
    frames = clouds((4, 3), boxes=(1, 1))
    assert local_minima(frames, np.array([1.0, 2, 3, 2, 1, 2, 0])).tolist() == [True, 0, 0, True, True, 0, True]
    assert local_minima(frames, np.array([2.0, 1, 1, 2, 3, 3, 3])).tolist() == [0, True, True, 0, True, True, True]


@pytest.mark.parametrize("threshold", [0.22, 0.35])
def test_the_largest_set_is_the_largest_of_all_sets(threshold, generator):
    frames = clouds()
    among = generator.random(len(frames)) < 0.8
    for seeds in (None, generator.random(len(frames)) < 0.5):
        found = largest(frames, threshold=threshold, spacing=0.2, seeds=seeds, among=among)
        every = [
            grow(frames, int(f), threshold=threshold, spacing=0.2, among=among)
            for f in np.flatnonzero(has_window(frames) & among & (True if seeds is None else seeds))
        ]
        most = max(len(one.frames) for one in every)
        assert len(found.frames) == most > 1
        lowest = min(one.mean_distance for one in every if len(one.frames) == most)
        assert found.mean_distance == pytest.approx(lowest, abs=NEAR_ZERO)


def test_a_preferred_frame_wins_only_where_its_set_is_nearly_as_large():
    frames = clouds()
    free = largest(frames, threshold=0.3, spacing=0.1)
    sizes = {f: len(grow(frames, f, threshold=0.3, spacing=0.1).frames) for f in np.flatnonzero(has_window(frames))}
    nearly = [f for f, size in sizes.items() if PREFERRED_SIZE_SHARE * len(free.frames) <= size < len(free.frames)]
    fewer = [f for f, size in sizes.items() if 1 < size < PREFERRED_SIZE_SHARE * len(free.frames)]
    assert nearly
    assert fewer
    flags = np.zeros(len(frames), bool)
    flags[nearly[0]] = True
    assert largest(frames, threshold=0.3, spacing=0.1, preferred=flags).seed == nearly[0]
    flags[:] = False
    flags[fewer[0]] = True
    assert largest(frames, threshold=0.3, spacing=0.1, preferred=flags).seed == free.seed


def test_there_is_no_largest_set_where_nothing_is_alike():
    frames = clouds((20,))
    assert largest(frames, threshold=1e-6) is None
    assert largest(frames, threshold=1.0, seeds=np.zeros(20, bool)) is None
    assert largest(clouds((5, 5), boxes=(4, 4)), threshold=1.0) is None


def test_every_step_of_a_walker_is_in_the_set_of_one():
    frames = walker_frames()
    found = grow(frames, 60, threshold=0.02)
    # 108 steps a minute: a stride lasts 10 / 9 s.
    strides = np.diff(frames.times[found.frames[frames.clips_of(found.frames) == 0]])
    assert len(strides) >= 3
    assert strides == pytest.approx(10 / 9, abs=1 / frames.rate)


def test_frames_picked_by_hand_are_laid_about_the_most_central_one():
    frames = clouds()
    found = picked(frames, [80, 20, 20, 130])
    assert found.frames.tolist() == [20, 80, 130]
    sums = {a: sum(float(align(frames, [[a, b]]).distances[0]) for b in (20, 80, 130)) for a in (20, 80, 130)}
    assert found.seed == min(sums, key=sums.get)
    assert found.distances[found.frames == found.seed] == 0.0
    assert found.threshold == found.distances.max()
    alone = picked(frames, [30])
    assert (alone.frames.tolist(), alone.seed, alone.threshold) == ([30], 30, 0.0)


def test_frames_picked_wrongly_are_refused_in_words():
    frames = clouds(boxes=(4, 4))
    for chosen, words in (
        ([], "at least one frame"),
        ([20, 400], "numbered 0 to 184"),
        ([-1, 20], "numbered 0 to 184"),
        ([1, 30], "too near an end of its clip"),
        ([30, 33], "less than 0.33 s apart"),
    ):
        with pytest.raises(InvalidValue, match=words):
            picked(frames, chosen)
    # At the end of one clip and the beginning of the next: not the same clip, so not too close.
    assert len(picked(frames, [55, 64]).frames) == 2


@pytest.mark.parametrize("threshold", [0.0, -0.1, np.nan, np.inf])
def test_a_threshold_must_be_positive(threshold):
    frames = clouds()
    for call in (lambda: grow(frames, 30, threshold=threshold), lambda: largest(frames, threshold=threshold)):
        with pytest.raises(InvalidValue, match="threshold must be positive"):
            call()


@pytest.mark.parametrize("spacing", [-0.1, np.nan, np.inf])
def test_a_spacing_must_be_a_time(spacing):
    frames = clouds()
    for call in (
        lambda: grow(frames, 30, threshold=0.1, spacing=spacing),
        lambda: largest(frames, threshold=0.1, spacing=spacing),
    ):
        with pytest.raises(InvalidValue, match="spacing must be 0 or more"):
            call()


@pytest.mark.parametrize("seed", [0, 60, 184, 500, -3])
def test_a_set_cannot_be_grown_from_a_frame_without_a_window(seed):
    with pytest.raises(InvalidValue):
        grow(clouds(boxes=(4, 4)), seed, threshold=0.2)


def test_what_is_alike_all_along_has_match_frames_as_often_as_the_spacing_allows():
    """Somebody who stands still: no frame is nearer than any other."""
    frames = clouds((60,))
    usable = np.flatnonzero(has_window(frames))
    distances = np.where(has_window(frames), 0.0, np.inf)
    found = grow(frames, 30, threshold=0.1, spacing=0.5, distances=distances)
    every = round(0.5 * frames.rate)
    assert found.frames.tolist() == usable[::every].tolist()
    assert len(found.frames) > 2


def test_the_mean_distance_of_nothing_is_zero():
    assert MatchSet(np.zeros(0, np.int64), np.zeros(0), 3, 0.1).mean_distance == 0.0
