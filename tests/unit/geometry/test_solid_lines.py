"""Lines that stand for solids: all of them inside, none too far apart, edges and rims among them."""

import numpy as np
import pytest

from prop_shapes import box_mesh
from walkon.geometry.closed_meshes import ClosedMesh
from walkon.geometry.solid_lines import LINE_STEP_M, mesh_lines, parts_lines
from walkon.geometry.solid_pairs import HERE, Prism, prism_things, solid_pair_gaps
from walkon.geometry.solids import SIMPLE_SHAPES, SolidParts, part_supports, parts_distances
from walkon.transforms import quaternions as quat
from walkon.transforms import rigid


def some_part(shape: str, rng: np.random.Generator) -> SolidParts:
    size = rng.uniform(0.1, 0.5, 3)
    pose = np.concatenate([rng.uniform(-1, 1, 3), quat.normalize(rng.normal(size=4))])
    return SolidParts((shape,), size[None], pose[None])


@pytest.mark.parametrize("shape", SIMPLE_SHAPES)
def test_lines_are_in_the_solid_and_near_all_of_it(shape: str, rng: np.random.Generator) -> None:
    parts = some_part(shape, rng)
    starts, ends, radii = parts_lines(parts)
    for side in (starts, ends):
        assert (parts_distances(parts, side) + radii.max(axis=1) < 1e-9).all()
    points = rigid.apply(parts.poses[0], rng.uniform(-0.25, 0.25, (2000, 3)))
    points = points[parts_distances(parts, points) < 0]
    s = np.linspace(0, 1, 101)[:, None, None]
    cloud = (starts + s * (ends - starts)).reshape(-1, 3)
    away = np.linalg.norm(points[:, None] - cloud, axis=-1) - np.tile(radii[:, 0], 101)
    assert away.min(axis=1).max() < 0.75 * LINE_STEP_M + 0.005


@pytest.mark.parametrize("shape", SIMPLE_SHAPES)
def test_pushed_into_a_wall_a_solid_is_as_deep_as_it_was_pushed(shape: str, rng: np.random.Generator) -> None:
    depth, parts = 0.06, some_part(shape, rng)
    way = np.broadcast_to([1.0, 0.0, 0.0], (1, 3))
    edge = part_supports(parts, way).item()
    wall = Prism(np.array([[edge - depth, -9], [edge + 2, -9], [edge + 2, 9], [edge - depth, 9]]), -9.0, 9.0)
    lines = parts_lines(parts)
    pairs = np.zeros((len(lines.starts), 3), np.int64)
    pairs[:, 0] = np.arange(len(pairs))
    found = -solid_pair_gaps(lines, prism_things([wall]), HERE[None], pairs).min()
    assert found == pytest.approx(depth, abs=0.002 if shape == "cylinder" else 1e-9)


def test_the_lines_of_a_mesh_are_its_edges() -> None:
    mesh = ClosedMesh(*(np.asarray(part) for part in box_mesh(np.array([0.2, 0.3, 0.4]))))
    lines = mesh_lines(mesh)
    assert len(lines.starts) == 18, "twelve edges of a box, and a diagonal of each face"
    assert (lines.radii == 0).all()
