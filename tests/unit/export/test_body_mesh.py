"""The skin of a body: closed, looking outward, held by the right joints, dressed as in pictures."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import take_scenes
import walker
from walkon.drawing.figures import part_colours
from walkon.export.body_mesh import body_mesh, cloth_colours, to_linear
from walkon.motion.body import POINT_RADIUS_M, Body
from walkon.motion.skeleton import Skeleton


@pytest.fixture(scope="module")
def person() -> Body:
    return Body.of(walker.skeleton())


@pytest.fixture(scope="module")
def mesh(person):
    return body_mesh(person)


def crossings(mesh):
    a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def test_every_edge_has_a_triangle_on_either_side(mesh):
    edges = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    forth = np.sort(edges[:, 0] * len(mesh.positions) + edges[:, 1])
    back = np.sort(edges[:, 1] * len(mesh.positions) + edges[:, 0])
    assert len(np.unique(forth)) == len(forth)
    np.testing.assert_array_equal(forth, back)


def test_triangles_and_normals_look_outward(mesh):
    normals = mesh.normals[mesh.triangles].mean(axis=1)
    assert (np.einsum("ij,ij->i", crossings(mesh), normals) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-9)


def test_it_is_as_tall_as_the_body_and_stands_on_its_soles(person, mesh):
    top, bottom = mesh.positions[:, 2].max(), mesh.positions[:, 2].min()
    assert top - bottom == pytest.approx(person.height, abs=0.05)
    soles = person.skeleton.rest_positions[person.skeleton.contact_joints] + person.skeleton.contact_offsets
    assert bottom == pytest.approx(soles[:, 2].min(), abs=0.02)


def test_vertices_stay_by_the_capsules_of_the_joint_that_holds_them(person, mesh):
    for joint in np.unique(mesh.joints):
        mine = mesh.positions[mesh.joints == joint] - person.skeleton.rest_positions[joint]
        of = np.flatnonzero(person.capsule_joints == joint)
        reach = np.concatenate([person.capsule_starts[of], person.capsule_ends[of]])
        room = person.capsule_radii[of].max() + 0.05
        assert (mine >= reach.min(axis=0) - room).all()
        assert (mine <= reach.max(axis=0) + room).all()


def test_the_crease_between_two_capsules_is_filled_and_shades_without_a_seam():
    arm = Body.of(take_scenes.robot_arm())
    twins = replace(
        arm,
        capsule_joints=[0, 0],
        capsule_starts=[[0, -0.05, 0], [0, 0.05, 0]],
        capsule_ends=[[0, -0.05, 0.5], [0, 0.05, 0.5]],
        capsule_radii=[[0.1, 0.1], [0.1, 0.1]],
        capsule_parts=("base", "base"),
    )
    mesh = body_mesh(twins)
    points = mesh.positions - arm.skeleton.rest_positions[0]
    middle = (points[:, 2] > 0.1) & (points[:, 2] < 0.4)
    crease = middle & (np.abs(points[:, 1]) < 0.004)
    assert crease.any()
    depth = np.sqrt(0.1**2 - 0.05**2)
    assert (np.abs(mesh.normals[crease, 1]) < 0.2).all()  # 0.5 on either side before
    assert (np.abs(points[crease, 0]) > depth + 0.0005).all()
    side = middle & (np.abs(points[:, 1]) > 0.14)
    away = np.hypot(np.abs(points[side, 1]) - 0.05, points[side, 0])
    np.testing.assert_allclose(away, 0.1, atol=1e-4)


def test_clothes_are_all_triangles_in_order(mesh):
    assert list(mesh.clothes) == ["hair", "trousers", "shirt", "skin", "shoes"]
    spans = list(mesh.clothes.values())
    assert spans[0].start == 0
    assert spans[-1].stop == len(mesh.triangles)
    for one, two in pairwise(spans):
        assert one.stop == two.start > one.start
        assert np.unique(mesh.triangles[one]).max() < np.unique(mesh.triangles[two]).min()


def test_colours_are_those_of_pictures_in_any_shirt(person):
    red = replace(person, colour=(0.9, 0.1, 0.2))
    colours = cloth_colours(red)
    assert colours["shirt"] == (0.9, 0.1, 0.2)
    drawn = dict(zip(red.capsule_parts, part_colours(red), strict=True))
    np.testing.assert_allclose(colours["trousers"], drawn["left_thigh"], atol=1e-6)
    np.testing.assert_allclose(colours["skin"], drawn["head"], atol=1e-6)
    assert set(colours) == {"hair", "trousers", "shirt", "skin", "shoes"}


def test_a_machine_is_made_of_one_thing_and_a_single_joint_is_a_ball():
    arm = Body.of(take_scenes.robot_arm())
    mesh = body_mesh(arm)
    assert list(mesh.clothes) == ["body"]
    assert cloth_colours(arm) == {"body": pytest.approx(arm.colour)}
    point = body_mesh(Body.of(Skeleton(names=("only",), parents=[-1], offsets=[[0, 0, 1]])))
    assert list(point.clothes) == ["body"]
    np.testing.assert_allclose(np.linalg.norm(point.positions - [0, 0, 1], axis=1), POINT_RADIUS_M, atol=1e-9)


def test_a_capsule_that_holds_another_is_a_sphere():
    arm = Body.of(take_scenes.robot_arm())
    ball = replace(
        arm,
        capsule_joints=[0],
        capsule_starts=[[0, 0, 0]],
        capsule_ends=[[0, 0, 0.1]],
        capsule_radii=[[0.3, 0.1]],
        capsule_parts=("base",),
    )
    mesh = body_mesh(ball)
    away = np.linalg.norm(mesh.positions - arm.skeleton.rest_positions[0], axis=1)
    np.testing.assert_allclose(away, 0.3, atol=1e-9)
    volume = np.einsum("ij,ij->", mesh.positions[mesh.triangles[:, 0]], crossings(mesh)) / 6
    assert volume == pytest.approx(4 / 3 * np.pi * 0.3**3, rel=0.06)


def test_colours_of_files_are_shares_of_light():
    assert to_linear((0.0, 1.0, 0.5)) == [0.0, 1.0, pytest.approx(0.21404, abs=1e-5)]
