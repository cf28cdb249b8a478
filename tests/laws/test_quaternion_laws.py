"""The laws of rotations: a group, its exponential map, its coordinates, and its interpolation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from walkon.transforms import quaternions as quat

ROUNDING = 1e-12
ORDERS = ["".join(letters) for letters in itertools.permutations("xyz")]

settings.register_profile("laws", max_examples=60, deadline=None)
laws = settings.get_profile("laws")

components = st.floats(-1, 1)
rotations = arrays(np.float64, 4, elements=components).filter(lambda q: np.linalg.norm(q) > 1e-3).map(quat.normalize)
vectors = arrays(np.float64, 3, elements=st.floats(-10, 10))
directions = arrays(np.float64, 3, elements=components).filter(lambda v: np.linalg.norm(v) > 1e-3)
directions = directions.map(lambda v: v / np.linalg.norm(v))
angles = st.floats(-np.pi, np.pi)


def same(a: np.ndarray, b: np.ndarray, tolerance: float = ROUNDING) -> bool:
    """Say whether two quaternions are one rotation, whatever their signs."""
    return bool(quat.angle_between(a, b).max() < tolerance)


@laws
@given(rotations, rotations, rotations)
def test_products_are_associative(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    assert np.allclose(quat.multiply(quat.multiply(a, b), c), quat.multiply(a, quat.multiply(b, c)), atol=ROUNDING)


@laws
@given(rotations)
def test_the_identity_changes_nothing_and_the_conjugate_undoes(q: np.ndarray) -> None:
    assert np.array_equal(quat.multiply(quat.IDENTITY, q), q)
    assert np.array_equal(quat.multiply(q, quat.IDENTITY), q)
    assert np.allclose(quat.multiply(q, quat.conjugate(q)), quat.IDENTITY, atol=ROUNDING)
    assert np.allclose(quat.multiply(quat.conjugate(q), q), quat.IDENTITY, atol=ROUNDING)


@laws
@given(rotations, rotations, vectors)
def test_rotating_by_a_product_is_rotating_twice(a: np.ndarray, b: np.ndarray, v: np.ndarray) -> None:
    assert np.allclose(quat.rotate(quat.multiply(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=1e-11)


@laws
@given(rotations, vectors, vectors)
def test_rotations_keep_lengths_angles_and_handedness(q: np.ndarray, u: np.ndarray, v: np.ndarray) -> None:
    ru, rv = quat.rotate(q, u), quat.rotate(q, v)
    assert ru @ rv == pytest.approx(u @ v, abs=1e-10)
    assert np.allclose(np.cross(ru, rv), quat.rotate(q, np.cross(u, v)), atol=1e-10)


@laws
@given(directions, st.floats(0, np.pi - 1e-9))
def test_log_undoes_exp_up_to_half_a_turn(axis: np.ndarray, angle: float) -> None:
    assert np.allclose(quat.log(quat.exp(angle * axis)), angle * axis, atol=1e-9)


@laws
@given(directions, st.sampled_from([0.0, 1e-300, 1e-20, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4]))
def test_exp_and_log_keep_their_digits_near_the_identity(axis: np.ndarray, angle: float) -> None:
    q = quat.exp(angle * axis)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=ROUNDING)
    assert np.allclose(quat.log(q), angle * axis, rtol=1e-9, atol=1e-12 * angle)


@laws
@given(directions, st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3]))
def test_exp_of_log_is_the_rotation_near_half_a_turn(axis: np.ndarray, short: float) -> None:
    for angle in (np.pi - short, np.pi + short):
        q = quat.exp(angle * axis)
        assert np.linalg.norm(quat.log(q)) <= np.pi + ROUNDING
        assert same(quat.exp(quat.log(q)), q)


@laws
@given(rotations)
def test_exp_of_log_is_the_rotation_everywhere(q: np.ndarray) -> None:
    assert same(quat.exp(quat.log(q)), q)
    assert quat.angle(q) == pytest.approx(np.linalg.norm(quat.log(q)), abs=ROUNDING)


@laws
@given(rotations, rotations, vectors)
def test_matrices_are_the_same_group(a: np.ndarray, b: np.ndarray, v: np.ndarray) -> None:
    m = quat.to_matrix(a)
    assert np.allclose(m @ v, quat.rotate(a, v), atol=1e-11)
    assert np.allclose(m @ quat.to_matrix(b), quat.to_matrix(quat.multiply(a, b)), atol=ROUNDING)
    assert np.allclose(m @ m.T, np.eye(3), atol=ROUNDING)
    assert np.linalg.det(m) == pytest.approx(1.0)
    assert same(quat.from_matrix(m), a)
    assert quat.from_matrix(m)[0] >= 0


@laws
@given(directions)
def test_matrices_of_half_turns_are_read_back(axis: np.ndarray) -> None:
    q = quat.about(axis, np.pi)
    assert same(quat.from_matrix(quat.to_matrix(q)), q)


@pytest.mark.parametrize("order", ORDERS)
@laws
@given(q=rotations)
def test_angles_of_any_order_compose_to_the_rotation(order: str, q: np.ndarray) -> None:
    found = quat.to_euler(q, order)
    assert same(quat.from_euler(found, order), q)
    assert abs(found[1]) <= np.pi / 2 + 1e-9


@pytest.mark.parametrize("order", ORDERS)
@laws
@given(
    first=angles,
    third=angles,
    short=st.sampled_from([0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3]),
    up=st.booleans(),
)
def test_angles_compose_to_the_rotation_at_and_near_gimbal_lock(
    order: str, first: float, third: float, short: float, up: bool
) -> None:
    middle = (np.pi / 2 - short) * (1 if up else -1)
    q = quat.from_euler([first, middle, third], order)
    assert same(quat.from_euler(quat.to_euler(q, order), order), q, tolerance=1e-11)


@pytest.mark.parametrize("order", ORDERS)
@laws
@given(first=angles, middle=st.floats(-1.5, 1.5), third=angles)
def test_angles_away_from_gimbal_lock_are_read_back(order: str, first: float, middle: float, third: float) -> None:
    found = quat.to_euler(quat.from_euler([first, middle, third], order), order)
    apart = np.angle(np.exp(1j * (found - [first, middle, third])))
    assert np.abs(apart).max() < 1e-12


@laws
@given(rotations, rotations, st.floats(0, 1), st.floats(0, 1))
def test_interpolation_starts_at_a_ends_at_b_and_keeps_its_speed(
    a: np.ndarray, b: np.ndarray, s: float, t: float
) -> None:
    assert np.allclose(quat.slerp(a, b, 0.0), a, atol=ROUNDING)
    assert same(quat.slerp(a, b, 1.0), b)
    whole = quat.angle_between(a, b)
    part = quat.angle_between(quat.slerp(a, b, s), quat.slerp(a, b, t))
    assert part == pytest.approx(abs(s - t) * whole, abs=1e-10)


@laws
@given(rotations, directions)
def test_swing_times_twist_is_the_rotation(q: np.ndarray, axis: np.ndarray) -> None:
    swing, twist = quat.swing_twist(q, axis)
    assert np.allclose(quat.multiply(swing, twist), q, atol=ROUNDING)
    assert np.allclose(quat.rotate(twist, axis), axis, atol=ROUNDING)
    assert swing[1:] @ axis == pytest.approx(0.0, abs=1e-9)


@laws
@given(directions, directions)
def test_between_takes_one_direction_to_the_other_by_the_smallest_turn(a: np.ndarray, b: np.ndarray) -> None:
    q = quat.between(3.0 * a, 0.2 * b)
    assert np.allclose(quat.rotate(q, a), b, atol=1e-7)
    assert quat.angle(q) == pytest.approx(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b), abs=1e-7)


@laws
@given(directions, directions, st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4]))
def test_between_works_for_opposite_and_nearly_opposite_directions(a: np.ndarray, side: np.ndarray, off: float) -> None:
    b = -a + off * side
    b /= np.linalg.norm(b)
    assert np.allclose(quat.rotate(quat.between(a, b), a), b, atol=5e-8)
    assert np.linalg.norm(quat.between(a, b)) == pytest.approx(1.0)


@laws
@given(vectors, vectors)
def test_cross_products_are_numpys_to_the_bit(a: np.ndarray, b: np.ndarray) -> None:
    assert np.array_equal(quat.cross(a, b), np.cross(a, b))
