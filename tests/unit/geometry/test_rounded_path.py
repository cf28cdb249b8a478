import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.geometry.path import Path


def test_a_straight_way_is_straight():
    path = Path.straight(5.0, heading=0.3)
    places = path.pose(np.linspace(-2, 7, 10))
    s = np.linspace(-2, 7, 10)
    np.testing.assert_allclose(places[:, 0], s * np.cos(0.3), atol=1e-9)
    np.testing.assert_allclose(places[:, 2], 0.3, atol=1e-9)
    assert path.length == pytest.approx(5.0)
    assert path.tightest > 1e6


def test_far_beyond_its_ends_it_goes_straight_on():
    path = Path.rounded([(0, 0), (4, 0), (4, 4)])
    far = path.pose(np.array([path.length + 100.0, -100.0]))
    np.testing.assert_allclose(far[0], [4.0, 104.0, np.pi / 2], atol=0.02)
    np.testing.assert_allclose(far[1], [-100.0, 0.0, 0.0], atol=0.02)


def test_a_corner_is_rounded_and_both_ends_are_met():
    path = Path.rounded([(0, 0), (4, 0), (4, 4)], radius=1.0)
    np.testing.assert_allclose(path.pose(0.0)[:2], [0, 0], atol=0.01)
    np.testing.assert_allclose(path.pose(path.length)[:2], [4, 4], atol=0.01)
    # Two straights of 3 m and a quarter circle of 1 m.
    assert path.length == pytest.approx(6 + np.pi / 2, abs=0.05)
    assert path.tightest == pytest.approx(1.0, abs=0.08)
    s = np.linspace(0, path.length, 200)
    assert np.abs(np.diff(path.curvature(s, span=0))).max() < 0.2, "the curvature has no steps"


def test_the_arc_length_is_that_of_the_curve():
    path = Path.rounded([(0, 0), (2, 1), (4, 0), (6, 2)])
    s = np.linspace(0, path.length, 4001)
    walked = np.linalg.norm(np.diff(path.pose(s)[:, :2], axis=0), axis=1).sum()
    assert walked == pytest.approx(path.length, rel=1e-4)


def test_dense_points_of_a_circle_give_the_circle():
    angle = np.linspace(0, 2 * np.pi, 80)
    path = Path.rounded(np.column_stack([2 * np.sin(angle), 2 - 2 * np.cos(angle)]))
    middle = path.pose(np.linspace(1, path.length - 1, 50))[:, :2]
    np.testing.assert_allclose(np.linalg.norm(middle - [0, 2], axis=1), 2.0, atol=0.02)
    assert path.headings[-1] - path.headings[0] == pytest.approx(2 * np.pi, abs=0.1), "headings are unwrapped"


def test_beside_is_to_the_left():
    path = Path.straight(3.0)
    np.testing.assert_allclose(path.beside(1.0, 0.5), [1.0, 0.5], atol=1e-9)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(0, 0)], "two different points"),
        ([(1, 1), (1, 1)], "two different"),
        ([(0, 0), (2, 0), (0, 0.01)], "turns back"),
    ],
)
def test_a_path_that_leads_nowhere_or_back_is_refused(points, words):
    with pytest.raises(InvalidValue, match=words):
        Path.rounded(points)


def test_a_path_given_by_its_headings_has_them():
    arcs = np.linspace(-1.0, 3.0, 401)
    path = Path.along(arcs, 0.5 * np.clip(arcs, 0.0, None), stop=2.0)
    np.testing.assert_allclose(path.pose(0.0), 0.0, atol=1e-12)
    np.testing.assert_allclose(path.pose([-1.0, 2.0])[:, 2], [0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(path.at(2.0), [2 * np.sin(1.0), 2 - 2 * np.cos(1.0)], atol=1e-4)
    assert path.length == 2.0
    assert path.curvature(1.5, span=0) == pytest.approx(0.5)


def test_a_rounded_path_keeps_its_start_and_end_when_it_is_scaled_and_moved():
    path = Path.rounded([(0, 0), (4, 0), (4, 4)])
    larger = path.scaled_to(2 * path.length).moved((1.0, 0.0, np.pi / 2))
    assert larger.length == pytest.approx(2 * path.length)
    np.testing.assert_allclose(larger.at(0.0), [1.0, 0.0], atol=0.01)
    np.testing.assert_allclose(larger.at(larger.length), [-7.0, 8.0], atol=0.02)
