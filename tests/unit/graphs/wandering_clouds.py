"""Frame sets without a body: points that wander smoothly, so that every distance and every minimum is a generic one."""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from walkon.graphs import FrameSet


def wandering(
    lengths: tuple[int, ...] = (60, 45, 80), *, points: int = 7, boxes: tuple[int, int] = (3, 4), **fields: object
) -> FrameSet:
    """F frames of clips with these lengths; about as large and as fast as people, and far away from the origin."""
    rng = np.random.default_rng(11)
    F = sum(lengths)
    places = 0.4 * gaussian_filter1d(rng.standard_normal((F, points, 3)), 2.0, axis=0)
    places += 0.3 * rng.standard_normal((points, 3)) + [0.0, 0.0, 1.0]
    weights = rng.uniform(0.5, 1.5, points)
    weights /= weights.sum()
    middle = np.einsum("p,fpi->fi", weights, places)[:, :2]
    places[..., :2] -= middle[:, None]
    roots = np.cumsum(0.04 * gaussian_filter1d(rng.standard_normal((F, 2)), 3.0, axis=0) + [0.03, 0.01], axis=0)
    stops = np.cumsum(lengths)
    plain = {
        "names": tuple(f"clip {i}" for i in range(len(lengths))),
        "starts": np.concatenate([[0], stops[:-1]]),
        "stops": stops,
        "times": np.concatenate([np.arange(n) / 30 for n in lengths]),
        "rate": 30.0,
        "joints": tuple(f"joint {p}" for p in range(points)),
        "weights": weights,
        "boxes": boxes,
        "layout": "kovar",
        "points": places,
        "centroids": roots + np.array([300.0, -500.0]),
        "rest_heights": np.full(points, 0.9),
        "speeds": np.full(F, 1.0),
    }
    return FrameSet(**(plain | fields))
