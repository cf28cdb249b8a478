"""The border of axes: exact, both ways, for vectors and rotations alike."""

import numpy as np

from walkon.transforms import axes
from walkon.transforms import quaternions as quat


def test_up_left_and_forward_of_a_file_become_ours() -> None:
    up, left, forward = [0, 1, 0], [1, 0, 0], [0, 0, 1]
    assert axes.y_up_to_z_up([up, left, forward]).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_the_way_back_is_exact(rng: np.random.Generator) -> None:
    for values in (rng.normal(size=(10, 3)), rng.normal(size=(10, 4))):
        assert np.array_equal(axes.z_up_to_y_up(axes.y_up_to_z_up(values)), values)


def test_rotating_then_converting_is_converting_then_rotating(rng: np.random.Generator) -> None:
    q, v = quat.normalize(rng.normal(size=(20, 4))), rng.normal(size=(20, 3))
    converted = quat.rotate(axes.y_up_to_z_up(q), axes.y_up_to_z_up(v))
    assert np.allclose(converted, axes.y_up_to_z_up(quat.rotate(q, v)))
