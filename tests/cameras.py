"""Cameras for tests."""

import numpy as np

from walkon.drawing import Camera


def camera_at(target, *, azimuth: float, elevation: float, distance: float, **lens) -> Camera:
    """Stand at a distance (metres) from the target, in the direction of azimuth and elevation, and look at it."""
    c = np.cos(elevation)
    way = np.array([c * np.cos(azimuth), c * np.sin(azimuth), np.sin(elevation)])
    return Camera(eye=np.asarray(target, dtype=np.float64) + distance * way, target=target, **lens)
