"""Kovar 2002, section 3.1: equations (2) to (4), as printed, are the minimum of equation (1), and ours are the same."""

from dataclasses import replace

import numpy as np
import pytest

from walker import walk
from walkon.graphs import Alignment, FrameSet, align
from walkon.motion.editing import move
from walkon.transforms import angles, planar


@pytest.fixture(scope="module")
def frames() -> FrameSet:
    slow = walk(speed=0.9, seconds=2.0, fps=30.0)
    brisk = replace(walk(speed=1.4, seconds=2.0, fps=30.0), name="brisk")
    return FrameSet.of([slow, move(brisk, np.array([2.0, -1.0, 2.2]))], joint_weights={"left_ball": 4.0})


@pytest.fixture(scope="module")
def pairs(frames: FrameSet) -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.stack([rng.integers(0, 50, 40), rng.integers(61 + 10, 122, 40)], axis=1)


def clouds(frames: FrameSet, pair: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights [k P] and the two clouds [k P, 3] of a pair (i, j): A_i … A_{i+k−1} and B_{j−k+1} … B_j."""
    k = frames.length
    places = frames.points.astype(float)
    places[..., :2] += frames.centroids[:, None]
    i, j = pair
    w = np.outer(frames.taper, frames.weights).ravel()
    return w, places[i : i + k].reshape(-1, 3), places[j - k + 1 : j + 1].reshape(-1, 3)


def equation_1(w: np.ndarray, a: np.ndarray, b: np.ndarray, pose: np.ndarray) -> float:
    return float(np.sum(w * np.sum((a - planar.apply_3d(pose, b)) ** 2, axis=1)))


@pytest.fixture(scope="module")
def found(frames: FrameSet, pairs: np.ndarray) -> Alignment:
    return align(frames, pairs)


def test_the_distance_is_the_root_of_equation_1_at_the_fit(
    frames: FrameSet, pairs: np.ndarray, found: Alignment
) -> None:
    for pair, pose, distance in zip(pairs, found.poses, found.distances, strict=True):
        assert np.sqrt(equation_1(*clouds(frames, pair), pose)) == pytest.approx(distance, abs=1e-9)


def test_no_other_turn_or_slide_fits_better(frames: FrameSet, pairs: np.ndarray, found: Alignment) -> None:
    rng = np.random.default_rng(5)
    for pair, pose in zip(pairs, found.poses, strict=True):
        w, a, b = clouds(frames, pair)
        least = equation_1(w, a, b, pose)
        middle = w @ a
        for size in (1e-3, 1e-2, 0.1, 1.0, 3.0):
            # Turn about the cloud's own middle, so that a turn is not undone by the slide that it causes.
            turn = np.array([0.0, 0.0, size * rng.choice([-1, 1])])
            about = planar.compose([*(middle[:2] - planar.apply(turn, middle[:2])), turn[2]], pose)
            slides = pose + size * np.array([[1, 0, 0], [0, -1, 0], rng.standard_normal(3)])
            for other in (about, *slides):
                assert equation_1(w, a, b, other) > least


def test_equations_2_to_4_as_printed_give_the_same_fit(frames: FrameSet, pairs: np.ndarray, found: Alignment) -> None:
    """The paper's x and z are our y and x; its turn by θ takes (x, z) to (x cos θ + z sin θ, −x sin θ + z cos θ)."""
    for pair, pose in zip(pairs, found.poses, strict=True):
        w, a, b = clouds(frames, pair)
        (z, x), (z1, x1) = a[:, :2].T, b[:, :2].T
        bar = {name: w @ value for name, value in {"x": x, "z": z, "x'": x1, "z'": z1}.items()}
        total = w.sum()
        above = w @ (x * z1 - x1 * z) - (bar["x"] * bar["z'"] - bar["x'"] * bar["z"]) / total
        below = w @ (x * x1 + z * z1) - (bar["x"] * bar["x'"] + bar["z"] * bar["z'"]) / total
        theta = np.arctan2(above, below)
        x0 = (bar["x"] - bar["x'"] * np.cos(theta) - bar["z'"] * np.sin(theta)) / total
        z0 = (bar["z"] + bar["x'"] * np.sin(theta) - bar["z'"] * np.cos(theta)) / total
        assert angles.difference(pose[2], theta) == pytest.approx(0.0, abs=1e-9)
        assert pose[:2] == pytest.approx([z0, x0], abs=1e-8)
