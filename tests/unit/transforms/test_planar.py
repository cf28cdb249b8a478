"""Planar poses at known values."""

import numpy as np

from walkon.transforms import planar


def test_a_step_forward_after_a_quarter_turn_goes_to_the_left() -> None:
    there = planar.compose([1.0, 2.0, np.pi / 2], [0.5, 0.0, 0.1])
    assert np.allclose(there, [1.0, 2.5, np.pi / 2 + 0.1])


def test_headings_are_wrapped() -> None:
    assert np.isclose(planar.compose([0, 0, 3.0], [0, 0, 3.0])[2], 6.0 - 2 * np.pi)
    assert planar.inverse([0.0, 0.0, np.pi])[2] == np.pi


def test_one_pose_moves_many_points_and_heights_are_kept() -> None:
    points = np.arange(12.0).reshape(4, 3)
    moved = planar.apply_3d([1.0, 0.0, np.pi], points)
    assert np.allclose(moved[:, :2], [1.0, 0.0] - points[:, :2])
    assert np.array_equal(moved[:, 2], points[:, 2])
    assert planar.apply(np.zeros((5, 1, 3)), points[:, :2]).shape == (5, 4, 2)
    assert planar.apply_3d(np.zeros((5, 1, 3)), points).shape == (5, 4, 3)
