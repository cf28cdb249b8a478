import numpy as np
import pytest

from cameras import camera_at
from walkon._base.errors import InvalidValue, UnknownName
from walkon.drawing import VIEWS, Camera

SIZE = (200, 100)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("heading", [0.0, 1.0, -2.5])
def test_framed_points_fill_the_picture_and_stay_inside(view: str, heading: float, rng: np.random.Generator) -> None:
    points = rng.uniform([-2.0, -1.0, 0.0], [2.0, 1.0, 1.8], (60, 3))
    camera = Camera.view(points, view, heading=heading, aspect=2.0, margin=0.1)
    x, y, depth = camera.project(points, SIZE).T
    assert (depth > 0.0).all()
    assert x.min() > 0.1 * 200 - 1e-6
    assert x.max() < 0.9 * 200 + 1e-6
    assert y.min() > 0.1 * 100 - 1e-6
    assert y.max() < 0.9 * 100 + 1e-6
    assert np.ptp(x) > 0.79 * 200 or np.ptp(y) > 0.79 * 100


@pytest.mark.parametrize("height", [None, 3.0])
def test_the_ray_of_a_projected_point_goes_through_it(height: float | None, rng: np.random.Generator) -> None:
    camera = camera_at((1, 2, 1), azimuth=0.7, elevation=0.4, distance=4.0, height=height)
    points = rng.uniform(-1.0, 1.0, (20, 3)) + camera.target
    x, y, depth = (p[:, None] for p in camera.project(points, SIZE).T)
    rays = camera.rays(SIZE)
    reached = rays[0] + x * rays[1] + y * rays[2] + depth * (rays[3] + x * rays[4] + y * rays[5])
    np.testing.assert_allclose(reached, points, atol=1e-9)


def test_the_target_is_in_the_middle() -> None:
    camera = camera_at((1, 2, 1), azimuth=0.7, elevation=0.4, distance=4.0)
    np.testing.assert_allclose(camera.project(camera.target, SIZE), [100, 50, 4.0])


def test_from_the_side_a_character_walks_to_the_right_and_from_the_front_towards_the_eye() -> None:
    body = np.array([[0.0, 0, 0], [0.0, 0, 1.8], [0.3, 0.2, 1], [-0.3, -0.2, 1]])
    for heading in (0.0, 2.0):
        ahead = np.array([np.cos(heading), np.sin(heading), 1.0])
        here = np.array([0.0, 0.0, 1.0])
        side = Camera.view(body, "side", heading=heading)
        assert side.project(ahead, SIZE)[0] > side.project(here, SIZE)[0] + 5
        front = Camera.view(body, "front", heading=heading)
        assert front.project(ahead, SIZE)[2] < front.project(here, SIZE)[2] - 0.9
        top = Camera.view(body, "top", heading=heading)
        np.testing.assert_allclose(top.project(ahead, SIZE)[1], top.project(here, SIZE)[1], atol=1e-3)
        assert top.project(ahead, SIZE)[0] > top.project(here, SIZE)[0] + 5


def test_points_behind_the_eye_have_no_place() -> None:
    camera = Camera(eye=(0, 0, 1), target=(1, 0, 1))
    assert np.isnan(camera.project((-1.0, 0, 1), SIZE)[0])


def test_bad_cameras_are_refused() -> None:
    with pytest.raises(InvalidValue, match="must look somewhere"):
        Camera(eye=(0, 0, 1), target=(0, 0, 1))
    with pytest.raises(InvalidValue, match="field_of_view"):
        Camera(eye=(0, 0, 1), target=(1, 0, 1), field_of_view=0.0)
    with pytest.raises(InvalidValue, match="height must be positive"):
        Camera(eye=(0, 0, 1), target=(1, 0, 1), height=-1.0)
    with pytest.raises(InvalidValue, match="at least one point"):
        Camera.view(np.zeros((0, 3)), "side")
    with pytest.raises(UnknownName, match=r"no view 'sid'\. Close matches: 'side'"):
        Camera.view(np.eye(3), "sid")
