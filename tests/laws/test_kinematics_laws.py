"""The laws of forward kinematics: kernel and twin agree, and moving the world moves the pose."""

import numpy as np
import pytest

from walkon.motion import Skeleton, kinematics
from walkon.motion.kinematics import forward, forward_numpy, points_on_joints
from walkon.transforms import quaternions as quat

ROUNDING = 1e-12


def random_tree(rng: np.random.Generator, joints: int) -> Skeleton:
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, joints))]
    return Skeleton(names=[f"j{j}" for j in range(joints)], parents=parents, offsets=rng.normal(size=(joints, 3)))


def random_motion(rng: np.random.Generator, skeleton: Skeleton, frames: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(frames, 3)), quat.normalize(rng.normal(size=(frames, len(skeleton), 4)))


@pytest.mark.parametrize("joints", [1, 2, 31])
@pytest.mark.parametrize("frames", [1, 50])
@pytest.mark.parametrize("moving", [False, True], ids=["rest offsets", "translations"])
def test_the_kernel_is_its_twin(rng: np.random.Generator, joints: int, frames: int, moving: bool) -> None:
    skeleton = random_tree(rng, joints)
    roots, turns = random_motion(rng, skeleton, frames)
    shifts = rng.normal(size=(frames, joints, 3)) if moving else None
    for found, wanted in zip(
        forward(skeleton, roots, turns, shifts), forward_numpy(skeleton, roots, turns, shifts), strict=True
    ):
        assert np.abs(found - wanted).max() < ROUNDING


def test_chunks_and_threads_change_nothing(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    skeleton = random_tree(rng, 8)
    roots, turns = random_motion(rng, skeleton, 37)
    shifts = rng.normal(size=(37, 8, 3))
    for translations in (None, shifts):
        whole = forward(skeleton, roots, turns, translations)
        monkeypatch.setattr(kinematics, "CHUNK_FRAMES", 5)
        for threads in ("1", "3"):
            monkeypatch.setenv("WALKON_THREADS", threads)
            for part, all_of_it in zip(forward(skeleton, roots, turns, translations), whole, strict=True):
                assert np.array_equal(part, all_of_it)


def test_turning_and_sliding_the_world_turns_and_slides_the_pose(rng: np.random.Generator) -> None:
    skeleton = random_tree(rng, 12)
    roots, turns = random_motion(rng, skeleton, 20)
    turn, shift = quat.normalize(rng.normal(size=4)), rng.normal(size=3)
    moved_turns = turns.copy()
    moved_turns[:, 0] = quat.multiply(turn, turns[:, 0])
    pose = forward(skeleton, roots, turns)
    moved = forward(skeleton, quat.rotate(turn, roots) + shift, moved_turns)
    assert np.allclose(moved.positions, quat.rotate(turn, pose.positions) + shift)
    assert np.allclose(moved.rotations, quat.multiply(turn, pose.rotations))


def test_bones_keep_their_lengths_in_any_pose(rng: np.random.Generator) -> None:
    skeleton = random_tree(rng, 12)
    pose = forward(skeleton, *random_motion(rng, skeleton, 20))
    bones = pose.positions[:, 1:] - pose.positions[:, skeleton.parents[1:]]
    assert np.allclose(np.linalg.norm(bones, axis=-1), np.linalg.norm(skeleton.offsets[1:], axis=-1))


def test_translations_equal_to_the_offsets_are_the_rest_skeleton(rng: np.random.Generator) -> None:
    skeleton = random_tree(rng, 6)
    roots, turns = random_motion(rng, skeleton, 9)
    shifts = np.broadcast_to(skeleton.offsets, (9, 6, 3))
    assert np.array_equal(forward(skeleton, roots, turns, shifts).positions, forward(skeleton, roots, turns).positions)


def test_a_moving_joint_moves_what_hangs_on_it_and_nothing_else(rng: np.random.Generator) -> None:
    skeleton = Skeleton(names="abcd", parents=[-1, 0, 1, 0], offsets=rng.normal(size=(4, 3)))
    roots, turns = random_motion(rng, skeleton, 5)
    shifts = np.array(np.broadcast_to(skeleton.offsets, (5, 4, 3)))
    shifts[:, 1] += [0.0, 0.0, 0.5]
    still, moved = forward(skeleton, roots, turns), forward(skeleton, roots, turns, shifts)
    step = quat.rotate(turns[:, 0], [0.0, 0.0, 0.5])
    assert np.allclose(moved.positions - still.positions, np.stack([0 * step, step, step, 0 * step], axis=1))


def test_scaling_the_skeleton_scales_the_pose(rng: np.random.Generator) -> None:
    skeleton = random_tree(rng, 10)
    roots, turns = random_motion(rng, skeleton, 4)
    assert np.allclose(
        forward(skeleton.scaled(1.15), 1.15 * roots, turns).positions, 1.15 * forward(skeleton, roots, turns).positions
    )


def test_points_on_joints_ride_along(rng: np.random.Generator) -> None:
    skeleton = random_tree(rng, 5)
    pose = forward(skeleton, *random_motion(rng, skeleton, 6))
    child = int(np.flatnonzero(skeleton.parents >= 0)[-1])
    parent = skeleton.parents[[child]]
    assert np.allclose(points_on_joints(pose, parent, skeleton.offsets[[child]])[:, 0], pose.positions[:, child])
