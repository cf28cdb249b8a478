"""Closed meshes: the kernel against its twin, and meshes of solids against the solids themselves."""

import numpy as np
import pytest

from prop_shapes import ball_mesh, box_mesh, ring_mesh
from twins.meshes import mesh_distances_numpy, winding_numbers
from walkon._base.errors import InvalidValue
from walkon.geometry.capsules import Capsules
from walkon.geometry.closed_meshes import (
    ClosedMesh,
    check_closed,
    crease_normals,
    mesh_distances,
    mesh_gaps,
    mesh_volume,
    weld_triangles,
)
from walkon.geometry.solid_gaps import GAP_TOLERANCE_M
from walkon.geometry.solid_pairs import parts_gaps
from walkon.geometry.solids import SolidParts, solid_distances, solid_volume
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid

SIZE = np.array([0.4, 0.3, 0.2])
BOX = ClosedMesh(*box_mesh(SIZE))
RING = ClosedMesh(*ring_mesh(0.25, 0.08))


def ring_distances(points: np.ndarray, radius: float, thick: float) -> np.ndarray:
    """Of a true torus."""
    return np.asarray(np.hypot(np.hypot(points[:, 0], points[:, 1]) - radius, points[:, 2]) - thick)


def nested() -> ClosedMesh:
    """A ball with a hollow in it, and another that crosses its skin."""
    outer, inner = ball_mesh(0.4, sides=12), ball_mesh(0.2, sides=8)
    aside = inner[0] + [0.4, 0.05, 0.02]
    vertices = np.concatenate([outer[0], inner[0], aside])
    first, second = len(outer[0]), len(outer[0]) + len(inner[0])
    return ClosedMesh(vertices, np.concatenate([outer[1], inner[1][:, ::-1] + first, inner[1] + second]))


@pytest.mark.parametrize("mesh", [BOX, RING, nested()], ids=["box", "ring", "nested"])
def test_distances_are_those_of_the_twin(mesh: ClosedMesh, rng: np.random.Generator) -> None:
    points = rng.uniform(-1.2, 1.2, (400, 3)) * np.abs(mesh.vertices).max(axis=0)
    found = mesh_distances(mesh, points)
    np.testing.assert_allclose(found, mesh_distances_numpy(mesh, points), atol=1e-12)
    assert 10 < (found < 0).sum() < 390


def test_winding_counts_hollows_and_crossings(rng: np.random.Generator) -> None:
    mesh = nested()
    check_closed(mesh, whose="it")
    spots = np.array([[0.0, 0, 0.01], [0.0, 0.3, 0.0], [0.36, 0.05, 0.03], [0.5, 0.05, 0.0], [0.7, 0.0, 0.0]])
    assert np.rint(winding_numbers(mesh, spots)).tolist() == [0, 1, 2, 1, 0]
    assert (mesh_distances(mesh, spots) < 0).tolist() == [False, True, True, True, False]


def test_a_mesh_of_a_box_is_the_box(rng: np.random.Generator) -> None:
    # A grid through its corners, edges and the diagonals of its sides as well, where rays meet several triangles.
    ticks = np.linspace(-0.4, 0.4, 33)
    grid = np.stack(np.meshgrid(ticks, ticks * 0.75, ticks * 0.5), axis=-1)
    for points in (grid, rng.uniform(-0.5, 0.5, (2000, 3))):
        found = mesh_distances(BOX, points)
        assert found.shape == points.shape[:-1]
        np.testing.assert_allclose(found, solid_distances("box", 0.5 * SIZE, points), atol=1e-12)
    assert abs(mesh_volume(BOX) - SIZE.prod()) < 1e-15
    starts, ends = rng.uniform(-0.5, 0.5, (2, 60, 2, 3))
    capsules = Capsules(starts, ends, rng.uniform(0.01, 0.1, (60, 2, 2)))
    parts = SolidParts(("box",), SIZE[None], np.array([[0.0, 0, 0, 1, 0, 0, 0]]))
    more = mesh_gaps(BOX, capsules) - parts_gaps(parts, capsules)
    assert more.min() > -1e-9
    assert more.max() <= GAP_TOLERANCE_M


def test_a_mesh_of_a_ball_approaches_the_ball(rng: np.random.Generator) -> None:
    points = rng.uniform(-0.4, 0.4, (300, 3))
    half, off, less = np.full(3, 0.2), [], []
    for sides in (12, 24, 48):
        mesh = ClosedMesh(*ball_mesh(0.2, sides=sides))
        check_closed(mesh, whose="the ball")
        off.append(np.abs(mesh_distances(mesh, points) - solid_distances("sphere", half, points)).max())
        less.append(solid_volume("sphere", 2 * half) - mesh_volume(mesh))
    for errors in (off, less):
        # Second order: twice as many sides, a quarter of the error.
        assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.6)
        assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.4)
    assert off[-1] < 1e-3


def test_a_ring_is_outside_in_its_hole(rng: np.random.Generator) -> None:
    fine = ClosedMesh(*ring_mesh(0.25, 0.08, sides=96, around=48))
    points = rng.uniform(-0.4, 0.4, (300, 3))
    np.testing.assert_allclose(mesh_distances(fine, points), ring_distances(points, 0.25, 0.08), atol=1e-3)
    assert mesh_distances(fine, np.zeros((1, 3)))[0] > 0.169
    assert mesh_volume(fine) == pytest.approx(2 * np.pi**2 * 0.25 * 0.08**2, rel=0.005)
    # A rod through the hole: the gap is least where it passes the tube, not at its ends.
    rod = Capsules(np.array([[0.1, 0.0, -0.5]]), np.array([[0.1, 0.0, 0.5]]), np.full((1, 2), 0.02))
    assert mesh_gaps(fine, rod)[0] == pytest.approx(0.07 - 0.02, abs=1e-3)


def test_turned_and_moved_together_nothing_changes(rng: np.random.Generator) -> None:
    pose = np.concatenate([rng.uniform(-3, 3, 3), quat.normalize(rng.normal(size=4))])
    moved, points = RING._replace(vertices=rigid.apply(pose, RING.vertices)), rng.uniform(-0.5, 0.5, (500, 3))
    after = mesh_distances(moved, rigid.apply(pose, points))
    np.testing.assert_allclose(after, mesh_distances(RING, points), atol=1e-12)
    assert mesh_volume(moved) == pytest.approx(mesh_volume(RING), rel=1e-12)
    far = RING._replace(vertices=RING.vertices + 500.0)
    assert mesh_volume(far) == pytest.approx(mesh_volume(RING), rel=1e-9)


def test_results_do_not_depend_on_threads(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    points, found = rng.uniform(-0.5, 0.5, (5000, 3)), []
    for count in ("1", "3"):
        monkeypatch.setenv("WALKON_THREADS", count)
        found.append(mesh_distances(RING, points))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("triangles", "words"),
    [
        (BOX.triangles[:0], "the mesh of it has no triangles"),
        (BOX.triangles - 1, "triangles of it must be of vertices 0 to 7, got -1"),
        (BOX.triangles + 1, "triangles of it must be of vertices 0 to 7, got 8"),
        (BOX.triangles[1:], "must be closed, but 3 of its 18 edges are open"),
        (BOX.triangles[2:], "must be closed, but 4 of its 17 edges are open"),
        (np.vstack([BOX.triangles, BOX.triangles[:1]]), "3 of its 18 edges belong to more than two triangles"),
        (np.vstack([BOX.triangles[1:], BOX.triangles[:1, ::-1]]), "3 of its 18 edges are run through twice the same"),
        (np.vstack([BOX.triangles, [[0, 0, 1]]]), r"1 of the 13 triangles of it have no area \(the first is row 12\)"),
        (np.array([[0, 1, 2], [0, 2, 1]]), "the mesh of it encloses nothing: its volume is 0"),
    ],
)
def test_what_encloses_nothing_is_refused_in_a_sentence(triangles: np.ndarray, words: str) -> None:
    with pytest.raises(InvalidValue, match=words) as error:
        check_closed(ClosedMesh(BOX.vertices, triangles), whose="it")
    assert "\n" not in str(error.value)


def test_a_sliver_has_no_area() -> None:
    vertices = np.vstack([BOX.vertices, 0.5 * (BOX.vertices[0] + BOX.vertices[1])])
    with pytest.raises(InvalidValue, match="1 of the 13 triangles of it have no area"):
        check_closed(ClosedMesh(vertices, np.vstack([BOX.triangles, [[0, 8, 1]]])), whose="it")


def test_corners_of_a_box_have_the_normals_of_its_sides_and_a_ball_is_round() -> None:
    normals = crease_normals(BOX)
    corners = BOX.vertices[BOX.triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    np.testing.assert_allclose(normals, np.repeat(faces[:, None], 3, axis=1), atol=1e-12)
    ball = ClosedMesh(*ball_mesh(0.2))
    out = ball.vertices[ball.triangles]
    out = out / np.linalg.norm(out, axis=-1, keepdims=True)
    assert np.sum(out * crease_normals(ball), axis=-1).min() > 0.995


def test_corners_that_are_at_one_place_are_welded(rng: np.random.Generator) -> None:
    corners = BOX.vertices[BOX.triangles] + rng.uniform(-1e-8, 1e-8, (12, 3, 3))
    mesh = weld_triangles(np.concatenate([corners, [[corners[0, 0], corners[0, 0], corners[0, 1]]]]))
    assert (len(mesh.vertices), len(mesh.triangles)) == (8, 12)
    check_closed(mesh, whose="it")
    assert mesh_volume(mesh) == pytest.approx(SIZE.prod(), rel=1e-6)
