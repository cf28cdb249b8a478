"""Local minima: the kernel against whole images, borders, ties, thresholds, and that nothing depends on the company."""

from dataclasses import replace

import numpy as np
import pytest
from wandering_clouds import wandering

from twins.minima import find_minima_numpy, minima_numpy
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.graphs import FrameSet, Minima, distance_matrix, find_minima, frame_distance
from walkon.graphs import minima as module

ALL = np.inf


def same(a: Minima, b: Minima) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("frame_a", "frame_b", "distance"))


def part(minima: Minima, frames: FrameSet, pairs: list[tuple[int, int]]) -> Minima:
    clips = list(zip(frames.clips_of(minima.frame_a), frames.clips_of(minima.frame_b), strict=True))
    kept = np.array([pair in pairs for pair in clips])
    return Minima(frame_a=minima.frame_a[kept], frame_b=minima.frame_b[kept], distance=minima.distance[kept])


@pytest.mark.parametrize("boxes", [(5, 6), (6, 6), (10, 1), (1, 1), (1, 2), (13, 14)])
@pytest.mark.parametrize("layout", ["kovar", "centred"])
def test_tiles_and_whole_images_give_the_same_minima(boxes: tuple[int, int], layout: str) -> None:
    frames = wandering(boxes=boxes, layout=layout)
    found = find_minima(frames, threshold=ALL)
    assert len(found) > 50
    assert same(found, find_minima_numpy(frames, threshold=ALL))
    middle = float(np.median(found.distance))
    assert same(find_minima(frames, threshold=middle), find_minima_numpy(frames, threshold=middle))


def test_every_minimum_is_no_higher_than_its_neighbours_and_all_are_found() -> None:
    frames = wandering((60, 45), boxes=(5, 6))
    found = find_minima(frames, threshold=ALL, pairs=[(0, 1)])
    image = distance_matrix(frames, (0, 1))
    expected = []
    for i in range(60):
        for j in range(45):
            near = [image[p, q] for p in (i - 1, i, i + 1) for q in (j - 1, j, j + 1) if 0 <= p < 60 and 0 <= q < 45]
            if np.isfinite(image[i, j]) and image[i, j] == min(near):
                expected.append((i, 60 + j))
    assert found.pairs.tolist() == [list(pair) for pair in expected]


def test_minima_do_not_depend_on_tiles_batches_or_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = wandering((700, 90, 350), boxes=(3, 4))
    whole = find_minima(frames, threshold=ALL)
    assert len(whole) > 10_000
    many = ((512, 33, 2**19, 1), (23, 512, 1000, 2), (1, 400, 2**15, 3), (2, 3, 1, 1), (5, 1, 9, 2))
    for height, width, batch, threads in many:
        monkeypatch.setattr(frame_distance, "MAX_TILE_ROWS", height)
        monkeypatch.setattr(frame_distance, "MAX_TILE_COLUMNS", width)
        monkeypatch.setattr(module, "BATCH_PAIRS", batch)
        monkeypatch.setenv("WALKON_THREADS", str(threads))
        pairs = None if height > 20 else [(1, 1), (1, 2)]
        expected = whole if pairs is None else part(whole, frames, pairs)
        assert same(find_minima(frames, threshold=ALL, pairs=pairs), expected)


def test_a_few_pairs_of_clips_give_what_the_whole_gives() -> None:
    frames = wandering((120, 45, 80, 33))
    whole = find_minima(frames, threshold=0.4)
    for pairs in ([(3, 0), (0, 3), (3, 3)], [(1, 2)], [(2, 1)]):
        assert same(find_minima(frames, threshold=0.4, pairs=pairs), part(whole, frames, pairs))
    assert len(find_minima(frames, threshold=0.4, pairs=[])) == 0


def test_clips_added_later_change_nothing_among_the_old_ones() -> None:
    many = wandering((120, 45, 80))
    flat = {name: getattr(many, name)[:165] for name in ("times", "points", "centroids", "speeds")}
    few = replace(many, names=many.names[:2], starts=many.starts[:2], stops=many.stops[:2], **flat)
    old = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert same(find_minima(few, threshold=ALL), part(find_minima(many, threshold=ALL), many, old))


def test_minima_come_in_twos() -> None:
    frames = wandering((120, 45), boxes=(5, 6))
    found = find_minima(frames, threshold=ALL)
    first, second = frames.leads
    there = set(map(tuple, (found.pairs - [first, second]).tolist()))
    assert there == {(b, a) for a, b in there}


def test_windows_that_overlap_in_one_clip_are_no_transition() -> None:
    frames = wandering((200,), boxes=(5, 6))
    found = find_minima(frames, threshold=ALL)
    begins = found.pairs - np.array(frames.leads)
    assert np.abs(begins[:, 0] - begins[:, 1]).min() >= frames.length


def test_each_direction_has_its_own_threshold() -> None:
    frames = wandering((120, 45))
    whole = find_minima(frames, threshold=ALL)
    limits = np.array([[0.0, 0.3], [0.5, 0.2]])
    found = find_minima(frames, threshold=limits)
    clips = frames.clips_of(whole.frame_a), frames.clips_of(whole.frame_b)
    kept = whole.distance < limits[clips]
    assert 0 < kept.sum() < len(whole)
    assert np.array_equal(found.pairs, whole.pairs[kept])
    assert not (frames.clips_of(found.frame_a) + frames.clips_of(found.frame_b) == 0).any()


def test_of_equal_neighbours_the_first_is_taken() -> None:
    image = np.array([[3.0, 3.0, 3.0, 3.0], [3.0, 1.0, 1.0, 3.0], [3.0, 1.0, 1.0, 3.0], [3.0, 3.0, 3.0, 2.0]])
    assert np.argwhere(minima_numpy(image)).tolist() == [[1, 1]]
    still = wandering((30, 30), boxes=(2, 2))
    frames = replace(still, points=np.repeat(still.points[:1], 60, axis=0), centroids=np.zeros((60, 2)))
    found = find_minima(frames, threshold=ALL, pairs=[(0, 1)])  # all distances are equal
    assert found.pairs.tolist() == [[0, 30 + frames.length - 1]]
    assert same(find_minima(frames, threshold=ALL), find_minima_numpy(frames, threshold=ALL))


def test_clips_without_windows_and_thresholds_of_nothing_give_none() -> None:
    frames = wandering((5, 60, 3), boxes=(5, 6))
    found = find_minima(frames, threshold=ALL)
    assert set(frames.clips_of(found.frame_a)) | set(frames.clips_of(found.frame_b)) == {1}
    nothing = find_minima(frames, threshold=0.0)
    assert len(nothing) == 0
    assert repr(nothing) == "Minima(0 rows)"
    assert len(find_minima(wandering((5, 3), boxes=(5, 6)), threshold=ALL)) == 0


def test_minima_are_sorted_locked_and_tell_about_themselves() -> None:
    found = find_minima(wandering(), threshold=ALL)
    assert (np.diff(found.frame_a * 1000 + found.frame_b) > 0).all()
    assert not found.frame_a.flags.writeable
    assert repr(found).startswith(f"Minima({len(found)} rows")


def test_bad_input_is_refused() -> None:
    frames = wandering()
    with pytest.raises(InvalidShape, match=r"\(3, 3\), got \(2, 2\)"):
        find_minima(frames, threshold=np.ones((2, 2)))
    with pytest.raises(InvalidValue, match="0 m or more, got -0"):
        find_minima(frames, threshold=-0.1)
    with pytest.raises(InvalidValue, match="got nan"):
        find_minima(frames, threshold=np.nan)
    with pytest.raises(InvalidValue, match="from 0 to 2, got 0 to 3"):
        find_minima(frames, threshold=0.1, pairs=[(0, 3)])
    with pytest.raises(InvalidShape, match="whole numbers"):
        find_minima(frames, threshold=0.1, pairs=[0, 1])
