"""Rotations at known values: what w first, b before a, and z up mean."""

import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.transforms import quaternions as quat

X, Y, Z = np.eye(3)
ROUNDING = 1e-14


def test_a_quarter_turn_about_z_takes_x_to_y() -> None:
    q = quat.turn(np.pi / 2)
    assert np.allclose(q, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert np.allclose(quat.rotate(q, X), Y, atol=ROUNDING)
    assert np.allclose(quat.turn([0.1, 0.2]), quat.about(Z, [0.1, 0.2]))


def test_the_product_applies_its_right_side_first() -> None:
    first, then = quat.about(X, np.pi / 2), quat.about(Z, np.pi / 2)
    assert np.allclose(quat.rotate(quat.multiply(then, first), Y), quat.rotate(then, Z), atol=ROUNDING)


def test_axes_and_angles_broadcast() -> None:
    assert quat.about(np.eye(3), 0.3).shape == (3, 4)
    assert quat.about(X, np.zeros((5, 2))).shape == (5, 2, 4)
    assert quat.multiply(np.tile(quat.IDENTITY, (7, 1, 1)), np.tile(quat.IDENTITY, (4, 1))).shape == (7, 4, 4)
    assert quat.between(np.eye(3), X).shape == (3, 4)


def test_a_zero_quaternion_becomes_the_identity() -> None:
    assert np.array_equal(quat.normalize([[0, 0, 0, 0], [0, 3, 0, 4]]), [[1, 0, 0, 0], [0, 0.6, 0, 0.8]])


def test_euler_letters_are_read_left_to_right_as_a_product() -> None:
    a, b, c = 0.3, -0.8, 1.9
    zyx = quat.multiply(quat.multiply(quat.about(Z, a), quat.about(Y, b)), quat.about(X, c))
    assert np.allclose(quat.from_euler([a, b, c], "zyx"), zyx)
    assert np.allclose(quat.from_euler([a], "y"), quat.about(Y, a))


@pytest.mark.parametrize(("angles", "order"), [([1, 2, 3], "xyw"), ([1, 2], "xyz")])
def test_a_wrong_order_of_letters_is_refused(angles: list[float], order: str) -> None:
    with pytest.raises(InvalidValue, match="order must be letters"):
        quat.from_euler(angles, order)


def test_reading_angles_needs_three_different_letters() -> None:
    with pytest.raises(InvalidValue, match="three different letters of 'xyz', got 'xyx'"):
        quat.to_euler(quat.IDENTITY, "xyx")


def test_at_gimbal_lock_the_third_angle_is_zero() -> None:
    angles = quat.to_euler(quat.from_euler([0.4, np.pi / 2, 0.3], "zyx"), "zyx")
    assert angles[1] == pytest.approx(np.pi / 2)
    assert angles[2] == pytest.approx(0.0, abs=1e-9)


def test_signs_are_chosen_along_time_and_the_first_frame_keeps_its_own() -> None:
    q = quat.turn(np.linspace(0, 4 * np.pi, 50))
    flipped = q * np.where(np.arange(50) % 3 == 1, -1.0, 1.0)[:, None]
    assert np.allclose(quat.continuous(flipped), q)
    assert np.allclose(quat.continuous(np.moveaxis(flipped[:, None], 0, 1), axis=1)[0], q)
    assert np.array_equal(quat.continuous(-q[:1]), -q[:1])


def test_the_mean_ignores_signs_and_follows_weights() -> None:
    q = quat.turn([0.0, 0.2])
    assert np.allclose(quat.mean([q[0], -q[1]]), quat.turn(0.1))
    assert np.allclose(quat.mean([q[0], -q[1]], weights=[1.0, 0.0]), q[0])
    assert quat.mean(np.tile(quat.IDENTITY, (4, 3, 1))).shape == (3, 4)


def test_the_shorter_way_is_taken_between_opposite_signs() -> None:
    a, b = quat.turn(0.0), -quat.turn(0.4)
    assert np.allclose(quat.slerp(a, b, 0.5), quat.turn(0.2))
    assert quat.angle_between(a, b) == pytest.approx(0.4)
