"""The laws of rigid poses, which form a group that moves points in space."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from walkon.transforms import planar, rigid
from walkon.transforms import quaternions as quat

ROUNDING = 1e-10
IDENTITY = np.append(np.zeros(3), quat.IDENTITY)

laws = settings(max_examples=80, deadline=None)
floor_poses = st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-10, 10)).map(np.array)
vectors = arrays(np.float64, 3, elements=st.floats(-3, 3))
poses = st.tuples(vectors, vectors).map(lambda parts: np.concatenate([10 * parts[0], quat.exp(parts[1])]))


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Say whether two poses are one, whatever the signs of their quaternions."""
    return bool(
        np.allclose(a[..., :3], b[..., :3], atol=ROUNDING)
        and np.allclose(quat.to_matrix(a[..., 3:]), quat.to_matrix(b[..., 3:]), atol=ROUNDING)
    )


@laws
@given(poses, poses, poses)
def test_composing_is_associative(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    assert same(rigid.compose(rigid.compose(a, b), c), rigid.compose(a, rigid.compose(b, c)))


@laws
@given(poses)
def test_the_inverse_undoes_on_either_side(a: np.ndarray) -> None:
    assert same(rigid.compose(a, rigid.inverse(a)), IDENTITY)
    assert same(rigid.compose(rigid.inverse(a), a), IDENTITY)
    assert same(rigid.compose(IDENTITY, a), a)


@laws
@given(poses, poses, poses)
def test_what_is_seen_from_a_does_not_change_when_the_world_is_moved(
    world: np.ndarray, a: np.ndarray, b: np.ndarray
) -> None:
    seen = rigid.relative(a, b)
    assert same(seen, rigid.compose(rigid.inverse(a), b))
    assert same(rigid.compose(a, seen), b)
    assert same(rigid.relative(rigid.compose(world, a), rigid.compose(world, b)), seen)


@laws
@given(poses, poses, vectors)
def test_composed_poses_move_points_one_after_the_other(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> None:
    assert np.allclose(rigid.apply(rigid.compose(a, b), p), rigid.apply(a, rigid.apply(b, p)), atol=ROUNDING)


@laws
@given(floor_poses, floor_poses)
def test_on_the_floor_they_are_planar_poses(a: np.ndarray, b: np.ndarray) -> None:
    both = rigid.compose(rigid.from_planar(a), rigid.from_planar(b))
    assert same(both, rigid.from_planar(planar.compose(a, b)))


@laws
@given(poses)
def test_the_mean_of_a_pose_and_its_other_sign_is_itself(a: np.ndarray) -> None:
    assert rigid.mean([a, a * [1, 1, 1, -1, -1, -1, -1]]) == pytest.approx(a)
