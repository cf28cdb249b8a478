"""Which match frames edges lie between: the nearest of each clip first, the next ones in time, and copies of clips."""

import itertools

import numpy as np
import pytest

from walkon.graphs.snap_together.matching.pairing import (
    MAX_COPIED_EDGE_S,
    SHARP_TURN_RAD,
    Pairs,
    pair_matches,
    pairs_with_copies,
    primary_matches,
)

FPS = 30.0


def pairs_by_loops(clip, frame, hub, primary, spacing):
    """After each match frame come the next one at least w_min later, and those of other hubs within w_min of it."""
    found = set()
    for a in range(len(clip)):
        later = [b for b in range(len(clip)) if clip[b] == clip[a] and frame[b] >= frame[a] + spacing and b != a]
        if not later:
            continue
        soonest = min(frame[b] for b in later)
        near = [b for b in later if frame[b] < soonest + spacing]
        for h in {hub[b] for b in near}:
            first = min((b for b in near if hub[b] == h), key=lambda b: frame[b])
            if primary[a] or primary[first]:
                found.add((a, first))
    return found


@pytest.mark.parametrize("spacing", [1, 4, 10])
def test_match_frames_are_paired_as_the_text_says(spacing, rng):
    for _ in range(20):
        rows = sorted({(int(c), int(f), int(h)) for c, f, h in rng.integers(0, (3, 60, 4), (40, 3))})
        rng.shuffle(rows)
        clip, frame, hub = (np.array(column) for column in zip(*rows, strict=True))
        primary = rng.random(len(rows)) < 0.6
        pairs = pair_matches(clip, frame, hub, primary=primary, spacing=spacing)
        found = list(zip(pairs.first.tolist(), pairs.last.tolist(), strict=True))
        assert len(set(found)) == len(found) > 0
        assert set(found) == pairs_by_loops(clip, frame, hub, primary, spacing)


def test_pairs_stay_within_their_clip():
    pairs = pair_matches(
        np.array([0, 1, 0]), np.array([5, 30, 50]), np.zeros(3, int), primary=np.ones(3, bool), spacing=10
    )
    assert (pairs.first.tolist(), pairs.last.tolist()) == ([0], [2])
    none = pair_matches(np.array([0, 1]), np.array([5, 30]), np.zeros(2, int), primary=np.ones(2, bool), spacing=10)
    assert len(none.first) == 0


def test_pairs_are_two_columns():
    first, last = Pairs(first=np.array([1]), last=np.array([2]))
    assert (first.tolist(), last.tolist()) == ([1], [2])


def test_a_spacing_of_nothing_still_leads_on():
    """Two frames of one moment do not follow each other, however small the spacing."""
    clip, frame, hub = np.zeros(3, int), np.array([4, 4, 5]), np.array([0, 1, 0])
    pairs = pair_matches(clip, frame, hub, primary=np.ones(3, bool), spacing=0)
    assert set(zip(pairs.first.tolist(), pairs.last.tolist(), strict=True)) == {(0, 2), (1, 2)}


def test_no_match_frames_make_no_pairs():
    nothing = np.zeros(0, int)
    pairs = pair_matches(nothing, nothing, nothing, primary=np.zeros(0, bool), spacing=10)
    assert len(pairs.first) == len(pairs.last) == 0
    assert primary_matches(nothing, nothing, np.zeros(0), spacing=10).shape == (0,)


@pytest.mark.parametrize("spacing", [0, 1, 6])
def test_primary_frames_are_the_nearest_of_their_surroundings(spacing, rng):
    for _ in range(20):
        clip, frame = rng.integers(0, 2, 30), rng.integers(0, 80, 30)
        distance = rng.permutation(30) / 100.0
        primary = primary_matches(clip, frame, distance, spacing=spacing)
        least = max(spacing, 1)
        for row in range(30):
            near = (clip == clip[row]) & (np.abs(frame - frame[row]) < least) & primary
            near[row] = False
            # A primary frame is alone; any other has one beside it that is nearer to its hub.
            assert near.any() != primary[row]
            assert primary[row] or distance[near].min() < distance[row]


def test_of_equal_distances_the_first_is_primary_and_files_do_not_change_it():
    clip, frame = np.zeros(2, int), np.array([10, 12])
    for distance in (np.array([0.1, 0.1]), np.array([0.1 + 1e-12, 0.1])):
        assert primary_matches(clip, frame, distance, spacing=10).tolist() == [True, False]
        stored = distance.astype(np.float32)
        assert primary_matches(clip, frame, stored, spacing=10).tolist() == [True, False]


def pairs_of(rows, *, copies=(), resting=(False, False, False), headings=None, primary=None):
    """Pairs as (first, last), of match frames (clip, frame, hub) that head so many radians."""
    clip, frame, hub = (np.array(column) for column in zip(*rows, strict=True))
    places = np.zeros((len(rows), 3))
    if headings is not None:
        places[:, 2] = headings
    pairs = pairs_with_copies(
        clip,
        frame,
        hub,
        primary=np.ones(len(rows), bool) if primary is None else np.array(primary),
        spacing=10,
        copies=copies,
        places=places,
        resting=np.array(resting),
        fps=FPS,
    )
    return list(zip(pairs.first.tolist(), pairs.last.tolist(), strict=True))


ROW = [(0, 0, 0), (0, 20, 1), (0, 40, 0)]


def test_without_copies_every_frame_leads_to_the_next():
    assert pairs_of(ROW) == [(0, 1), (1, 2)]


def test_a_copy_adds_sharp_turns_across_the_hubs_that_it_leaves_out():
    for turn, added in (
        (1.1 * SHARP_TURN_RAD, True),
        (-1.1 * SHARP_TURN_RAD, True),
        (0.9 * SHARP_TURN_RAD, False),
        (2 * np.pi, False),
    ):
        found = pairs_of(ROW, copies=[[0]], headings=[0.0, 0.5 * turn, turn])
        assert ((0, 2) in found) == added, turn
        assert {(0, 1), (1, 2)} <= set(found)


def test_a_copy_adds_ways_between_rest_and_motion():
    rows = [(0, 0, 0), (0, 20, 1), (0, 40, 2)]
    assert (0, 2) in pairs_of(rows, copies=[[0, 2]], resting=(False, False, True))
    assert (0, 2) in pairs_of(rows, copies=[[0, 2]], resting=(True, False, False))
    assert (0, 2) not in pairs_of(rows, copies=[[0, 2]], resting=(True, False, True))
    assert (0, 2) not in pairs_of(rows, copies=[[0, 2]])


def test_a_copy_adds_nothing_that_is_long():
    longest = round(MAX_COPIED_EDGE_S * FPS)
    for last, added in ((longest, True), (longest + 1, False)):
        rows = [(0, 0, 0), (0, 20, 1), (0, last, 0)]
        assert ((0, 2) in pairs_of(rows, copies=[[0]], headings=[0.0, 0.5, 1.0])) == added


def test_pairs_come_once_and_in_the_order_of_a_graphs_edges(rng):
    for _ in range(10):
        rows = sorted({(int(c), int(f), int(h)) for c, f, h in rng.integers(0, (3, 200, 3), (40, 3))})
        rng.shuffle(rows)
        headings = rng.uniform(-3, 3, len(rows))
        found = pairs_of(rows, copies=[[0, 1], [1, 2], [0]], headings=headings)
        assert len(set(found)) == len(found)
        assert set(pairs_of(rows)) <= set(found)
        keys = [(rows[a][2], rows[b][2]) for a, b in found]
        assert keys == sorted(keys)
        for a, b in itertools.islice(found, 200):
            assert rows[a][0] == rows[b][0]
            assert rows[b][1] - rows[a][1] >= 10


def test_copies_need_a_primary_frame_too():
    found = pairs_of(ROW, copies=[[0]], headings=[0.0, 0.5, 1.0], primary=[False, True, False])
    assert found == [(0, 1), (1, 2)]
