import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins.path_progress import progress_numpy
from walkon._base.errors import InvalidShape, InvalidValue
from walkon.geometry.path import Path
from walkon.reproduce.lettering import hello


def test_a_path_is_read_by_arc_length():
    path = Path(points=[(0, 0), (3, 0), (3, 4)])
    assert path.length == pytest.approx(7.0)
    assert path.at([0.0, 1.5, 3.0, 5.0, 99.0]).tolist() == [[0, 0], [1.5, 0], [3, 0], [3, 2], [3, 4]]


@pytest.mark.parametrize("turns", [1.0, -1.0])
def test_a_circle_has_its_length_and_curvature_on_its_side(turns):
    circle = Path.circle(2.0, turns=turns)
    assert circle.length == pytest.approx(4 * np.pi, rel=1e-4)
    assert circle.curvature(np.linspace(0, circle.length, 50)) == pytest.approx(np.sign(turns) * 0.5, rel=0.01)
    assert circle.tightest == pytest.approx(2.0, rel=0.01)
    assert circle.at(0.25 * circle.length) == pytest.approx([2.0, turns * 2.0], abs=1e-3)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(1.0, 2.0)], "at least two points"),
        ([(0.0, 0.0), (np.nan, 1.0)], "finite"),
        ([(1.0, 1.0)] * 3, "must have a length"),
    ],
)
def test_what_is_no_path_is_refused(points, words):
    with pytest.raises(InvalidValue, match=words):
        Path(points=points)


def test_points_in_space_are_refused():
    with pytest.raises(InvalidShape):
        Path(points=np.zeros((4, 3)))


def test_rounding_keeps_the_ends_and_lifts_the_radius_of_corners():
    corners = [(0, 0), (4, 0), (4, 4)]
    soft, hard = Path.through(corners, rounding=0.5), Path.through(corners, rounding=0.0)
    assert soft.points[0] == pytest.approx([0, 0], abs=1e-9)
    assert soft.points[-1] == pytest.approx([4, 4], abs=1e-9)
    assert hard.tightest < 0.3
    assert soft.tightest > 0.45
    assert soft.length < hard.length


def test_paths_are_scaled_and_moved():
    path = Path(points=[(0, 0), (1, 0), (1, 1)]).scaled_to(10.0).moved((5.0, 0.0, np.pi / 2))
    assert path.length == pytest.approx(10.0)
    assert path.at(5.0) == pytest.approx([5.0, 5.0])


def test_a_track_on_the_path_is_nowhere_off_it_even_where_the_path_crosses_itself():
    path = hello()
    s = np.linspace(0.0, path.length, 4000)
    along, off = path.progress(path.at(s))
    assert off.max() < 1e-6
    assert along == pytest.approx(s, abs=1e-3)


def test_a_track_beside_the_path_is_as_far_off_as_it_is():
    path = Path(points=[(0, 0), (20, 0)])
    track = np.column_stack([np.linspace(0, 20, 500), np.full(500, 0.3)])
    along, off = path.progress(track)
    assert off == pytest.approx(0.3)
    assert along == pytest.approx(track[:, 0])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.2, 3.0))
def test_progress_is_the_same_in_the_kernel_and_in_numpy_and_never_goes_back(seed, reach):
    rng = np.random.default_rng(seed)
    path = Path(points=np.cumsum(rng.normal(size=(12, 2)), axis=0))
    track = path.at(np.sort(rng.uniform(0, path.length, 60))) + rng.normal(scale=0.3, size=(60, 2))
    along, off = path.progress(track, reach=reach)
    twin_along, twin_off = progress_numpy(path, track, reach=reach)
    assert off == pytest.approx(twin_off, abs=1e-9)
    assert along == pytest.approx(twin_along, abs=1e-6)
    assert (np.diff(along) >= -1e-12).all()
