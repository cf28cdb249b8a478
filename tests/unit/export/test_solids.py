"""Meshes of floors and prisms: closed, facing out, of the right size, whatever the plan."""

import numpy as np
import pytest

from walkon.export.solids import floor_mesh, prism_mesh
from walkon.geometry.polygons import signed_area

PLANS = {
    "square": [[0, 0], [2, 0], [2, 2], [0, 2]],
    "hollow": [[0, 0], [4, 0], [4, 4], [3, 1], [0, 4]],
    "horseshoe": [[0, 0], [5, 0], [5, 5], [4, 5], [4, 1], [1, 1], [1, 5], [0, 5]],
}


def volume(points, faces):
    a, b, c = np.moveaxis(points[faces], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_prism_is_closed_and_faces_out(plan):
    plan = np.array(plan, float)
    points, faces = prism_mesh(plan, base=0.5, top=2.0)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there, back = {tuple(e) for e in edges.tolist()}, {tuple(e) for e in edges[:, ::-1].tolist()}
    assert there == back and len(there) == len(edges)
    assert volume(points, faces) == pytest.approx(1.5 * signed_area(plan))
    assert (points[:, 2].min(), points[:, 2].max()) == (0.5, 2.0)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_floor_faces_up_and_has_the_area_of_its_plan(plan):
    points, faces = floor_mesh(np.array(plan, float), height=0.1)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] > 0).all() and (points[:, 2] == 0.1).all()
    assert normals[:, 2].sum() / 2 == pytest.approx(signed_area(plan))
