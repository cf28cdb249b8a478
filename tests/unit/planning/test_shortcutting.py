import numpy as np
import pytest

from walkon._base.errors import InvalidValue
from walkon.planning.shortcutting import filled_in, shortcut


def straight(a, b):
    return np.linalg.norm(b - a, axis=1)


def above_the_axis(a, b):
    """Lines may not cross y = 0 for x between −1 and 1."""
    t = np.linspace(0, 1, 201)[:, None, None]
    places = a + t * (b - a)
    through = ((np.abs(places[..., 0]) < 1) & (np.abs(places[..., 1]) < 0.75)).any(axis=0)
    return np.where(through, np.inf, straight(a, b))


def test_a_path_in_the_open_becomes_a_line():
    path = np.random.default_rng(0).normal(size=(9, 2))
    np.testing.assert_array_equal(shortcut(path, straight), path[[0, -1]])


def test_any_number_of_dimensions_will_do():
    path = np.random.default_rng(0).normal(size=(5, 7))
    np.testing.assert_array_equal(shortcut(path, straight), path[[0, -1]])


def test_what_is_needed_is_kept_and_detours_are_not():
    path = [[-3, 0], [-3, 3], [-1, 1], [0, 4], [1, 1], [3, 3], [3, 0]]
    np.testing.assert_array_equal(shortcut(path, above_the_axis), [[-3, 0], [-1, 1], [1, 1], [3, 0]])


def test_points_in_between_cut_across_where_corners_do_not_see_each_other():
    path = [[-3, 0], [0, 3], [3, 0]]
    plain, fine = shortcut(path, above_the_axis), shortcut(path, above_the_axis, spacing=0.2)
    assert len(plain) == 3
    assert straight(fine[:-1], fine[1:]).sum() < 0.9 * straight(plain[:-1], plain[1:]).sum()
    assert np.isfinite(above_the_axis(fine[:-1], fine[1:])).all()


def test_filling_in_keeps_the_points_and_the_spacing():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.25], [1.0, 2.0]])
    fine = filled_in(path, spacing=0.3)
    assert {tuple(p) for p in path} <= {tuple(p) for p in fine}
    assert straight(fine[:-1], fine[1:]).max() <= 0.3 + 1e-12
    assert straight(fine[:-1], fine[1:]).sum() == pytest.approx(3.0)


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidValue, match="two points"):
        shortcut([[0, 0]], straight)
    with pytest.raises(InvalidValue, match="blocked"):
        shortcut([[-3, 0], [3, 0]], above_the_axis)
    with pytest.raises(InvalidValue, match="spacing"):
        filled_in([[0, 0], [1, 1]], spacing=0.0)
