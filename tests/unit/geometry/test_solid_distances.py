"""Solids and unions of them: distances, gaps, extents and volumes against brute force and each other."""

import numpy as np
import pytest

from twins.solids import convex_gaps
from walkon.geometry.capsules import Capsules
from walkon.geometry.solid_gaps import GAP_TOLERANCE_M, lipschitz_gaps
from walkon.geometry.solid_pairs import parts_gaps
from walkon.geometry.solids import (
    SIMPLE_SHAPES,
    SolidParts,
    part_supports,
    parts_bounds,
    parts_distances,
    parts_reach,
    parts_volume,
    solid_distances,
    solid_volume,
)
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

HERE = np.array([[0.0, 0, 0, 1, 0, 0, 0]])


def some_poses(rng: np.random.Generator, count: int, far: float = 0.4) -> np.ndarray:
    return np.concatenate([rng.uniform(-far, far, (count, 3)), quat.normalize(rng.normal(size=(count, 4)))], axis=1)


def some_parts(rng: np.random.Generator) -> SolidParts:
    return SolidParts(("box", "sphere", "cylinder", "box"), rng.uniform(0.05, 0.5, (4, 3)), some_poses(rng, 4))


def sampled(parts: SolidParts, rng: np.random.Generator, count: int = 40_000) -> np.ndarray:
    """Points on and in the parts."""
    found = []
    for shape, size, pose in zip(*parts, strict=True):
        points = rng.uniform(-1, 1, (count, 3))
        points[: count // 2] /= np.abs(points[: count // 2]).max(axis=1, keepdims=True)
        if shape == "sphere":
            points /= np.linalg.norm(points, axis=1, keepdims=True)
        elif shape == "cylinder":
            points[:, :2] /= np.maximum(np.linalg.norm(points[:, :2], axis=1, keepdims=True), 1.0)
        extent = {"box": size, "sphere": size[[0, 0, 0]], "cylinder": size[[0, 0, 2]]}[shape]
        found.append(rigid.apply(pose, 0.5 * points * extent))
    return np.concatenate(found)


@pytest.mark.parametrize("shape", ["box", "sphere", "cylinder"])
def test_distances_from_solids_are_those_to_the_nearest_surface_point(shape: str, rng: np.random.Generator) -> None:
    half = np.array([0.2, 0.3, 0.15]) if shape == "box" else np.array([0.2, 0.2, 0.15])
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 161)] * 2), -1).reshape(-1, 2)
    if shape == "sphere":
        away = rng.normal(size=(40000, 3))
        surface = 0.2 * away / np.linalg.norm(away, axis=1, keepdims=True)
    elif shape == "box":
        faces = [np.insert(grid, axis, side, axis=1) for axis in range(3) for side in (-1.0, 1.0)]
        surface = np.concatenate(faces) * half
    else:
        turn, height = np.pi * grid[:, 0], half[2] * grid[:, 1]
        lid = grid[np.linalg.norm(grid, axis=1) <= 1.0] * half[0]
        surface = np.concatenate(
            [
                np.column_stack([half[0] * np.cos(turn), half[0] * np.sin(turn), height]),
                *(np.column_stack([lid, np.full(len(lid), side * half[2])]) for side in (-1, 1)),
            ]
        )
    points = rng.uniform(-1, 1, size=(60, 3)) * rng.uniform(0.05, 0.5, size=(60, 1))
    brute = np.linalg.norm(points[:, None] - surface, axis=-1).min(axis=1)
    found = solid_distances(shape, half, points)
    np.testing.assert_allclose(np.abs(found), brute, atol=0.006)
    assert (found < 0).any()
    assert (found > 0).any()


def test_the_gap_of_a_capsule_is_that_of_its_nearest_ball(rng: np.random.Generator) -> None:
    half = np.array([0.2, 0.3, 0.15])
    starts, ends = rng.uniform(-0.8, 0.8, size=(2, 40, 3, 3))
    radii = rng.uniform(0.01, 0.1, size=(40, 3, 2))
    found = convex_gaps(lambda points: solid_distances("box", half, points), Capsules(starts, ends, radii))
    s = np.linspace(0, 1, 2001)[:, None, None]
    balls = solid_distances("box", half, starts + s[..., None] * (ends - starts))
    brute = (balls - (1 - s) * radii[..., 0] - s * radii[..., 1]).min(axis=0)
    np.testing.assert_allclose(found, brute, atol=1e-3)
    assert (found <= brute + 1e-9).all()


def test_gaps_of_any_solid_are_within_their_tolerance(rng: np.random.Generator) -> None:
    def two_balls(points: np.ndarray) -> np.ndarray:
        away = points[..., None, :] - np.array([[0.3, 0.0, 0.0], [-0.3, 0.0, 0.0]])
        return np.asarray(np.linalg.norm(away, axis=-1).min(axis=-1) - 0.1)

    starts, ends = rng.uniform(-0.8, 0.8, size=(2, 50, 2, 3))
    starts[0], ends[0], radii = (-0.4, 0.2, 0.0), (0.4, 0.2, 0.0), rng.uniform(0.01, 0.1, size=(50, 2, 2))
    radii[1], starts[1] = 0.05, ends[1]  # a ball
    found = lipschitz_gaps(two_balls, Capsules(starts, ends, radii))
    s = np.linspace(0, 1, 4001)[:, None, None]
    balls = two_balls(starts + s[..., None] * (ends - starts))
    brute = (balls - (1 - s) * radii[..., 0] - s * radii[..., 1]).min(axis=0)
    assert found.shape == (50, 2)
    assert (found - brute > -5e-4).all()  # the samples miss the minimum by at most half a step
    assert (found - brute <= GAP_TOLERANCE_M).all()
    finer = lipschitz_gaps(two_balls, Capsules(starts, ends, radii), tolerance=1e-6)
    assert (finer <= found + 1e-12).all()
    assert np.abs(finer - brute).max() < 5e-4


@pytest.mark.parametrize("shape", SIMPLE_SHAPES)
def test_a_union_of_one_part_is_that_part(shape: str, rng: np.random.Generator) -> None:
    size, pose = rng.uniform(0.1, 0.5, 3), some_poses(rng, 1)
    parts, points = SolidParts((shape,), size[None], pose), rng.uniform(-1, 1, (200, 3))
    own = rigid.apply(rigid.inverse(pose[0]), points)
    np.testing.assert_allclose(parts_distances(parts, points), solid_distances(shape, 0.5 * size, own), atol=1e-12)
    assert parts_volume(parts) == solid_volume(shape, size)
    capsules = Capsules(points[:100], points[100:], rng.uniform(0.01, 0.1, (100, 2)))
    moved = Capsules(own[:100], own[100:], capsules.radii)
    alone = convex_gaps(lambda places: solid_distances(shape, 0.5 * size, places), moved)
    np.testing.assert_allclose(parts_gaps(parts, capsules), alone, atol=1e-9)


def test_turned_and_moved_together_nothing_changes(rng: np.random.Generator) -> None:
    parts, points, pose = some_parts(rng), rng.uniform(-0.4, 0.4, (300, 3)), some_poses(rng, 1, far=3.0)[0]
    moved = parts._replace(poses=rigid.compose(pose, parts.poses))
    before, after = parts_distances(parts, points), parts_distances(moved, rigid.apply(pose, points))
    np.testing.assert_allclose(after, before, atol=1e-12)
    assert (before < 0).any()
    assert (before > 0).any()
    radii = rng.uniform(0.01, 0.1, (150, 2))
    here, there = (
        parts_gaps(which, Capsules(places[:150], places[150:], radii))
        for which, places in ((parts, points), (moved, rigid.apply(pose, points)))
    )
    np.testing.assert_allclose(there, here, atol=1e-9)
    assert parts_volume(moved) == parts_volume(parts)
    middle = rng.normal(size=3)
    assert abs(parts_reach(moved, rigid.apply(pose, middle)) - parts_reach(parts, middle)) < 1e-12


def test_the_gap_of_a_union_is_the_least_of_its_parts(rng: np.random.Generator) -> None:
    parts = some_parts(rng)
    starts, ends = rng.uniform(-1, 1, size=(2, 100, 3))
    capsules = Capsules(starts, ends, rng.uniform(0.01, 0.1, (100, 2)))
    alone = [
        parts_gaps(SolidParts(parts.shapes[k : k + 1], parts.sizes[k : k + 1], parts.poses[k : k + 1]), capsules)
        for k in range(4)
    ]
    np.testing.assert_allclose(parts_gaps(parts, capsules), np.min(alone, axis=0), atol=1e-9)
    assert len(set(np.argmin(alone, axis=0))) == 4


def test_supports_bounds_and_reach_are_those_of_the_farthest_points(rng: np.random.Generator) -> None:
    parts = some_parts(rng)
    cloud = sampled(parts, rng)
    low, high = parts_bounds(parts)
    assert (cloud >= low - 1e-12).all()
    assert (cloud <= high + 1e-12).all()
    np.testing.assert_allclose([cloud.min(axis=0), cloud.max(axis=0)], [low, high], atol=0.01)
    ways = rng.normal(size=(20, 3))
    found = part_supports(parts, np.repeat(ways[:, None], 4, axis=1)).max(axis=1)
    brute = (cloud @ ways.T).max(axis=0)
    assert (found >= brute - 1e-12).all()
    np.testing.assert_allclose(found, brute, atol=0.04)
    for middle in rng.uniform(-0.5, 0.5, (5, 3)):
        brute = np.linalg.norm(cloud - middle, axis=1).max()
        assert brute - 1e-12 <= parts_reach(parts, middle) < brute + 0.02


@pytest.mark.parametrize("shape", SIMPLE_SHAPES)
def test_volumes_are_the_share_of_a_box_that_is_inside(shape: str, rng: np.random.Generator) -> None:
    size = np.array([0.4, 0.4, 0.4]) if shape == "sphere" else np.array([0.4, 0.4, 0.7])
    points = rng.uniform(-0.5, 0.5, (200_000, 3)) * size
    inside = (solid_distances(shape, 0.5 * size, points) < 0).mean()
    assert abs(solid_volume(shape, size) / size.prod() - inside) < 0.005


def test_nothing_asked_gives_nothing(rng: np.random.Generator) -> None:
    parts = some_parts(rng)
    assert parts_distances(parts, np.zeros((0, 3))).shape == (0,)
    assert parts_gaps(parts, Capsules(np.zeros((0, 2, 3)), np.zeros((0, 2, 3)), np.zeros((0, 2, 2)))).shape == (0, 2)
