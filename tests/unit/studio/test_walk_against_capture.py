"""The performer beside people: mean curves over the cycle, measured in the same way on both."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from walkon.io.bvh_read import read_bvh
from walkon.studio import walk

pytestmark = pytest.mark.mocap
SIDES = ("left", "right")


def mean_curves(clip):
    """Thigh against the vertical and bend of the knee, degrees, at 20 shares of the stride from the furthest reach."""
    places, skeleton, fps = clip.world.positions, clip.skeleton, clip.fps
    way = np.gradient(gaussian_filter1d(places[:, 0, :2], 0.35 * fps, axis=0, mode="nearest"), axis=0)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    thighs, bends = [], []
    for side in SIDES:
        hip, knee, ankle = (places[:, skeleton.role(f"{side}_{part}")] for part in ("hip", "knee", "ankle"))
        reach = np.sum((ankle - places[:, 0])[:, :2] * way, axis=1)
        strikes, _ = find_peaks(reach, distance=int(0.6 * fps), prominence=0.1)
        thigh, shank = knee - hip, ankle - knee
        lean = np.degrees(np.arctan2(np.sum(thigh[:, :2] * way, axis=1), -thigh[:, 2]))
        cosine = np.sum(thigh * shank, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shank, axis=1)
        bend = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
        for start, stop in pairwise(strikes[1:]):
            at = np.linspace(start, stop, 21)[:-1]
            thighs.append(np.interp(at, np.arange(len(lean)), lean))
            bends.append(np.interp(at, np.arange(len(bend)), bend))
    return np.mean(thighs, axis=0), np.mean(bends, axis=0)


@pytest.mark.parametrize(("name", "speed"), [("16_16", 1.01), ("16_47", 1.31)])
def test_thigh_and_knee_move_over_the_cycle_as_a_captured_persons_do(mocap, name, speed):
    path = next(mocap.rglob(f"{name}.bvh"))
    thigh, knee = mean_curves(walk(speed=speed, duration=12.0, seed=1))
    captured_thigh, captured_knee = mean_curves(read_bvh(path).clip)
    # Knees of this subject are fitted too bent by a constant: compare the shapes.
    shape = knee - knee.mean() - captured_knee + captured_knee.mean()
    assert np.sqrt(np.mean((thigh - captured_thigh) ** 2)) < 5.0
    assert np.sqrt(np.mean(shape**2)) < 6.5
    assert np.corrcoef(knee, captured_knee)[0, 1] > 0.95
