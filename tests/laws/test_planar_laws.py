"""The laws of planar poses, which form a group that moves points, and of wrapped angles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from walkon.transforms import angles, planar
from walkon.transforms import quaternions as quat

ROUNDING = 1e-10

laws = settings(max_examples=80, deadline=None)
poses = st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-10, 10)).map(np.array)
points = arrays(np.float64, (4, 2), elements=st.floats(-20, 20))


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Say whether two poses are one, whatever the turns in their headings."""
    return bool(
        np.allclose(a[..., :2], b[..., :2], atol=ROUNDING)
        and np.abs(angles.difference(a[..., 2], b[..., 2])).max() < ROUNDING
    )


@laws
@given(poses, poses, poses)
def test_composing_is_associative(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    assert same(planar.compose(planar.compose(a, b), c), planar.compose(a, planar.compose(b, c)))


@laws
@given(poses)
def test_the_identity_changes_nothing_and_the_inverse_undoes(a: np.ndarray) -> None:
    assert same(planar.compose(planar.IDENTITY, a), a)
    assert same(planar.compose(a, planar.IDENTITY), a)
    assert same(planar.compose(a, planar.inverse(a)), planar.IDENTITY)
    assert same(planar.compose(planar.inverse(a), a), planar.IDENTITY)


@laws
@given(poses, poses, poses)
def test_what_is_seen_from_a_does_not_change_when_the_world_is_moved(
    a: np.ndarray, b: np.ndarray, world: np.ndarray
) -> None:
    seen = planar.relative(a, b)
    assert same(planar.compose(a, seen), b)
    assert same(planar.relative(planar.compose(world, a), planar.compose(world, b)), seen)


@laws
@given(poses, poses, points)
def test_moving_points_by_a_composition_is_moving_them_twice(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> None:
    assert np.allclose(planar.apply(planar.compose(a, b), p), planar.apply(a, planar.apply(b, p)), atol=ROUNDING)
    assert np.allclose(planar.apply(a, np.zeros(2)), a[:2])


@laws
@given(poses, points)
def test_moving_along_the_floor_is_turning_about_the_vertical(a: np.ndarray, p: np.ndarray) -> None:
    raised = np.column_stack([p, np.arange(4.0)])
    turned = quat.rotate(quat.turn(a[2]), raised)
    assert np.allclose(planar.apply_3d(a, raised) - turned, [a[0], a[1], 0.0], atol=ROUNDING)


@settings(max_examples=300, deadline=None)
@given(st.floats(-1e4, 1e4))
def test_wrapping_keeps_the_direction_and_stays_above_minus_pi_and_up_to_pi(angle: float) -> None:
    wrapped = float(angles.wrap(angle))
    assert -np.pi < wrapped <= np.pi
    assert np.exp(1j * wrapped) == pytest.approx(np.exp(1j * angle), abs=1e-11)
    assert float(angles.wrap(wrapped)) == wrapped


@settings(max_examples=200, deadline=None)
@given(st.integers(-2000, 2000), st.sampled_from([-1, 0, 1]))
def test_wrapping_is_right_at_the_seam(turns: int, ulps: int) -> None:
    angle = (2 * turns + 1) * np.pi
    angle = np.nextafter(angle, np.inf * ulps) if ulps else angle
    wrapped = float(angles.wrap(angle))
    assert -np.pi < wrapped <= np.pi
    assert abs(wrapped) == pytest.approx(np.pi, abs=1e-8)


@laws
@given(st.floats(-100, 100), st.floats(-100, 100))
def test_the_difference_leads_from_b_to_a(a: float, b: float) -> None:
    assert np.exp(1j * (b + float(angles.difference(a, b)))) == pytest.approx(np.exp(1j * a), abs=1e-11)
