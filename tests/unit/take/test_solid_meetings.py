"""The broad phase of solids against every box with every box."""

import numpy as np

from walkon.take.auditing.meetings.solids import find_meetings


def some_boxes(rng: np.random.Generator, *shape: int, far: float = 4.0) -> np.ndarray:
    low = rng.uniform(-far, far, (*shape, 3))
    return np.concatenate([low, low + rng.uniform(0.05, 0.8, (*shape, 3))], axis=-1)


def meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return ((a[..., :3] <= b[..., 3:]) & (b[..., :3] <= a[..., 3:])).all(axis=-1)


def test_meetings_are_those_of_all_boxes_with_all(rng: np.random.Generator) -> None:
    R, K, S, F, M = 600, 5, 12, 20, 4
    capsules = some_boxes(rng, R, 1, far=1.5) + rng.uniform(-0.2, 0.2, (R, K, 1))
    around = np.concatenate([capsules[..., :3].min(axis=1), capsules[..., 3:].max(axis=1)], axis=-1)
    boxes = np.concatenate([capsules, around[:, None]], axis=1)
    counts, frame = rng.integers(0, K + 1, R), rng.integers(0, F, R)
    still, moving = some_boxes(rng, S, far=2.0), some_boxes(rng, F, M, far=2.0)
    moving[3], boxes[7] = np.nan, np.nan
    found = find_meetings(boxes, counts, still, moving, frame)
    things = np.concatenate([np.broadcast_to(still, (R, S, 6)), moving[frame]], axis=1)
    brute = np.argwhere(meet(boxes[:, :K, None], things[:, None]) & (np.arange(K) < counts[:, None])[..., None])
    assert len(brute) > 50
    assert sorted(map(tuple, found)) == sorted(map(tuple, brute))


def test_of_nothing_nothing_meets() -> None:
    found = find_meetings(
        np.zeros((0, 2, 6)), np.zeros(0, int), np.zeros((0, 6)), np.zeros((0, 0, 6)), np.zeros(0, int)
    )
    assert found.shape == (0, 3)
