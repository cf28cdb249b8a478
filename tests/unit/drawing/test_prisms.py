"""Prisms of boxes fill their plans: what is inside is covered, what is outside is not."""

import numpy as np
import pytest

from walkon.drawing.prisms import CIRCLE_CORNER_COUNT, cylinder_boxes, prism_boxes
from walkon.geometry.polygons import contains, polygon
from walkon.transforms import quaternions as quat

PLANS = {
    "square": [[0, 0], [1, 0], [1, 1], [0, 1]],
    "turned": [[0, 0], [2, 1], [1.5, 2], [-0.5, 1]],
    "corner": [[0, 0], [2, 0], [2, 0.5], [0.5, 0.5], [0.5, 2], [0, 2]],
    "triangle": [[0, 0], [2, 0.3], [0.5, 1.7]],
    "dart": [[0, 0], [1, 0], [2, 1], [1, 0.6], [0, 1.5]],
    "ring": [[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)],
}


def covered(boxes, points):
    """Tell which points [P, 3] are in any of the boxes."""
    centres, sizes, rotations = boxes
    inside = np.zeros(len(points), bool)
    for centre, size, turn in zip(centres, sizes, rotations, strict=True):
        local = quat.rotate(quat.conjugate(turn), points - centre)
        inside |= (np.abs(local) <= 0.5 * size + 1e-9).all(axis=1)
    return inside


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_filled_and_nothing_else(name, rng):
    plan = np.array(PLANS[name], dtype=np.float64)
    boxes = prism_boxes(plan, base=0.2, top=1.0)
    points = np.column_stack([rng.uniform(plan.min(0) - 0.3, plan.max(0) + 0.3, (4000, 2)), np.full(4000, 0.6)])
    shape = polygon(plan)
    wanted, got = contains(shape, points[:, :2]), covered(boxes, points)
    assert (wanted == got).mean() > 0.997
    deep = contains(shape.buffer(-0.03), points[:, :2])
    far = ~contains(shape.buffer(0.03), points[:, :2])
    assert got[deep].all()
    assert not got[far].any()


@pytest.mark.parametrize("name", ["square", "turned"])
def test_a_rectangle_is_one_box(name):
    assert len(prism_boxes(np.array(PLANS[name], dtype=np.float64), base=0.0, top=1.0)[0]) == 1


def test_a_plan_with_square_corners_needs_few_boxes():
    assert len(prism_boxes(np.array(PLANS["corner"], dtype=np.float64), base=0.0, top=1.0)[0]) == 2


def test_heights_are_kept():
    centres, sizes, _ = prism_boxes(np.array(PLANS["dart"], dtype=np.float64), base=0.4, top=1.0)
    np.testing.assert_allclose(centres[:, 2], 0.7)
    np.testing.assert_allclose(sizes[:, 2], 0.6)


def test_a_cylinder_has_the_area_of_its_circle(rng):
    boxes = cylinder_boxes(0.6, 1.0)
    assert len(boxes[0]) == CIRCLE_CORNER_COUNT // 2
    points = np.column_stack([rng.uniform(-0.35, 0.35, (40_000, 2)), np.zeros(40_000)])
    area = covered(boxes, points).mean() * 0.7**2
    assert area == pytest.approx(np.pi * 0.3**2, rel=0.01)
    off = np.abs(np.linalg.norm(points[:, :2], axis=1) - 0.3)
    round_ = np.linalg.norm(points[:, :2], axis=1) < 0.3
    assert (covered(boxes, points) == round_)[off > 0.006].all()
